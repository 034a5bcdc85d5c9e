"""Write the synthetic test collection: qrels.txt.gz and runs/<name>.gz.

    python sample_data/generate.py [OUTDIR]

OUTDIR is this file's folder if not given. README.md states the model and how far it
resembles a real collection.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

SEED = 2003
TOPICS = range(901, 951)
# Team: (its runs, how many of them are pooled, counted from the first). Two teams are in no pool.
TEAMS = {
    "aurora": (["aurora1", "aurora2", "aurora3", "aurora4"], 2),
    "birch": (["birch-bm25", "birch-rm3", "birch-dense", "birch-fuse"], 2),
    "cobalt": (["cobalt-a", "cobalt-b", "cobalt-c"], 2),
    "delta": (["delta-t", "delta-td", "delta-tdn"], 2),
    "ember": (["ember1", "ember2", "ember3"], 2),
    "fjord": (["fjord-lm", "fjord-prf", "fjord-rank"], 0),
    "garnet": (["garnet-base", "garnet-exp"], 2),
    "heron": (["heron1", "heron2"], 2),
    "indigo": (["indigo-s", "indigo-l"], 2),
    "juniper": (["juniper1", "juniper2"], 0),
    "krill": (["krill"], 1),
    "lumen": (["lumen"], 1),
}
RUNS = [run for runs, _ in TEAMS.values() for run in runs]
TEAM_OF = np.repeat(np.arange(len(TEAMS)), [len(runs) for runs, _ in TEAMS.values()])
POOLED = np.array([i < pooled for runs, pooled in TEAMS.values() for i in range(len(runs))])
POOL_DEPTH = 100
DEPTH = 500  # of a run; 1000 would make 9 MB
SHORT = {"juniper2": 100}  # one run is less deep, as some are in TREC
# ranks that share a score in a tied run; divides both depths, so no tie crosses the pool's edge
TIE_WIDTH = 4
TIED = {"heron2": True, "ember3": False}  # True: the rank column follows trec_eval's order

CANDIDATES = 6000  # documents per topic that any system could retrieve
# document numbers from one topic's candidates to the next's: neighbours share documents
ID_STEP = 1500
RELEVANT = np.log(45), 1.1  # mean and sd of the log number of relevant documents
RELEVANT_RANGE = 6, 450
GRADE_SHARES = 0.72, 0.22, 0.06  # of grades 1 (B), 2 (A), 3 (S) among the relevant documents
GRADE_LIFT = np.array([0, 1, 1.45, 1.9])  # how far quality lifts a document of each grade
QUALITY = 1.4  # lift by the best team, in standard deviations of a document's noise
# a team is behind by an exponential amount (a few are weak); its runs differ
TEAM_LAG, RUN_SD = 0.18, 0.1
# topic difficulty and system-topic interaction
TOPIC_SD, TOPIC_TEAM_SD, TOPIC_RUN_SD = 0.6, 0.22, 0.12
# share, by topic, of a document's noise variance that all systems have in common
COMMON_RANGE = 0.3, 0.85
TEAM_SHARE = 0.4  # share of the rest that the runs of a team have in common


def run_qualities(rng):
    """Return each run's mean quality: the team's plus the run's own."""
    lag = rng.exponential(TEAM_LAG, len(TEAMS))
    return QUALITY - (lag - lag.min())[TEAM_OF] + rng.normal(0, RUN_SD, len(RUNS))


def draw_grades(rng):
    """Return the grades of one topic's candidates, at least one of each, most of them
    0.
    """
    number = int(np.clip(np.exp(rng.normal(*RELEVANT)), *RELEVANT_RANGE))
    grades = np.zeros(CANDIDATES, dtype=int)
    grades[:3] = 1, 2, 3
    grades[3:number] = rng.choice([1, 2, 3], number - 3, p=GRADE_SHARES)
    return grades


def rank_topic(rng, grades, qualities):
    """Return runs x candidates, best first, by quality times the grade's lift plus
    noise.

    The noise common to all systems makes their pools overlap, the team's makes its runs
    alike.
    """
    runs, documents, teams = len(RUNS), len(grades), len(TEAMS)
    quality = qualities + rng.normal(0, TOPIC_SD)
    quality += rng.normal(0, TOPIC_TEAM_SD, teams)[TEAM_OF] + rng.normal(0, TOPIC_RUN_SD, runs)
    common = rng.uniform(*COMMON_RANGE)
    common, team, own = np.sqrt(
        [common, (1 - common) * TEAM_SHARE, (1 - common) * (1 - TEAM_SHARE)]
    )
    noise = (
        common * rng.standard_normal(documents)
        + team * rng.standard_normal((teams, documents))[TEAM_OF]
    )
    scores = (
        np.maximum(quality, 0)[:, None] * GRADE_LIFT[grades]
        + noise
        + own * rng.standard_normal((runs, documents))
    )
    # Rounded, so that a last-digit difference between two processors does not change the order.
    return np.argsort(-np.round(scores, 5), axis=1, kind="stable")


def pool(rankings):
    """Return the documents in the top 100 of a pooled run, ascending."""
    return np.unique(rankings[POOLED, :POOL_DEPTH])


def run_lines(name, ranking, numbers, topic):
    """Return one topic's lines of a run; scores count down to 1, in the tied runs by
    one every few ranks.
    """
    depth = SHORT.get(name, DEPTH)
    documents = numbers[ranking[:depth]]
    scores = np.arange(depth, 0, -1)
    if name in TIED:
        scores = (scores + TIE_WIDTH - 1) // TIE_WIDTH
        if TIED[name]:
            documents = documents[np.lexsort((-documents, -scores))]
    return [
        f"{topic} Q0 D{d:05d} {i} {s} {name}\n"
        for i, (d, s) in enumerate(zip(documents, scores, strict=True), 1)
    ]


def write_gzip(path, lines):
    """Write lines; no time and no file name in the header, so the same lines are the
    same bytes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))


def generate(folder):
    """Write the whole collection to a folder."""
    rng = np.random.default_rng(SEED)
    qualities = run_qualities(rng)
    qrels, runs = [], {name: [] for name in RUNS}
    for i, topic in enumerate(TOPICS):
        grades = draw_grades(rng)
        numbers = i * ID_STEP + rng.permutation(CANDIDATES)
        rankings = rank_topic(rng, grades, qualities)
        judged = pool(rankings)
        judged = judged[np.argsort(numbers[judged])]
        qrels += [f"{topic} 0 D{numbers[d]:05d} {grades[d]}\n" for d in judged]
        for name, ranking in zip(RUNS, rankings, strict=True):
            runs[name] += run_lines(name, ranking, numbers, topic)
    write_gzip(folder / "qrels.txt.gz", qrels)
    for name, lines in runs.items():
        write_gzip(folder / "runs" / f"{name}.gz", lines)


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
