"""Registries print as tables, and take the same name again from a notebook alone."""

import html
import pydoc
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from typing import Annotated

import numpy as np
import pytest

import irmeval
from irmeval.core.described import kind_of, params_of
from irmeval.core.params import Param, fields
from irmeval.core.registry import Registry
from irmeval.experiments import EXPERIMENTS
from irmeval.metrics import METRICS
from irmeval.reductions import REDUCTIONS
from irmeval.reductions.base import reduction
from tests.cases import SAMPLE, read_once

CELL = '''
from irmeval.metrics.base import metric

@metric("Twice", formula="2P", source="mine", example="Twice")
def twice(hits):
    """Twice the hits. A number."""
    return {times} * hits.sum()
'''


@pytest.mark.parametrize("hint", [None | int, int | None])
def test_parameter_when_it_may_be_none_then_is_of_the_other_kind(hint):
    def act(x: Annotated[hint, Param("x")] = None) -> None: ...

    assert fields(act)["x"].check("3") == 3


@pytest.mark.parametrize(
    "registry", [EXPERIMENTS, METRICS, REDUCTIONS], ids=lambda registry: registry.kind
)
def test_registry_when_printed_then_is_a_table_of_names_and_meanings(registry):
    lines = repr(registry).split("\n")
    assert [line.split()[0] for line in lines] == [*registry]
    assert all(len(line.split()) > 2 for line in lines)
    assert registry._repr_html_().count("<tr>") == len(registry)
    assert repr(EXPERIMENTS["curves"].question)[1:-1] in repr(EXPERIMENTS)


def test_registry_when_an_item_says_nothing_in_words_then_its_line_is_its_name():
    registry = Registry("thing")
    registry.add("one", SimpleNamespace(question=1, meaning="what it is"))
    registry.add("a class", type("Thing", (), {"label": property(repr)}))
    assert [line.split() for line in repr(registry).split("\n")] == [
        ["one", "what", "it", "is"],
        ["a", "class"],
    ]


def test_registry_when_empty_or_of_markup_then_prints_too():
    empty = Registry("thing")
    assert (repr(empty), empty._repr_html_()) == ("", "<table></table>")
    empty.add("<b>", 1)
    assert "<th>&lt;b&gt;</th>" in empty._repr_html_()


def late(**modules):
    """A registry that notes what it loads: items by name, and the item z of the rest."""
    registry, loaded = Registry("thing"), []

    def one(name):
        loaded.append(name)
        registry.add(name, name.upper(), modules[name])

    def rest():
        loaded.append("rest")
        registry.add("z", "Z")

    registry.load_late(rest, modules, one)
    registry.arrange("b", "z")
    return registry, loaded


@pytest.mark.parametrize(
    ("ask", "found", "loads"),
    [
        (lambda things: things["a"], "A", ["a"]),
        (lambda things: [things["a"], things["a"]], ["A", "A"], ["a"]),
        (lambda things: "a" in things, True, []),
        (lambda things: things["z"], "Z", ["rest"]),
        (lambda things: "y" in things, False, ["rest"]),
        (lambda things: [*things], ["b", "z", "a"], ["rest"]),
        (lambda things: len(things), 3, ["rest"]),
        (lambda things: [*things.values()], ["B", "Z", "A"], ["rest", "b", "a"]),
    ],
)
def test_registry_when_items_are_loaded_late_then_only_those_that_are_asked_for(ask, found, loads):
    things, loaded = late(a="of a", b="of b")
    assert (ask(things), loaded) == (found, loads)


def test_registry_when_an_item_has_the_name_of_one_not_loaded_yet_then_is_refused():
    things, _ = late(a="of a")
    with pytest.raises(ValueError, match="thing 'a' is registered twice"):
        things.add("a", 1, "elsewhere")


def test_registry_when_what_was_added_is_taken_back_then_what_was_loaded_meanwhile_stays():
    things, _ = late(a="of a")

    def fail():
        with things.all_or_none():
            things.add("c", things["a"])
            things.add("c", "twice")

    with pytest.raises(ValueError, match="thing 'c' is registered twice"):
        fail()
    assert [*things.items()] == [("z", "Z"), ("a", "A")]


def test_registry_when_two_threads_ask_then_the_second_waits_for_what_the_first_loads():
    registry, begun, go_on = Registry("thing"), Event(), Event()

    def rest():
        begun.set()
        go_on.wait(10)
        registry.add("z", "Z")

    registry.load_late(rest)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(registry.__getitem__, "z")
        assert begun.wait(10)
        second = pool.submit(registry.__contains__, "z")
        go_on.set()
        assert (first.result(), second.result()) == ("Z", True)


def run_cell(times, module="__main__"):
    exec(CELL.format(times=times), {"__name__": module})


def test_cell_with_a_metric_when_run_again_then_the_new_one_counts():
    collection = irmeval.Collection.from_dicts({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}})
    before = dict(METRICS._items)
    try:
        for times in (2, 3):
            run_cell(times)
            assert irmeval.evaluate(collection, "Twice").means.item() == times
        with pytest.raises(ValueError, match="metric 'Twice' is registered twice"):
            run_cell(4, "mine")
    finally:
        METRICS._items = before


def test_cell_with_a_metric_when_the_name_is_that_of_another_then_is_refused():
    with pytest.raises(ValueError, match="metric 'AP' is registered twice"):
        exec(CELL.format(times=2).replace('"Twice"', '"AP"'), {"__name__": "__main__"})


def test_reduction_of_a_notebook_when_added_then_experiments_that_sample_by_rate_take_it(
    monkeypatch,
):
    monkeypatch.setattr(REDUCTIONS, "_items", dict(REDUCTIONS._items))

    @reduction("all", source="mine")
    def all_kept(collection, levels, rng):
        """Keep all."""
        return np.stack([collection.grade for _ in levels])

    collection = irmeval.Collection.from_dicts(
        {"1": {"a": 1, "b": 0}}, {name: {"1": {"a": 1.0}} for name in "xy"}
    )
    assert EXPERIMENTS["curves"](
        collection, ["AP"], method="all", levels=(100, 10), trials=1
    ).frame()["left"].tolist() == [100, 100]


@pytest.mark.parametrize(
    "item",
    [METRICS["RBP"], REDUCTIONS["stratified"], EXPERIMENTS["curves"]],
    ids=lambda item: item.name,
)
def test_item_when_shown_then_says_what_it_means_and_has_its_parameters_with_values_and_default(
    item,
):
    assert re.fullmatch(rf"<\w+ {item.name}: [^<>]+>", repr(item))
    shown, helped = item._repr_html_(), pydoc.render_doc(item, renderer=pydoc.plaintext)
    for field in params_of(item).values():
        assert f"<tr><td>{field.name}</td>" in shown
        assert f"{field.name} : {kind_of(field)}, " in helped
    assert "_empty" not in shown + helped
    assert html.escape(item.meaning) in shown


def test_parameters_when_given_by_name_in_a_mapping_then_are_as_keywords():
    collection, given = read_once(*SAMPLE), {"test": "wilcoxon", "seed": 3}
    experiment = EXPERIMENTS["leaderboard"]
    assert (
        experiment.work(collection, ["AP"], params=given).params
        == experiment.work(collection, ["AP"], **given).params
    )
    with pytest.raises(irmeval.ParamError, match="unknown keyword 'tets'; nearest: test"):
        experiment.work(collection, ["AP"], params={"tets": "t"})


def test_registry_when_a_name_is_asked_for_as_an_attribute_then_it_is_there_and_completed():
    assert irmeval.EXPERIMENTS.leave_one_out is irmeval.EXPERIMENTS["leave-one-out"]
    assert irmeval.METRICS.AP is irmeval.METRICS["AP"]
    assert {"curves", "leave_one_out", "items"} <= {*dir(irmeval.EXPERIMENTS)}
    assert "EXPERIMENTS" in dir(irmeval)
    assert not hasattr(irmeval.METRICS, "_repr_markdown_")
