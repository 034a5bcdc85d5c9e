"""Metrics are decorated functions; a measure is a metric with its parameters, written
as text.

The grammar is that of ir_measures, ``Name(param=value,...)@cutoff``, with a prime at
the end for the condensed list: ``AP``, ``AP'``, ``nDCG(base=2)@1000'``.
``judged_only=True`` is the long form of the prime.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Literal

import numpy as np

from irmeval.core.described import Described, PerInstance, docstring_of
from irmeval.core.errors import IrmevalError, ParamError, UnknownName
from irmeval.core.other_packages import made_by
from irmeval.core.params import REQUIRED, Field, Param, fields, format_value
from irmeval.core.registry import MAX_LISTED, Registry
from irmeval.core.text import list_few, shorten
from irmeval.core.written import EXPONENTIAL
from irmeval.metrics.elsewhere import BY_LEVEL, CUTOFFS, LISTS, REASONS
from irmeval.metrics.hits import Hits
from irmeval.reading.gain_maps import parse_gains
from irmeval.reading.lines import HIGHEST_GRADE

Cutoff = Annotated[int, Param("cut-off k", "Only the top k documents count.", low=1, high=100_000)]
OptionalCutoff = Annotated[
    int | None,
    Param(
        "cut-off k",
        "Only the top k documents count; empty for the whole list.",
        low=1,
        high=100_000,
    ),
]
REL = Field(
    "rel",
    int,
    1,
    Param(
        "relevance level", "A document is relevant from this grade on.", low=1, high=HIGHEST_GRADE
    ),
)


AS_NONRELEVANT = "An unjudged document counts as a nonrelevant one."
UNBOUNDED = (0.0, float("inf"))
IGNORED = "Unjudged documents are ignored: only judged ones are compared."


@dataclass(frozen=True, repr=False)
class Metric(Described):
    """A formula with its description. As a decorator, `metric`, it registers the
    function that computes the formula.

    The function maps hits and parameters to scores [runs, T]. Its parameters carry a
    `Param`. If one is named ``k``, it is the cut-off, and the hits are cut there
    already. The scores of topics without relevant documents become NaN in any case, and
    so do those of a metric that divides by the ideal gain where no relevant document
    has gain.
    """

    __doc__ = PerInstance(docstring_of, __doc__)
    name: str
    """as written in a measure"""
    _: KW_ONLY
    formula: str
    """LaTeX"""
    source: str
    """paper and equation, or the program whose definition it is"""
    unjudged: str = AS_NONRELEVANT
    """treatment of unjudged documents"""
    primed: bool = True
    """whether it has its own condensed-list form"""
    ideal: float | None = None
    """score of an ideal list (without a cut-off, unless it needs one), None if that
    depends on the topic
    """
    range: tuple[float, float] = (0.0, 1.0)
    """lowest and highest possible score"""
    graded: bool = False
    """whether it distinguishes grades of relevance"""
    divides_by: Literal["", "R", "ideal gain"] = ""
    """the denominator: ``"R"``, ``"ideal gain"`` (that of the ideal list), or empty"""
    top_heavy: bool = False
    """whether a step up near the top of the list is worth more than one further down"""
    summed: bool = False
    """whether scores are summed over topics, not averaged"""
    at: str = "k"
    """the parameter after ``@``, if there is one of this name"""
    example: str = ""
    """the shortest form of a measure with this metric; by default its name"""
    aliases: tuple[str, ...] = ()
    """its names in trec_eval, NTCIREVAL, ir_measures and ranx"""
    function: Callable[..., np.ndarray] = field(init=False, repr=False)

    def __call__(self, function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        """Register a function as this metric."""
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "example", self.example or self.name)
        METRICS.add(self.name, self, function.__module__)
        return function

    @property
    def family(self) -> str:
        """Family: the name of the file."""
        return self.function.__module__.rpartition(".")[2].replace("_", " ")

    @property
    def meaning(self) -> str:
        """Meaning of the number, from the function's docstring."""
        return " ".join((self.function.__doc__ or "").split())

    @cached_property
    def params(self) -> dict[str, Field]:
        """Declared parameters, the cut-off ``k`` and the relevance level ``rel``
        included.
        """
        return {**fields(self.function), "rel": REL}

    @property
    def recall_based(self) -> bool:
        """Whether the score depends on relevant documents that were not retrieved."""
        return bool(self.divides_by)

    @property
    def judged_only(self) -> bool:
        """Whether it ignores unjudged documents by definition."""
        return self.unjudged == IGNORED


metric = Metric
METRICS: Registry[Metric] = Registry("metric")
"""The metrics, by name; each with its formula, meaning, source, range and parameters. A
mapping, in the order of the families.

Examples
--------
>>> import irmeval
>>> ap = irmeval.METRICS["AP"]
>>> ap.meaning
"Precision averaged over the relevant documents; one that is not retrieved adds 0. AP'
is also called Induced AP."
>>> ap.range, ap.primed, list(ap.params)
((0.0, 1.0), True, ['k', 'rel'])
>>> "Bpref" in [name for name, metric in irmeval.METRICS.items() if metric.judged_only]
True
"""


@made_by('irmeval.measure("nDCG@10") makes one of a text.')
class Measure(str):
    """A metric with its parameters: a text in canonical form, equal to every measure
    with the same text.

    Attributes
    ----------
    metric : Metric
    params : every parameter's value, the cut-off ``k`` and the relevance level ``rel``
        included
    prime : whether it is scored on the condensed list

    Examples
    --------
    >>> import irmeval
    >>> m = irmeval.measure("nDCG(base=2)@10'")
    >>> m.metric.name, m.params, m.prime
    ('nDCG', {'base': 2.0, 'k': 10, 'rel': 1}, True)
    >>> m == "nDCG(base=2)@10'", m.raw, m.varied("k", 20)
    (True, nDCG(base=2)@10, nDCG(base=2)@20')
    """

    metric: Metric
    params: dict[str, Any]
    prime: bool

    def __new__(cls, text: str, metric: Metric, params: dict[str, Any], prime: bool) -> "Measure":
        """Make a measure from canonical text; `measure` parses any text."""
        self = super().__new__(cls, text)
        self.metric, self.params, self.prime = metric, params, prime
        return self

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return measure_of_scores if self.metric is GIVEN else measure, (str(self),)

    def bounds(self, values: np.ndarray) -> tuple[float, float]:
        """Range of its scores: of scores from a file, that of the measure by which the
        file names them, if all `values` lie within it.
        """
        if self.metric is not GIVEN:
            return self.metric.range
        try:
            low, high = measure(str(self)).metric.range
        except IrmevalError:
            return self.metric.range
        within = bool(np.nanmin(values) >= low and np.nanmax(values) <= high)
        return (low, high) if within else self.metric.range

    @property
    def raw(self) -> "Measure":
        """The measure without its prime."""
        return _build(self.metric, self.params, False)

    @property
    def condensed(self) -> "Measure":
        """The measure with a prime, or without one if its metric has no condensed-list
        form.
        """
        return _build(self.metric, self.params, self.metric.primed)

    def varied(self, name: str, value: Any) -> "Measure":
        """The measure with another value of one parameter. Raises as `measure`."""
        return _build(
            _at_level(self.metric) if name == "rel" else self.metric,
            {**self.params, name: value},
            self.prime,
        )

    @property
    def label(self) -> str:
        """A short name for plots."""
        label = str(self)
        for long, short in (("(base=", " b"), ("(beta=", " β"), ("(p=", " ."), ("(rel=", " rel")):
            label = label.replace(f"{long}0." if short == " ." else long, short)
        return label.replace(")", "").replace(",rel=", " rel")

    @property
    def arguments(self) -> dict[str, Any]:
        """Parameters of the metric's function: all but the relevance level."""
        return {name: value for name, value in self.params.items() if name != "rel"}

    def score(self, hits: Hits) -> np.ndarray:
        """Scores [runs, T]. The hits must have the relevance level of the measure, be
        cut, and be condensed if it has a prime.
        """
        value = self.metric.function(hits, **self.arguments)
        scored = hits.topics.total > 0 if self.metric.divides_by == "ideal gain" else hits.R > 0
        return value if scored.all() else np.where(scored, value, np.nan)


LONGEST = 200
"""Maximum length of a measure as text."""
# each character fits only one part, to avoid backtracking
_FORM = re.compile(
    r"(?P<name>[^()@']+)(\((?P<params>[^()]*)\)\s*)?(@(?P<k>[^()@']*))?(?P<prime>')?"
)

_BETWEEN = re.compile(r",(?![^{}]*\})")
"""Separator of parameters: a comma that is not between braces."""
_BETWEEN = re.compile(r"(?:,\s*|(?<=[^\s,])\s+)(?=[^\W\d])(?![^()]*\))")
"""Separator of measures: before a name, and not between parentheses."""
_CUTOFFS = re.compile(
    r"(?P<begin>[^,]*[@_])\{?(?P<cutoffs>\d{1,9}(?:,\s*\d{1,9})+)\}?(?P<prime>'?)"
)
"""Several cut-offs of one measure, as in ``P@5,10``."""


GIVEN = Metric("scores", formula="", source="", range=(-np.inf, np.inf))
"""Stands for the metric of scores from a file, which may be any; it is not registered,
and scores no list.
"""
object.__setattr__(GIVEN, "function", lambda hits: np.full(hits.R.shape, np.nan))


def measure_of_scores(name: str) -> Measure:
    """A measure of scores from a file, known by its name alone."""
    return Measure(name, GIVEN, {}, False)


def distinct(texts: str | Iterable[str]) -> tuple[Measure, ...]:
    """Parse measures; each is kept only once, in order. A text is one measure, or
    several, as in ``AP,P@10``, or trec_eval names: ``P.5,10``, or ``official``. Raises
    as `measure`.
    """
    if not isinstance(texts, Iterable):
        raise ParamError(f"measures: expected texts, such as AP, found {shorten(texts)}.")
    given = [texts] if isinstance(texts, str) else texts
    return tuple(dict.fromkeys(measure(one) for text in given for one in _separate(text)))


def _separate(text: str) -> Iterable[str]:
    """Split a text into measures: ``AP,P@10`` is two, and ``P.5,10``, in trec_eval's
    form, is P_5 and P_10.
    """
    # what is no text, or too long for a measure, is left to `measure` to refuse
    is_text = isinstance(text, str) and not isinstance(text, Measure)
    if not is_text or len(text) > LONGEST:
        return [text]
    parts = LISTS.get(text) or _BETWEEN.split(text.strip())
    if len(parts) > 1:
        return chain.from_iterable(map(_separate, parts))
    cut = _CUTOFFS.fullmatch(text)
    if not cut:
        return _of_family(text)
    return _of_cutoffs(*cut.group("begin", "cutoffs", "prime"))


def _of_cutoffs(begin: str, cutoffs: str, prime: str) -> list[str]:
    """A measure with each of several cut-offs."""
    return [f"{begin}{k.strip()}{prime}" for k in cutoffs.split(",")]


def _of_family(text: str) -> list[str]:
    """The measures of trec_eval's form ``P.5,10``, or of a name that stands for several
    cut-offs; another text alone.
    """
    family, _, values = text.partition(".")
    values = values or CUTOFFS.get(text, "")
    if not values:
        return [text]
    # only now, since to know all aliases every metric is loaded
    if not _is_alias(f"{family}_"):
        return [text]
    return [f"{family}_{value}" for value in values.split(",")]


def _is_alias(name: str) -> bool:
    """Whether a metric has this name in trec_eval."""
    return any(name in metric.aliases for metric in METRICS.values())


def measure(text: "str | Measure") -> Measure:
    """Parse a measure: ``Name(param=value,...)@cutoff``, with a prime at the end for
    the condensed list.

    Parameters
    ----------
    text : in this form, or a name of trec_eval; a measure is returned as it is

    Returns
    -------
    Measure
        In canonical form: parameters in their declared order, defaults left out.

    Raises
    ------
    UnknownName
        A name that is no metric and no alias of trec_eval's, with the nearest names.
    ParamError
        A parameter that the metric lacks, or a value outside its range.

    Examples
    --------
    >>> import irmeval
    >>> names = "Q(beta=1.0)'", "ndcg_cut_10", "RBP(rel=2, p=.5)"
    >>> tuple(irmeval.measure(name) for name in names)
    (Q', nDCG@10, RBP(p=0.5,rel=2))
    """
    if isinstance(text, Measure):
        return text
    if not isinstance(text, str):
        raise ParamError(f"expected a measure as text, such as AP, found {shorten(text)}.")
    written, params = _read_form(text)
    for part in filter(None, _BETWEEN.split(params)):
        written.add(part)
    return written.build()


GAINS = ("dcg", "gains")
"""Parameters of ir_measures that are a policy here."""


@dataclass
class _Written:
    """A measure as somebody wrote it, in our form or that of another program."""

    text: str
    """the whole, for messages"""
    metric: Metric
    given: dict[str, Any]
    """parameters, as texts"""
    cutoff: str | None
    prime: bool
    gains: str = ""
    """of ir_measures' ``dcg`` or ``gains``; here they are a policy"""

    def add(self, part: str) -> None:
        """Take a parameter, ``name=value``. Raises `ParamError`."""
        key, equals, value = map(str.strip, part.partition("="))
        if not equals or self._has(key):
            raise self._error(f"expected param=value once each, found {shorten(part.strip())}.")
        if key == "judged_only":
            self.prime |= self._truth(value)
        elif key == "cutoff":
            self.cutoff = value
        elif key in GAINS and self.metric.graded:
            self.gains = self.gains or _gains(value)
        else:
            self._check_known(key)
            self.given[key] = value

    def _has(self, key: str) -> bool:
        """Whether a parameter is given already."""
        return key in self.given or (key == "cutoff" and self.cutoff is not None)

    def _truth(self, value: str) -> bool:
        """Value of ``judged_only``. Raises `ParamError`."""
        if value not in ("True", "False"):
            raise self._error(f"judged_only is True or False, found {shorten(value)}.")
        return value == "True"

    def build(self) -> Measure:
        """The measure in canonical form. Raises `ParamError`."""
        metric, given = self.metric, self.given
        if self.cutoff is not None:
            if metric.at not in metric.params:
                raise self._error(f"{metric.name} takes no cut-off.")
            given = {**given, metric.at: self.cutoff}
        built = _build(_at_level(metric) if "rel" in given else metric, given, self.prime)
        if self.gains:
            raise self._error(
                f"gains are a policy here. Write {built} and --gains {self.gains}, in Python"
                f' gains="{self.gains}".'
            )
        return built

    def _check_known(self, key: str) -> None:
        # k is written after the @
        known = [name for name in self.metric.params if name != "k"]
        if key not in known:
            listed = list_few(known, MAX_LISTED)
            raise self._error(
                f"{self.metric.name} has no parameter {shorten(key)}; it has: {listed}."
            )

    def _error(self, what: str) -> ParamError:
        return ParamError(f"{shorten(self.text)}: {what}")


def _read_form(text: str) -> tuple[_Written, str]:
    """A measure without its parameters, and these as a text. Raises as `measure`."""
    if len(text) > LONGEST:
        raise ParamError(
            f"{shorten(text)} is not a measure: expected at most {LONGEST} characters, found"
            f" {len(text):,}."
        )
    plain = text.strip().replace("′", "'").replace("’", "'")
    # ranx's relevance level, as in map@100-l2
    unleveled, _, level = plain.rpartition("-l")
    match = _FORM.fullmatch(unleveled if level.isdecimal() else plain)
    if not match:
        raise ParamError(
            f"{shorten(text)} is not a measure: expected a name, parameters in parentheses, @ and a"
            " cut-off, as in AP, nDCG@10 or nDCG(base=2)@1000'."
        )
    name, k = match["name"].strip(), match["k"]
    given: dict[str, Any] = {}
    if name not in METRICS and (alias := _alias(name, cut=k is not None)):
        name, given = alias
    for reasons in REASONS.values():
        if name in reasons:
            raise UnknownName(f"{shorten(text)} is not a separate metric: {reasons[name]}.")
    metric = METRICS[name]
    if level.isdecimal():
        given["rel"] = level
    return _Written(text, metric, given, k, bool(match["prime"])), match["params"] or ""


def _gains(value: str) -> str:
    """Gains requested by ir_measures' ``gains`` or ``dcg``, as a policy; empty for the
    default. Raises `ParamError`.
    """
    plain = value.strip("'\"{}").replace(" ", "")
    gains = {"log2": "", "exp-log2": EXPONENTIAL}.get(plain, plain)
    if plain != "log2":
        parse_gains(gains)
    return gains


def _at_level(metric: Metric) -> Metric:
    """Metric that is meant if a relevance level is given."""
    return METRICS[BY_LEVEL.get(metric.name, metric.name)]


def _build(metric: Metric, given: dict[str, Any], prime: bool) -> Measure:
    """A measure from checked or unchecked parameters, in canonical form: declared
    order, defaults left out.
    """
    if prime and not metric.primed:
        raise ParamError(f"{metric.name} has no condensed-list form: {metric.unjudged.lower()}")
    params = {}
    for name, declared in metric.params.items():
        if name in given:
            params[name] = declared.check(given[name])
        elif declared.default is not REQUIRED:
            params[name] = declared.default
        else:
            raise ParamError(
                f"{metric.name} needs its {declared.param.label}, as in {metric.example}."
            )
    text = metric.name
    other = [name for name in params if name != "k" and params[name] != metric.params[name].default]
    if other:
        text += f"({','.join(f'{name}={format_value(params[name])}' for name in other)})"
    if params.get("k") is not None:
        text += f"@{params['k']}"
    if prime:
        text += "'"
    return Measure(text, metric, params, prime)


def _alias(name: str, cut: bool) -> tuple[str, dict[str, Any]] | None:
    """Our name and parameter of a trec_eval name: ``ndcg_cut_10`` -> nDCG, 10. The
    number is that after ``@``, or the first one.

    An alias that ends with ``@`` is one only where a cut-off follows.
    """
    spelled = {name, f"{name}@"} if cut else {name}
    stem, _, number = name.rpartition("_")
    numbered = {f"{stem}_"} if _NUMBER.fullmatch(number) else set()
    for metric in METRICS.values():
        if not spelled.isdisjoint(metric.aliases):
            return metric.name, {}
        if not numbered.isdisjoint(metric.aliases):
            return metric.name, {_numbered_parameter(metric): number}
    return None


def _numbered_parameter(metric: Metric) -> str:
    """Parameter whose value ends the metric's trec_eval name."""
    return metric.at if metric.at in metric.params else next(iter(metric.params))


_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
