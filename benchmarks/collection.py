"""Write a made-up collection of the shape of a TREC round (TREC-COVID's fifth) to a
folder: qrels.txt and a file for each run.

    python benchmarks/collection.py FOLDER [RUNS] [TOPICS]

126 runs x 50 topics x up to 1,000 documents, 23,149 judgments of grades 0 to 2; 1.14
million judged and 714,000 relevant documents are retrieved. A run scores documents by a
signal that all runs share and by noise of its own; the pool is what most runs have near
the top.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

RUNS, TOPICS, DEPTH, JUDGMENTS = 126, 50, 1000, 23149
DOCUMENTS, POOL = 10_000, 10
"""How many any run may find for a topic, and down to which rank it is seen whether many
did.
"""
ALIKE, LENGTHS, GRADES = 0.615, (800, 1001), (0.47, 0.2)
"""What all runs share of a document's score, how long their lists are, and the shares
of the judged that are relevant, and highly so.
"""
SEED = 5


def lists(
    runs: int, topics: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Documents by falling score [topic, run, rank], their scores, and grades [topic,
    document], -1 where not judged.
    """
    documents = np.empty((topics, runs, DEPTH), np.int32)
    scores = np.empty((topics, runs, DEPTH), np.float32)
    grades = np.full((topics, DOCUMENTS), -1, np.int8)
    skill = rng.uniform(0.9, 1.1, (runs, 1)).astype(np.float32)
    judged = np.diff(
        np.linspace(0, round(JUDGMENTS * topics / TOPICS), topics + 1).round().astype(int)
    )
    for t in range(topics):
        seen = rng.standard_normal(DOCUMENTS, np.float32)
        share = np.clip(
            ALIKE * (skill + 0.12 * rng.standard_normal((runs, 1), np.float32)), 0, 0.95
        )
        score = share * seen + np.sqrt(1 - share**2) * rng.standard_normal(
            (runs, DOCUMENTS), np.float32
        )
        documents[t] = np.argsort(-score, axis=1)[:, :DEPTH]
        scores[t] = np.take_along_axis(score, documents[t], axis=1)
        near = np.bincount(documents[t, :, :POOL].ravel(), minlength=DOCUMENTS)
        pool = np.argsort(-near, kind="stable")[: judged[t]]
        worth = seen[pool] + 0.35 * rng.standard_normal(pool.size, np.float32)
        least, high = (np.quantile(worth, 1 - share) for share in GRADES)
        grades[t, pool] = (worth > least).astype(np.int8) + (worth > high)
    return documents, scores, grades


def write(folder: Path, runs: int = RUNS, topics: int = TOPICS) -> None:
    """Write the files; the same numbers give the same files."""
    rng = np.random.default_rng(SEED)
    documents, scores, grades = lists(runs, topics, rng)
    length = rng.integers(*LENGTHS, (runs, topics))
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    plain = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    number = np.random.default_rng(SEED).permutation(topics * DOCUMENTS).reshape(topics, DOCUMENTS)
    names = np.char.add("doc", np.char.zfill(np.arange(topics * DOCUMENTS).astype(str), 7))[number]

    t, d = np.nonzero(grades >= 0)
    columns = [t + 1, np.zeros(t.size, int), names[t, d], grades[t, d]]
    csv.write_csv(
        pa.table([pa.array(c) for c in columns], names=list("abcd")), folder / "qrels.txt", plain
    )
    for r in range(runs):
        t = np.repeat(np.arange(topics), length[r])
        rank = np.concatenate([np.arange(n) for n in length[r]])
        tag = f"{chr(97 + r // 5 % 26)}{chr(97 + r // 5 // 26)}team{r % 5 + 1}"
        zero, last = (np.full(t.size, text) for text in ("Q0", tag))
        columns = [
            t + 1,
            zero,
            names[t, documents[t, r, rank]],
            rank + 1,
            scores[t, r, rank].round(4),
            last,
        ]
        csv.write_csv(
            pa.table([pa.array(c) for c in columns], names=list("abcdef")),
            folder / "runs" / f"{tag}.txt",
            plain,
        )


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:]))
