"""Made by `python -m tests.typed > irmeval/experiments/__init__.pyi`; a test compares this file with that output."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

import irmeval.experiments.data.collection
import irmeval.experiments.incompleteness.curves
import irmeval.experiments.incompleteness.estimates
import irmeval.experiments.incompleteness.judge_next
import irmeval.experiments.incompleteness.judgments_needed
import irmeval.experiments.incompleteness.leave_one_out
import irmeval.experiments.incompleteness.own_sample
import irmeval.experiments.incompleteness.unjudged
import irmeval.experiments.incompleteness.watched_curves
import irmeval.experiments.incompleteness.what_if
import irmeval.experiments.learn.ideal_lists
import irmeval.experiments.learn.lab
import irmeval.experiments.learn.swap_property
import irmeval.experiments.learn.top_heaviness
import irmeval.experiments.measures.agreement
import irmeval.experiments.measures.gains
import irmeval.experiments.measures.pair_orderings
import irmeval.experiments.measures.parameters
import irmeval.experiments.measures.rankings
import irmeval.experiments.measures.scorecard
import irmeval.experiments.measures.stability
import irmeval.experiments.measures.swap
import irmeval.experiments.measures.variance
import irmeval.experiments.planning.audit
import irmeval.experiments.planning.holes
import irmeval.experiments.planning.judges
import irmeval.experiments.planning.order_fairness
import irmeval.experiments.planning.orders
import irmeval.experiments.planning.systems
import irmeval.experiments.planning.topics_needed
import irmeval.experiments.runs.leaderboard
import irmeval.experiments.runs.matrix
import irmeval.experiments.runs.power
import irmeval.experiments.runs.reproduction
import irmeval.experiments.runs.topics
import irmeval.experiments.runs.two_runs
from irmeval.collection import Collection
from irmeval.core.registry import Registry
from irmeval.experiments.base import Experiment
from irmeval.experiments.results import Chart, Result, Table
from irmeval.experiments.work import Progress, Store, Work
from irmeval.judges import Judges
from irmeval.reading.score_matrix import Matrix

Source = Collection | Matrix | Judges | None
Measures = str | Iterable[str] | None
Values = Mapping[str, Any] | None

class _Shared(TypedDict, total=False):
    only: Sequence[str]
    team: Mapping[str, str] | None
    store: Store | None
    progress: Progress | None

class _CollectionValues(_Shared, total=False):
    team_rule: str

class _Collection(
    Experiment[
        irmeval.experiments.data.collection.Params, irmeval.experiments.data.collection.Contents
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.data.collection.Params | Values = None,
        **values: Unpack[_CollectionValues],
    ) -> irmeval.experiments.data.collection.Contents: ...

class _LeaderboardValues(_Shared, total=False):
    baseline: str
    test: str
    samples: int
    alpha: float
    at_once: str
    holes: bool
    team_rule: str
    kinds: str
    seed: int

class _Leaderboard(
    Experiment[
        irmeval.experiments.runs.leaderboard.Params,
        irmeval.experiments.runs.leaderboard.Leaderboard,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.runs.leaderboard.Params | Values = None,
        **values: Unpack[_LeaderboardValues],
    ) -> irmeval.experiments.runs.leaderboard.Leaderboard: ...

class _TwoRunsValues(_Shared, total=False):
    test: str
    samples: int
    alpha: float
    at_once: str
    seed: int
    pair: str

class _TwoRuns(
    Experiment[irmeval.experiments.runs.two_runs.Params, irmeval.experiments.runs.two_runs.TwoRuns]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.runs.two_runs.Params | Values = None,
        **values: Unpack[_TwoRunsValues],
    ) -> irmeval.experiments.runs.two_runs.TwoRuns: ...

class _ReproductionValues(_Shared, total=False):
    original: str
    reproduced: str
    original_baseline: str
    reproduced_baseline: str
    down_to: int
    persistence: float
    test: str
    samples: int
    alpha: float
    seed: int

class _Reproduction(
    Experiment[
        irmeval.experiments.runs.reproduction.Params,
        irmeval.experiments.runs.reproduction.Reproduction,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.runs.reproduction.Params | Values = None,
        **values: Unpack[_ReproductionValues],
    ) -> irmeval.experiments.runs.reproduction.Reproduction: ...

class _MatrixValues(_Shared, total=False):
    test: str
    samples: int
    alpha: float
    at_once: str
    seed: int

class _Matrix(
    Experiment[irmeval.experiments.runs.matrix.Params, irmeval.experiments.runs.matrix.PairMatrix]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.runs.matrix.Params | Values = None,
        **values: Unpack[_MatrixValues],
    ) -> irmeval.experiments.runs.matrix.PairMatrix: ...

class _PowerValues(_Shared, total=False):
    test: str
    samples: int
    alpha: float
    at_once: str
    seed: int

class _Power(
    Experiment[irmeval.experiments.runs.power.Params, irmeval.experiments.runs.power.Power]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.runs.power.Params | Values = None,
        **values: Unpack[_PowerValues],
    ) -> irmeval.experiments.runs.power.Power: ...

class _TopicsValues(_Shared, total=False):
    by: str
    drawn: str

class _Topics(
    Experiment[irmeval.experiments.runs.topics.Params, irmeval.experiments.runs.topics.TopicScores]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.runs.topics.Params | Values = None,
        **values: Unpack[_TopicsValues],
    ) -> irmeval.experiments.runs.topics.TopicScores: ...

class _CurvesValues(_Shared, total=False):
    of: str
    by: str
    watch: str | Iterable[str]
    levels: float | str | Iterable[float | str]
    trials: int | None
    seed: int
    test: str
    samples: int
    alpha: float
    pairs: int
    method: str
    rounding: str
    sample_of: str
    least_relevant: int
    least_nonrelevant: int
    pool_depth: int
    team_rule: str
    judge_kind: str
    correlation: str
    gold: str
    threshold: float

class _Curves(
    Experiment[
        irmeval.experiments.incompleteness.curves.Params,
        irmeval.experiments.incompleteness.watched_curves.Curves,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.curves.Params | Values = None,
        **values: Unpack[_CurvesValues],
    ) -> irmeval.experiments.incompleteness.watched_curves.Curves: ...

class _LeaveOneOutValues(_Shared, total=False):
    pool: int
    team_rule: str
    common: int

class _LeaveOneOut(
    Experiment[
        irmeval.experiments.incompleteness.leave_one_out.Params,
        irmeval.experiments.incompleteness.leave_one_out.LeaveOneOut,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.leave_one_out.Params | Values = None,
        **values: Unpack[_LeaveOneOutValues],
    ) -> irmeval.experiments.incompleteness.leave_one_out.LeaveOneOut: ...

class _UnjudgedValues(_Shared, total=False):
    ranks: int | Iterable[int]
    p: float

class _Unjudged(
    Experiment[
        irmeval.experiments.incompleteness.unjudged.Params,
        irmeval.experiments.incompleteness.unjudged.Unjudged,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.unjudged.Params | Values = None,
        **values: Unpack[_UnjudgedValues],
    ) -> irmeval.experiments.incompleteness.unjudged.Unjudged: ...

class _WhatIfValues(_Shared, total=False):
    draws: int
    holes_to: int | None
    prior: str
    ideal: str
    pool: int | None
    pair: str
    team_rule: str
    kinds: str
    seed: int

class _WhatIf(
    Experiment[
        irmeval.experiments.incompleteness.what_if.Params,
        irmeval.experiments.incompleteness.what_if.WhatIf,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.what_if.Params | Values = None,
        **values: Unpack[_WhatIfValues],
    ) -> irmeval.experiments.incompleteness.what_if.WhatIf: ...

class _JudgeNextValues(_Shared, total=False):
    budget: int
    by: str
    p: float
    pair: str
    grade: int
    alpha: float
    relevance: str
    seed: int
    driver: str

class _JudgeNext(
    Experiment[
        irmeval.experiments.incompleteness.judge_next.Params,
        irmeval.experiments.incompleteness.judge_next.JudgeNext,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.judge_next.Params | Values = None,
        **values: Unpack[_JudgeNextValues],
    ) -> irmeval.experiments.incompleteness.judge_next.JudgeNext: ...

class _JudgmentsNeededValues(_Shared, total=False):
    half_width: float
    of_runs: str
    pool: str
    level: float
    seed: int

class _JudgmentsNeeded(
    Experiment[
        irmeval.experiments.incompleteness.judgments_needed.Params,
        irmeval.experiments.incompleteness.judgments_needed.JudgmentsNeeded,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.judgments_needed.Params | Values = None,
        **values: Unpack[_JudgmentsNeededValues],
    ) -> irmeval.experiments.incompleteness.judgments_needed.JudgmentsNeeded: ...

class _EstimatesValues(_Shared, total=False):
    rates: float | str | Iterable[float | str]
    trials: int
    seed: int
    method: str
    level: float
    cheap: str
    quantile: str
    axis: str

class _Estimates(
    Experiment[
        irmeval.experiments.incompleteness.estimates.Params,
        irmeval.experiments.incompleteness.estimates.Estimated,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.estimates.Params | Values = None,
        **values: Unpack[_EstimatesValues],
    ) -> irmeval.experiments.incompleteness.estimates.Estimated: ...

class _OwnSampleValues(_Shared, total=False):
    level: float

class _OwnSample(
    Experiment[
        irmeval.experiments.incompleteness.own_sample.Params,
        irmeval.experiments.incompleteness.own_sample.OwnSample,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.incompleteness.own_sample.Params | Values = None,
        **values: Unpack[_OwnSampleValues],
    ) -> irmeval.experiments.incompleteness.own_sample.OwnSample: ...

class _ScorecardValues(_Shared, total=False):
    rate: float | str
    trials: int
    test: str
    samples: int
    sets: int
    seed: int
    rounding: str

class _Scorecard(
    Experiment[
        irmeval.experiments.measures.scorecard.Params,
        irmeval.experiments.measures.scorecard.Scorecard,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.scorecard.Params | Values = None,
        **values: Unpack[_ScorecardValues],
    ) -> irmeval.experiments.measures.scorecard.Scorecard: ...

class _AgreementValues(_Shared, total=False):
    correlation: str
    alpha: float

class _Agreement(
    Experiment[
        irmeval.experiments.measures.agreement.Params,
        irmeval.experiments.measures.agreement.Agreement,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.agreement.Params | Values = None,
        **values: Unpack[_AgreementValues],
    ) -> irmeval.experiments.measures.agreement.Agreement: ...

class _RankingsValues(_Shared, total=False):
    by: str
    against: str
    lines: str
    points: str

class _Rankings(
    Experiment[
        irmeval.experiments.measures.rankings.Params, irmeval.experiments.measures.rankings.Rankings
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.rankings.Params | Values = None,
        **values: Unpack[_RankingsValues],
    ) -> irmeval.experiments.measures.rankings.Rankings: ...

class _StabilityValues(_Shared, total=False):
    size: int | None
    replacement: str
    sets: int
    seed: int
    fuzziness: float | Iterable[float]

class _Stability(
    Experiment[
        irmeval.experiments.measures.stability.Params,
        irmeval.experiments.measures.stability.Stability,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.stability.Params | Values = None,
        **values: Unpack[_StabilityValues],
    ) -> irmeval.experiments.measures.stability.Stability: ...

class _SwapValues(_Shared, total=False):
    threshold: float
    size: int | None
    trials: int
    replacement: str
    seed: int

class _Swap(
    Experiment[irmeval.experiments.measures.swap.Params, irmeval.experiments.measures.swap.Swap]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.swap.Params | Values = None,
        **values: Unpack[_SwapValues],
    ) -> irmeval.experiments.measures.swap.Swap: ...

class _PairOrderingsValues(_Shared, total=False):
    fuzziness: float
    size: int | None
    sets: int
    samples: int
    seed: int

class _PairOrderings(
    Experiment[
        irmeval.experiments.measures.pair_orderings.Params,
        irmeval.experiments.measures.pair_orderings.PairOrderings,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.pair_orderings.Params | Values = None,
        **values: Unpack[_PairOrderingsValues],
    ) -> irmeval.experiments.measures.pair_orderings.PairOrderings: ...

class _VarianceValues(_Shared, total=False):
    shards: int
    holds_for: str
    alpha: float
    seed: int

class _Variance(
    Experiment[
        irmeval.experiments.measures.variance.Params, irmeval.experiments.measures.variance.Variance
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.variance.Params | Values = None,
        **values: Unpack[_VarianceValues],
    ) -> irmeval.experiments.measures.variance.Variance: ...

class _GainsValues(_Shared, total=False):
    own: str
    rate: float | str
    trials: int
    threshold: float
    size: int | None
    sets: int
    seed: int
    fuzziness: float | Iterable[float]

class _Gains(
    Experiment[
        irmeval.experiments.measures.gains.Params, irmeval.experiments.measures.gains.GainMaps
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.gains.Params | Values = None,
        **values: Unpack[_GainsValues],
    ) -> irmeval.experiments.measures.gains.GainMaps: ...

class _ParametersValues(_Shared, total=False):
    parameter: str

class _Parameters(
    Experiment[
        irmeval.experiments.measures.parameters.Params,
        irmeval.experiments.measures.parameters.Parameters,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.measures.parameters.Params | Values = None,
        **values: Unpack[_ParametersValues],
    ) -> irmeval.experiments.measures.parameters.Parameters: ...

class _TopicsNeededValues(_Shared, total=False):
    alpha: float
    beta: float
    differences: float | Iterable[float]
    systems: int | Iterable[int]
    variance: str
    pooled_with: str
    judging: str
    depths: int | Iterable[int]
    budgets: float | str | Iterable[float | str]
    samples: int
    seed: int

class _TopicsNeeded(
    Experiment[
        irmeval.experiments.planning.topics_needed.Params,
        irmeval.experiments.planning.topics_needed.TopicsNeeded,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.planning.topics_needed.Params | Values = None,
        **values: Unpack[_TopicsNeededValues],
    ) -> irmeval.experiments.planning.topics_needed.TopicsNeeded: ...

class _OrdersValues(_Shared, total=False):
    unit: str
    seed: int
    pool: int
    memory: float
    beta: float
    p: float
    variant: str
    by: str
    k: int
    budgets: float | str | Iterable[float | str]
    trials: int
    driver: str
    test: str
    alpha: float

class _Orders(
    Experiment[
        irmeval.experiments.planning.orders.Params, irmeval.experiments.planning.orders.Orders
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.planning.orders.Params | Values = None,
        **values: Unpack[_OrdersValues],
    ) -> irmeval.experiments.planning.orders.Orders: ...

class _OrderFairnessValues(_Shared, total=False):
    unit: str
    seed: int
    pool: int
    memory: float
    beta: float
    p: float
    variant: str
    by: str
    k: int
    budgets: float | str | Iterable[float | str]
    team_rule: str

class _OrderFairness(
    Experiment[
        irmeval.experiments.planning.order_fairness.Params,
        irmeval.experiments.planning.order_fairness.OrderFairness,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.planning.order_fairness.Params | Values = None,
        **values: Unpack[_OrderFairnessValues],
    ) -> irmeval.experiments.planning.order_fairness.OrderFairness: ...

class _AuditValues(_Shared, total=False):
    test: str
    alpha: float
    samples: int
    trials: int
    level: float
    team_rule: str
    kinds: str
    seed: int

class _Audit(
    Experiment[irmeval.experiments.planning.audit.Params, irmeval.experiments.planning.audit.Audit]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.planning.audit.Params | Values = None,
        **values: Unpack[_AuditValues],
    ) -> irmeval.experiments.planning.audit.Audit: ...

class _JudgesValues(_Shared, total=False):
    second: str
    samples: int
    level: float
    seed: int

class _Judges(
    Experiment[
        irmeval.experiments.planning.judges.Params,
        irmeval.experiments.planning.judges.JudgeAgreement,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.planning.judges.Params | Values = None,
        **values: Unpack[_JudgesValues],
    ) -> irmeval.experiments.planning.judges.JudgeAgreement: ...

class _SystemsValues(_Shared, total=False):
    second: str
    test: str
    alpha: float
    samples: int
    mixtures: int
    level: float
    team_rule: str
    seed: int

class _Systems(
    Experiment[
        irmeval.experiments.planning.systems.Params, irmeval.experiments.planning.systems.Systems
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.planning.systems.Params | Values = None,
        **values: Unpack[_SystemsValues],
    ) -> irmeval.experiments.planning.systems.Systems: ...

class _HolesValues(_Shared, total=False):
    second: str
    rates: float | str | Iterable[float | str]
    trials: int
    seed: int
    rounding: str
    method: str
    near: int
    threshold: float
    axis: str

class _Holes(
    Experiment[irmeval.experiments.planning.holes.Params, irmeval.experiments.planning.holes.Holes]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.planning.holes.Params | Values = None,
        **values: Unpack[_HolesValues],
    ) -> irmeval.experiments.planning.holes.Holes: ...

class _LabValues(_Shared, total=False):
    list: str
    rest: str
    a: int
    b: int
    c: int
    d: int

class _Lab(Experiment[irmeval.experiments.learn.lab.Params, irmeval.experiments.learn.lab.Lab]):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.learn.lab.Params | Values = None,
        **values: Unpack[_LabValues],
    ) -> irmeval.experiments.learn.lab.Lab: ...

class _TopHeavinessValues(_Shared, total=False):
    R: int | Iterable[int]
    last: int
    N: int
    scale: str

class _TopHeaviness(
    Experiment[
        irmeval.experiments.learn.top_heaviness.Params,
        irmeval.experiments.learn.top_heaviness.TopHeaviness,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.learn.top_heaviness.Params | Values = None,
        **values: Unpack[_TopHeavinessValues],
    ) -> irmeval.experiments.learn.top_heaviness.TopHeaviness: ...

class _IdealListsValues(_Shared, total=False):
    p: float | Iterable[float]
    R: int | Iterable[int]

class _IdealLists(
    Experiment[
        irmeval.experiments.learn.ideal_lists.Params,
        irmeval.experiments.learn.ideal_lists.IdealLists,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.learn.ideal_lists.Params | Values = None,
        **values: Unpack[_IdealListsValues],
    ) -> irmeval.experiments.learn.ideal_lists.IdealLists: ...

class _SwapPropertyValues(_Shared, total=False):
    R: int
    N: int
    nonrelevant_from: int
    nonrelevant_to: int

class _SwapProperty(
    Experiment[
        irmeval.experiments.learn.swap_property.Params,
        irmeval.experiments.learn.swap_property.SwapProperty,
    ]
):
    def __call__(
        self,
        source: Source = None,
        measures: Measures = None,
        params: irmeval.experiments.learn.swap_property.Params | Values = None,
        **values: Unpack[_SwapPropertyValues],
    ) -> irmeval.experiments.learn.swap_property.SwapProperty: ...

class _Experiments(Registry[Experiment[Any, Any]]):
    @overload
    def __getitem__(self, name: Literal["collection"]) -> _Collection: ...
    @overload
    def __getitem__(self, name: Literal["leaderboard"]) -> _Leaderboard: ...
    @overload
    def __getitem__(self, name: Literal["two-runs"]) -> _TwoRuns: ...
    @overload
    def __getitem__(self, name: Literal["reproduction"]) -> _Reproduction: ...
    @overload
    def __getitem__(self, name: Literal["matrix"]) -> _Matrix: ...
    @overload
    def __getitem__(self, name: Literal["power"]) -> _Power: ...
    @overload
    def __getitem__(self, name: Literal["topics"]) -> _Topics: ...
    @overload
    def __getitem__(self, name: Literal["curves"]) -> _Curves: ...
    @overload
    def __getitem__(self, name: Literal["leave-one-out"]) -> _LeaveOneOut: ...
    @overload
    def __getitem__(self, name: Literal["unjudged"]) -> _Unjudged: ...
    @overload
    def __getitem__(self, name: Literal["what-if"]) -> _WhatIf: ...
    @overload
    def __getitem__(self, name: Literal["judge-next"]) -> _JudgeNext: ...
    @overload
    def __getitem__(self, name: Literal["judgments-needed"]) -> _JudgmentsNeeded: ...
    @overload
    def __getitem__(self, name: Literal["estimates"]) -> _Estimates: ...
    @overload
    def __getitem__(self, name: Literal["own-sample"]) -> _OwnSample: ...
    @overload
    def __getitem__(self, name: Literal["scorecard"]) -> _Scorecard: ...
    @overload
    def __getitem__(self, name: Literal["agreement"]) -> _Agreement: ...
    @overload
    def __getitem__(self, name: Literal["rankings"]) -> _Rankings: ...
    @overload
    def __getitem__(self, name: Literal["stability"]) -> _Stability: ...
    @overload
    def __getitem__(self, name: Literal["swap"]) -> _Swap: ...
    @overload
    def __getitem__(self, name: Literal["pair-orderings"]) -> _PairOrderings: ...
    @overload
    def __getitem__(self, name: Literal["variance"]) -> _Variance: ...
    @overload
    def __getitem__(self, name: Literal["gains"]) -> _Gains: ...
    @overload
    def __getitem__(self, name: Literal["parameters"]) -> _Parameters: ...
    @overload
    def __getitem__(self, name: Literal["topics-needed"]) -> _TopicsNeeded: ...
    @overload
    def __getitem__(self, name: Literal["orders"]) -> _Orders: ...
    @overload
    def __getitem__(self, name: Literal["order-fairness"]) -> _OrderFairness: ...
    @overload
    def __getitem__(self, name: Literal["audit"]) -> _Audit: ...
    @overload
    def __getitem__(self, name: Literal["judges"]) -> _Judges: ...
    @overload
    def __getitem__(self, name: Literal["systems"]) -> _Systems: ...
    @overload
    def __getitem__(self, name: Literal["holes"]) -> _Holes: ...
    @overload
    def __getitem__(self, name: Literal["lab"]) -> _Lab: ...
    @overload
    def __getitem__(self, name: Literal["top-heaviness"]) -> _TopHeaviness: ...
    @overload
    def __getitem__(self, name: Literal["ideal-lists"]) -> _IdealLists: ...
    @overload
    def __getitem__(self, name: Literal["swap-property"]) -> _SwapProperty: ...
    @overload
    def __getitem__(self, name: str) -> Experiment[Any, Any]: ...

EXPERIMENTS: _Experiments

__all__ = ["EXPERIMENTS", "Chart", "Experiment", "Result", "Table", "Work"]
