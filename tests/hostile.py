"""Names that are more than they seem to whatever shows them."""

from typing import TYPE_CHECKING

from irmeval import Collection
from tests.cases import drawn

if TYPE_CHECKING:
    from irmeval.ui.state.dataset import Dataset

WORDS = (
    "<img/src=x/onerror=alert(1)>",
    "![x](http://example.org/x.png)",
    "[x](javascript:alert(1))",
    "<b>bold</b>",
    "<a/href='http://example.org/a'>a</a>",
    "http://example.org/b",
    "HTTPS://example.org/c",
    "www.example.org",
    "_WWW.example.org",
    "me@example.org",
    ":smile:",
    "\\:x:",
    ":+1:",
    ":material/home:",
    ":streamlit:",
    ":red[x]",
    "::red[x]",
    "a:b{c=d}",
    "$x^2$",
    "$$x$$",
    "`code`",
    "**b**",
    "__b__",
    "~~a~~",
    "#a",
    "&lt;q&gt;",
    "&copy;",
    "[^1]:x",
    "|a|b|",
    "\\",
    '=HYPERLINK("http://example.org/d")',
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "<http://example.org/e>",
    "<!--x-->",
    "%{customdata}",
    "\\end{tabular}",
    "\\input{/etc/passwd}",
    "*a",
    "[a]",
    "^^41",
    "a_b",
    "50%",
    "}{",
    "1.",
    "---",
    "</script><script>alert(1)</script>",
)
"""As a file can hold them, in a column of its own."""
COLUMNS = ("topic", "difference", "mean")
"""What columns of tables are called."""
LINES = (
    *WORDS,
    "a\nb",
    "a\tb",
    "\r\n=1+1",
    "\x1b[31mred",
    "\u202eabc",
    "# a",
    "- a",
    "1. a",
    "> a",
    "    a",
    "a | b",
    "",
)
"""As dictionaries and frames can hold them too."""
FILE = "[x](mailto:f) :smile: <i>f $x$"
"""As a file can be called: what stands before a slash is the name of a folder."""


def dataset(runs: int = 16) -> "Dataset":
    """A visitor's uploads, in which every run, topic, team, document and file has one
    of these names, or is called like a column.
    """
    from irmeval.ui.state.dataset import Dataset

    names, topics, documents = (*WORDS[:runs], *COLUMNS), WORDS[runs : runs + 8], WORDS[runs + 8 :]
    found = Dataset()
    qrels = "".join(
        f"{t} 0 {d} {(i + j) % 3}\n"
        for i, t in enumerate(topics)
        for j, d in enumerate(documents[:12])
    )
    texts = [
        "".join(
            f"{t} Q0 {d} {j} {(7 * i * j + 3 * k + r * j) % 11} {name}\n"
            for i, t in enumerate(topics, 1)
            for j, d in enumerate(documents, 1)
            for k in [r]
        )
        for r, name in enumerate(names)
    ]
    found.add(
        [
            (FILE, qrels.encode()),
            *((f"{i:02} {FILE}", text.encode()) for i, text in enumerate(texts)),
        ]
    )
    assert not found.refused
    assert not found.remarks
    assert len(found.runs) == len(names)
    return found


def collection() -> Collection:
    """A collection in which every run and topic has one of these names."""
    judgments, scores = drawn(3, topics=8, runs=len(WORDS) // 2)
    topics = dict(zip(judgments, WORDS, strict=False))
    runs = {
        name: {topics[t]: found for t, found in lists.items()}
        for name, lists in zip(WORDS, scores.values(), strict=False)
    }
    return Collection.from_dicts({topics[t]: grades for t, grades in judgments.items()}, runs)


def matrix() -> "Dataset":
    """A score matrix whose file, runs and topics have such names."""
    from irmeval.ui.state.dataset import Dataset

    quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in WORDS]
    rows = [
        f"{topic}," + ",".join(str((i * j) % 7 / 7) for j in range(1, 11))
        for i, topic in enumerate(quoted[10:22], 1)
    ]
    found = Dataset()
    found.add([(f"{FILE}.csv", "\n".join([",".join(["topic", *quoted[:10]]), *rows]).encode())])
    assert not found.refused
    assert not found.remarks
    return found
