"""The pages of the documentation that follow from the registries, made when it is
built; and formulas as MathML, which needs no script.
"""

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from html import escape as escape_html
from html import unescape
from pathlib import Path
from textwrap import shorten
from typing import Any, NamedTuple
from urllib.parse import unquote

from docs import command_line, notebook, python_reference
from docs.command_line import escape
from docs.pictures import draw
from irmeval import METRICS, REDUCTIONS
from irmeval.core.described import kind_of
from irmeval.core.params import REQUIRED, Field, fields, format_value
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Experiment
from irmeval.experiments.settings import MEANING_ALONE, MEANINGS
from irmeval.lessons.glossary import TERMS, terms_of
from irmeval.metrics import Metric
from irmeval.metrics.symbols import SYMBOLS
from irmeval.papers import PAPERS
from irmeval.papers.base import Exhibit, Paper, describe_reading, items
from irmeval.reading.formats import formats_of
from irmeval.reading.gain_maps import PRESETS
from irmeval.reading.policy import PROFILES, Policy
from irmeval.report.exports import families, scale
from irmeval.scoring.selection import Selection
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.significance import TESTS

ELSEWHERE = re.compile(
    r"""(?:\bsrc=|<link\b[^>]*\bhref=|url\(|@import|\bimport\()\s*["']?(?:https?:)?//[^"')\s]+"""
)
"""What a page would load from another machine; a link that a reader may follow is
none.
"""
KINDS = {".html", ".css", ".js", ".svg"}
"""Of files that are looked at."""
LINK = re.compile(r"""<(?:a|img)\b[^>]*?\b(?:href|src)="(?![a-z]+:)([^"?]+)""")
"""A link or picture within the documentation."""
SEVERAL = re.compile(r"^(?P<names>\w+(, \w+)+)(?P<entry> : .*(\n .*)*)", re.MULTILINE)
"""An entry of a docstring for several names, with the indented lines below it."""
MADE = Path(__file__).parent / "made" / "pictures"
"""Where pictures go."""
PICTURES: dict[str, str] = {}
"""Experiment -> the lines that show its picture, once it is drawn."""


def write(folder: Path) -> None:
    """Write all of them, and draw the pictures of the experiments."""
    MADE.mkdir(parents=True, exist_ok=True)
    PICTURES.update({name: draw(experiment, MADE) for name, experiment in EXPERIMENTS.items()})
    os.environ["COLUMNS"] = "80"  # of the help of commands
    for name, make in PAGES.items():
        text = "\n".join(make()) + "\n"
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def install(app: Any) -> None:
    """Tell Sphinx of the formulas, and of the look at what was built."""
    from docutils.nodes import SkipNode
    from docutils.utils.math.latex2mathml import tex2mathml

    def renderer(block: bool) -> tuple[Callable[[Any, Any], None], None]:
        def visit(translator: Any, node: Any) -> None:
            translator.body.append(tex2mathml(node.astext(), as_block=block))
            raise SkipNode

        return visit, None

    app.add_html_math_renderer("mathml", renderer(False), renderer(True))
    # before docstrings become reStructuredText
    app.connect("autodoc-process-docstring", name_each, priority=400)
    app.connect("html-page-context", describe)
    app.connect("build-finished", check)


LONGEST_DESCRIPTION = 160
"""Letters of a description that a search engine shows."""


def describe(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Describe a page by its first paragraph, for those who find it elsewhere."""
    from docutils.nodes import paragraph

    paragraphs = doctree.findall(paragraph) if doctree else ()
    texts = (" ".join(found.astext().split()) for found in paragraphs)
    first = next(filter(None, texts), f"{context.get('title', page)} of irmeval.")
    said = shorten(first, LONGEST_DESCRIPTION, placeholder=" ...")
    context["metatags"] = (
        f'{context.get("metatags", "")}<meta name="description" content="{escape_html(said)}">'
    )


def name_each(
    app: Any, what: str, name: str, documented: Any, options: Any, lines: list[str]
) -> None:
    """Write an entry of a docstring that is for several names, such as ``runs, topics :
    names along the axes``, once for each name.
    """

    def split(found: re.Match[str]) -> str:
        return "\n".join(one + found["entry"] for one in found["names"].split(", "))

    lines[:] = SEVERAL.sub(split, "\n".join(lines)).split("\n")


LARGEST = 400_000
"""Bytes of a page that a reader waits for."""


def check(app: Any, exception: Exception | None) -> None:
    """Fail where a page loads anything from another machine, a link or picture leads
    nowhere, or a page is too large.
    """
    if exception or app.builder.format != "html":
        return
    paths = [path for path in Path(app.outdir).rglob("*") if path.suffix in KINDS]
    texts = {path: path.read_text(encoding="utf-8") for path in paths}
    for told, found in (
        ("loaded from elsewhere", find_foreign(texts)),
        ("dead links", find_dead_links(texts)),
        (f"more than {LARGEST:,} bytes", find_large(texts)),
    ):
        if found:
            raise RuntimeError(f"{told}: {', '.join(sorted(found))}")


Texts = Mapping[Path, str]
"""Texts of built files."""


def find_foreign(texts: Texts) -> set[str]:
    """What files would load from another machine."""
    return {
        f"{path.name}: {what}" for path, text in texts.items() for what in ELSEWHERE.findall(text)
    }


def find_dead_links(texts: Texts) -> set[str]:
    """Links and pictures that lead nowhere."""
    return {
        f"{path.name}: {link}"
        for path, text in texts.items()
        for link in LINK.findall(text)
        if leads_nowhere(path, link)
    }


def find_large(texts: Texts) -> set[str]:
    """Pages that are too large."""
    pages = {path: len(text) for path, text in texts.items() if path.suffix == ".html"}
    return {f"{path.name}: {size:,}" for path, size in pages.items() if size > LARGEST}


def leads_nowhere(page: Path, link: str) -> bool:
    """Whether a link within the documentation has no file, or no place of its name
    there.
    """
    name, _, place = unquote(unescape(link)).partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return True
    return (
        bool(place)
        and target.suffix == ".html"
        and f'id="{place}"' not in target.read_text(encoding="utf-8")
    )


def metrics() -> Iterator[str]:
    """Every metric, family by family."""
    yield from ("# Metrics", "")
    primed = sum(m.primed for m in METRICS.values())
    yield (
        f"The {len(METRICS)} metrics, of which {primed} have a condensed-list form, written with a"
        " prime. In the formulas"
    )
    yield "; ".join(f"${symbol}$ is {meaning}" for symbol, (_, meaning) in SYMBOLS.items()) + "."
    for family in families():
        yield from ("", f"## {family.capitalize()}", "")
        for metric in METRICS.values():
            if metric.family == family:
                yield from _metric(metric)


def _metric(metric: Metric) -> Iterator[str]:
    traits = {
        "graded": metric.graded,
        "binary": not metric.graded,
        "top-heavy": metric.top_heavy,
        "recall-based": metric.recall_based,
        "summed over topics": metric.summed,
    }
    ideal = "depends on the topic" if metric.ideal is None else f"{metric.ideal:g}"
    forms = [metric.example, f"{metric.example}'"] if metric.primed else [metric.example]
    names = [alias.replace("_", "_k") if alias.endswith("_") else alias for alias in metric.aliases]
    yield from (
        f"### {metric.name}",
        "",
        escape(metric.meaning),
        "",
        "```{math}",
        metric.formula,
        "```",
        "",
    )
    yield from _facts(
        {
            "Written": (
                ", ".join(f"`{form}`" for form in forms)
                + (f"; elsewhere {', '.join(f'`{n}`' for n in names)}" if names else "")
            ),
            "Range": f"{scale(metric)}; an ideal list: {ideal}",
            "Kind": ", ".join(name for name, has in traits.items() if has),
            "Unjudged documents": escape(metric.unjudged),
            "Source": escape(metric.source),
        }
    )
    yield from _parameters(metric.params)


def experiments() -> Iterator[str]:
    """Every experiment, section by section."""
    yield from ("# Experiments", "")
    yield (
        "All are called alike, `EXPERIMENTS[name](collection, measures, params)`, and return a"
        " [Result](python.rst). Each is a command of"
    )
    yield "[the command line](commands.md) and a page of [the dashboard](../dashboard.md)."
    for section in dict.fromkeys(e.section for e in EXPERIMENTS.values()):
        yield from ("", f"## {section.capitalize()}", "")
        for experiment in EXPERIMENTS.values():
            if experiment.section == section:
                yield from _experiment(experiment)


def _experiment(experiment: Experiment[Any, Any]) -> Iterator[str]:
    data = "QRELS RUN... " * experiment.data + "-m MEASURE..." * experiment.measured
    takes = (
        ["a collection"] * experiment.data
        + ["or a score matrix"] * experiment.matrix
        + ["measures"] * experiment.measured
    )
    yield from (
        f"### {experiment.title}",
        "",
        f"*{escape(experiment.question)}* {escape(experiment.meaning)}",
        "",
    )
    yield from ("```{math}", experiment.formula, "```", "") if experiment.formula else ()
    yield PICTURES.get(experiment.name, "")
    yield from _facts(
        {
            "Command": f"`irmeval {experiment.name} {data}`".replace(" `", "`"),
            "Page": (
                f"in the menu *{experiment.section.capitalize()}*, at"
                f" {', '.join(f'`/{page}`' for page in experiment.pages)}"
            ),
            "Takes": ", ".join(takes).replace(", or", " or"),
            "Source": escape(experiment.source),
        }
    )
    yield from _parameters(fields(experiment.params))


def reductions() -> Iterator[str]:
    """Every way of making judgments incomplete."""
    yield from (
        "# Reductions",
        "",
        "`irmeval.reduce(collection, name, ...)` makes judgments incomplete in one of these ways.",
    )
    for reduction in REDUCTIONS.values():
        yield from ("", f"## {reduction.name}", "", escape(reduction.meaning), "")
        yield from _facts(
            {
                "Trials": "differ" if reduction.random else "are all the same",
                "Source": escape(reduction.source),
            }
        )
        yield from _parameters({reduction.axis.name: reduction.axis} | reduction.params)


def statistics() -> Iterator[str]:
    """Every test, both readings of a pair, and every correlation."""
    yield from (
        "# Statistics",
        "",
        "## Tests",
        "",
        "Two-sided tests of whether two runs differ, on their per-topic differences.",
        "",
    )
    for test in TESTS.values():
        drawn = " Simulated." if test.simulated else ""
        yield from (f"### {test.label}", "", f"{escape(test.meaning)}{drawn}", "")
        yield from _facts({"Name": f"`{test.name}`", "Source": escape(test.source)})
    yield from (
        "## Two readings of a pair",
        "",
        escape(MEANING_ALONE),
        "",
        *(f"{escape(meaning)}\n" for meaning in MEANINGS.values()),
    )
    yield from ("## Correlations", "", "How alike two rankings of the same runs are.", "")
    for name, correlation in CORRELATIONS.items():
        paragraphs = (inspect.getdoc(correlation.compute) or "").split("\n\n")
        yield from (
            f"### {correlation.label}",
            "",
            *(f"{escape(' '.join(part.split()))}\n" for part in paragraphs),
        )
        yield from _facts({"Name": f"`{name}`"})


def decisions() -> Iterator[str]:
    """Policies, selections and gains."""
    yield from (
        "# Policies, selections, gains",
        "",
        (
            "What can be decided of a collection. [Conventions](../CONVENTIONS.md) say why what is"
            " usual is so."
        ),
    )
    yield from (
        "",
        "## Policy",
        "",
        "Keywords of `irmeval.read_collection`, flags of every command.",
        "",
        *_parameters(fields(Policy)),
    )
    yield from ("### Profiles", "", "Policies as a program has them: `--profile NAME`.", "")
    yield from _table(
        ["profile", *fields(Policy)],
        [
            [f"`{name}`", *(f"{getattr(p, f)}" for f in fields(Policy))]
            for name, p in PROFILES.items()
        ],
    )
    yield from (
        "",
        "## Selection",
        "",
        "Selection of runs and topics, rule by rule in this order.",
        "",
        *_parameters(fields(Selection)),
    )
    yield from (
        "## Gain maps",
        "",
        (
            "What a relevant document of each grade is worth to graded metrics: `gains=` and"
            " `--gains`."
        ),
        "",
    )
    yield from _table(
        ["name", "label", "meaning"],
        [[f"`{name}`", preset.label, preset.meaning] for name, preset in PRESETS.items()],
    )


def papers() -> Iterator[str]:
    """Every source paper, exhibit by exhibit."""
    yield from (
        "# Papers",
        "",
        (
            "`irmeval paper NAME QRELS RUN... -o FOLDER` makes the tables and figures of a paper"
            " again on your data."
        ),
    )
    for paper in PAPERS.values():
        yield from (
            "",
            f"## {paper.title}",
            "",
            escape(paper.reference),
            "",
            f"*{escape(paper.asks)}*",
            "",
        )
        compared = ", ".join(f"`{m}`" for m in paper.measures)
        yield from _facts(
            {
                "Name": f"`{paper.name}`",
                "Measures": compared,
                "Runs": escape(paper.selects),
                "Differs": escape(paper.differs),
            }
        )
        rows = [[e.label, e.title, f"`{e.experiment}`", remarks(e)] for e in paper.exhibits]
        yield from _table(["exhibit", "shows", "experiment", "differs"], rows)


class Item(NamedTuple):
    """A table, a figure or an appendix of a paper, and whether irmeval makes it."""

    name: str
    state: str
    """one of `STATES`"""
    exhibits: tuple[Exhibit, ...]
    why: str
    """what is different, or why it is not made"""


SAME, DIFFERS, MISSING = STATES = ("as in the paper", "different", "not made")


def remarks(exhibit: Exhibit) -> str:
    """How an exhibit differs from the paper, and what of the paper is not legible."""
    return f"{exhibit.differs} {describe_reading(exhibit)}".strip()


def checklist(paper: Paper) -> list[Item]:
    """Every table, figure and appendix of a paper: tables first, appendices last."""
    kinds = ("Table", "Fig.", "Appendix")
    makers: dict[str, list[Exhibit]] = {name: [] for name in paper.not_made}
    for exhibit in paper.exhibits:
        for name in items(exhibit.label):
            if name.startswith(kinds):
                makers.setdefault(name, []).append(exhibit)

    def place(item: Item) -> tuple[int, int]:
        kind, _, number = item.name.partition(" ")
        return kinds.index(kind), int(number or 0)

    found = []
    for name, exhibits in makers.items():
        same = [exhibit for exhibit in exhibits if not remarks(exhibit)]
        why = (
            paper.not_made.get(name, "")
            if not exhibits
            else ""
            if same
            else min(map(remarks, exhibits), key=len)
        )
        found.append(
            Item(name, SAME if same else DIFFERS if exhibits else MISSING, tuple(exhibits), why)
        )
    return sorted(found, key=place)


def exhibits() -> Iterator[str]:
    """Every table and figure of every paper, and every finding."""
    lists = {paper.name: checklist(paper) for paper in PAPERS.values()}
    states = [item.state for found in lists.values() for item in found]
    counts = ", ".join(f"{states.count(state)} {state}" for state in STATES)
    held = sum(len(paper.findings) for paper in PAPERS.values())
    yield from (
        "# Exhibits and findings",
        "",
        (
            f"The {len(states)} tables, figures and appendices of the papers: {counts}; and {held}"
            " findings."
        ),
    )
    yield (
        "Where only default settings differ, ten samples of the judgments in place of one,"
        " `--as-published` draws one."
    )
    for paper in PAPERS.values():
        yield from ("", f"## {paper.title}", "")
        rows = [
            [
                i.name,
                i.state,
                ", ".join(dict.fromkeys(f"`{e.experiment}`" for e in i.exhibits)),
                i.why,
            ]
            for i in lists[paper.name]
        ]
        yield from _table(
            ["exhibit", "here", "made by", "in what it differs, or why it is not made"], rows
        )
        yield from (
            "",
            "Findings, each compared with the data by a statistic of the exhibit that answers it:",
            "",
        )
        yield from _table(
            ["finding", "where", "published", "statistic"],
            [[claim, f.where, f.published, f.statistic] for claim, f in paper.findings.items()],
        )


def _facts(facts: Mapping[str, str]) -> Iterator[str]:
    yield from (f"- **{name}**: {text}" for name, text in facts.items() if text)
    yield ""


def _parameters(params: Mapping[str, Field]) -> Iterator[str]:
    if params:
        rows = [
            [
                f"`{name}`",
                f"{field.param.label}. {field.param.help}",
                kind_of(field),
                _default(field),
            ]
            for name, field in params.items()
        ]
        yield from _table(["parameter", "meaning", "values", "default"], rows)
        yield ""


def _default(field: Field) -> str:
    if field.default is REQUIRED:
        return "required"
    if field.default in (None, ""):
        return field.param.empty or "none"
    return (
        ", ".join(map(format_value, field.default))
        if field.is_list
        else format_value(field.default)
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    for i, row in enumerate([head, *rows]):
        cells = [cell if cell.startswith("`") else escape(cell) for cell in row]
        yield f"| {' | '.join(cells)} |"
        if not i:
            yield "| " + "--- | " * len(cells)


def file_formats() -> Iterator[str]:
    """Every format of files, with an example."""
    yield from (
        "# Files",
        "",
        (
            "Any of these files can be read, by commands, by the dashboard and in Python. The"
            " content of a file determines its"
        ),
    )
    yield (
        "format; where several fit, you are asked: `--qrels-format` and `--run-format` name it by"
        " the word in brackets."
    )
    for kind, title in (("qrels", "Qrels"), ("run", "Runs"), ("scores", "Scores by topic")):
        yield from ("", f"## {title}", "")
        for found in formats_of(kind).values():
            title = found.title[0].upper() + found.title[1:]
            yield from (
                f"### {title} ({found.name})",
                "",
                f"{found.looks[0].upper()}{found.looks[1:]}. From {found.source}.",
                "",
            )
            yield from ("```text", found.example.rstrip("\n"), "```", "")


def words() -> Iterator[str]:
    """Every term of the glossary."""
    yield from (
        "# Glossary",
        "",
        (
            "What the words mean that the dashboard's pages use; there, each opens its entry on the"
            " spot."
        ),
    )
    used = {e.title: terms_of(e) for e in EXPERIMENTS.values()}
    for term in sorted(TERMS.values(), key=lambda term: term.name.lower()):
        yield from ("", f"## {term.name}", "", escape(term.meaning), "")
        yield from ("```{math}", term.formula, "```", "") if term.formula else ()
        uses = [title for title, terms in used.items() if term in terms]
        yield from _facts({"Source": escape(term.source), "Used by": ", ".join(uses)})


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    **python_reference.PAGES,
    **command_line.PAGES,
    "metrics.md": metrics,
    "experiments.md": experiments,
    "reductions.md": reductions,
    "statistics.md": statistics,
    "decisions.md": decisions,
    "papers.md": papers,
    "exhibits.md": exhibits,
    "files.md": file_formats,
    "glossary.md": words,
} | {f"{name}.md": partial(notebook.page, name, MADE) for name in notebook.NAMES}
