"""Handouts: what a page for paper and a notebook hold of lessons."""

import contextlib
import io
import json

import pytest

from irmeval import lessons
from irmeval.cli.commands import main
from irmeval.lessons import handout


@pytest.fixture(scope="module")
def answers() -> list[lessons.Answer]:
    """One on a chart, and one on a list."""
    return [lessons.answer(lessons.load(name)) for name in ("ideal_rbp", "unjudged_on_top")]


def test_page_when_written_then_questions_come_before_solutions_with_figures_formulas_and_notes(
    answers,
):
    page = handout.html(answers)
    parts = [
        page.index(f"<h2>{part}</h2>")
        for part in ("Questions", "Solutions", "Definitions", "Notes for the teacher")
    ]
    assert parts == sorted(parts)
    questions, solutions = page[parts[0] : parts[1]], page[parts[1] : parts[2]]
    for answer in answers:
        assert answer.punch.replace("'", "&#x27;") not in questions
        assert answer.punch.replace("'", "&#x27;") in solutions
    assert questions.count("<ol class=choices>") == 2
    assert ("<svg" in solutions, "<math" in solutions, "<th>condensed</th>" in solutions) == (
        True,
        True,
        True,
    )
    assert (
        "<dt>isrel(r)</dt><dd>1 if the document at rank r is relevant" in page[parts[2] : parts[3]]
    )
    assert "rbp_1 0.05 &lt; 1" in page[parts[3] :]


def test_page_when_a_lesson_has_markup_then_it_is_text():
    text = (lessons.FOLDER / "ideal_rbp.toml").read_text(encoding="utf-8")
    for key in ("title", "question", "look", "source"):
        text = "\n".join(
            f'{key} = "<script>x</script>"' if line.startswith(f"{key} =") else line
            for line in text.split("\n")
        )
    told = lessons.parse("mine.toml", text.encode())
    page = handout.html([lessons.answer(told)])
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 4
    assert 'lessons.parse("mine.toml"' in handout.notebook([lessons.answer(told)]).replace(
        "\\", ""
    ).replace("'", '"')


def test_notebook_when_run_cell_by_cell_then_computes_the_numbers_again(answers):
    cells = json.loads(handout.notebook(answers))["cells"]
    names, printed = dict[str, object](), io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    for answer in answers:
        assert answer.punch in printed.getvalue()
    assert sum(answers[0].lesson.formula in "".join(cell["source"]) for cell in cells) == 1


def test_command_when_the_file_is_a_page_or_a_notebook_then_writes_a_handout(tmp_path):
    for name, begins in (("a.html", "<!doctype html>"), ("a.ipynb", "{")):
        main(["lesson", "ideal_rbp", "q_blends", "-o", str(tmp_path / name)])
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)
