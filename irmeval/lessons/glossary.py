"""The glossary: the meaning of every term that pages, captions and help texts use.

>>> from irmeval.lessons.glossary import TERMS, terms_in
>>> TERMS["tau-ap"].name
'tau AP'
>>> [term.name for term in terms_in("Tau AP and the pool depth of condensed lists")]
['pool depth', 'condensed list', 'tau AP']
"""

import ast
import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from irmeval.core.params import fields
from irmeval.experiments.base import Experiment
from irmeval.lessons.term import TERMS, Term
from irmeval.lessons.term import add as _add
from irmeval.metrics import METRICS

__all__ = ["TERMS", "Term", "find", "terms_in", "terms_of", "texts_in"]


_add(
    "gain",
    "How much a document of a grade is worth to a graded measure; by default, the grade itself.",
    "g(r)",
    "Järvelin & Kekäläinen 2002",
)
_add(
    "pool",
    "The documents that were given to assessors: the top documents of all contributing runs, merged. A document that none of these runs "
    "found was never judged.",
    "",
    "Sparck Jones & van Rijsbergen 1975",
    "pooled",
    "pooling",
)
_add("pool depth", "How many documents each run contributes to the pool: at depth 10, its top ten.", "", "", "shallower pool")
_add("unjudged", "A document in a list that nobody has judged. Most measures treat it as nonrelevant.", "", "", "nobody has judged")
_add(
    "incompleteness",
    "Relevant documents are missing from the judgments. Here this is simulated: judgments are removed, and results on the rest are "
    "compared with those on all of them.",
    "",
    "Buckley & Voorhees 2004",
    "incomplete",
    "judgments disappear",
)
_add(
    "stratified",
    "Sampling that keeps the same share of the relevant and of the nonrelevant judgments of each topic, so each topic keeps some of both.",
    "",
    "Sakai & Kando 2008",
)
_add("uniform", "Sampling that keeps all judgments with equal probability; a topic may lose all relevant ones.", "", "Yilmaz & Aslam 2006")
_add(
    "sampled judgments",
    "Only some documents of the pool are judged, drawn at random with known probabilities, and stand for the others. Raw measures are off "
    "on them; xinfAP, infNDCG and the stat measures estimate what all judgments would say.",
    "",
    "Yilmaz, Kanoulas & Aslam 2008",
    "judgments are a sample",
)
_add(
    "stratum",
    "A part of a topic's pool from which judged documents are drawn at one rate, as the documents within rank 10 of some run.",
    r"n_s\text{ of }N_s",
    "Yilmaz, Kanoulas & Aslam 2008",
    "strata",
)
_add(
    "inclusion probability",
    "How likely a document of the pool was to be drawn for judging; one that was drawn stands for 1 over it.",
    r"\pi_d=\frac{n_s}{N_s}",
    "Horvitz & Thompson 1952",
    "inclusion probabilities",
)
_add(
    "condensed list",
    "A ranked list from which every unjudged document is removed, so that the judged ones below it move up.",
    "",
    "Sakai 2007 (alternatives to bpref)",
    "condensed",
)
_add(
    "prime",
    "The ' after a measure, as in AP': the measure is computed on the condensed list. AP' skips unjudged documents, which AP counts as "
    "nonrelevant.",
    "",
    "Sakai 2007 (alternatives to bpref)",
)
_add(
    "residual",
    "How much unjudged documents would add to a score if all of them were relevant: the part of the score that is unknown.",
    r"(1-p)\sum_{r:\,unjudged(r)}p^{\,r-1}",
    "Moffat & Zobel 2008",
)
_add(
    "policy",
    "The choices on which evaluation programs differ: how ties in a list are broken, what a negative grade means, which topics a mean "
    "is over. One policy holds on all pages.",
    "",
    "Conventions, in the documentation",
)
_add("cut-off", "The rank at which a measure stops looking: P@10 looks at ten documents.", "k", "", "cutoff")
_add("ideal list", "The best possible list for a topic: all relevant documents, highest grade first.", "", "", "ideal")
_add(
    "top-heaviness",
    "How much more a document counts near the top of a list than further down. Swapping ranks 1 and 2 changes a top-heavy measure more "
    "than swapping 9 and 10.",
    "",
    "Sakai & Kando 2008",
    "top-heavy",
)
_add(
    "tau",
    "How similar two orders of the same runs are: 1 is the same order, 0 unrelated, -1 reversed. It counts the pairs of runs in the same "
    "order, minus those in opposite orders.",
    r"\tau_b=\frac{concordant-discordant}{\sqrt{untied_x\cdot untied_y}}",
    "Kendall 1938, 1945",
    "Kendall's tau",
    "tau-b",
    "tau_b",
)
_add(
    "tau AP",
    "A tau in which differences among the best runs weigh most. Not symmetric: one of the orders is the reference.",
    r"\frac{2}{n-1}\sum_{i=2}^{n}\frac{C(i)}{i-1}-1",
    "Yilmaz, Aslam & Robertson 2008",
    "tau_ap",
)
_add(
    "rank-biased overlap",
    "How much two rankings have in common, seen by a reader who goes on to the next rank with probability p.",
    r"(1-p)\sum_d p^{\,d-1}\,\frac{2\,|S_d\cap T_d|}{|S_d|+|T_d|}",
    "Webber, Moffat & Zobel 2010",
    "rbo",
)
_add("Spearman's rho", "Pearson's correlation of the ranks of runs in two orders.", "", "Spearman 1904", "spearman")
_add(
    "gold measure",
    "The measure whose order of the runs on all judgments is the reference that other orders are compared with.",
    "",
    "",
    "gold",
)
_add(
    "significance",
    "A difference between two runs is significant if chance alone would rarely produce one as large: if p is below alpha.",
    "",
    "Sakai 2006",
    "significant",
    "told apart",
)
_add(
    "p-value",
    "How often a difference at least as large would arise by chance if the two runs were equally good.",
    "",
    "Fisher 1935",
    "p-values",
)
_add("alpha", "A difference is significant if p is below this level: at .05, one in twenty pairs of equally good runs seems to differ.")
_add(
    "correction",
    "Raises p because many pairs are tested: without it, about one in twenty pairs of equally good runs would seem to differ at .05.",
    "",
    "Holm 1979",
)
_add("Tukey's HSD", "A test of all pairs of runs at once, which accounts for their number.", "", "Carterette 2012", "tukey")
_add(
    "bootstrap",
    "Draws topics again and again, with replacement, to see how much a number depends on them.",
    "",
    "Efron 1979; Sakai 2006",
    "resample",
)
_add(
    "interval",
    "The range in which the true value plausibly lies, given the topics: wide if there are few.",
    "",
    "Student 1908; Efron 1979",
    "confidence interval",
)
_add(
    "rank interval",
    "The ranks that a run may have, given the topics: from 1 + the runs significantly better, to all runs minus those significantly worse.",
    "",
    "Al Mohamad, Goeman & van Zwet 2022",
    "rank intervals",
)
_add(
    "discriminative power",
    "Share of the pairs of runs that a measure finds significantly different, on the same topics and at the same alpha.",
    "",
    "Sakai 2006",
    "power",
)
_add(
    "swap rate",
    "How often two disjoint sets of topics disagree about which of two runs is better, for differences of about the same size.",
    "",
    "Voorhees & Buckley 2002",
    "swap method",
)
_add(
    "minority rate",
    "How often a random set of topics contradicts most other sets about a pair of runs.",
    r"\frac{\sum\min(wins,\,losses)}{\sum sets}",
    "Buckley & Voorhees 2000; Sakai 2007 (reliability)",
)
_add("proportion of ties", "How often two runs tie on a random set of topics, within the fuzziness.", "", "Buckley & Voorhees 2000")
_add("fuzziness", "Two means tie if they differ by less than this share of the larger one.", "f", "Buckley & Voorhees 2000")
_add(
    "leave one team out",
    "Removes the judgments that only one team contributed to the pool, as if it had not taken part.",
    "",
    "Zobel 1998",
    "leave-one-out",
)
_add(
    "pool bias",
    "What a run loses because its own documents are not in the pool. The correction adds what other runs lose without their own team, or "
    "what the run itself loses on common topics, on which all its documents are judged.",
    r"\hat{s}=s+\frac{1}{|P|}\sum_{p\in P}\left(s_p-s_p^{-p}\right)",
    "Webber & Park 2009",
    "adjustment",
)
_add(
    "sure of a sign",
    "The probability that the better of two runs is still better once everything is judged: each unjudged document is relevant with some "
    "probability, independently of the others, so the difference has a mean and a standard deviation.",
    r"\Phi\left(\frac{|E[\Delta]|}{\sqrt{Var[\Delta]}}\right)",
    "Carterette, Allan & Sitaraman 2006",
    "sign of a difference",
    "minimal test collection",
)
_add(
    "tau union",
    "Kendall's tau of two lists that need not hold the same documents, numbered as they first appear in the original list, then in the "
    "other.",
    "",
    "Breuer et al. 2020",
    "tau_union",
)
_add(
    "root mean square error",
    "How far the scores of a reproduced run are from those of the original, topic by topic.",
    r"\sqrt{\frac{1}{n}\sum_t (M_t - M'_t)^2}",
    "Breuer et al. 2020",
    "rmse",
)
_add(
    "effect ratio",
    "The mean improvement over a baseline in a reproduction, over that in the original: 1 where it is as large, 0 where it is gone.",
    r"\frac{\overline{A' - B'}}{\overline{A - B}}",
    "Breuer et al. 2020",
    "effect_ratio",
)
_add(
    "delta relative improvement",
    "The relative improvement over a baseline in the original, minus that in its reproduction: 0 where they are the same.",
    r"\frac{\bar A-\bar B}{\bar B}-\frac{\bar A'-\bar B'}{\bar B'}",
    "Breuer et al. 2020",
    "delta_ri",
    "delta RI",
)
_add(
    "estimator",
    "A measure that says from a sample of the judgments what the score is on all of them: a drawn document stands for those that were not.",
    r"\hat Y = \sum_{d\ drawn} \frac{y_d}{\pi_d}",
    "Horvitz & Thompson 1952",
)
_add(
    "coverage",
    "How often an interval holds the truth: 95 times in a hundred, if an interval of 95% is what it says.",
    "",
    "Sarndal, Swensson & Wretman 1992",
)
_add("judge", "Whoever decides what is relevant: an assessor, a second assessor, or a language model.", "", "Voorhees 2000", "assessor")
_add(
    "kappa",
    "Agreement of two judges beyond chance: 1 is complete agreement, 0 is agreement by chance.",
    r"\kappa=\frac{p_o-p_e}{1-p_e}",
    "Cohen 1960",
)
_add(
    "Krippendorff's alpha",
    "Agreement of any number of judges beyond chance; it takes account of grades, and of documents that only some have judged.",
    r"\alpha=1-\frac{D_o}{D_e}",
    "Krippendorff 2004",
    "alpha_ordinal",
)
_add(
    "knee",
    "Where a curve turns from steep to flat: the point beyond which more judgments, or more topics, add little.",
    "",
    "Satopää et al. 2011",
)
_add(
    "order of judging",
    "Which document of the pool is judged next. Dynamic orders ask first the runs whose documents were relevant before.",
    "",
    "Cormack, Palmer & Clarke 1998",
    "orders of judging",
)
_add("budget", "How much is judged: a number of documents, or a share of the pool of each topic.", "", "Lipani et al. 2017")
_add(
    "by-depth",
    "Depth pooling as an order of judging: rank 1 of all runs, then rank 2, and so on.",
    "",
    "Sparck Jones & van Rijsbergen 1975",
)
_add(
    "move-to-front",
    "An order of judging: a run is asked for documents until one is not relevant, then one of the others that were wrong least often.",
    "",
    "Cormack, Palmer & Clarke 1998",
)
_add(
    "bandit",
    "An order of judging: each run is a slot machine whose chance to pay, by a relevant document, is learned as it is played. MM-NS "
    "remembers its last document alone, MM all of them.",
    r"\frac{1+a}{2+a+b}",
    "Losada, Parapar & Barreiro 2016",
)
_add(
    "hedge",
    "An order of judging: runs have weights that rise and fall with what their documents turn out to be, most at the top of their lists.",
    r"w = \beta^{\mathrm{loss}}",
    "Aslam, Pavlu & Savell 2003",
)
_add("largest drop", "The most places that a run falls when fewer documents are judged.", "", "Voorhees 1998")
_add("score matrix", "A table of scores of runs on topics, without judgments: a column per run, a line per topic.")
_add("pinned run", "A run that has its own colour and its name on every chart; the others are grey.", "", "", "pinned")
_add("Kendall's W", "How alike several orders are: 1 the same, 0 no agreement.", "", "Kendall & Babington Smith 1939", "W")
_add("random effects", "A mean over collections whose true effects differ, drawn as a forest plot.", "", "DerSimonian & Laird 1986")
_add("workspace", "One file with collections, settings and notes, to continue elsewhere.")

for _name in ("AP", "nDCG", "Q", "RBP", "Bpref", "RankEff", "infAP"):
    _metric = METRICS[_name]
    _add(_name.lower() if _name == "Bpref" else _name, _metric.meaning, _metric.formula, _metric.source)

# last what is on nearly every page
_add("topic", "A question put to all systems, with its own judgments. Scores are per topic; a mean is over topics.")
_add("run", "What one system retrieved for every topic: ranked lists of documents. Several runs may come from one team.", "", "TREC")
_add("judgment", "What an assessor decided about a document for a topic: a grade, 0 where it is not relevant.", "", "", "assessment")
_add("qrels", "The file of all judgments of a collection: topic, document and grade, line by line.", "", "TREC")
_add("measure", "A metric with its parameters, cut-off and prime, as in nDCG@10'. A metric is the formula alone.", "", "", "metric")
_add("team", "A participant with one or more runs; runs of a team are often similar.", "", "TREC", "participant")
_add("grade", "How relevant a document was judged to be: 0 is not relevant, higher is more relevant.", "", "", "relevance level")
_add("rate", "Share of the judgments that is kept in a sample.", "", "Sakai & Kando 2008")
_add("trial", "One random sample. With several trials a line is their mean, and a band their spread.")
_add("seed", "The number from which random choices start: the same seed draws the same samples on any machine.")


def terms_in(text: str) -> list[Term]:
    """The terms that a text uses, in the glossary's order. One that is part of a longer one does not count: the "tau AP" of a text is no
    "tau". An abbreviation, as AP, is found as it is written alone."""
    forms, pattern = _forms()
    keys = {forms.get(match) or forms.get(match.lower()) for match in pattern.findall(text)}
    return [term for key, term in TERMS.items() if key in keys]


def terms_of(experiment: Experiment[Any, Any]) -> list[Term]:
    """The terms that an experiment uses in its record, its parameters' help, and the sentences and captions of its result."""
    record = [experiment.title, experiment.question, experiment.meaning, "measure, prime" if experiment.measured else ""]
    helps = [f"{field.param.label} {field.param.help}" for field in fields(experiment.params).values()]
    source = Path(inspect.getfile(sys.modules[experiment.run.__module__]))
    return terms_in("\n".join([*record, *helps, *texts_in(source)]))


def find(text: str) -> list[Term]:
    """The terms whose name, meaning or source contains every word of a text."""
    words = text.lower().split()
    return [t for t in TERMS.values() if all(word in " ".join((t.name, *t.also, t.meaning, t.source)).lower() for word in words)]


@cache
def texts_in(script: Path) -> tuple[str, ...]:
    """The string literals of a script, without the docstrings of its functions and classes."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef
    unsaid = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, kinds) and isinstance(node.body[0], ast.Expr)}
    return tuple(n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in unsaid)


@cache
def _forms() -> tuple[dict[str, str], re.Pattern[str]]:
    """Way to write a term -> its key, in lower case unless it is an abbreviation; and what finds all of them, the longest first."""
    forms: dict[str, str] = {}
    for key, term in TERMS.items():
        for form in (term.name, *term.also):
            form = form if any(letter.isupper() for letter in form[1:]) or len(form) == 1 else form.lower()
            forms |= {form: key, f"{form}s": key}
    longest_first = sorted(forms, key=len, reverse=True)
    return forms, re.compile(rf"(?<![\w'-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w-])", re.IGNORECASE)
