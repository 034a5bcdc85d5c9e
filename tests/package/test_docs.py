"""The documentation says what is so: examples in docstrings and tutorials are run, and
every public name has one.
"""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import re
import sys
from pathlib import Path
from pkgutil import walk_packages
from types import SimpleNamespace

import click
import pytest

import irmeval
from docs import command_line, generate, python_reference
from irmeval import experiments
from irmeval.cli import habits
from irmeval.cli.program import PROGRAM
from irmeval.lessons.glossary import TERMS
from irmeval.papers import PAPERS
from irmeval.reading.gain_maps import PRESETS
from irmeval.reading.policy import PROFILES
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.significance import TESTS
from tests.cases import read_once
from tests.conftest import ROOT
from tests.documents import READ, of_documents

PUBLIC = dict.fromkeys(irmeval.__all__, irmeval) | dict.fromkeys(
    ("EXPERIMENTS", "Experiment", "Result", "Work"), experiments
)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def written(name: str) -> str:
    """The docstring of a public name; of one that is neither class nor function, the
    text below its assignment.
    """
    found = getattr(PUBLIC[name], name)
    if inspect.isclass(found) or inspect.isfunction(found):
        members = (
            [
                inspect.getdoc(getattr(found, one)) or ""
                for one in vars(found)
                if not one.startswith("_")
            ]
            if inspect.isclass(found)
            else []
        )
        return "\n\n".join([inspect.getdoc(found) or "", *members])
    home = (
        "metrics" if name == "METRICS" else "reductions" if name == "REDUCTIONS" else "experiments"
    )
    body = ast.parse(inspect.getsource(importlib.import_module(f"irmeval.{home}.base"))).body
    place = next(
        i
        for i, node in enumerate(body)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == name
    )
    return ast.literal_eval(body[place + 1].value)  # a text of its own


def run(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch, known: dict[str, object] | None = None
) -> int:
    """Run the examples of a text from the folder of the project, which is where the
    files lie that they read; how many there were. `known` are the names that they know
    without importing them.
    """
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(
        irmeval,
        "read_collection",
        lambda *files, **policy: read_once(*(ROOT / file for file in files), **policy),
    )
    found = doctest.DocTestParser().get_doctest(text, known or {}, name, name, 0)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        failed, tried = doctest.DocTestRunner(optionflags=OPTIONS).run(found, out=said.write)
    assert not failed, said.getvalue()
    return tried


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_when_looked_up_then_has_an_example_that_holds(name, monkeypatch):
    assert run(name, written(name), monkeypatch) > 0


def test_examples_of_all_modules_when_followed_then_hold(monkeypatch):
    every = [
        found.name
        for found in walk_packages(irmeval.__path__, "irmeval.")
        if not found.name.endswith("__main__")
    ]
    examples = [
        test
        for name in every
        for test in doctest.DocTestFinder().find(importlib.import_module(name))
        if test.examples
    ]
    public = {written(name) for name in PUBLIC}  # looked at above
    rest = [test for test in examples if inspect.cleandoc(test.docstring or "") not in public]
    assert len(rest) > 20
    assert [
        test.name
        for test in rest
        if not run(test.name, test.docstring or "", monkeypatch, test.globs)
    ] == []


@pytest.mark.parametrize("document", of_documents("pycon"))
def test_session_when_followed_then_comes_out_as_it_says(document, monkeypatch):
    sessions = [block.text for block in of_documents("pycon")[document]]
    assert run(document, "\n".join(sessions), monkeypatch) > 0
    # else ``python -m doctest`` takes the fence for what the last example prints
    assert [text for text in sessions if not text.endswith("\n\n")] == []


@pytest.mark.parametrize(
    ("page", "registry"),
    [
        ("metrics.md", irmeval.METRICS),
        ("reductions.md", irmeval.REDUCTIONS),
        ("experiments.md", experiments.EXPERIMENTS),
        ("statistics.md", TESTS),
        ("statistics.md", CORRELATIONS),
        ("decisions.md", PROFILES),
        ("decisions.md", PRESETS),
        ("papers.md", PAPERS),
        ("glossary.md", [term.name for term in TERMS.values()]),
        ("python.rst", PUBLIC),
    ],
)
def test_page_when_made_from_a_registry_then_has_a_place_for_every_name(page, registry):
    text = "\n".join(generate.PAGES[page]())
    assert [
        name
        for name in registry
        if not re.search(
            rf"(^#+ |`|irmeval |import |^\| ){re.escape(name)}( |`|$)", text, re.MULTILINE
        )
    ] == []


@pytest.mark.parametrize("name", command_line.COMMANDS)
def test_page_of_a_command_when_made_then_has_its_example_and_every_flag(name):
    text = "\n".join(generate.PAGES[f"commands/{name}.md"]())
    command = PROGRAM.commands[name]
    assert f"irmeval {name} {command.example}" in text
    flags = [flag for flag in command.get_params(click.Context(command)) if flag.opts[0][0] == "-"]
    assert flags
    for flag in flags:
        assert re.search(rf"^```{{option}} .*{re.escape(flag.opts[-1])}\b", text, re.MULTILINE)


def test_page_of_other_programs_when_made_then_has_each_of_their_flags_and_commands():
    text = "\n".join(generate.PAGES["commands/other-programs.md"]())
    flags = {
        flag
        for line in re.findall(r"^```{option} (.*)$", text, re.MULTILINE)
        for flag in line.split(", ")
    }
    assert flags == {*habits.FLAGS, *habits.MEANINGS}
    assert "```{option} --min-rel, " in text
    assert all(f"`irmeval {name}`" in text for name in (*habits.MEANT, *habits.NOT_HERE))


def test_pages_of_python_when_made_then_each_public_name_is_on_that_of_its_module():
    for public in python_reference.names():
        text = "\n".join(generate.PAGES[f"python/{public.home}.rst"]())
        assert f":: {public.home}.{public.name}\n" in f"{text}\n"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([], "Search of irmeval."),
        (["", "First & <last>."], "First &amp; &lt;last&gt;."),
        (["word " * 60], f"{'word ' * 30}word ..."),
    ],
)
def test_page_when_built_then_its_first_paragraph_describes_it(texts, said):
    from docutils.nodes import document, paragraph

    page = document(None, None)
    page.extend(paragraph(text, text) for text in texts)
    context = {"title": "Search"}
    generate.describe(None, "search", "", context, page if texts else None)
    assert context["metatags"] == f'<meta name="description" content="{said}">'


def test_checklist_when_made_then_each_item_stands_once_and_what_differs_or_is_not_made_says_why():
    for paper in PAPERS.values():
        found = generate.checklist(paper)
        names = [item.name for item in found]
        assert len(set(names)) == len(names)
        assert names == sorted(
            names,
            key=lambda name: (
                name[0] != "T",
                name[0] == "A",
                int(name.split()[-1]) if name[0] != "A" else 0,
            ),
        )
        for item in found:
            assert (item.state == "as in the paper") == (not item.why), item
            assert (item.state == "not made") == (not item.exhibits), item
    states = [item.state for paper in PAPERS.values() for item in generate.checklist(paper)]
    assert len(states) == 69
    assert states.count("not made") == 1


@pytest.mark.parametrize(
    ("text", "loads"),
    [
        ('<script src="https://cdn.example/x.js">', True),
        ('<link rel="stylesheet" href="//cdn.example/x.css">', True),
        ("@import url(https://fonts.example/css)", True),
        ('<a href="https://example.org/">a link</a> <img src="_images/x.png">', False),
    ],
)
def test_page_when_it_loads_from_elsewhere_then_the_build_sees_it(text, loads):
    assert bool(generate.ELSEWHERE.search(text)) == loads


@pytest.mark.parametrize(
    ("link", "dead"),
    [
        ("b.html", False),
        ("b.html#here", False),
        ("b.html#there", True),
        ("c.html", True),
        ("#x", True),
    ],
)
def test_link_when_its_file_or_place_is_missing_then_the_build_sees_it(tmp_path, link, dead):
    (tmp_path / "a.html").write_text(f'<a class="x" href="{link}">')
    (tmp_path / "b.html").write_text('<p id="here">')
    [found] = generate.LINK.findall((tmp_path / "a.html").read_text())
    assert generate.leads_nowhere(tmp_path / "a.html", found) == dead


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<link href="//cdn.example/x.css">', "loaded from elsewhere: page.html"),
        ('<a href="gone.html">', "dead links: page.html: gone.html"),
        ("x" * 400_001, "more than 400,000 bytes: page.html: 400,001"),
        ("x" * 400_000, ""),
    ],
)
def test_page_when_built_with_a_fault_then_the_build_fails_and_says_which(text, said, tmp_path):
    (tmp_path / "page.html").write_text(text)
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    with pytest.raises(RuntimeError, match=said) if said else contextlib.nullcontext():
        generate.check(app, None)


HOSTILE = "<script>alert('x')</script>"


def test_entry_of_a_docstring_when_for_several_names_then_the_documentation_has_it_for_each():
    lines = ["Attributes", "runs, topics : names", "    in order", "", "rate : float"]
    generate.name_each(None, "class", "", None, None, lines)
    assert lines == [
        "Attributes",
        "runs : names",
        "    in order",
        "topics : names",
        "    in order",
        "",
        "rate : float",
    ]


def test_notebook_when_names_are_hostile_then_they_are_shown_as_text():
    qrels = {topic: {"a": 1, "b": 0} for topic in (HOSTILE, "2")}
    runs = {
        HOSTILE: {t: {"a": 1.0} for t in qrels},
        "plain": {t: {"b": 2.0, "a": 1.0} for t in qrels},
    }
    collection = irmeval.Collection.from_dicts(qrels, runs)
    found = experiments.EXPERIMENTS["unjudged"](collection, ["AP"])
    for shown in (
        collection._repr_html_(),
        irmeval.evaluate(collection, ["AP"])._repr_html_(),
        found._repr_html_(),
    ):
        assert "<script" not in shown
        assert "&lt;script&gt;alert(" in shown


def test_notebook_when_a_result_has_a_choice_then_it_shows_which_and_how_to_draw_another(
    monkeypatch,
):
    runs = {"a": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 1.0}}, "b": {"1": {"b": 1.0}}}
    collection = irmeval.Collection.from_dicts({"1": {"a": 1, "b": 0}, "2": {"b": 1}}, runs)
    result = irmeval.EXPERIMENTS.two_runs(collection, ["AP", "RR", "P@1"])
    shown = result._repr_html_()
    assert "<p>Measure: AP. Draw another by plot(choice=...): RR, P@1.</p>" in shown
    assert (shown.count("<table"), "<svg" in shown, "<script" in shown) == (1, True, False)
    alone = irmeval.EXPERIMENTS.two_runs(collection, ["AP"])._repr_html_()
    assert "plot(choice=...)" not in alone
    monkeypatch.setitem(sys.modules, "plotly", None)
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    without = result._repr_html_()
    assert (without.count("<table"), "<svg" in without) == (1, False)
    assert "No charts: " in without


def test_notebook_when_there_are_many_runs_then_the_first_are_shown_and_the_rest_counted():
    lists = {f"run{i:02}": {"1": {"a": 1.0}} for i in range(25)}
    collection = irmeval.Collection.from_dicts(
        {"1": {"a": 1}, "2": {"b": 2, "c": 0}}, lists, depth=10
    )
    scores = irmeval.evaluate(collection, ["AP"])._repr_html_()
    assert ("run09" in scores, "run10" in scores, "15 more runs" in scores) == (True, False, True)
    shown = collection._repr_html_()
    assert "<th>judgments</th><td>3, of which relevant 2</td>" in shown
    assert "run04 and 20 more" in shown
    assert "<th>depth</th><td>10</td>" in shown


def test_markdown_when_written_then_is_wrapped_at_120_but_for_tables_code_links_and_pictures():
    long = []
    for path in [
        file
        for folder in (".", "docs", "docs/plugin", "benchmarks", "sample_data")
        for file in (ROOT / folder).glob("*.md")
    ]:
        text = re.sub(
            r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
        )
        long += [
            f"{path.name}: {line}"
            for line in text.splitlines()
            if len(line) > 120 and not re.match(r"[|<]|!?\[.*\)$", line)
        ]
    assert long == []


def test_button_when_a_document_says_to_press_it_then_some_page_has_one_of_that_name():
    pages = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("irmeval", "pages")
        for path in (ROOT / folder).rglob("*.py")
    )
    told = {
        button
        for text in READ.values()
        for button in re.findall(r"[Pp]ress(?:ing)?\s\*([^*]+)\*", text)
    }
    assert told
    assert {button for button in told if f'"{button}"' not in pages} == set()


def test_links_when_followed_then_lead_to_a_file_and_a_heading_that_are_there():
    def headings(path: Path) -> set[str]:
        found = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        return {
            re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in found
        }

    dead = []
    for page in [
        file
        for folder in (".", "docs", "benchmarks", "sample_data")
        for file in (ROOT / folder).glob("*.md")
    ]:
        text = re.sub(
            r"^```.*?^```$|`[^`\n]*`",
            "",
            page.read_text(encoding="utf-8"),
            flags=re.MULTILINE | re.DOTALL,
        )
        for link in re.findall(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"", text):
            target, _, heading = "".join(link).partition("#")
            # another site, or a page that is made when the documentation is built
            if re.match(r"[a-z]+:|made/", target):
                continue
            path = page.parent / target if target else page
            if not path.exists() or (
                heading and path.suffix == ".md" and heading not in headings(path)
            ):
                dead.append(f"{page.name}: {''.join(link)}")
    assert dead == []


def test_pictures_when_shown_then_are_those_that_the_script_takes_and_small():
    pytest.importorskip("playwright")
    from docs.screenshots import FOLDER, MOVING, PICTURES

    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert sorted(files) == sorted([*(f"{name}.png" for name in PICTURES), f"{MOVING}.gif"])
    assert max(size for name, size in files.items() if name.endswith("png")) < 80_000
    assert files[f"{MOVING}.gif"] < 1_000_000
    shown = {name for text in READ.values() for name in re.findall(r"images/([\w-]+\.\w+)", text)}
    assert {*files} == shown
