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
    notes = page[parts[3] :]
    assert "<p>Adds: prime, condensed list</p>" in notes
    assert "Source: Sakai &amp; Kando 2008" in notes
    assert "<table" not in notes


def test_page_of_questions_when_written_then_has_lists_choices_and_a_line_but_no_answer(answers):
    told = [*answers, lessons.answer(lessons.load("tau_on_four"))]
    page = handout.questions([answer.lesson for answer in told])
    for answer in told:
        assert answer.lesson.choices[0].split("'")[0] in page
        for text in (answer.punch, answer.look, answer.lesson.title):
            assert text not in page
    assert page.count("Answer:") == 3
    assert page.count("<table class=list>") == 2 + 4
    assert "2 of 3 relevant documents retrieved; ? is unjudged" in page
    assert not {"<svg", "<math"} & {word for word in ("<svg", "<math") if word in page}


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
    kinds = [cell["cell_type"] for cell in cells]
    written = ["".join(cell["source"]) for cell in cells]
    apart = written.index("# Solutions")
    for answer in answers:
        assert f'mine[{answer.lesson.name!r}] = ""' in written[:apart]
        assert not any(answer.lesson.formula in text for text in written[:apart])
    assert kinds[:apart].count("code") == 1 + len(answers)
    names, printed = dict[str, object](), io.StringIO()
    with contextlib.redirect_stdout(printed):
        for cell in cells:
            if cell["cell_type"] == "code":
                exec("".join(cell["source"]), names)
    for answer in answers:
        assert f"Yours: none - {answer.verdict}\n{answer.punch}" in printed.getvalue()
    assert sum(answers[0].lesson.formula in "".join(cell["source"]) for cell in cells) == 1


def test_command_when_the_file_is_a_page_or_a_notebook_then_writes_a_handout(tmp_path):
    for name, begins in (("a.html", "<!doctype html>"), ("a.ipynb", "{")):
        main(["lesson", "ideal_rbp", "q_blends", "-o", str(tmp_path / name)])
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)
    main(["lesson", "ideal_rbp", "--questions", "-o", str(tmp_path / "q.html")])
    assert lessons.load("ideal_rbp").choices[0] in (tmp_path / "q.html").read_text(encoding="utf-8")


def test_command_when_questions_are_asked_for_without_a_page_then_says_what_is_expected(
    run_command,
):
    assert "--questions expected -o FILE.html" in run_command("lesson", "--questions", status=2).err
