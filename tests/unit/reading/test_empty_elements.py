"""An empty element decides nothing about the others, wherever it stands: a topic, list,
object or cell.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irmeval.core.errors import ReadError
from irmeval.reading import parsing


class Form(NamedTuple):
    """A kind of file made of elements, one for each topic or each row."""

    elements: Callable[[dict[str, dict[str, int]]], list[Any]]
    empty: Sequence[Any]
    """elements without content"""
    write: Callable[[list[Any]], str]
    form: str = "auto"


def rows(lists: dict[str, dict[str, int]]) -> list[tuple[str, str, int]]:
    return [(topic, document, n) for topic, of in lists.items() for document, n in of.items()]


def json_lines(elements: list[Any]) -> str:
    return "".join(f"{json.dumps(element)}\n" for element in elements)


def table(head: str) -> Callable[[list[Any]], str]:
    return lambda elements: "".join(f"{line}\n" for line in [head, *elements])


BOTH = {
    "topic -> document -> number": Form(
        lambda lists: [*lists.items()],
        [("e", {}), ("f", []), ("g", None)],
        lambda elements: json.dumps(dict(elements)),
    ),
    "numbers as texts": Form(
        lambda lists: [(t, {d: str(n) for d, n in of.items()}) for t, of in lists.items()],
        [("e", {}), ("f", []), ("g", None)],
        lambda elements: json.dumps(dict(elements)),
    ),
    "topic -> documents": Form(
        lambda lists: [(topic, [*of]) for topic, of in lists.items()],
        [("e", []), ("f", {}), ("g", [None, ""])],
        lambda elements: json.dumps(dict(elements)),
    ),
}
QRELS = {
    "null as grade": Form(
        lambda lists: [*lists.items()],
        [("e", {"x": None}), ("f", {"y": ""})],
        lambda elements: json.dumps(dict(elements)),
    ),
    "CSV": Form(
        lambda lists: [f"{topic},{document},{n}" for topic, document, n in rows(lists)],
        ["e,x,", "f,,", '"g, h",x,'],
        table("query,docid,rating"),
    ),
    "TSV, BEIR": Form(
        lambda lists: [f"{topic}\t{document}\t{n}" for topic, document, n in rows(lists)],
        ["e\tx\t", "f\t\t"],
        table("query-id\tcorpus-id\tscore"),
    ),
    "a column a rater": Form(
        lambda lists: [f"{topic},{document},{n},7" for topic, document, n in rows(lists)],
        ["e,x,,", "e,y,,3", "f,,,"],
        table("query,docid,Ann,Bo"),
        "columns:Ann",
    ),
    "JSON lines": Form(
        lambda lists: [{"qid": t, "docid": d, "label": n} for t, d, n in rows(lists)],
        [{"qid": "e", "docid": "x", "label": None}, {"qid": "f", "docid": None, "label": ""}],
        json_lines,
    ),
}
QRELS |= {
    "ratings": Form(
        lambda lists: [
            {"id": t, "ratings": [{"_id": d, "rating": n} for d, n in of.items()]}
            for t, of in lists.items()
        ],
        [
            {},
            {"id": "e", "ratings": []},
            {"id": "f", "ratings": None},
            {"id": "g", "ratings": [{}, None]},
            {"id": "h", "ratings": [{"_id": "x", "rating": None}, {"_id": "y"}]},
        ],
        lambda elements: json.dumps({"requests": elements}),
    ),
    "passages": Form(
        lambda lists: [
            {"query_id": t, "positive_passages": [{"docid": d, "rel": n} for d, n in of.items()]}
            for t, of in lists.items()
        ],
        [
            {"query_id": "e", "positive_passages": [], "negative_passages": []},
            {"query_id": "f", "negative_passages": None},
            {"query_id": "g"},
        ],
        json_lines,
    ),
    "relevant documents": Form(
        lambda lists: [(t, [*of]) for t, of in lists.items()],
        [("e", []), ("f", None), ("g", [""])],
        lambda elements: json.dumps({"queries": {"q1": "why"}, "relevant_docs": dict(elements)}),
    ),
}
RUNS = {
    "hits": Form(
        lambda lists: [
            {"query": t, "hits": {"hits": [{"_id": d, "_score": n} for d, n in of.items()]}}
            for t, of in lists.items()
        ],
        [
            {},
            {"query": "e", "hits": {}},
            {"query": "f", "hits": {"hits": []}},
            {"query": "g", "hits": {"hits": [None, {}]}},
        ],
        json_lines,
    ),
    "references": Form(
        lambda lists: [{"topic_id": t, "references": [*of]} for t, of in lists.items()],
        [{"topic_id": "e", "references": []}, {"topic_id": "f", "references": [""]}],
        json.dumps,
    ),
}
FORMS = {
    (kind, name): form
    for kind, forms in (("qrels", BOTH | QRELS), ("run", BOTH | RUNS))
    for name, form in forms.items()
}
LISTS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(["d1", "d2", "d3", "d4"]), st.integers(1, 9), min_size=1),
    min_size=1,
)


def read(kind: str, text: str, form: str) -> list[Any]:
    """All that a file holds: names, documents and numbers by topic."""
    found = parsing.parse("f", text.encode(), kind, form)
    return [
        sorted(
            zip(
                [each.topics[topic] for topic in each.topic],
                each.documents.to_pylist(),
                getattr(each, "score" if kind == "run" else "grade").tolist(),
                strict=True,
            )
        )
        for each in found
    ]


@pytest.mark.parametrize(("kind", "name"), FORMS, ids=str)
@given(lists=LISTS, data=st.data())
@settings(max_examples=25, deadline=None)
def test_file_when_an_empty_element_is_added_anywhere_then_the_others_are_read_alike(
    kind, name, lists, data
):
    form = FORMS[kind, name]
    elements = form.elements(lists)
    expected = read(kind, form.write(elements), form.form)
    for empty in data.draw(st.lists(st.sampled_from(form.empty), unique_by=repr)):
        elements.insert(data.draw(st.integers(0, len(elements))), empty)
    assert read(kind, form.write(elements), form.form) == expected


@pytest.mark.parametrize("kind", ["qrels", "run"])
@pytest.mark.parametrize("other", ['["d3"]', "7", '{"d3": {"d4": 1}}', '{"d3": "high"}'])
def test_file_when_an_element_is_of_another_form_then_is_refused_and_not_read_otherwise(
    kind, other
):
    text = f'{{"q1": {{"d1": 2, "d2": 1}}, "q2": {other}}}'
    with pytest.raises(ReadError, match="^f: expected "):
        parsing.parse("f", text.encode(), kind)


@pytest.mark.parametrize("escape", [b"\\ud800", b"\\udc00\\ud800", b"\xed\xa0\x80"])
@pytest.mark.parametrize(
    "text",
    [
        b'{"%s": {"d1": 1}}',
        b'{"q1": {"%s": 1}}',
        b'{"q1": ["d1", "%s"]}',
        b'{"qid": "1", "docid": "%s", "SCORE": 1}\n',
        b'{"qid": "1", "documents": ["%s"]}\n',
    ],
)
@pytest.mark.parametrize("kind", ["qrels", "run"])
def test_json_when_it_holds_half_of_a_surrogate_pair_then_is_refused_in_one_line(
    kind, text, escape
):
    with pytest.raises(ReadError, match="line 1: expected text in Unicode, found half") as refused:
        parsing.parse("f", text % escape, kind)
    assert "\n" not in str(refused.value)
    assert parsing.parse("f", text % b"\\ud83d\\ude00", kind)
