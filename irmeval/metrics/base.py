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
from typing import Annotated, Any, Literal

import numpy as np

from irmeval.core.described import Described
from irmeval.core.errors import ParamError, UnknownName
from irmeval.core.params import REQUIRED, Field, Param, fields, format_value
from irmeval.core.registry import MAX_LISTED, Registry
from irmeval.core.text import list_few, shorten
from irmeval.metrics.elsewhere import BY_LEVEL, CUTOFFS, EXPONENTIAL, LISTS, REASONS
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
_COMMA = re.compile(r",\s*(?=[^\W\d])(?![^()]*\))")
"""Separator of measures: before a name, and not between parentheses."""


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
    return tuple(
        dict.fromkeys(
            measure(one)
            for text in ([texts] if isinstance(texts, str) else texts)
            for one in _separate(text)
        )
    )


def _separate(text: str) -> Iterable[str]:
    """Split a text into measures: ``AP,P@10`` is two, and ``P.5,10``, in trec_eval's
    form, is P_5 and P_10.
    """
    if isinstance(text, Measure) or not isinstance(text, str):
        return [text]
    if len(text) <= LONGEST and len(parts := _COMMA.split(text)) > 1:
        return [one for part in parts for one in _separate(part)]
    if text in LISTS:
        return [one for name in LISTS[text] for one in _separate(name)]
    family, _, values = text.partition(".")
    values = values or CUTOFFS.get(text, "")
    many = (
        values
        and len(text) <= LONGEST
        and any(f"{family}_" in metric.aliases for metric in METRICS.values())
    )
    return [f"{family}_{value}" for value in values.split(",")] if many else [text]


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
    if len(text) > LONGEST:
        raise ParamError(
            f"{shorten(text)} is not a measure: expected at most {LONGEST} characters, found"
            f" {len(text):,}."
        )
    plain = text.strip().replace("′", "'").replace("’", "'")
    unleveled, _, level = plain.rpartition("-l")  # ranx's relevance level, as in map@100-l2
    match = _FORM.fullmatch(unleveled if level.isdecimal() else plain)
    if not match:
        raise ParamError(
            f"{shorten(text)} is not a measure: expected Name(param=value,...)@cutoff', as in AP or"
            " nDCG(base=2)@1000'."
        )
    name, k, prime = match["name"].strip(), match["k"], bool(match["prime"])
    given: dict[str, Any] = {}
    if name not in METRICS and (alias := _alias(name, cut=k is not None)):
        name, given = alias
    if reason := next((reasons[name] for reasons in REASONS.values() if name in reasons), ""):
        raise UnknownName(f"{shorten(text)} is not a separate metric: {reason}.")
    metric = METRICS[name]
    if level.isdecimal():
        given["rel"] = level
    k, prime, gains = _read_params(text, match["params"] or "", metric, given, k, prime)
    if k is not None:
        if metric.at not in metric.params:
            raise ParamError(f"{shorten(text)}: {name} takes no cut-off.")
        given[metric.at] = k
    built = _build(_at_level(metric) if "rel" in given else metric, given, prime)
    if gains:
        raise ParamError(
            f"{shorten(text)}: gains are a policy here. Write {built} and --gains {gains}, in"
            f' Python gains="{gains}".'
        )
    return built


def _read_params(
    text: str, params: str, metric: Metric, given: dict[str, Any], k: str | None, prime: bool
) -> tuple[str | None, bool, str]:
    """Add the parameters of a measure, ``param=value,...``, to those given so far.
    Returns parameters in the form of other programs: cut-off and prime, as they are or
    by ``cutoff`` and ``judged_only``, and the gains by ``dcg`` or ``gains``. Raises as
    `measure`.
    """
    gains = ""
    for part in filter(None, _BETWEEN.split(params)):
        key, equals, value = (p.strip() for p in part.partition("="))
        if key in given or not equals or (key == "cutoff" and k is not None):
            raise ParamError(
                f"{shorten(text)}: expected param=value once each, found {shorten(part.strip())}."
            )
        if key == "judged_only":
            if value not in ("True", "False"):
                raise ParamError(
                    f"{shorten(text)}: judged_only is True or False, found {shorten(value)}."
                )
            prime = prime or value == "True"
        elif key == "cutoff":
            k = value
        elif key in ("dcg", "gains") and metric.graded:
            gains = gains or _gains(value)
        elif key not in metric.params or key == "k":
            known = list_few([n for n in metric.params if n != "k"], MAX_LISTED)
            raise ParamError(
                f"{shorten(text)}: {metric.name} has no parameter {shorten(key)}; it has: {known}."
            )
        else:
            given[key] = value
    return k, prime, gains


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
    params, shown = {}, []
    for name, declared in metric.params.items():
        if name not in given:
            if declared.default is REQUIRED:
                raise ParamError(
                    f"{metric.name} needs its {declared.param.label}, as in {metric.example}."
                )
            params[name] = declared.default
            continue
        params[name] = value = declared.check(given[name])
        if name != "k" and value != declared.default:
            shown.append(f"{name}={format_value(value)}")
    inner = f"({','.join(shown)})" if shown else ""
    cutoff = f"@{params['k']}" if params.get("k") is not None else ""
    return Measure(f"{metric.name}{inner}{cutoff}{chr(39) if prime else ''}", metric, params, prime)


def _alias(name: str, cut: bool) -> tuple[str, dict[str, Any]] | None:
    """Our name and parameter of a trec_eval name: ``ndcg_cut_10`` -> nDCG, 10. The
    number is that after ``@``, or the first one.

    An alias that ends with ``@`` is one only where a cut-off follows.
    """
    for metric in METRICS.values():
        for alias in metric.aliases:
            if alias in (name, f"{name}@" if cut else name):
                return metric.name, {}
            if (
                alias.endswith("_")
                and name.startswith(alias)
                and _NUMBER.fullmatch(name, len(alias))
            ):
                return metric.name, {
                    metric.at if metric.at in metric.params else next(iter(metric.params)): name[
                        len(alias) :
                    ]
                }
    return None


_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
