"""Every metric again, by loops over one topic's list, as the papers write it.

Slow on purpose and free of irmeval: what the package computes in arrays is checked
against this.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence

ORACLES: dict[str, Callable[..., float]] = {}


class Topic:
    """One topic: a ranked list, the grades in force and the notation of the papers over
    them. Ranks start at 1.

    A negative grade = in the pool, not judged; a document that `grades` lacks is
    outside the pool. `top` is the highest grade over all topics of the full qrels.
    """

    def __init__(
        self,
        ranking: Sequence[str],
        grades: Mapping[str, int],
        *,
        top: int,
        rel: int = 1,
        gains: Mapping[int, float] | str | None = None,
        strata: Callable[[str], str] = lambda document: "all",
    ):
        self.ranking, self.grades, self.top, self.rel, self.gains, self.strata = (
            list(ranking),
            grades,
            top,
            rel,
            gains,
            strata,
        )
        self.L = len(self.ranking)
        self.R = sum(1 for grade in grades.values() if grade >= rel)
        self.N = sum(1 for grade in grades.values() if 0 <= grade < rel)
        self.ranks = range(1, self.L + 1)
        self.ideal = sorted(
            (self.worth(grade) for grade in grades.values() if grade >= rel), reverse=True
        )

    def condensed(self) -> "Topic":
        kept = [d for d in self.ranking if self.grades.get(d, -1) >= 0]
        return Topic(
            kept, self.grades, top=self.top, rel=self.rel, gains=self.gains, strata=self.strata
        )

    def plain(self, grade: int) -> float:
        """The gain of a grade by the map, before any adjustment."""
        if grade < self.rel:
            return 0.0
        return (
            float(grade)
            if self.gains in (None, "adjusted")
            else float(self.gains.get(grade, grade))
        )

    def worth(self, grade: int) -> float:
        gain = self.plain(grade)
        if self.gains == "adjusted" and gain:
            level = sum(1 for g in self.grades.values() if g == grade)
            gain -= level / self.R * (gain - self.plain(grade - 1))
        return gain

    @property
    def H(self) -> float:
        return self.plain(self.top)

    def grade(self, r: int) -> int:
        return self.grades.get(self.ranking[r - 1], -1)

    def judged(self, r: int) -> bool:
        return self.grade(r) >= 0

    def pooled(self, r: int) -> bool:
        return self.ranking[r - 1] in self.grades

    def isrel(self, r: int) -> int:
        return int(r <= self.L and self.grade(r) >= self.rel)

    def g(self, r: int) -> float:
        return self.worth(self.grade(r)) if self.isrel(r) else 0.0

    def count(self, r: int) -> int:
        return sum(self.isrel(i) for i in range(1, r + 1))

    def cg(self, r: int) -> float:
        return sum(self.g(i) for i in range(1, r + 1))

    def cgI(self, r: int) -> float:
        return sum(self.ideal[:r])

    def dcg(self, r: int, d: Callable[[int], float]) -> float:
        return sum(self.g(i) * d(i) for i in range(1, r + 1))

    def dcgI(self, r: int, d: Callable[[int], float]) -> float:
        return sum(gain * d(i) for i, gain in enumerate(self.ideal[:r], 1))

    def BR(self, r: int, beta: float) -> float:
        return (beta * self.cg(r) + self.count(r)) / (beta * self.cgI(r) + r)

    def n(self, r: int) -> int:
        """Judged nonrelevant documents ranked above."""
        return sum(1 for i in range(1, r) if self.judged(i) and not self.isrel(i))

    def relevant(self) -> list[int]:
        """The ranks of the relevant documents."""
        return [r for r in self.ranks if self.isrel(r)]

    def pool(self, stratum: str) -> list[int]:
        """The grades of the documents of a stratum."""
        return [grade for d, grade in self.grades.items() if self.strata(d) == stratum]

    def names(self) -> list[str]:
        """The strata of the pool."""
        return sorted({self.strata(d) for d in self.grades})

    def counts(self, stratum: str, last: int) -> tuple[int, int, int]:
        """Documents of a stratum down to a rank: in the pool, drawn, drawn and
        relevant.
        """
        of = [
            r
            for r in range(1, min(last, self.L) + 1)
            if self.pooled(r) and self.strata(self.ranking[r - 1]) == stratum
        ]
        return len(of), sum(self.judged(r) for r in of), sum(self.isrel(r) for r in of)

    def pi(self, document: str) -> float:
        """Share of its stratum that was drawn."""
        grades = self.pool(self.strata(document))
        return sum(g >= 0 for g in grades) / len(grades)

    def both(self, d: str, e: str) -> float:
        """Probability that two documents are drawn."""
        if self.strata(d) != self.strata(e):
            return self.pi(d) * self.pi(e)
        grades = self.pool(self.strata(d))
        n, N = sum(g >= 0 for g in grades), len(grades)
        return n / N * (n - 1) / (N - 1)

    def estimated_relevant(self) -> float:
        return sum(1 / self.pi(d) for d, grade in self.grades.items() if grade >= self.rel)

    def estimated_ideal(self, k: int) -> float:
        """Discounted gain of the ideal list of the estimated documents, down to rank
        k.
        """
        gains: list[float] = []
        for grade in sorted(
            {g for g in self.grades.values() if g >= self.rel}, key=lambda g: -self.worth(g)
        ):
            number = sum(1 / self.pi(d) for d, g in self.grades.items() if g == grade)
            gains += [self.worth(grade)] * math.floor(number + 0.5 + 1e-9)
        return sum(gain / math.log2(r + 1) for r, gain in enumerate(gains[:k], 1))


def oracle(name: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
    def register(function: Callable[..., float]) -> Callable[..., float]:
        ORACLES[name] = function
        return function

    return register


def score(
    text: str,
    ranking: Sequence[str],
    grades: Mapping[str, int],
    *,
    top: int,
    gains: Mapping[int, float] | str | None = None,
    **more,
) -> float:
    """The score of a measure, NaN where the topic has none."""
    name, inner, k, prime = re.fullmatch(r"([^(@']+)(?:\((.*?)\))?(?:@(\d+))?(')?", text).groups()
    params = (
        {key: float(value) for key, value in (part.split("=") for part in inner.split(","))}
        if inner
        else {}
    )
    topic = Topic(ranking, grades, top=top, rel=int(params.pop("rel", 1)), gains=gains, **more)
    if k:
        params["k"] = int(k)
    if topic.R == 0 or (name in PER_IDEAL_GAIN and topic.cgI(topic.R) == 0):
        return math.nan
    return ORACLES[name](topic.condensed() if prime else topic, **params)


PER_IDEAL_GAIN = {
    "nCG",
    "nDCG",
    "RnDCG",
    "AnCG",
    "AnDCG",
    "AWP",
    "RWP",
    "rpref_N",
    "rpref_relative",
    "rpref_relative2",
    "infNDCG",
    "statNDCG",
}


@oracle("P")
def P(t, k):
    return t.count(k) / k


@oracle("R_cap")
def R_cap(t, k):
    return t.count(k) / min(k, t.R)


@oracle("hits")
def hits(t, k=None):
    return t.count(k or t.L)


@oracle("F")
def F(t, k):
    p, r = t.count(k) / k, t.count(k) / t.R
    return 2 * p * r / (p + r) if r else 0.0


@oracle("Success")
def Success(t, k):
    return float(any(t.isrel(r) for r in t.ranks if r <= k))


@oracle("SetP")
def SetP(t):
    return t.count(t.L) / t.L if t.L else 0.0


@oracle("SetR")
def SetR(t):
    return t.count(t.L) / t.R


@oracle("SetF")
def SetF(t, x=1.0):
    p, r = SetP(t), SetR(t)
    return (x + 1) * p * r / (r + x * p) if r else 0.0


@oracle("SetAP")
def SetAP(t):
    return SetP(t) * SetR(t)


@oracle("SetRelP")
def SetRelP(t):
    return t.count(t.L) / min(t.L, t.R) if t.L else 0.0


@oracle("IPrec")
def IPrec(t, recall):
    enough = int(recall * t.R + 0.9)
    return max((t.count(r) / r for r in t.ranks if t.count(r) >= enough), default=0.0)


@oracle("AP_11pt")
def AP_11pt(t):
    return sum(IPrec(t, i / 10) for i in range(11)) / 11


@oracle("R")
def R(t, k):
    return t.count(k) / t.R


@oracle("Rprec")
def Rprec(t):
    return t.count(t.R) / t.R


@oracle("RR")
def RR(t, k=math.inf):
    for r in t.ranks:
        if t.isrel(r):
            return 1 / r if r <= k else 0.0
    return 0.0


@oracle("AP")
def AP(t, k=math.inf):
    return sum(t.isrel(r) * t.count(r) / r for r in t.ranks if r <= k) / t.R


@oracle("nCG")
def nCG(t, k):
    return t.cg(k) / t.cgI(k)


def discount(base):
    if base is None:
        return lambda r: 1 / math.log2(r + 1)
    return lambda r: 1 if r <= base else 1 / math.log(r, base)


@oracle("nDCG")
def nDCG(t, base=None, k=None):
    d = discount(base)
    return t.dcg(k or t.L, d) / t.dcgI(k or t.R, d)


@oracle("CG")
def CG(t, k):
    return t.cg(k)


@oracle("DCG")
def DCG(t, base=None, k=None):
    return t.dcg(k or t.L, discount(base))


@oracle("RnDCG")
def RnDCG(t):
    d, ideal = discount(None), [*t.ideal, 0.0]
    ends = [b for b in range(1, t.R + 1) if (ideal[b] < ideal[b - 1] or b == t.R) and t.dcgI(b, d)]
    ends += [t.L] if t.L > t.R + 1 else []
    return sum(t.dcg(b, d) / t.dcgI(b, d) for b in ends) / len(ends)


@oracle("AnCG")
def AnCG(t, k):
    return sum(t.cg(r) / t.cgI(r) for r in range(1, k + 1)) / k


@oracle("AnDCG")
def AnDCG(t, base, k):
    d = discount(base)
    return sum(t.dcg(r, d) / t.dcgI(r, d) for r in range(1, k + 1)) / k


@oracle("AWP")
def AWP(t):
    return sum(t.isrel(r) * t.cg(r) / t.cgI(r) for r in t.ranks) / t.R


@oracle("RWP")
def RWP(t):
    return t.cg(t.R) / t.cgI(t.R)


@oracle("Q")
def Q(t, beta=1.0):
    return sum(t.isrel(r) * t.BR(r, beta) for r in t.ranks) / t.R


@oracle("R-measure")
def R_measure(t, beta=1.0):
    return t.BR(t.R, beta)


@oracle("O-measure")
def O_measure(t, beta=1.0):
    found = t.relevant()
    return t.BR(found[0], beta) if found else 0.0


def preferred(t):
    found = t.relevant()
    highest = max((t.g(r) for r in found), default=0.0)
    return next((r for r in found if t.g(r) == highest), 0)


@oracle("P-measure")
def P_measure(t, beta=1.0):
    r_p = preferred(t)
    return t.BR(r_p, beta) if r_p else 0.0


@oracle("P+")
def P_plus(t, beta=1.0):
    stops = [r for r in t.relevant() if r <= preferred(t)]
    return sum(t.BR(r, beta) for r in stops) / len(stops) if stops else 0.0


@oracle("RBP")
def RBP(t, p):
    return (1 - p) * sum(t.g(r) / t.H * p ** (r - 1) for r in t.relevant())


@oracle("RBP_residual")
def RBP_residual(t, p):
    return (1 - p) * sum(p ** (r - 1) for r in t.ranks if not t.judged(r)) + p**t.L


@oracle("ERR")
def ERR(t, k=math.inf, top=None):
    expected, still_looking, top = 0.0, 1.0, top or t.top
    for r in t.ranks:
        if r <= k and t.isrel(r):
            stop = (2 ** min(t.grade(r), top) - 1) / 2**top
            expected += still_looking * stop / r
            still_looking *= 1 - stop
    return expected


def preference(t, cap, scale):
    total = 0.0
    for r in t.relevant():
        total += 1 - min(t.n(r), cap) / scale if t.n(r) else 1
    return total / t.R


@oracle("Bpref")
def Bpref(t):
    return preference(t, t.R, min(t.R, t.N))


@oracle("Bpref_R")
def Bpref_R(t):
    return preference(t, t.R, t.R)


@oracle("Bpref_N")
def Bpref_N(t):
    return preference(t, math.inf, t.N)


@oracle("Bpref_10")
def Bpref_10(t):
    return preference(t, 10 + t.R, 10 + t.R)


@oracle("Bpref_old")
def Bpref_old(t):
    return preference(t, t.R, min(t.R, t.n(t.L + 1)))


@oracle("RankEff")
def RankEff(t):
    retrieved = [d for d in t.ranking if 0 <= t.grades.get(d, -1) < t.rel]
    missed = t.N - len(retrieved)
    total = 0.0
    for r in t.relevant():
        below = sum(1 for d in t.ranking[r:] if d in retrieved)
        total += (below + missed) / t.N if t.N else 1
    return total / t.R


@oracle("Bpref_relative")
def Bpref_relative(t):
    c = t.condensed()
    return sum(1 - (r - c.count(r)) / (r - 1) for r in c.relevant() if r > 1) / c.R


@oracle("Bpref_relative2")
def Bpref_relative2(t):
    c = t.condensed()
    return sum(1 - (r - c.count(r)) / r for r in c.relevant()) / c.R


def penalty(c, r):
    return sum((c.g(r) - c.g(i)) / c.g(r) for i in range(1, r) if c.g(i) < c.g(r))


@oracle("rpref_N")
def rpref_N(t):
    c = t.condensed()
    total = 0.0
    for r in c.relevant():
        paid = penalty(c, r)
        total += c.g(r) * (1 - paid / (c.R + c.N - c.cgI(c.R) / c.H) if paid else 1)
    return total / c.cgI(c.R)


@oracle("rpref_relative")
def rpref_relative(t):
    c = t.condensed()
    return sum(c.g(r) * (1 - penalty(c, r) / (r - 1)) for r in c.relevant() if r > 1) / c.cgI(c.R)


@oracle("rpref_relative2")
def rpref_relative2(t):
    c = t.condensed()
    return sum(c.g(r) * (1 - penalty(c, r) / r) for r in c.relevant()) / c.cgI(c.R)


@oracle("infAP")
def infAP(t):
    e, total = 0.00001, 0.0
    for k in t.relevant():
        if k == 1:
            total += 1
            continue
        pooled = sum(1 for i in range(1, k) if t.pooled(i))
        rel = t.count(k - 1)
        total += 1 / k + (k - 1) / k * (pooled / (k - 1)) * ((rel + e) / (rel + t.n(k) + 2 * e))
    return total / t.R


@oracle("subAP")
def subAP(t):
    f = (t.R + t.N) / len(t.grades)
    total = 0.0
    for k in t.relevant():
        judged = sum(1 for i in range(1, k) if t.judged(i))
        unpooled = sum(1 for i in range(1, k) if not t.pooled(i))
        total += (t.count(k - 1) + 1) / (1 + judged + f * unpooled)
    return total / t.R


@oracle("xinfAP")
def xinfAP(t):
    total = 0.0
    for stratum in t.names():
        grades = t.pool(stratum)
        relevant = [r for r in t.relevant() if t.strata(t.ranking[r - 1]) == stratum]
        drawn = sum(g >= t.rel for g in grades)
        if not drawn:
            continue
        precisions = 0.0
        for r in relevant:
            above = [t.counts(other, r - 1) for other in t.names()]
            c = sum(pooled for pooled, _, _ in above)
            expected = (
                sum(pooled / c * (rel + 0.00001) / (n + 0.00003) for pooled, n, rel in above)
                if c
                else 0
            )
            precisions += 1 / r + c / r * expected
        estimated = drawn * len(grades) / sum(g >= 0 for g in grades)
        total += estimated / t.estimated_relevant() * precisions / drawn
    return total


@oracle("infNDCG")
def infNDCG(t):
    total = 0.0
    for stratum in t.names():
        pooled, drawn, _ = t.counts(stratum, t.L)
        gain = sum(
            t.g(r) / math.log2(r + 1) for r in t.relevant() if t.strata(t.ranking[r - 1]) == stratum
        )
        total += pooled * gain / drawn if drawn else 0
    return total / t.estimated_ideal(1000)


def retrieved(t, k):
    return sum(
        c * (rel + 0.00001) / (n + 0.00003)
        for c, n, rel in (t.counts(stratum, k) for stratum in t.names())
    )


@oracle("infP")
def infP(t, k):
    return retrieved(t, k) / k


@oracle("infNumRelRet")
def infNumRelRet(t):
    return retrieved(t, t.L)


@oracle("statR")
def statR(t):
    return t.estimated_relevant()


@oracle("statAP")
def statAP(t):
    total = 0.0
    for r in t.relevant():
        d = t.ranking[r - 1]
        total += (
            1
            / r
            * (1 / t.pi(d) + sum(1 / t.both(d, t.ranking[i - 1]) for i in t.relevant() if i < r))
        )
    return total / t.estimated_relevant()


def estimated_dcg(t, k):
    return sum(t.g(r) / math.log2(r + 1) / t.pi(t.ranking[r - 1]) for r in t.relevant() if r <= k)


@oracle("statP")
def statP(t, k):
    return sum(1 / t.pi(t.ranking[r - 1]) for r in t.relevant() if r <= k) / k


@oracle("statDCG")
def statDCG(t, k=1000):
    return estimated_dcg(t, k)


@oracle("statNDCG")
def statNDCG(t, k=1000):
    return estimated_dcg(t, k) / t.estimated_ideal(k)


@oracle("statRBP")
def statRBP(t, p):
    return (1 - p) * sum(t.g(r) / t.H * p ** (r - 1) / t.pi(t.ranking[r - 1]) for r in t.relevant())


@oracle("Judged")
def Judged(t, k):
    top = [t.judged(r) for r in t.ranks if r <= k]
    return sum(top) / len(top) if top else 0.0


@oracle("NumRet")
def NumRet(t):
    return len(t.ranking)


@oracle("NumRel")
def NumRel(t):
    return t.R


@oracle("NumRelRet")
def NumRelRet(t):
    return len(t.relevant())


@oracle("NumNonrelRet")
def NumNonrelRet(t):
    return sum(1 for r in t.ranks if t.judged(r) and not t.isrel(r))


@oracle("NumUnjudged")
def NumUnjudged(t):
    return sum(1 for r in t.ranks if not t.judged(r))
