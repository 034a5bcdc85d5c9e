"""The layers: what each room may import, and where the heavy libraries may be."""

import ast
import inspect
import itertools
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.core import lazy as lazy_module
from tests.conftest import ROOT

SURFACE = "irmeval"
# bottom to top; SURFACE is the package itself, `from irmeval import evaluate`
ROOMS = (
    "core",
    "stats",
    "plots",
    "reading",
    "judges",
    "collection",
    "metrics",
    "reductions",
    "scoring",
    "workspace",
    SURFACE,
    "experiments",
    "papers",
    "lessons",
    "report",
    "check",
    "ui.state",
    "ui.widgets",
    "ui.pages",
    "ui.server",
    "cli",
    "__main__",
)
END = "draw(frame.view())"
MAILBOXES = "irmeval/ui/state/mailboxes.py"
UI = {room for room in ROOMS if room.startswith("ui.")}
LIBRARIES = {
    # library: rooms that may import it, rooms that may do so outside functions
    "numpy": (set(ROOMS), set(ROOMS)),
    "scipy": ({"stats", "metrics"}, {"stats", "metrics"}),
    "threadpoolctl": ({"core"}, set()),
    "pyarrow": ({"reading", "judges", "collection", "scoring", "workspace", "check", *UI}, set()),
    "yaml": ({"reading"}, set()),
    "dask": ({"core"}, set()),  # only where a scheduler is asked for
    "distributed": ({"core"}, set()),
    "ir_datasets": ({"reading"}, set()),  # only where a visitor has it
    "pandas": ({"core", "reading", "scoring", "experiments", "report", "check", "cli", *UI}, UI),
    "plotly": ({"plots"}, set()),
    "platformdirs": (UI, set()),
    "segno": ({"ui.pages"}, set()),
    "latex2mathml": ({"lessons"}, set()),
    "streamlit": (UI, UI),
    "starlette": (UI, UI),  # what streamlit's own server is made of
    "uvicorn": (UI, UI),  # which runs it
    "click": ({"cli", *UI}, {"cli", "ui.state"}),  # streamlit brings it
}
LAZY = "irmeval.core.lazy"
PACKAGE = sorted((ROOT / "irmeval").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))


class Import(NamedTuple):
    """One imported module."""

    module: str
    where: str
    """"top", "function", or "typing" (not executed)"""


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path))


@cache
def imports(path: Path) -> list[Import]:
    def walk(node: ast.AST, where: str) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):  # where nothing is imported
                continue
            inside = where
            if (
                isinstance(child, ast.If)
                and isinstance(child.test, ast.Name)
                and child.test.id == "TYPE_CHECKING"
            ):
                inside = "typing"
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and where == "top":
                inside = "function"
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, where) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}, line {child.lineno}: a relative import"
                if child.module == LAZY:  # imported when they are used
                    names = [alias.name for alias in child.names if alias.name in lazy()]
                    yield from (Import(lazy()[name], "function") for name in names)
                yield from (Import(f"{child.module}.{alias.name}", where) for alias in child.names)
            yield from walk(child, inside)

    return list(walk(tree(path), "top"))


@cache
def lazy() -> dict[str, str]:
    """Name of each library that `LAZY` imports late -> the library, as type checkers
    see it.
    """
    [typed] = [
        node
        for node in tree(ROOT / "irmeval" / "core" / "lazy.py").body
        if isinstance(node, ast.If)
    ]
    found = {}
    for node in typed.body:
        assert isinstance(node, ast.Import | ast.ImportFrom)
        above = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        found |= {alias.asname or alias.name: f"{above}{alias.name}" for alias in node.names}
    return found


def room_of(path: Path) -> str:
    return room_named(".".join(path.relative_to(ROOT / "irmeval").with_suffix("").parts))


def room_named(module: str) -> str:
    """The room of a module, named below the package: a folder, of the dashboard's one
    of its own.
    """
    parts = module.split(".")
    room = ".".join(parts[:2]) if parts[0] == "ui" else parts[0]
    return SURFACE if room == "__init__" else room


def room_imported(module: str) -> str | None:
    package, *parts = module.split(".")
    if package != "irmeval":
        return None
    return SURFACE if not parts or _is_name_of_surface(module) else room_named(".".join(parts))


def _is_name_of_surface(module: str) -> bool:
    # `from irmeval import evaluate` is the function, `from irmeval.scoring.scores import Scores`
    # the room
    return module.count(".") == 1 and module.split(".")[1] in irmeval.__all__


def faults(
    paths: Iterable[Path], found: Callable[[Path], Iterable[object]]
) -> dict[str, list[object]]:
    """What is at fault in each file, where something is."""
    assert paths
    return {
        path.relative_to(ROOT).as_posix(): listed for path in paths if (listed := [*found(path)])
    }


def test_room_when_it_imports_another_then_that_one_is_below_it():
    def above(path: Path) -> list[object]:
        def below() -> tuple[str, ...]:
            return ROOMS[: ROOMS.index(room_of(path)) + 1]

        return [
            i for i in imports(path) if (room := room_imported(i.module)) and room not in below()
        ]

    assert faults(PACKAGE, above) == {}


def peel(arrows: dict[str, set[str]]) -> tuple[int, dict[str, set[str]]]:
    """How many floors there are, and what stands on none: a floor is what imports only
    from the floors below.
    """
    floors, left = 0, arrows
    while ready := [name for name, below in left.items() if not below & left.keys()]:
        left = {name: below for name, below in left.items() if name not in ready}
        floors += 1
    return floors, left


READ_ONCE = {"core", "stats", "judges", "collection", "metrics", "reductions"}
READ_ONCE |= {"workspace", "papers", "report", "check", "cli"}
"""Rooms whose functions have been gone through; `plots` and those above follow."""
BRANCHES = (ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.comprehension)


def functions_in(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef)]


def code_of(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements of a function without its docstring."""
    return function.body[1:] if ast.get_docstring(function) else function.body


def lines_of(function: ast.FunctionDef) -> int:
    code = code_of(function)
    return (function.end_lineno or 0) - code[0].lineno + 1 if code else 0


def branches_of(function: ast.FunctionDef) -> int:
    """How often a reader has to stop: decisions, loops, and each `and` or `or`."""
    nodes = [node for part in code_of(function) for node in ast.walk(part)]
    joined = sum(len(node.values) - 1 for node in nodes if isinstance(node, ast.BoolOp))
    return joined + sum(isinstance(node, BRANCHES) for node in nodes)


def gone_through() -> list[Path]:
    return [path for path in PACKAGE if path.relative_to(ROOT / "irmeval").parts[0] in READ_ONCE]


def test_functions_when_counted_then_are_short_and_no_line_has_more_than_a_branch():
    def heavy(path: Path) -> list[object]:
        return [
            (function.name, lines_of(function), branches_of(function))
            for function in functions_in(path)
            if lines_of(function) > 60
            or (lines_of(function) >= 10 and branches_of(function) > 0.9 * lines_of(function))
        ]

    assert len(gone_through()) > 100
    assert faults(gone_through(), heavy) == {}


def test_function_when_called_then_takes_8_parameters_at_most():
    def wide(path: Path) -> Iterator[str]:
        for function in functions_in(path):
            taken = function.args
            if len(taken.posonlyargs) + len(taken.args) + len(taken.kwonlyargs) > 8:
                own = function.name
                yield own if own != "__init__" else f"{own} of {path.relative_to(ROOT)}"

    assert not faults(PACKAGE, lambda path: [*wide(path)])


def test_class_when_named_then_no_other_has_its_name_but_a_record_of_parameters():
    names = Counter(
        node.name
        for path in PACKAGE
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    )
    # a cell of each experiment on levels and trials, which one engine is to replace
    assert {name for name, count in names.items() if count > 1} <= {"Params", "Cell"}


def test_files_when_their_imports_are_drawn_then_none_leads_back_even_within_a_room_or_a_function():
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGE
    }

    def file_of(module: str) -> str:
        return module if module in names else file_of(module.rpartition(".")[0])

    imported = {
        name: {file_of(i.module) for i in imports(path) if i.module.split(".")[0] == "irmeval"}
        for name, path in names.items()
    }
    assert peel({name: below - {name} for name, below in imported.items()})[1] == {}


def test_rooms_when_their_imports_are_drawn_then_the_arrows_and_the_floors_are_few():
    """An arrow is a room that imports another one; the dashboard is one room here, its
    scripts and the benchmarks are three on top. A floor is a step of the longest way
    along arrows. No way leads back: a room on a circle never gets a floor.
    """
    arrows: dict[str, set[str]] = {}
    for path in [*PACKAGE, *PAGES, ROOT / "app.py", *(ROOT / "benchmarks").glob("*.py")]:
        inside, parts = (
            path.is_relative_to(ROOT / "irmeval"),
            path.relative_to(ROOT).with_suffix("").parts,
        )
        room = room_of(path).split(".")[0] if inside else parts[0]
        imported = {
            found.split(".")[0] for i in imports(path) if (found := room_imported(i.module))
        }
        arrows[room] = arrows.get(room, set()) | imported - {room}
    floors, left = peel(arrows)
    assert left == {}
    assert floors <= 12
    assert sum(map(len, arrows.values())) <= 110


def test_package_when_listed_then_holds_rooms_alone():
    files = {path.name for path in (ROOT / "irmeval").iterdir() if path.is_file()}
    assert files == {"__init__.py", "__main__.py", "py.typed"}
    rooms = {room_of(path) for path in PACKAGE} - {"ui.__init__"}
    assert rooms == {*ROOMS}


def test_library_when_imported_then_the_room_may_use_it_there():
    def not_allowed(path: Path) -> Iterator[object]:
        for found in imports(path):
            library = found.module.split(".")[0]
            if (
                library == "irmeval"
                or library in sys.stdlib_module_names
                or found.where == "typing"
            ):
                continue
            # or irmeval does not depend on it
            anywhere, at_the_top = LIBRARIES.get(library, ((), ()))
            if room_of(path) not in (at_the_top if found.where == "top" else anywhere):
                yield found

    assert faults(PACKAGE, not_allowed) == {}


def test_lazy_libraries_when_used_then_are_those_that_type_checkers_see():
    seen = {name: getattr(lazy_module, name)._name for name in lazy_module.__all__}
    assert seen == lazy()
    assert lazy_module.pd.DataFrame is pd.DataFrame


def test_page_when_it_imports_then_only_streamlit_and_irmeval():
    known = sys.stdlib_module_names | {"streamlit", "irmeval"}
    assert (
        faults(
            [*PAGES, ROOT / "app.py"],
            lambda path: {i.module.split(".")[0] for i in imports(path)} - known,
        )
        == {}
    )


LOADED = {
    "irmeval": set(),
    "irmeval.cli": {"click"},
    "irmeval.experiments": set(),
    "irmeval.experiments.base": {"numpy"},
    "irmeval.scoring.scores": {"numpy"},
}


@pytest.mark.parametrize("loaded", LOADED)
def test_import_when_in_a_fresh_interpreter_then_loads_no_library_that_it_does_not_need(
    loaded,
):
    script = (
        f"import sys; before = {{*sys.modules}}; import {loaded}; print(*{{name.split('.')[0] for"
        " name in {*sys.modules} - before})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    # what NumPy brings in its own files
    found = {name for name in done.stdout.split() if "cython" not in name}
    assert found - sys.stdlib_module_names == {"irmeval"} | LOADED[loaded]
    # the slow ones of Python's own
    assert found & {"asyncio", "ssl", "multiprocessing", "sqlite3", "unittest", "xml"} == set()


def test_page_when_read_then_it_defines_draw_and_ends_in_drawing_the_view_of_the_frame():
    def other(path: Path) -> list[str]:
        *_, last = lines = text(path).splitlines()
        return [] if last == END and "def draw(view: View) -> None:" in lines else [last]

    assert faults(PAGES, other) == {}


def test_page_when_counted_then_holds_60_lines_at_most():
    assert faults(PAGES, lambda path: text(path).splitlines()[60:]) == {}


def test_names_of_files_when_listed_then_each_says_what_is_in_it():
    assert {path.stem for path in PACKAGE} & {
        "utils",
        "util",
        "helpers",
        "helper",
        "manager",
        "data",
        "info",
        "common",
        "misc",
    } == set()


def test_name_of_a_file_when_another_room_has_it_too_then_one_draws_the_page_of_the_other():
    rooms = Counter(path.stem for path in PACKAGE if path.parent.name != "pages")
    assert [
        name
        for name, count in rooms.items()
        if count > 1 and name not in ("__init__", "__main__", "base")
    ] == []


def test_widgets_that_hold_a_value_when_drawn_then_one_function_does_and_looks_at_the_value_first():
    inputs = {
        "selectbox",
        "multiselect",
        "number_input",
        "text_input",
        "text_area",
        "toggle",
        "checkbox",
        "radio",
        "pills",
    }
    inputs |= {"segmented_control", "slider", "select_slider"}

    def draws(path: Path) -> list[object]:
        calls = [node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
        return [
            func.attr
            for func in calls
            if isinstance(func, ast.Attribute) and func.attr in inputs and of_streamlit(func.value)
        ]

    def of_streamlit(node: ast.expr) -> bool:
        return not (isinstance(node, ast.Name) and node.id == "inputs")

    assert faults([*PACKAGE, *PAGES], draws) == {}


def test_lines_of_the_package_when_measured_then_have_100_letters_at_most_whatever_ends_them():
    """Ruff passes over lines that end in a comment for mypy, or have no space."""
    long = [
        f"{path.name}: {line}"
        for path in [*(ROOT / "irmeval").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
        for line in text(path).splitlines()
        if len(line) > 100
    ]
    assert long == []


def test_constants_when_defined_then_each_has_a_line_of_its_own():
    def several(path: Path) -> list[object]:
        assigned = [node for node in tree(path).body if isinstance(node, ast.Assign)]
        return [
            ast.unparse(node)
            for node in assigned
            if len(node.targets) > 1 or isinstance(node.targets[0], ast.Tuple)
        ]

    assert faults(PACKAGE, several) == {}


def test_session_state_when_used_then_two_modules_do():
    found = faults([*PACKAGE, *PAGES], lambda path: re.findall("session_state", text(path)))
    assert {*found} == {MAILBOXES, "irmeval/ui/state/tab_state.py"}


def test_mailboxes_when_listed_then_few_are_in_one_module_each_with_a_reason_and_its_own_name():
    def made(path: Path) -> list[ast.Call]:
        calls = (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))
        return [call for call in calls if ast.unparse(call.func).split("[")[0] == "Value"]

    (found,) = faults([*PACKAGE, *PAGES], made).items()
    assert found[0] == MAILBOXES
    names = {ast.unparse(call.args[0]) for call in found[1]}
    assert len(names) == len(found[1]) <= 15
    body = tree(ROOT / MAILBOXES).body
    values = [getattr(node, "value", None) for node in body]
    reasons = [after for value, after in itertools.pairwise(values) if value in found[1]]
    assert len(reasons) == len(names)
    assert all(isinstance(reason, ast.Constant) for reason in reasons)


def test_styles_when_written_then_ask_nothing_of_every_element_that_follows_another():
    # it took three quarters of the time of a press in the menu
    styles = (ROOT / "irmeval").rglob("*.css")
    assert faults(styles, lambda path: re.findall(r"[~+]\s*\*", text(path))) == {}


def public_functions(path: Path) -> Iterator[ast.FunctionDef]:
    """The functions and methods of a module whose names, and those of their classes, are
    public, and which have a docstring.
    """
    owners = [tree(path), *(node for node in tree(path).body if isinstance(node, ast.ClassDef))]
    for owner in owners:
        if isinstance(owner, ast.ClassDef) and owner.name.startswith("_"):
            continue
        for node in owner.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                if ast.get_docstring(node):
                    yield node


def raised_in(node: ast.AST) -> Iterator[str]:
    """Names of the errors that a function makes and raises, not those of functions and
    classes within it.
    """
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Raise) and isinstance(part.exc, ast.Call):
            name = ast.unparse(part.exc.func).rpartition(".")[2]
            if name[0].isupper():  # a function that makes an error is documented itself
                yield name
        elif not isinstance(part, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from raised_in(part)


def test_public_function_when_it_raises_an_error_then_its_docstring_names_it():
    def unnamed(path: Path) -> list[object]:
        return [
            f"{node.name}: {name}"
            for node in public_functions(path)
            for name in raised_in(node)
            if name not in (ast.get_docstring(node) or "")
            and name != "NotImplementedError"  # of a protocol, which nobody calls
        ]

    assert faults(PACKAGE, unnamed) == {}


OF_ARRAYS = {"judges", "reductions", "scoring", "stats"}
"""Rooms whose functions take arrays and return arrays."""
AXES = re.compile(r"\[|\bax[ei]s\b|\bshape\b")
"""How a docstring tells what the axes of an array are: ``[run, topic]``, the last axis."""


def test_public_function_when_it_takes_or_makes_arrays_then_its_docstring_names_their_axes():
    def unnamed(path: Path) -> list[object]:
        return [
            node.name
            for node in public_functions(path)
            # of what is registered, the decorator says the axes once for all
            if not any(isinstance(decorator, ast.Call) for decorator in node.decorator_list)
            and node in tree(path).body
            and "ndarray" in ast.unparse(node.args) + ast.unparse(node.returns or node.args)
            and not AXES.search(ast.get_docstring(node) or "")
        ]

    paths = [path for path in PACKAGE if room_of(path) in OF_ARRAYS]
    assert faults(paths, unnamed) == {}


def test_public_function_when_defined_then_has_a_docstring():
    def without(path: Path) -> list[object]:
        defined = [
            node for node in tree(path).body if isinstance(node, ast.FunctionDef | ast.ClassDef)
        ]
        return [
            node.name
            for node in defined
            if not node.name.startswith("_")
            and ast.get_docstring(node) is None
            and "overload" not in map(ast.unparse, node.decorator_list)
        ]

    assert faults(PACKAGE, without) == {}


def test_public_surface_when_used_as_documented_then_works(tiny):
    qrels, runs = tiny
    c = irmeval.read_collection(
        qrels, [runs / "example", str(runs / "short.gz")], depth=1000, order="trec_eval"
    )
    assert irmeval.read_collection(str(qrels), runs).runs == ("example", "ideal", "short")
    s = irmeval.evaluate(c, ["AP", "AP'", "nDCG@10"])
    assert s.values.dtype == np.float64
    assert s.values.shape == (len(s.measures), len(s.runs), len(s.topics)) == (3, 2, 4)
    assert [str(m) for m in s.measures] == ["AP", "AP'", "nDCG@10"]
    frame, mean = s.frame(), s.mean()
    assert list(frame.columns) == ["run", "measure", "topic", "score"]
    assert len(frame) == s.values.size
    assert (list(mean.index), list(mean.columns)) == (
        ["example", "short"],
        ["AP", "AP'", "nDCG@10"],
    )
    assert isinstance(mean, pd.DataFrame)
    reduced = irmeval.reduce(c, "stratified", rate=10, trials=5, seed=1, rounding="floor")
    assert (reduced.dtype, reduced.shape) == (np.int8, (5, c.grade.size))
    assert irmeval.evaluate(c, ["AP"], grades=reduced[0]).values.shape == (1, 2, 4)
    assert list(inspect.signature(irmeval.Collection.from_frames).parameters)[:2] == [
        "qrels",
        "runs",
    ]


def test_names_exported_when_listed_then_all_exist():
    assert [n for n in irmeval.__all__ if not hasattr(irmeval, n)] == []


def test_names_exported_when_loaded_late_then_are_those_that_type_checkers_know():
    tree = ast.parse((ROOT / "irmeval" / "__init__.py").read_text(encoding="utf-8"))
    (typed,) = (node for node in tree.body if isinstance(node, ast.If))
    known = {name.name: one.module for one in typed.body for name in one.names}
    assert known | {"EXPERIMENTS": "irmeval.experiments"} == irmeval._PLACES
    assert {*irmeval.__all__} == {*known}


def test_tests_when_listed_then_each_is_in_a_layer_and_unit_tests_in_a_room():
    files = [path.relative_to(ROOT / "tests").parts for path in (ROOT / "tests").rglob("test_*.py")]
    assert {layer for layer, *_ in files} == {"unit", "pages", "browser", "package"}
    assert {room for layer, room, *_ in files if layer == "unit"} <= {*ROOMS} - {SURFACE, *UI}


def test_test_when_it_imports_from_another_then_that_one_is_there():
    def gone(path: Path) -> Iterator[object]:
        for module in (found.module for found in imports(path)):
            folders = [Path(*module.split(".")[:n]) for n in range(2, module.count(".") + 2)]
            if module.startswith("tests.") and not any(
                (ROOT / folder).with_suffix(".py").is_file() for folder in folders
            ):
                yield module

    assert faults(sorted((ROOT / "tests").rglob("*.py")), gone) == {}


def test_unit_test_when_it_imports_then_no_part_of_the_dashboard_directly_or_by_what_tests_share():
    helpers = "pages|browser|package|dashboard|serving|driving|working|visiting|two_servers"
    of_dashboard = re.compile(rf"(streamlit|playwright|irmeval\.ui|tests\.({helpers}))\b")
    shared = {f"tests.{path.stem}": path for path in (ROOT / "tests").glob("*.py")}

    def loaded(path: Path, within: tuple[str, ...] = ("top", "function")) -> Iterator[str]:
        for found in imports(path):
            if found.where in within:
                yield found.module
                helper = shared.get(".".join(found.module.split(".")[:2]))
                yield from loaded(helper, ("top",)) if helper else ()

    unit = sorted((ROOT / "tests" / "unit").rglob("*.py"))
    assert (
        faults(unit, lambda path: [module for module in loaded(path) if of_dashboard.match(module)])
        == {}
    )
