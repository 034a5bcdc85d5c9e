"""The words of the glossary, in its order."""

from irmeval.lessons.term import TERMS, add
from irmeval.metrics import METRICS

__all__ = ["TERMS"]

add(
    "gain",
    "How much a document of a grade is worth to a graded measure; by default, the grade itself.",
    "g(r)",
    "Järvelin & Kekäläinen 2002",
)
add(
    "pool",
    "The documents that were given to assessors: the top documents of all contributing runs, merged. A document that none of these runs "
    "found was never judged.",
    "",
    "Sparck Jones & van Rijsbergen 1975",
    "pooled",
    "pooling",
)
add("pool depth", "How many documents each run contributes to the pool: at depth 10, its top ten.", "", "", "shallower pool")
add("unjudged", "A document in a list that nobody has judged. Most measures treat it as nonrelevant.", "", "", "nobody has judged")
add(
    "incompleteness",
    "Relevant documents are missing from the judgments. Here this is simulated: judgments are removed, and results on the rest are "
    "compared with those on all of them.",
    "",
    "Buckley & Voorhees 2004",
    "incomplete",
    "judgments disappear",
)
add(
    "stratified",
    "Sampling that keeps the same share of the relevant and of the nonrelevant judgments of each topic, so each topic keeps some of both.",
    "",
    "Sakai & Kando 2008",
)
add("uniform", "Sampling that keeps all judgments with equal probability; a topic may lose all relevant ones.", "", "Yilmaz & Aslam 2006")
add(
    "sampled judgments",
    "Only some documents of the pool are judged, drawn at random with known probabilities, and stand for the others. Raw measures are "
    "wrong on such samples; xinfAP, infNDCG and the stat measures estimate what all judgments would say.",
    "",
    "Yilmaz, Kanoulas & Aslam 2008",
    "judgments are a sample",
)
add(
    "stratum",
    "A part of a topic's pool from which judged documents are drawn at one rate, such as the documents in the top 10 of some run.",
    r"n_s\text{ of }N_s",
    "Yilmaz, Kanoulas & Aslam 2008",
    "strata",
)
add(
    "inclusion probability",
    "How likely a document of the pool was to be drawn for judging. A drawn document counts 1 divided by this probability.",
    r"\pi_d=\frac{n_s}{N_s}",
    "Horvitz & Thompson 1952",
    "inclusion probabilities",
)
add(
    "condensed list",
    "A ranked list from which every unjudged document is removed, so that the judged ones below it move up.",
    "",
    "Sakai 2007 (alternatives to bpref)",
    "condensed",
)
add(
    "prime",
    "The ' after a measure, as in AP': the measure is computed on the condensed list. AP' skips unjudged documents, which AP counts as "
    "nonrelevant.",
    "",
    "Sakai 2007 (alternatives to bpref)",
)
add(
    "residual",
    "How much unjudged documents would add to a score if all of them were relevant: the part of the score that is unknown.",
    r"(1-p)\sum_{r:\,unjudged(r)}p^{\,r-1}",
    "Moffat & Zobel 2008",
)
add(
    "policy",
    "The choices on which evaluation programs differ: how ties in a list are broken, what a negative grade means, which topics a mean "
    "is over. All pages use the same policy.",
    "",
    "Conventions, in the documentation",
)
add("cut-off", "The rank at which a measure stops looking: P@10 looks at ten documents.", "k", "", "cutoff")
add("ideal list", "The best possible list for a topic: all relevant documents, highest grade first.", "", "", "ideal")
add(
    "top-heaviness",
    "How much more a document counts near the top of a list than further down. Swapping ranks 1 and 2 changes a top-heavy measure more "
    "than swapping 9 and 10.",
    "",
    "Sakai & Kando 2008",
    "top-heavy",
)
add(
    "tau",
    "How similar two orders of the same runs are: 1 is the same order, 0 unrelated, -1 reversed. It counts the pairs of runs in the same "
    "order, minus those in opposite orders.",
    r"\tau_b=\frac{concordant-discordant}{\sqrt{untied_x\cdot untied_y}}",
    "Kendall 1938, 1945",
    "Kendall's tau",
    "tau-b",
    "tau_b",
)
add(
    "tau AP",
    "A tau in which differences among the best runs weigh most. Not symmetric: one of the orders is the reference.",
    r"\frac{2}{n-1}\sum_{i=2}^{n}\frac{C(i)}{i-1}-1",
    "Yilmaz, Aslam & Robertson 2008",
    "tau_ap",
)
add(
    "rank-biased overlap",
    "How much two rankings have in common, seen by a reader who goes on to the next rank with probability p.",
    r"(1-p)\sum_d p^{\,d-1}\,\frac{2\,|S_d\cap T_d|}{|S_d|+|T_d|}",
    "Webber, Moffat & Zobel 2010",
    "rbo",
)
add("Spearman's rho", "Pearson's correlation of the ranks of runs in two orders.", "", "Spearman 1904", "spearman")
add(
    "gold measure",
    "The measure whose order of the runs on all judgments is the reference that other orders are compared with.",
    "",
    "",
    "gold",
)
add(
    "significance",
    "A difference between two runs is significant if chance alone would rarely produce one as large: if p is below alpha.",
    "",
    "Sakai 2006",
    "significant",
    "told apart",
)
add(
    "p-value",
    "How often a difference at least as large would arise by chance if the two runs were equally good.",
    "",
    "Fisher 1935",
    "p-values",
)
add("alpha", "A difference is significant if p is below this level: at .05, one in twenty pairs of equally good runs seems to differ.")
add(
    "correction",
    "Raises p because many pairs are tested: without it, about one in twenty pairs of equally good runs would seem to differ at .05.",
    "",
    "Holm 1979",
)
add("Tukey's HSD", "A test of all pairs of runs at once, which accounts for their number.", "", "Carterette 2012", "tukey")
add(
    "bootstrap",
    "Draws topics again and again, with replacement, to see how much a number depends on them.",
    "",
    "Efron 1979; Sakai 2006",
    "resample",
)
add(
    "interval",
    "The range in which the true value plausibly lies, given the topics: wide if there are few.",
    "",
    "Student 1908; Efron 1979",
    "confidence interval",
)
add(
    "rank interval",
    "The ranks that a run may have, given the topics: from 1 plus the number of significantly better runs, to the number of all runs "
    "minus the significantly worse ones.",
    "",
    "Al Mohamad, Goeman & van Zwet 2022",
    "rank intervals",
)
add(
    "discriminative power",
    "Share of the pairs of runs that a measure finds significantly different, on the same topics and at the same alpha.",
    "",
    "Sakai 2006",
    "power",
)
add(
    "topics needed",
    "The fewest topics with which a test finds the minimum difference with the wanted power, or an interval is as short as wanted.",
    "",
    "Sakai 2016",
)
add(
    "minimum difference",
    "The smallest difference of two systems' mean scores that a test should find.",
    "minD",
    "Sakai 2016",
)
add(
    "swap rate",
    "How often two disjoint sets of topics disagree about which of two runs is better, for differences of about the same size.",
    "",
    "Voorhees & Buckley 2002",
    "swap method",
)
add(
    "minority rate",
    "How often a random set of topics contradicts most other sets about a pair of runs.",
    r"\frac{\sum\min(wins,\,losses)}{\sum sets}",
    "Buckley & Voorhees 2000; Sakai 2007 (reliability)",
)
add("proportion of ties", "How often two runs tie on a random set of topics, within the fuzziness.", "", "Buckley & Voorhees 2000")
add("fuzziness", "Two means tie if they differ by less than this share of the larger one.", "f", "Buckley & Voorhees 2000")
add(
    "leave one team out",
    "Removes the judgments that only one team contributed to the pool, as if it had not taken part.",
    "",
    "Zobel 1998",
    "leave-one-out",
)
add(
    "pool bias",
    "What a run loses because its own documents are not in the pool. The correction adds what other runs lose without their own team, or "
    "what the run itself loses on common topics, on which all its documents are judged.",
    r"\hat{s}=s+\frac{1}{|P|}\sum_{p\in P}\left(s_p-s_p^{-p}\right)",
    "Webber & Park 2009",
    "adjustment",
)
add(
    "sure of a sign",
    "The probability that the better of two runs is still better once everything is judged: each unjudged document is relevant with some "
    "probability, independently of the others, so the difference has a mean and a standard deviation.",
    r"\Phi\left(\frac{|E[\Delta]|}{\sqrt{Var[\Delta]}}\right)",
    "Carterette, Allan & Sitaraman 2006",
    "sign of a difference",
    "minimal test collection",
)
add(
    "tau union",
    "Kendall's tau of two lists that need not hold the same documents, numbered as they first appear in the original list, then in the "
    "other.",
    "",
    "Breuer et al. 2020",
    "tau_union",
)
add(
    "root mean square error",
    "How far the scores of a reproduced run are from those of the original, topic by topic.",
    r"\sqrt{\frac{1}{n}\sum_t (M_t - M'_t)^2}",
    "Breuer et al. 2020",
    "rmse",
)
add(
    "effect ratio",
    "The mean improvement over a baseline in a reproduction, divided by that in the original: 1 if it is as large, 0 if it is gone.",
    r"\frac{\overline{A' - B'}}{\overline{A - B}}",
    "Breuer et al. 2020",
    "effect_ratio",
)
add(
    "delta relative improvement",
    "The relative improvement over a baseline in the original, minus that in its reproduction: 0 where they are the same.",
    r"\frac{\bar A-\bar B}{\bar B}-\frac{\bar A'-\bar B'}{\bar B'}",
    "Breuer et al. 2020",
    "delta_ri",
    "delta RI",
)
add(
    "estimator",
    "A measure that estimates the score on all judgments from a sample of them: each drawn document also stands for some that were not.",
    r"\hat Y = \sum_{d\ drawn} \frac{y_d}{\pi_d}",
    "Horvitz & Thompson 1952",
)
add(
    "coverage",
    "How often an interval contains the true value: a 95% interval should do so 95 times in a hundred.",
    "",
    "Sarndal, Swensson & Wretman 1992",
)
add("judge", "Whoever decides what is relevant: an assessor, a second assessor, or a language model.", "", "Voorhees 2000", "assessor")
add(
    "cheap judge",
    "A judge who can grade every document, such as a language model, while an expensive one grades a sample of them.",
    "",
    "Angelopoulos et al. 2023",
)
add(
    "difference estimator",
    "The cheap judge's score on all documents, corrected by how much the expensive judge differs on the sample: right on average, however "
    "bad the cheap judge is.",
    r"\sum_d w_d f_d + \sum_{d\ drawn} w_d \frac{y_d - f_d}{\pi_d}",
    "Cochran 1977",
)
add(
    "prediction-powered",
    "A mean over topics that all have cheap judgments and some of which have expensive ones too: the better the two agree, the more the "
    "cheap ones count.",
    r"\bar Y + \lambda (\bar f_N - \bar f_n)",
    "Angelopoulos et al. 2023",
)
add(
    "kappa",
    "Agreement of two judges beyond chance: 1 is complete agreement, 0 is agreement by chance.",
    r"\kappa=\frac{p_o-p_e}{1-p_e}",
    "Cohen 1960",
)
add(
    "Krippendorff's alpha",
    "Agreement of any number of judges beyond chance; it takes into account grades, and documents that only some judges have judged.",
    r"\alpha=1-\frac{D_o}{D_e}",
    "Krippendorff 2004",
    "alpha_ordinal",
)
add(
    "knee",
    "Where a curve turns from steep to flat: the point beyond which more judgments, or more topics, add little.",
    "",
    "Satopää et al. 2011",
)
add(
    "order of judging",
    "Which document of the pool is judged next. Dynamic orders first ask the runs whose documents were relevant before.",
    "",
    "Cormack, Palmer & Clarke 1998",
    "orders of judging",
)
add("budget", "How much is judged: a number of documents, or a share of the pool of each topic.", "", "Lipani et al. 2017")
add(
    "by-depth",
    "Depth pooling as an order of judging: rank 1 of all runs, then rank 2, and so on.",
    "",
    "Sparck Jones & van Rijsbergen 1975",
)
add(
    "move-to-front",
    "An order of judging: a run is asked for documents until one is not relevant, then one of the others that were wrong least often.",
    "",
    "Cormack, Palmer & Clarke 1998",
)
add(
    "bandit",
    "An order of judging: each run is a slot machine whose chance to pay, by a relevant document, is learned as it is played. MM-NS "
    "remembers its last document alone, MM all of them.",
    r"\frac{1+a}{2+a+b}",
    "Losada, Parapar & Barreiro 2016",
)
add(
    "hedge",
    "An order of judging: runs have weights that rise and fall with what their documents turn out to be, most at the top of their lists.",
    r"w = \beta^{\mathrm{loss}}",
    "Aslam, Pavlu & Savell 2003",
)
add("largest drop", "The most places that a run falls when fewer documents are judged.", "", "Voorhees 1998")
add("score matrix", "A table of scores of runs on topics, without judgments: a column per run, a line per topic.")
add("pinned run", "A run that has its own colour and its name on every chart; the others are grey.", "", "", "pinned")
add("Kendall's W", "How alike several orders are: 1 the same, 0 no agreement.", "", "Kendall & Babington Smith 1939", "W")
add("random effects", "A mean over collections whose true effects differ, drawn as a forest plot.", "", "DerSimonian & Laird 1986")
add("workspace", "One file with collections, settings and notes, to continue elsewhere.")

for _name in ("AP", "nDCG", "Q", "RBP", "Bpref", "RankEff", "infAP"):
    _metric = METRICS[_name]
    add(_name.lower() if _name == "Bpref" else _name, _metric.meaning, _metric.formula, _metric.source)

# last what is on nearly every page
add("topic", "A question put to all systems, with its own judgments. Scores are per topic; a mean is over topics.")
add("run", "What one system retrieved for every topic: ranked lists of documents. Several runs may come from one team.", "", "TREC")
add("judgment", "What an assessor decided about a document for a topic: a grade, 0 where it is not relevant.", "", "", "assessment")
add("qrels", "The file of all judgments of a collection: topic, document and grade, line by line.", "", "TREC")
add("measure", "A metric with its parameters, cut-off and prime, as in nDCG@10'. A metric is the formula alone.", "", "", "metric")
add("team", "A participant with one or more runs; runs of a team are often similar.", "", "TREC", "participant")
add("grade", "How relevant a document was judged to be: 0 is not relevant, higher is more relevant.", "", "", "relevance level")
add("rate", "Share of the judgments that is kept in a sample.", "", "Sakai & Kando 2008")
add("trial", "One random sample. With several trials a line is their mean, and a band their spread.")
add("seed", "The number from which random choices start: the same seed draws the same samples on any machine.")
