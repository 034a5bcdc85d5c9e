"""Reports of results or recipes: one HTML file, and a ZIP of all tables, pictures and
scripts.
"""

import fnmatch
import io
import json
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from irmeval.core.errors import IrmevalError, require
from irmeval.core.lazy import pd
from irmeval.core.places import pick
from irmeval.core.tables import FORMATS, MARKED
from irmeval.core.text import count_noun, list_few, slug
from irmeval.core.version import __version__
from irmeval.experiments.recipe import Recipe
from irmeval.experiments.results import Chart, Result
from irmeval.experiments.settings import settings_in_words
from irmeval.experiments.work import Progress, Store
from irmeval.metrics import METRICS, measure
from irmeval.papers.comparisons import find_by_name
from irmeval.plots.axes import use_scale
from irmeval.plots.display import figure_html, plotly
from irmeval.plots.svg import pictures
from irmeval.report import latex, manifest
from irmeval.report.folder import OBSERVATIONS, by_stem, frames_by_stem
from irmeval.report.items import Item, ReportEntry, ReportPlan, ResultSource, remake

ROWS = 40
"""Maximum number of rows of a table on the page. The files of the ZIP have all."""
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
    " blob:; font-src data:"
)
"""Content security policy of the page, which forbids network access."""
STYLE = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
NOT_MADE = "Could not be made:"
"""Begins the reason why an entry has no result."""
STILL = "<noscript><style>.live{display:none}</style></noscript>"


@dataclass(frozen=True, eq=False)
class Document:
    """A report with its results."""

    title: str
    note: str
    """below the title"""
    entries: tuple[ReportEntry, ...]

    @cached_property
    def findings(self) -> dict[str, str]:
        """A sentence on the result or error of each entry, by its stem."""
        return {entry.stem: entry.finding or f"{NOT_MADE} {entry.error}" for entry in self.entries}

    @property
    def _made(self) -> list[ReportEntry]:
        """The entries with a result."""
        return [entry for entry in self.entries if entry.result]

    @cached_property
    def tables(self) -> "dict[str, dict[str, tuple[str, pd.DataFrame]]]":
        """Title and frame of each table by file stem, for each entry with a result. The
        last table has all observations.
        """
        return {entry.stem: _tables_of(entry) for entry in self._made}

    @cached_property
    def charts(self) -> dict[str, dict[str, tuple[Chart, dict[str, Any]]]]:
        """Charts with figures as dictionaries by file stem, for each entry with a
        result.
        """
        return {entry.stem: _charts_of(entry) for entry in self._made}

    @cached_property
    def pictures(self) -> dict[str, str]:
        """Every figure as SVG, by file name without ending."""
        figures: dict[str, dict[str, Any]] = {}
        for charts in self.charts.values():
            figures |= {name: figure for name, (_, figure) in charts.items()}
        return pictures(figures)

    def html(self) -> str:
        """One page that needs no network: a list of findings with links, then the
        results with interactive figures. A browser without scripts shows pictures
        instead.
        """
        title = escape(self.title)
        listed = "".join(
            "<li><a"
            f' href="#{entry.stem}">{escape(entry.item.heading)}</a><br>'
            f"{escape(self.findings[entry.stem])}</li>"
            for entry in self.entries
        )
        body = [
            f"<h1>{title}</h1>",
            *_paragraphs(self.note),
            (
                '<nav aria-labelledby="findings"><h2'
                f' id="findings">Findings</h2><ol>{listed}</ol></nav>'
            ),
            *map(self._section, self.entries),
            self._end(),
        ]
        head = [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title><style>{STYLE}</style>{STILL}<script>{plotly()}</script>",
        ]
        return (
            "<!doctype html><html"
            f' lang="en"><head>{"".join(head)}</head><body>{"".join(body)}</body></html>\n'
        )

    def files(self) -> dict[str, str]:
        """The files of the ZIP, by name: tables as CSV and LaTeX, pictures as SVG,
        scripts, a LaTeX document and the manifest.
        """
        files: dict[str, str] = {}
        sections: list[tuple[str, list[str], list[str]]] = []
        tables = ""
        for entry in self.entries:
            of_entry: dict[str, str] = {}
            paragraphs = [entry.item.note, self.findings[entry.stem]]
            if entry.result:
                of_entry = self._files_of(entry)
                paragraphs += [entry.judged, entry.result.note]
            files |= of_entry
            inputs = fnmatch.filter(of_entry, "*.tex")
            tables += "".join(pick(of_entry, inputs))
            sections.append((entry.item.heading, paragraphs, inputs))
        files["report.tex"] = latex.document(self.title, self.note, sections, tables)
        # made last, as it has the digests of all others
        return {"manifest.json": self.manifest(files), **files}

    def _files_of(self, entry: ReportEntry) -> dict[str, str]:
        """The files of an entry with a result, by name."""
        files: dict[str, str] = {}
        for name, (title, frame) in self.tables[entry.stem].items():
            files[f"{name}.csv"] = FORMATS["csv"](frame)
            # one that lists every observation would fill a paper
            if not name.endswith(OBSERVATIONS):
                caption = _caption(entry, title)
                files[f"{name}.tex"] = latex.table(frame, caption, f"tab:{name}", f"{name}.csv")
        drawn = filter(self.pictures.__contains__, self.charts[entry.stem])
        files |= {f"{name}.svg": self.pictures[name] for name in drawn}
        files[f"{entry.stem}.py"] = entry.recipe.script()
        return files

    def zipped(self) -> bytes:
        """The files as a ZIP. Equal reports give equal bytes."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in self.files().items():
                # with the earliest date that a ZIP can have, not today's
                archive.writestr(
                    zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED
                )
        return packed.getvalue()

    def manifest(self, files: dict[str, str]) -> str:
        """Everything that the numbers depend on, as JSON: files, policies, measures,
        seeds, versions; and the digests of the tables.
        """
        return (
            json.dumps(
                manifest.build_manifest(self.title, self.note, self.entries, files),
                indent=1,
                ensure_ascii=False,
            )
            + "\n"
        )

    def _section(self, entry: ReportEntry) -> str:
        head = [
            f'<h2 id="{entry.stem}">{escape(entry.item.heading)}</h2>',
            *_paragraphs(entry.item.note),
        ]
        if not entry.result:
            why = f"<p><strong>{NOT_MADE}</strong> {escape(entry.error)}</p>"
            return "".join([*head, why])
        figures = [self._figure(name, *drawn) for name, drawn in self.charts[entry.stem].items()]
        # the first shows what there is; all of them would push the next result away
        tables = [
            folded_table(title, frame, is_open=i == 0)
            for i, (name, (title, frame)) in enumerate(self.tables[entry.stem].items())
            if not name.endswith(OBSERVATIONS)
        ]
        return "".join(
            [
                *head,
                f"<p>{escape(self.findings[entry.stem])}</p>",
                *figures,
                *tables,
                *_paragraphs(f"{entry.judged}\n{entry.result.note}"),
                _method(entry),
            ]
        )

    def _figure(self, name: str, chart: Chart, figure: dict[str, Any]) -> str:
        drawn = figure_html(figure, name, figure["layout"].get("height", "100%"))
        # of a chart that cannot be drawn without a browser there is no picture
        still = f"<noscript>{self.pictures.get(name, 'This figure needs JavaScript.')}</noscript>"
        title = f"<h3>{escape(chart.title)}</h3>"
        caption = f"<figcaption>{escape(chart.caption)}</figcaption>"
        return f'<figure>{title}<div class="live">{drawn}</div>{still}{caption}</figure>'

    def _end(self) -> str:
        versions = ", ".join(f"{name} {version}" for name, version in manifest.versions().items())
        software = f"<h2>Software and files</h2><p>{escape(versions)}.</p>"
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td><code>{digest}</code></td></tr>"
            for name, digest in self._digests().items()
        )
        if not rows:
            return software
        summary = "<summary>SHA-256 of the files</summary>"
        return f"{software}<details>{summary}<table>{rows}</table></details>"

    def _digests(self) -> dict[str, str]:
        digests: dict[str, str] = {}
        for entry in self._made:
            digests |= _digests_of(entry.recipe)
            # of several collections, the files have the name of theirs before their own
            for name, on in entry.recipe.of:
                named = _digests_of(on)
                digests |= {f"{name}: {file}": digest for file, digest in named.items()}
        return digests


def _tables_of(entry: ReportEntry) -> "dict[str, tuple[str, pd.DataFrame]]":
    """Title and frame of each table of an entry, by file stem."""
    frames = frames_by_stem(entry.result)
    return {f"{entry.stem}-{stem}": (title, make()) for stem, (title, make) in frames.items()}


def _charts_of(entry: ReportEntry) -> dict[str, tuple[Chart, dict[str, Any]]]:
    """Each chart of an entry with its figure, by file stem."""
    charts = {}
    for stem, chart in by_stem(entry.result.charts()).items():
        with use_scale(entry.item.axes):
            charts[f"{entry.stem}-{stem}"] = chart, chart.draw().to_dict()
    return charts


def _caption(entry: ReportEntry, title: str) -> str:
    """The caption of a table: what it shows, on which topics or collections, and by
    which settings.
    """
    on = list_few([*dict(entry.recipe.of)])
    if entry.recipe.data:
        on = count_noun(len(entry.recipe.data.topics), "topic")
    sentences = [f"{entry.item.heading}: {title}, on {on}.", entry.judged]
    settings = " · ".join(settings_in_words(entry.recipe.params))
    if settings:
        sentences.append(f"Settings: {settings}.")
    return " ".join(filter(None, sentences))


def _digests_of(recipe: Recipe) -> dict[str, str]:
    """SHA-256 of the files of one collection, by judge and run; only of judgments that
    come from a file.
    """
    data = recipe.data
    if data is None or not data.qrels:
        return {}
    runs = dict(zip(data.runs, data.files, strict=True))
    if recipe.panel is None:
        return {"qrels": data.qrels, **runs}
    # a simulated judge has no file
    judges = recipe.panel.judges
    return {judge.name: judge.sha256 for judge in judges if judge.sha256} | runs


def report(
    entries: "Iterable[Result | Recipe | Item]",
    source: ResultSource | Callable[[Recipe], ResultSource] = None,
    *,
    title: str = "Report",
    note: str = "",
    store: Store | None = None,
    progress: Progress | None = None,
) -> Document:
    """Make a report.

    Parameters
    ----------
    entries : results or recipes in the order of the report, or `Item` for either with a
        title and a note
    source : the data on which recipes are computed, or a function that returns them for
        a recipe; results need none
    title, note : plain text at the top
    store : as for an experiment
    progress : called with the number of finished and of all entries

    Returns
    -------
    Document
        Its `html()` and `zipped()` are the report. An entry that cannot be computed is
        shown with the reason. Raises `ParamError` for more entries, or longer texts,
        than a report may have.

    Examples
    --------
    >>> import irmeval
    >>> from irmeval.experiments import EXPERIMENTS
    >>> from irmeval.report import report
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> made = report([EXPERIMENTS["leaderboard"](collection, ["AP", "nDCG@10"])], title="Our runs")
    >>> [*made.files()][:4]
    ['manifest.json', '01-leaderboard-means.csv', '01-leaderboard-means.tex',
    '01-leaderboard-compared.csv']
    """
    require("plotly", "report")
    plan = ReportPlan(title, note, tuple(map(_as_item, entries))).checked()
    tell = progress or (lambda done, total: None)
    finished = []
    for done, item in enumerate(plan.items):
        tell(done, len(plan.items))
        stem = f"{done + 1:02}-{slug(item.recipe.experiment)}"
        try:
            finished.append(ReportEntry(item, stem, _result_of(item, source, store)))
        except IrmevalError as error:
            # the others are worth a report without this one
            finished.append(ReportEntry(item, stem, error=str(error)))
    # an empty report is a whole one, not a share of nothing
    tell(len(plan.items), max(len(plan.items), 1))
    return Document(title.strip() or "Report", note, tuple(finished))


def _result_of(
    item: Item,
    source: ResultSource | Callable[[Recipe], ResultSource],
    store: Store | None,
) -> Any:
    """The result of an item, computed if it is not yet there."""
    if item.result:
        return item.result
    if callable(source):
        source = source(item.recipe)
    return remake(item.recipe, source, store=store)


def _as_item(entry: Result | Recipe | Item) -> Item:
    if isinstance(entry, Item):
        return entry
    if isinstance(entry, Recipe):
        return Item(entry)
    return Item(entry.recipe(), result=entry)


def _paragraphs(text: str) -> list[str]:
    return [f"<p>{escape(part)}</p>" for part in text.split("\n") if part.strip()]


def folded_table(title: str, frame: "pd.DataFrame", is_open: bool = False) -> str:
    """First `ROWS` rows of a table in HTML, collapsible under a title."""
    if len(frame) > ROWS:
        title += f" (first {ROWS} of {len(frame):,} rows)"
    rows = frame.head(ROWS).to_html(index=False, border=0, na_rep="", float_format="{:.4f}".format)
    raised = MARKED.sub(r"\1<sup>\2</sup>", rows)
    opened = " open" * is_open
    return f"<details{opened}><summary>{escape(title)}</summary>{raised}</details>"


def _method(entry: ReportEntry) -> str:
    """Description of the experiment, its measures, and the command that reproduces
    it.
    """
    experiment = find_by_name(entry.recipe.experiment)
    lines = [f"<p>{escape(experiment.meaning)} Source: {escape(experiment.source)}.</p>"]
    if entry.recipe.of:
        told = (
            f"{name} (fingerprint {part.fingerprint[:12] or 'unknown'})"
            for name, part in entry.recipe.of
        )
        lines.append(f"<p>Collections: {escape(', '.join(told))}.</p>")
    for name in dict.fromkeys(measure(m).metric.name for m in entry.recipe.measures):
        metric = METRICS[name]
        lines.append(
            f"<p><b>{escape(name)}</b>"
            f" <code>{escape(metric.formula)}</code><br>{escape(metric.meaning)}"
            f" {escape(metric.source)}.</p>"
        )
    try:
        lines.append(f"<pre>{escape(entry.recipe.command())}</pre>")
    except IrmevalError as error:
        lines.append(f"<p>{escape(str(error))}</p>")
    settings = " · ".join(settings_in_words(entry.recipe.params))
    return (
        f"<details><summary>Method</summary>{''.join(lines)}<p><small>{escape(settings)} irmeval"
        f" {__version__}</small></p></details>"
    )
