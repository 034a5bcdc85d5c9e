"""Contents of a collection: judgments by grade, and what its runs retrieved."""

from functools import cached_property

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.team_names import LETTERS, TeamRule
from irmeval.core.errors import ReadError
from irmeval.core.params import checked
from irmeval.core.places import pick, place_of_each
from irmeval.core.text import count_noun, list_few, natural_key, verb
from irmeval.experiments.base import COLLECTION, NO_RUNS, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.needs import Needs
from irmeval.experiments.results import (
    Chart,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    rowwise,
    table,
)
from irmeval.metrics.sample_weights import WeightedSample
from irmeval.plots import row_charts
from irmeval.reading.ir_metadata import Value, header_entries, read_headers


@checked
class Params:
    """Rule that assigns runs to teams."""

    team_rule: TeamRule = LETTERS


class Contents(Result):
    """Figures of a collection."""

    collection: Collection
    teams: int
    """number of teams"""
    params: Params
    measures = ()

    def frame(self) -> Frame:
        """One row per kind of judgment: documents, total, mean per topic, least,
        most.
        """
        grade, T = self.collection.grade, len(self.collection.topics)
        kinds = {"judged": grade >= 0, "relevant": grade > 0}
        kinds |= {f"grade {g}": grade == g for g in np.unique(grade)[::-1]}
        counts = np.array(
            [np.bincount(self.collection.topic[which], minlength=T) for which in kinds.values()]
        )
        ends = {"least": counts.min(axis=1), "most": counts.max(axis=1)}
        return table(
            {
                "documents": list(kinds),
                "total": counts.sum(axis=1),
                "mean per topic": counts.mean(axis=1),
                **ends,
            }
        )

    def counts(self) -> Frame:
        """Sizes: topics, runs, teams, judged and relevant documents, topics with no
        more relevant documents than nonrelevant ones, where bpref is bpref_R (Sakai &
        Kando 2008, Table 2).
        """
        c, T = self.collection, len(self.collection.topics)
        relevant, judged = (
            np.bincount(c.topic[which], minlength=T) for which in (c.grade > 0, c.grade >= 0)
        )
        counts = {
            "topics": T,
            "runs": len(c.runs),
            "teams": self.teams,
            "judged documents": judged.sum(),
            "relevant documents": relevant.sum(),
            "topics with R <= N": np.count_nonzero(2 * relevant <= judged),
        }
        return table({"of": list(counts), "number": list(map(int, counts.values()))})

    def strata(self) -> Frame:
        """One row per stratum name of a sample: its topics; documents in the pool,
        drawn, and drawn and relevant; least and highest inclusion probability;
        estimated number of relevant documents (Horvitz & Thompson 1952). If the sample
        states its probabilities, the pool is unknown and its size is estimated in the
        same way.
        """
        c = self.collection
        sample = WeightedSample(c, c.grade)
        design = sample.design
        names = place_of_each(sorted(set(design.names), key=natural_key))
        of_stratum = np.array(pick(names, design.names), np.intp)
        of, S = of_stratum[design.stratum], len(names)
        drawn, relevant, probability, stands_for = (
            c.grade >= 0,
            c.grade > 0,
            sample.probability,
            sample.expansion,
        )
        least, most = np.ones(S), np.zeros(S)
        # `least[of] = ...` would keep one of a stratum's documents; `at` takes each of them
        np.minimum.at(least, of, probability)
        np.maximum.at(most, of, probability)
        pooled = np.bincount(of, minlength=S)
        if design.stated is not None:
            pooled = np.bincount(of, stands_for, S).round(1)
        columns = {
            "stratum": list(names),
            "topics": np.bincount(of_stratum, minlength=S),
            "pooled": pooled,
            "drawn": np.bincount(of[drawn], minlength=S),
            "relevant": np.bincount(of[relevant], minlength=S),
            "least probability": least,
            "highest probability": most,
            "relevant, estimated": np.bincount(of[relevant], stands_for[relevant], S),
        }
        return table(columns)

    def runs(self) -> Frame:
        """One row per run: documents retrieved, share of them judged, topics missing
        from the run and topics missing from the qrels.
        """
        c = self.collection
        R, T = len(c.runs), len(c.topics)
        retrieved = c.length.reshape(R, T).sum(axis=1)
        judged = np.concatenate(c.by_part(_judged))
        columns = {
            "run": c.runs,
            "documents": retrieved,
            "judged": judged / np.maximum(retrieved, 1),
            "topics missing": c.missing.sum(axis=1),
            "topics unknown": [*map(len, c.unknown)],
        }
        return table(columns)

    @cached_property
    def headers(self) -> "dict[str, dict[str, Value] | ReadError]":
        """Contents of the header of each run that has one, or the error of an
        unreadable header.
        """
        return read_headers(self.collection.runs, self.collection.headers)

    def provenance(self) -> Frame:
        """One row per entry of a run's header (ir_metadata): run, section, entry,
        text.
        """
        rows: list[tuple[str, ...]] = []
        for run, found in self.headers.items():
            if isinstance(found, ReadError):
                rows.append((run, "not readable", "", str(found)))
            else:
                rows += [(run, *entry) for entry in header_entries(found)]
        return rowwise(("run", "section", "entry", "text"), rows)

    def facts(self, choice: str = "") -> list[Fact]:
        """Numbers of topics, runs, teams, judged and relevant documents."""
        counts = zip(*self.counts().to_numpy().T.tolist(), strict=True)
        return [Fact("number", "", name, float(n)) for name, n in counts]

    def verdict(self, choice: str = "") -> Verdict:
        """How many topics, runs and judgments there are."""
        c = self.collection
        judged, relevant = int((c.grade >= 0).sum()), int((c.grade > 0).sum())
        runs = "no runs"
        if c.runs:
            runs = f"{count_noun(len(c.runs), 'run')} of {count_noun(self.teams, 'team')}"
        judgments = f"{count_noun(judged, 'judgment')}{self._describe_draw()}"
        claim = (
            f"{count_noun(len(c.topics), 'topic')}, {runs} and {judgments}"
            f" ({relevant / max(judged, 1):.1%} relevant)."
        )
        return Verdict(claim, self._describe_headers())

    def _describe_draw(self) -> str:
        """What the judgments are drawn from, if they are a sample."""
        design = self.collection.design
        if not design:
            return ""
        # stated probabilities do not tell the size of the pool
        known = design.stated is None
        if known:
            return f" drawn from {self.collection.grade.size:,}"
        return " drawn"

    def _describe_headers(self) -> str:
        if not self.headers:
            return ""
        how = verb(len(self.headers), "describes how it was made", "describe how they were made")
        said = f"{count_noun(len(self.headers), 'run')} {how} (in a header)"
        bad = [run for run, found in self.headers.items() if isinstance(found, ReadError)]
        if not bad:
            return f"{said}."
        return f"{said}; {count_noun(len(bad), 'header')} cannot be read ({list_few(bad)})."

    def next_steps(self) -> list[NextStep]:
        if not self.collection.runs:
            return [
                NextStep("Do judges agree?", "judges"),
                NextStep("Is a run sound?", "check"),
            ]
        if len(self.collection.runs) == 1:
            best, sound = "How good is the run?", "Is the run sound?"
        else:
            best, sound = "Which run is best?", "Are the runs sound?"
        return [
            NextStep(best, "leaderboard"),
            NextStep("What if judgments disappear?", "curves"),
            NextStep(sound, "check"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        return [
            Chart(
                "grades",
                "Judgments of each topic",
                "A bar is a topic, its highest grades at the foot. Topics with the most relevant"
                " documents are on the left.",
                self._grades,
                wide=True,
            )
        ]

    def _grades(self) -> Figure:
        """Judgments by grade, highest first, of topics by their relevant documents."""
        c, topics = self.collection, len(self.collection.topics)
        grades = np.unique(c.grade[c.grade >= 0])[::-1]
        numbers = np.array([np.bincount(c.topic[c.grade == g], minlength=topics) for g in grades])
        order = np.argsort(-numbers[grades > 0].sum(axis=0), kind="stable")
        return row_charts.counts(
            pick(c.topics, order),
            [f"grade {g}" for g in grades],
            numbers[:, order],
            ("topics, by relevant documents", "judgments"),
            blue=int((grades > 0).sum()),
        )

    def tables(self) -> list[Table]:
        made = [Table("judgments", "Judgments per topic", self.frame)]
        if self.collection.design:
            made.append(Table("strata", "Strata", self.strata))
        if self.collection.runs:
            made.append(Table("runs", "Runs", self.runs))
        made.append(Table("counts", "Sizes", self.counts))
        if self.headers:
            made.append(Table("provenance", "Provenance of runs", self.provenance))
        return made


def _judged(part: Collection) -> np.ndarray:
    """Judged documents that each run retrieved."""
    R, T = len(part.runs), len(part.topics)
    run_of_entry = np.repeat(np.arange(R), np.diff(part.start[::T]))
    return np.bincount(run_of_entry[part.grade[part.judgment_index] >= 0], minlength=R)


@experiment(
    "collection",
    title="Collection",
    question="What does the collection contain?",
    does="count topics, runs, judgments by grade, unjudged documents",
    source="Sakai & Kando 2008, Table 2; Ahlgren & Grönqvist 2008, Table 1",
    takes=(COLLECTION, NO_RUNS),
    # judgments without runs are a collection: of several judges they can be compared
    needs=Needs(runs=0),
)
def contents(work: Work[Params]) -> Contents:
    """Counts the topics, runs and teams, the judgments of each grade per topic, and
    what each run retrieved.
    """
    return Contents(work.collection, len({*work.teams}), work.params)
