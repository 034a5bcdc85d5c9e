"""A paper reproduced on a collection, as files: one page, a file for each table and
figure, and a manifest.
"""

import io
import json
import tempfile
import zipfile
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.caveats import describe_caveats
from irmeval.core.lazy import pd
from irmeval.core.records import to_json
from irmeval.core.tables import FORMATS
from irmeval.core.text import count_noun, list_all, slug, verb
from irmeval.core.version import __version__
from irmeval.experiments.base import EXPERIMENTS
from irmeval.experiments.results import Chart
from irmeval.experiments.work import Progress
from irmeval.papers import PAPERS
from irmeval.papers.base import (
    Exhibit,
    Paper,
    charts_of,
    comparable_topics,
    describe_left_out,
    describe_reading,
    deviations,
    measures_of,
    printed_of,
    tables_of,
)
from irmeval.papers.exhibits import (
    NO_OVERRIDES,
    ExhibitRuns,
    Overrides,
    Remade,
    answer_findings,
    choose_runs,
    list_findings,
    make,
)
from irmeval.papers.findings import (
    LEVEL,
    NAMED,
    NO,
    TOGETHER,
    WRONG,
    YES,
    Finding,
    Outcome,
    hold_together,
)
from irmeval.papers.layout import Printed
from irmeval.papers.resampled import CERTAIN, COUNTED, DEFINITION, FEW, ONE, TRIALS
from irmeval.plots.display import figure_html, plotly
from irmeval.plots.svg import pictures
from irmeval.report import latex
from irmeval.report import printed as prints
from irmeval.report.document import folded_table
from irmeval.report.folder import write_file
from irmeval.report.items import Item, ReportEntry
from irmeval.report.manifest import build_manifest

ARTICLE = "tables.tex"
"""A LaTeX document with all tables as printed in the paper."""
FINDINGS = "findings.csv"
PLOTLY = "plotly.min.js"
"""Script shared by the pages of figures."""
WITHOUT = {
    ONE: "One sample of the judgments: the variation of the margin is unknown",
    FEW: "Too few topics: the variation of the margin is unknown",
    COUNTED: "Counted in this collection: no margin",
    DEFINITION: "It follows from definitions, on artificial lists, and cannot fail: no margin",
}
"""Reasons why a finding has no interval."""
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
WHOLE = "html,body{height:100%}"
"""The style of a page that holds a single figure."""


def write(
    paper: Paper,
    collection: Collection,
    folder: Path,
    *,
    overrides: Overrides = NO_OVERRIDES,
    team: Mapping[str, str] | None = None,
    labels: Container[str] | None = None,
    progress: Progress | None = None,
) -> "tuple[list[str], pd.DataFrame]":
    """Compute all exhibits, or those with these labels, and write them into a folder.
    Returns the names of the files, `index.html` and `manifest.json` first; and the
    findings, each with a separate verdict.

    Each exhibit has the runs that the paper chooses, unless `overrides` decide
    otherwise; `team` maps runs to teams. Page and manifest say which exhibits cannot be
    made on this collection, or differ from the paper. ``irmeval rerun`` makes the
    tables of a manifest again. Progress counts exhibits.

    Raises `ParamError` if the overrides leave no run.
    """
    usual = choose_runs(paper, None, collection, overrides, team)
    manifest = _describe(paper, usual) | {
        "verdicts": overrides.verdicts,
        "exhibits": [],
        **build_manifest(paper.title, "", [], {}),
    }
    wanted = paper.labels
    if labels is not None:
        wanted = [*filter(labels.__contains__, wanted)]
    writing = _Writing(paper, folder, _head(paper, usual), manifest, wanted)
    # written at once, so that it is there after an interruption
    writing.keep()
    answered: dict[str, Outcome] = {}
    made = make(paper, collection, overrides, team=team, labels=labels, progress=progress)
    for number, remade in enumerate(made, 1):
        answered |= answer_findings(paper, remade)
        writing.add(remade, f"{number:02}-{slug(remade.exhibit.label)}")
        writing.keep()
    found = list_findings(paper, answered)
    told = combine_verdicts(found, overrides.verdicts)
    write_file(folder, FINDINGS, FORMATS["csv"](told))
    if len(told):
        said = f"<p>{escape(describe_verdicts(told, overrides.verdicts))}</p>"
        heading = "<h2>Findings of the paper, and whether they hold here</h2>"
        writing.findings = f"{heading}{said}{findings_table(paper, told)}"
    files = [*chain.from_iterable(entry["files"] for entry in manifest["exhibits"])]
    _write_article(paper, folder, files)
    writing.keep()
    names = ["index.html", "manifest.json", FINDINGS, ARTICLE]
    if (folder / PLOTLY).exists():
        names.append(PLOTLY)
    return [*names, *files], found


@dataclass
class _Writing:
    """The folder of a paper, while one exhibit after another is added to it."""

    paper: Paper
    folder: Path
    head: str
    manifest: dict[str, Any]
    wanted: Sequence[str]
    """labels of the exhibits that it is to have"""
    findings: str = ""
    """known only when all exhibits are made"""
    sections: list[str] = field(default_factory=list)

    def add(self, remade: Remade, stem: str) -> None:
        """Write the files of an exhibit, and add its part of the page and of the
        manifest.
        """
        exhibit = remade.exhibit
        text, entry, csv = _exhibit(self.paper, remade, self.folder, stem)
        name = escape(exhibit.label)
        title = f"<h2 id={slug(exhibit.label)}>{name}: {escape(exhibit.title)}</h2>"
        self.sections.append(f"{title}{text}")
        record = {
            "label": exhibit.label,
            "title": exhibit.title,
            "experiment": exhibit.experiment,
            **entry,
        }
        has_own_runs = exhibit.selection not in (None, self.paper.selection)
        if has_own_runs:
            chosen = remade.runs
            record |= {"selection": asdict(chosen.rules), "runs": chosen.collection.runs}
        self.manifest["exhibits"].append(record)
        if not csv:
            return
        item = Item(remade.result.recipe(), exhibit.label)
        again = build_manifest(exhibit.label, "", [ReportEntry(item, stem, remade.result)], csv)
        self.manifest["items"] += again["items"]
        self.manifest["data"] |= again["data"]
        self.manifest["measures"] |= again["measures"]

    def keep(self) -> None:
        """Write page and manifest with the exhibits so far; both list the missing ones."""
        missing = [*self.wanted[len(self.sections) :]]
        body = [self.head, self.findings, _lacking(missing), *self.sections]
        write_file(self.folder, "index.html", _page(self.paper.title, body))
        record = dict(self.manifest)
        if missing:
            record["missing"] = missing
        text = json.dumps(record, indent=1, ensure_ascii=False)
        write_file(self.folder, "manifest.json", f"{text}\n")


def _write_article(paper: Paper, folder: Path, files: Sequence[str]) -> None:
    """Write a LaTeX document that takes in the tables among the files."""
    tables = [name for name in files if name.endswith(".tex")]
    texts = "".join((folder / name).read_text(encoding="utf-8") for name in tables)
    article = latex.document(paper.title, paper.reference, [("Tables", (), tables)], texts)
    write_file(folder, ARTICLE, article)


def _describe(paper: Paper, chosen: ExhibitRuns) -> dict[str, Any]:
    """Part of a manifest on the data and the program that made the exhibits."""
    collection = chosen.collection
    repeated = zip(collection.runs, collection.repeated, strict=False)
    return {
        "paper": paper.reference,
        "collection": collection.fingerprint,
        "policy": asdict(collection.policy),
        "repeated_lines_left_out": {
            "qrels": collection.rejudged,
            "runs": {run: lines for run, lines in repeated if lines},
        },
        "selection": asdict(chosen.rules),
        "runs": collection.runs,
        "topics": collection.topics,
    }


def _lacking(missing: list[str]) -> str:
    if not missing:
        return ""
    return f"<p><strong>Not finished. Missing: {escape(', '.join(missing))}.</strong></p>"


def combine_verdicts(found: "pd.DataFrame", verdicts: str) -> "pd.DataFrame":
    """Findings with separate verdicts, or with joint verdicts if `verdicts` is
    `TOGETHER`.
    """
    if verdicts != TOGETHER:
        return found
    return found.assign(
        verdict=hold_together(found["verdict"].tolist(), found["p"].to_numpy(float))
    )


def describe_verdicts(found: "pd.DataFrame", verdicts: str) -> str:
    """Sentences on the expected number of false verdicts, and on verdicts that cannot
    be false.
    """
    sure = {why: int((found["interval"] == why).sum()) for why in CERTAIN}
    tested = found[found["p"].notna()]
    told, lines = _decided(tested), []
    if sure[DEFINITION]:
        lines.append(
            f"{sure[DEFINITION]} of {count_noun(len(found), 'finding')}"
            f" {verb(sure[DEFINITION], 'follows', 'follow')} from definitions, on made-up lists,"
            " and cannot fail."
        )
    if sure[COUNTED]:
        lines.append(
            f"{sure[COUNTED]} {verb(sure[COUNTED], 'is', 'are')} counted in the collection."
        )
    if len(tested):
        estimates = (
            f"{len(tested)} {verb(len(tested), 'is an estimate', 'are estimates')} with an interval"
        )
        lines.append(f"{estimates}; {told} of these {verb(told, 'is', 'are')} decided.")
    return " ".join([*lines, describe_expected(tested, verdicts)]).strip()


def describe_expected(found: "pd.DataFrame", verdicts: str) -> str:
    """A sentence on the expected number of false verdicts among those with a p; empty
    without any.
    """
    tested = found[found["p"].notna()]
    if not len(tested):
        return ""
    if verdicts == TOGETHER:
        told = _decided(tested)
        return (
            "These verdicts hold together (Benjamini & Hochberg 1995): at most"
            f" {1 - LEVEL:.0%} of them ({(1 - LEVEL) * told:.2g}) are expected to be false."
        )
    expected = " of such verdicts"
    if len(tested) > 1:
        expected = f" of the {len(tested)} ({WRONG * len(tested):.2g})"
    return (
        f"Each verdict is separate, by a {LEVEL:.0%} interval: up to {WRONG:.0%}{expected} are"
        " expected to be false."
    )


def _decided(tested: "pd.DataFrame") -> int:
    """How many findings with an interval are decided."""
    return int((tested["verdict"].isin((*YES, *NO)) & (tested["why"] == "")).sum())


def describe_finding(row: Mapping[Any, Any]) -> list[str]:
    """Yield a row of `list_findings` in words, line by line."""
    lines = [f"Published: {row['published']} ({row['exhibit']})"]
    # without an interval, `here` is the reason
    if row["why"] and row["interval"]:
        lines.append(f"Open: {row['why']}")
    if not row["interval"]:
        return [*lines, f"Here: {row['here']}"]
    lines.append(f"Here, {row['statistic']}: {row['here']}, a margin of {row['margin']:+.4g}")
    lines += _sides(PAPERS[row["paper"]].findings[row["finding"]])
    if not row["samples"]:
        return [*lines, WITHOUT[row["interval"]]]
    over = "topics, from halves of them that count more"
    if row["interval"] == TRIALS:
        over = "samples of the judgments, on these topics"
    ends = f"{row['low']:+.4g} to {row['high']:+.4g}"
    if np.isnan(row["low"]):
        ends = "unknown, as too many are undefined, or all are the same"
    margin = f"Margin over {over}, interval of {LEVEL:.0%}: {ends}"
    return [*lines, f"{margin}; it holds in {row['samples']}"]


def _sides(finding: Finding) -> list[str]:
    """The measures of each side of a finding that is only counted beside its number."""
    sides = {"Higher in the paper": finding.these, "Lower": finding.those}
    measures = {word: side for word, side in sides.items() if isinstance(side, tuple)}
    counted = {word: side for word, side in measures.items() if len(side) > NAMED}
    return [f"{word}: {list_all([*side])}" for word, side in counted.items()]


def findings_table(paper: Paper, found: "pd.DataFrame", page: str = "") -> str:
    """All findings of a paper as an HTML table with links to exhibits on a page."""
    rows = []
    for _, row in found.iterrows():
        exhibit = paper.findings[row["finding"]].exhibit
        where = f'<a href="{page}#{slug(exhibit)}">{escape(row["exhibit"])}</a>'
        here = row["here"]
        if row["interval"]:
            here = f"{row['statistic']}: {here}"
        words = [row["verdict"], row["finding"], row["published"], here, _margin(row)]
        rows.append("".join(f"<td>{cell}</td>" for cell in [*map(escape, words), where]))
    columns = ("verdict", "finding", "published", "here", "margin", "exhibit")
    head = "".join(map("<th>{}</th>".format, columns))
    body = "".join(map("<tr>{}</tr>".format, [head, *rows]))
    return f"<table class=words>{body}</table>"


def _margin(row: "pd.Series") -> str:
    """Margin of a finding with its interval and the source of variation."""
    if not row["interval"]:
        return ""
    margin = f"{row['margin']:+.3g}"
    if not np.isnan(row["low"]):
        margin += f" ({row['low']:+.3g} to {row['high']:+.3g})"
    over = ": ".join(filter(None, [row["interval"], row["samples"]]))
    return f"{margin}, {over}"


def write_all(
    collection: Collection, folder: Path, *, overrides: Overrides = NO_OVERRIDES, **how: Any
) -> list[str]:
    """Write each paper into its own folder, and `index.html` and `findings.csv` of all
    papers. Returns the names of the files. `how` is as for `write`.
    """
    names, frames = ["index.html", FINDINGS], list[pd.DataFrame]()
    _index_of_all(folder, frames, overrides.verdicts)
    for paper in PAPERS.values():
        made, found = write(paper, collection, folder / paper.name, overrides=overrides, **how)
        names += [f"{paper.name}/{name}" for name in made]
        frames.append(found)
        told = _index_of_all(folder, frames, overrides.verdicts)
    write_file(folder, FINDINGS, FORMATS["csv"](told))
    return names


def _index_of_all(folder: Path, frames: "list[pd.DataFrame]", verdicts: str) -> "pd.DataFrame":
    """Write the page of all papers, with the findings of finished papers and the names
    of missing ones. Returns all findings so far.
    """
    body = [
        "<h1>Findings of the papers, and whether they hold here</h1>",
        _lacking([*PAPERS][len(frames) :]),
    ]
    told = pd.DataFrame()
    # none yet when the folder is begun
    if frames:
        told = combine_verdicts(pd.concat(frames, ignore_index=True), verdicts)
        body.append(f"<p>{escape(describe_verdicts(told, verdicts))}</p>")
    for number, paper in enumerate([*PAPERS.values()][: len(frames) + 1]):
        page = f"{paper.name}/index.html"
        body.append(f'<h2><a href="{page}">{escape(paper.title)}</a></h2>')
        if number < len(frames):
            body.append(findings_table(paper, told[told["paper"] == paper.name], page))
    write_file(folder, "index.html", _page("Papers", body, script=False))
    return told


def zipped(
    paper: Paper,
    collection: Collection,
    team: Mapping[str, str],
    overrides: Overrides = NO_OVERRIDES,
) -> bytes:
    """The files of `write` in a zip."""
    packed = io.BytesIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        write(paper, collection, Path(folder), overrides=overrides, team=team)
        # a folder lists its files in any order
        for path in sorted(Path(folder).iterdir()):
            archive.write(path, f"{paper.name}/{path.name}")
    return packed.getvalue()


def _exhibit(
    paper: Paper, remade: Remade, folder: Path, stem: str
) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Write the files of one exhibit. Returns its part of the page and of the manifest,
    and its tables as CSV by name.
    """
    exhibit, result = remade.exhibit, remade.result
    if result is None:
        said = f"<p>Not available on this collection: {escape(remade.error)}</p>"
        return said, {"error": remade.error, "files": []}, {}
    tables = {table.title: table.make() for table in tables_of(exhibit, result)}
    charts = charts_of(exhibit, result)
    figures = {f"{stem}-{slug(chart.title)}": chart.draw().to_dict() for chart in charts}
    drawn = {name: figure_html(figure, name) for name, figure in figures.items()}
    printed = printed_of(paper, exhibit, result)
    csv = {f"{stem}-{slug(title)}.csv": FORMATS["csv"](frame) for title, frame in tables.items()}
    files = _latex_files(paper, exhibit, printed, stem) | csv
    files |= {f"{name}.html": _page(name, [part], style=WHOLE) for name, part in drawn.items()}
    files |= {f"{name}.svg": picture for name, picture in pictures(figures).items()}
    for name, content in files.items():
        write_file(folder, name, content)
    # one script for all pages of figures: it is large
    if drawn and not (folder / PLOTLY).exists():
        write_file(folder, PLOTLY, plotly())
    worked = comparable_topics(paper, exhibit, remade.runs.collection)
    entry = {
        "parameters": to_json(result.params),
        "measures": measures_of(paper, exhibit, remade.runs.collection),
        "found": result.headline(),
        "topics": len(worked.topics),
        "gains": worked.policy.gains,
        "differs": _describe_differences(paper, remade),
        "reading": describe_reading(exhibit),
        "files": [*files],
    }
    text = [
        f"<p>{escape(_describe_exhibit(remade, worked))}</p>",
        *map(_figure_section, charts, drawn.values()),
        *map(prints.html, printed),
        *(folded_table(title, frame) for title, frame in tables.items()),
        _small_print(entry),
    ]
    return "".join(text), entry, csv


def _latex_files(
    paper: Paper, exhibit: Exhibit, printed: Sequence[Printed], stem: str
) -> dict[str, str]:
    """Tables as printed in the paper, by file name."""
    files = {}
    for table in printed:
        # of an exhibit with several tables, each has a label of its own
        rest = ""
        if not slug(exhibit.label).endswith(slug(table.label)):
            rest = f"-{slug(table.label)}"
        label = f"{paper.name}-{slug(exhibit.label)}{rest}"
        files[f"{stem}{rest}.tex"] = prints.latex(table, label, paper.title)
    return files


def _describe_exhibit(remade: Remade, worked: Collection) -> str:
    """What an exhibit shows, and on which topics and runs."""
    sentences = [remade.result.headline(), describe_left_out(worked, remade.runs.collection)]
    if remade.exhibit.selects:
        runs = count_noun(len(worked.runs), "run")
        sentences.append(f"{runs}: {remade.exhibit.selects}")
    return " ".join(filter(None, sentences))


def _describe_differences(paper: Paper, remade: Remade) -> str:
    """How an exhibit is made in another way than in the paper."""
    exhibit, chosen = remade.exhibit, remade.runs
    others = deviations(paper, exhibit, chosen.collection, remade.result.params)
    if not EXPERIMENTS[exhibit.experiment].data:
        return others
    return " ".join(filter(None, [chosen.instead, others]))


def _figure_section(chart: Chart, drawn: str) -> str:
    caption = f"<p><small>{escape(chart.caption)}</small></p>"
    return f"<h3>{escape(chart.title)}</h3>{drawn}{caption}"


def _small_print(entry: Mapping[str, Any]) -> str:
    links = " · ".join(f'<a href="{name}">{name}</a>' for name in entry["files"])
    said = f"{escape(entry['differs'])} {escape(entry['reading'])}"
    return f"<p><small>{said} Files: {links}</small></p>"


def _head(paper: Paper, usual: ExhibitRuns) -> str:
    collection = usual.collection
    worked = (
        f"{len(collection.runs)} runs, {len(collection.topics)} topics, collection"
        f" {collection.fingerprint[:12]}, irmeval {__version__}"
    )
    lines = [
        f"<h1>{escape(paper.title)}</h1>",
        f"<p><em>{escape(paper.reference)}</em></p>",
        f"<p>{escape(paper.asks)}</p>",
    ]
    missing = describe_caveats(collection)
    data = " ".join(
        filter(
            None,
            [
                f"Made on {worked}. The paper worked on: {paper.selects}",
                usual.instead,
                paper.differs,
                missing,
            ],
        )
    )
    return "".join([*lines, f"<p><small>{escape(data)}</small></p>"])


def _page(title: str, body: list[str], script: bool = True, style: str = STYLE) -> str:
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
    if script:
        head += f'<script src="{PLOTLY}"></script>'
    return (
        f'<!doctype html><html lang="en"><head>{head}</head><body>{"".join(body)}</body></html>\n'
    )
