"""Write a made-up collection of the shape of MS MARCO's passages to a folder: qrels.txt
and a file for each run.

    python benchmarks/big.py FOLDER [RUNS] [TOPICS]

4 runs x 6,980 topics x 1,000 documents (28 million lines, about 960 MB) and 7,437
judgments, nearly all topics having one. Delete the folder when you are done.
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

RUNS, TOPICS, DEPTH = 4, 6980, 1000
DOCUMENTS, QUERIES = 8_841_823, 1_102_390
SECOND = 457 / 6980
"""The share of topics with a second judgment."""
FOUND = 0.85
"""How probably a run retrieves a judged document."""
STRETCH = 200
"""Topics that are written at a time."""
SEED = 7
PLAIN = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")


def write(folder: Path, runs: int = RUNS, topics: int = TOPICS) -> None:
    """Write the files; the same numbers give the same files."""
    rng = np.random.default_rng(SEED)
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    names = np.sort(rng.choice(QUERIES, topics, replace=False)) + 1
    judged = np.repeat(np.arange(topics), 1 + (rng.random(topics) < SECOND))
    document = rng.choice(DOCUMENTS, judged.size, replace=False)
    columns = [names[judged], np.zeros(judged.size, int), document, np.ones(judged.size, int)]
    csv.write_csv(
        pa.table([pa.array(c) for c in columns], names=list("abcd")), folder / "qrels.txt", PLAIN
    )
    for r in range(runs):
        kinds = [pa.int64(), pa.string(), pa.int64(), pa.int64(), pa.float64(), pa.string()]
        schema = pa.schema([*zip("abcdef", kinds, strict=True)])
        with csv.CSVWriter(
            folder / "runs" / f"run{r + 1}.txt", schema, write_options=PLAIN
        ) as file:
            for first in range(0, topics, STRETCH):
                of = names[first : first + STRETCH]
                found = np.array([rng.choice(DOCUMENTS, DEPTH, replace=False) for _ in of])
                for row in np.flatnonzero(
                    (judged >= first)
                    & (judged < first + STRETCH)
                    & (rng.random(judged.size) < FOUND)
                ):
                    if document[row] not in found[judged[row] - first]:
                        found[judged[row] - first, min(int(rng.exponential(100)), DEPTH - 1)] = (
                            document[row]
                        )
                score = -np.sort(-rng.gamma(9, 2, found.shape), axis=1).round(4)
                rank = np.tile(np.arange(1, DEPTH + 1), of.size)
                text = [np.full(rank.size, t) for t in ("Q0", f"run{r + 1}")]
                columns = [of.repeat(DEPTH), text[0], found.ravel(), rank, score.ravel(), text[1]]
                file.write_table(pa.table([pa.array(c) for c in columns], schema=schema))


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(int, sys.argv[2:]))
