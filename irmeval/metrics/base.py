"""Metrics are decorated functions; a measure is a metric with its parameters, written
as text.

The grammar is that of ir_measures, ``Name(param=value,...)@cutoff``, with a prime at
the end for the condensed list: ``AP``, ``AP'``, ``nDCG(base=2)@1000'``.
``judged_only=True`` is the long form of the prime. Names are taken in letters of any
case, and from other programs.
"""

import re
from collections import ChainMap
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from itertools import chain
from typing import Annotated, Any, Literal, NamedTuple

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
        # a name in a file of scores may be any text, which `measure` would refuse
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
        for long, short in SHORT.items():
            label = label.replace(long, short)
        return label

    @property
    def arguments(self) -> dict[str, Any]:
        """Parameters of the metric's function: all but the relevance level."""
        return {name: value for name, value in self.params.items() if name != "rel"}

    def score(self, hits: Hits) -> np.ndarray:
        """Scores [runs, T]. The hits must have the relevance level of the measure, be
        cut, and be condensed if it has a prime.
        """
        value = self.metric.function(hits, **self.arguments)
        # trec_eval scores other topics 0; here they have no score, and their number is shown
        scored = hits.topics.total > 0 if self.metric.divides_by == "ideal gain" else hits.R > 0
        return value if scored.all() else np.where(scored, value, np.nan)


SHORT = {
    "(base=": " b",
    "(beta=": " β",
    "(p=0.": " .",
    "(rel=": " rel",
    ",rel=": " rel",
    ")": "",
}
"""Parameters as labels have them."""
LONGEST = 200
"""Maximum length of a measure as text."""
# each character fits only one part, to avoid backtracking
_FORM = re.compile(
    r"(?P<name>[^()@']+)(\((?P<params>[^()]*)\)\s*)?(@(?P<k>[^()@']*))?(?P<prime>')?"
)
_BETWEEN = re.compile(r"(?:,\s*|(?<=[^\s,])\s+)(?=[^\W\d])(?![^()]*\))")
"""Separator of measures, or of parameters: before a name, and not between parentheses.
"""
_CUTOFFS = re.compile(
    r"(?P<begin>[^,]*[@_])\{?(?P<cutoffs>\d{1,9}(?:,\s*\d{1,9})+)\}?(?P<prime>'?)"
)
"""Several cut-offs of one measure, as in ``P@5,10``."""
_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


GIVEN = Metric("scores", formula="", source="", range=(-np.inf, np.inf))
"""Stands for the metric of scores from a file, which may be any; it is not registered,
and scores no list.
"""
# the record is frozen, and called as a decorator it would register itself
object.__setattr__(GIVEN, "function", lambda hits: np.full(hits.R.shape, np.nan))


def measure_of_scores(name: str) -> Measure:
    """A measure of scores from a file, known by its name alone."""
    return Measure(name, GIVEN, {}, False)


def distinct(texts: str | Iterable[str]) -> tuple[Measure, ...]:
    """Parse measures; each is kept only once, in order. A text is one measure, or
    several, as in ``AP,P@10``, or trec_eval names: ``P.5,10``, or ``official``. Raises
    `ParamError` for what is no text, else as `measure`.
    """
    if not isinstance(texts, Iterable):
        raise ParamError(f"measures: expected texts, such as AP, found {shorten(texts)}.")
    given = [texts] if isinstance(texts, str) else texts
    separate = chain.from_iterable(map(_separate, given))
    return tuple(dict.fromkeys(map(measure, separate)))


def at_least_one(texts: str | Iterable[str]) -> tuple[Measure, ...]:
    """`distinct`, which also raises `ParamError` for no measure."""
    is_blank = isinstance(texts, str) and not texts.strip()
    found = () if is_blank else distinct(texts)
    if not found:
        raise ParamError("measures: expected at least one, such as AP, found none.")
    return found


def _separate(text: str) -> Iterable[str]:
    """Split a text into measures: ``AP,P@10`` is two, and ``P.5,10``, in trec_eval's
    form, is P_5 and P_10.
    """
    if not isinstance(text, str):
        return [text]  # left to `measure` to refuse, as is what is too long for one
    # scores from a file may be by a measure of any name
    if isinstance(text, Measure) or len(text) > LONGEST:
        return [text]
    parts = LISTS.get(text) or _BETWEEN.split(text.strip())
    if len(parts) > 1:
        return chain.from_iterable(map(_separate, parts))
    if cut := _CUTOFFS.fullmatch(text):
        return _of_cutoffs(*cut.group("begin", "cutoffs", "prime"))
    return _of_family(text)


def _of_cutoffs(begin: str, cutoffs: str, prime: str = "") -> list[str]:
    """A measure with each of several cut-offs."""
    return [f"{begin}{k.strip()}{prime}" for k in cutoffs.split(",")]


def _of_family(text: str) -> list[str]:
    """The measures of trec_eval's form ``P.5,10``, or of a name that stands for several
    cut-offs; another text alone.
    """
    family, _, values = text.partition(".")
    values = values or CUTOFFS.get(text, "")
    # the aliases last, since to know all every metric is loaded
    if not values or f"{family}_" not in _names():
        return [text]
    return _of_cutoffs(f"{family}_", values)


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
    return _read_form(text).build()


GAINS = ("dcg", "gains")
"""Parameters of ir_measures that are a policy here."""
ELSEWHERE = ("cutoff", "judged_only")
"""Parameters of ir_measures that are the ``@`` and the prime here."""


class _Written(NamedTuple):
    """A measure as somebody wrote it, in our form or that of another program."""

    text: str
    """the whole, for messages"""
    metric: Metric
    given: dict[str, str]
    """parameters as texts; what is written after the ``@`` is ``cutoff``"""
    prime: bool

    def add(self, part: str) -> None:
        """Take a parameter, ``name=value``. Raises `ParamError`."""
        key, equals, value = map(str.strip, part.partition("="))
        if not equals or key in self.given:
            raise self._error(f"expected param=value once each, found {shorten(part.strip())}.")
        known = [name for name in self.metric.params if name != "k"]  # k is written after the @
        if key not in {*known, *ELSEWHERE, *self._of_gains}:
            listed = list_few(known, MAX_LISTED)
            raise self._error(
                f"{self.metric.name} has no parameter {shorten(key)}; it has: {listed}."
            )
        self.given[key] = value

    def build(self) -> Measure:
        """The measure in canonical form. Raises `ParamError`."""
        params = {key: self.given[key] for key in self.metric.params if key in self.given}
        if "cutoff" in self.given:
            params[self._at] = self.given["cutoff"]
        metric = _at_level(self.metric) if "rel" in params else self.metric
        built = _build(metric, params, self.prime or self._judged_only)
        for key in self._of_gains:
            gains = _gains(self.given.get(key, "log2"))
            if gains:
                raise self._error(
                    f"gains are a policy here. Write {built} and --gains {gains}, in Python"
                    f' gains="{gains}".'
                )
        return built

    @property
    def _of_gains(self) -> tuple[str, ...]:
        """Parameters of gains, which ir_measures has for graded metrics."""
        return GAINS if self.metric.graded else ()

    @property
    def _at(self) -> str:
        """The parameter that is written after the ``@``."""
        if self.metric.at not in self.metric.params:
            raise self._error(f"{self.metric.name} takes no cut-off.")
        return self.metric.at

    @property
    def _judged_only(self) -> bool:
        value = self.given.get("judged_only", "False")
        if value not in ("True", "False"):
            raise self._error(f"judged_only is True or False, found {shorten(value)}.")
        return value == "True"

    def _error(self, what: str) -> ParamError:
        return ParamError(f"{shorten(self.text)}: {what}")


def _read_form(text: str) -> _Written:
    """A measure's parts. Raises as `measure`."""
    if len(text) > LONGEST:
        raise ParamError(
            f"{shorten(text)} is not a measure: expected at most {LONGEST} characters, found"
            f" {len(text):,}."
        )
    # as papers and word processors write the prime
    plain = text.strip().replace("′", "'").replace("’", "'")
    # ranx's relevance level, as in map@100-l2
    unleveled, _, level = plain.rpartition("-l")
    has_level = level.isdecimal()
    match = _FORM.fullmatch(unleveled if has_level else plain)
    if not match:
        raise ParamError(
            f"{shorten(text)} is not a measure: expected a name, parameters in parentheses, @ and a"
            " cut-off, as in AP, nDCG@10 or nDCG(base=2)@1000'."
        )
    name, params, k, prime = match.group("name", "params", "k", "prime")
    metric, parts = _find(text, name.strip(), cut=k is not None)
    if k is not None:
        parts.append(f"cutoff={k}")
    if has_level:
        parts.append(f"rel={level}")
    parts += filter(None, _BETWEEN.split(params or ""))
    written = _Written(text, metric, {}, bool(prime))
    for part in parts:
        written.add(part)
    return written


def _find(text: str, name: str, cut: bool) -> tuple[Metric, list[str]]:
    """Metric of a name here or in another program, and the parameter at the end of the
    name, if any: ``set_F_2`` -> SetF, x=2. `cut` tells whether a cut-off follows.

    Raises `UnknownName`, with the reason if the name is that of no separate metric.
    """
    if name in METRICS:  # asked first, since to know all names every metric is loaded
        return METRICS[name], []
    stem, _, number = name.rpartition("_")
    spellings = {name: ""}
    if cut:  # F1 with a cut-off is not the F1 of a whole list
        spellings = {f"{name}@": "", name: ""}
    if _NUMBER.fullmatch(number):
        spellings[f"{stem}_"] = number
    for spelled, value in spellings.items():
        meaning = _meaning(spelled)
        if meaning in METRICS:
            metric = METRICS[meaning]
            return metric, [f"{_numbered_parameter(metric)}={value}"] if value else []
        if meaning:
            raise UnknownName(f"{shorten(text)} is not a separate metric: {meaning}.")
    return METRICS[name], []  # raises, with the nearest names


def _meaning(name: str) -> str:
    """Metric that a name stands for, or the reason why none does; empty for an unknown
    name. In letters of another case it stands for the same, if no other name differs
    from it in case alone.
    """
    known = _names()
    if name in known:
        return known[name]
    alike = {meaning for each, meaning in known.items() if each.lower() == name.lower()}
    return alike.pop() if len(alike) == 1 else ""


def names_metric(name: str) -> bool:
    """Whether it is a metric's name, here or in another program, in letters of any
    case.
    """
    return name in METRICS or _meaning(name) in METRICS


def _names() -> dict[str, str]:
    """Names of metrics here and in other programs, with the metric, or the reason why
    there is none.
    """
    known = dict(ChainMap(*REASONS.values()))
    for metric in METRICS.values():
        known |= dict.fromkeys(metric.aliases, metric.name)
    # last, so that a name here wins over the same name in another program
    return known | {name: name for name in METRICS}


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
    params = {name: _value(metric, name, given) for name in metric.params}
    text = _canonical(metric, params) + "'" * prime
    return Measure(text, metric, params, prime)


def _value(metric: Metric, name: str, given: dict[str, Any]) -> Any:
    """Value of a parameter, given or by default. Raises `ParamError` without any."""
    declared = metric.params[name]
    if name in given:
        return declared.check(given[name])
    if declared.default is REQUIRED:
        raise ParamError(f"{metric.name} needs its {declared.param.label}, as in {metric.example}.")
    return declared.default


def _canonical(metric: Metric, params: dict[str, Any]) -> str:
    """The metric, the parameters that are not at their defaults, and the cut-off."""
    others = {name: value for name, value in params.items() if name != "k"}
    stated = [
        f"{name}={format_value(value)}"
        for name, value in others.items()
        if value != metric.params[name].default
    ]
    inner = f"({','.join(stated)})" if stated else ""
    cut = "" if params.get("k") is None else f"@{params['k']}"
    return f"{metric.name}{inner}{cut}"


def _numbered_parameter(metric: Metric) -> str:
    """Parameter whose value ends the metric's trec_eval name."""
    return "cutoff" if metric.at in metric.params else next(iter(metric.params))
