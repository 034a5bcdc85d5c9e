"""The command beside a result makes that result again."""

import dataclasses
import shlex
import subprocess
import sys

import pytest

import irmeval
from irmeval import IrmevalError, read_collection
from irmeval.cli import main
from irmeval.collection.team_names import read_teams
from irmeval.core.params import replace_known
from irmeval.core.tables import FORMATS
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.base import Experiment
from irmeval.experiments.recipe import _quoted
from irmeval.reading.policy import PROFILES, Policy
from irmeval.reading.score_matrix import parse_matrix
from irmeval.report import from_files
from irmeval.scoring.selection import Selection, select
from tests.cases import OTHERWISE, SAMPLE, read_once

pytestmark = pytest.mark.usefixtures("files_read_once", "results_made_once")
MEASURES = ["nDCG", "Q(beta=10)", "nDCG@10'"]
FEWER = ("trials", "samples", "sets", "mixtures")
"""Parameters of which less is less work."""


@pytest.fixture
def results_made_once(monkeypatch):
    """A command or a script that asks for the result itself, by all that a result
    depends on, is given it; else one is made anew.
    """
    of, made = Experiment.compute, {}

    def once(experiment, work):
        key = experiment.name, experiment.key(work)
        return made[key] if key in made else made.setdefault(key, of(experiment, work))

    monkeypatch.setattr(Experiment, "compute", once)


def again(line, capsys, **files):
    """What the command prints."""
    words = [str(files.get(word, word)) for word in shlex.split(line)]
    assert words[:3] == ["python", "-m", "irmeval"]
    capsys.readouterr()
    main(words[3:])
    return capsys.readouterr().out


def ran(script, capsys, *files):
    """What the script prints, given the files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["recipe.py", *map(str, files)])
        patch.setattr(
            from_files,
            "read_collection",
            lambda qrels, runs, **policy: read_once(qrels, tuple(runs), **policy),
        )
        capsys.readouterr()
        exec(compile(script, "recipe.py", "exec"), {})
    return capsys.readouterr().out


def changed(params):
    found = params()
    for name in (field.name for field in dataclasses.fields(params) if field.name in OTHERWISE):
        try:
            found = dataclasses.replace(found, **{name: OTHERWISE[name]})
        except IrmevalError:  # a threshold in per cent, or one value where others take several
            continue
    return found


@pytest.mark.parametrize("way", ["usual", "otherwise"])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_command_when_run_then_prints_the_table_of_the_result(name, way, capsys):
    found = EXPERIMENTS[name]
    params = found.params() if way == "usual" else changed(found.params)
    if way == "usual":
        params = replace_known(params, **{name: OTHERWISE[name] for name in FEWER})
    policy = Policy() if way == "usual" else Policy(depth=200, average="retrieved")
    rules = Selection(
        topics_only="901-906",
        random_runs=5,
        **({} if way == "usual" else {"least": 30.0, "team_rule": "2"}),
    )
    everything = read_once(*SAMPLE, **dataclasses.asdict(policy))
    if found.others:
        more = {} if way == "usual" else {"relevant": 2, "map": {3: 2}, "first": "a person"}
        everything = everything.with_judgments("strict", "simulated:strict,0.4,3", **more)
    if found.data:
        measures = MEASURES if found.measured else []
        result = found(select(everything, rules).collection, measures, params)
    elif found.judged:
        judges = irmeval.read_judges(
            SAMPLE[0], {"strict": "simulated:strict,0.4,3", "again": SAMPLE[0]}, name="a person"
        )
        result = found(
            judges if way == "usual" else judges.mapped("again", {3: 2}).relevant_from("strict", 2),
            [],
            params,
        )
    else:
        result = found(None, MEASURES, params)
    first, files = (
        result.tables()[0],
        {
            "QRELS": SAMPLE[0],
            "RUNS": SAMPLE[1],
            "again=OTHER": f"again={SAMPLE[0]}",
        },
    )
    line = result.recipe().command(first.name if way == "usual" else "")
    assert again(line, capsys, **files) == FORMATS["csv"](
        first.make() if way == "usual" else result.frame()
    )
    named = {"QRELS": SAMPLE[0], "RUNS": SAMPLE[1], "QRELS of again": SAMPLE[0]}
    given = [named[word] for word in result.recipe().files()]
    assert ran(result.recipe().script(), capsys, *given) == FORMATS["csv"](result.frame())


@pytest.mark.parametrize("name", [name for name, found in EXPERIMENTS.items() if found.matrix])
def test_command_when_a_matrix_was_loaded_then_works_on_one(name, capsys, tmp_path):
    text = "topic,good,fair,poor\n" + "".join(
        f"{t},{0.5 + t / 50},{0.4 + t * t % 7 / 9},{0.1 + t / 90}\n" for t in range(1, 13)
    )
    (tmp_path / "m.csv").write_text(text)
    matrix = parse_matrix("m.csv", text.encode())
    result = EXPERIMENTS[name](matrix)
    recipe = EXPERIMENTS[name](matrix, only=["poor", "good"]).recipe()
    assert again(result.recipe().command(), capsys, MATRIX=tmp_path / "m.csv") == FORMATS["csv"](
        result.frame()
    )
    assert again(recipe.command(), capsys, MATRIX=tmp_path / "m.csv") == ran(
        recipe.script(), capsys, tmp_path / "m.csv"
    )


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("curves", {"of": "depth", "levels": (1_000_000, 10)}),
        ("curves", {"of": "care", "levels": ("0.5%", 10), "by": "judge=lenient,binary"}),
        ("unjudged", {"ranks": (3, 1_000_000)}),
        ("curves", {"levels": (12.3456789, 100.0), "trials": 1}),
        ("collection", {"team_rule": "-x"}),
        ("gains", {"own": "1:1,2:1000000,3:1e6", "sets": 5}),
    ],
)
def test_command_when_values_are_odd_then_none_of_their_digits_is_lost(name, params, capsys):
    found = EXPERIMENTS[name]
    everything = read_once(*SAMPLE)
    rules = Selection(
        topics_only="901-904",
        random_runs=3,
        **({"team_rule": params["team_rule"]} if "team_rule" in params else {}),
    )
    result = found(select(everything, rules).collection, ["Q"], found.params(**params))
    assert again(result.recipe().command(), capsys, QRELS=SAMPLE[0], RUNS=SAMPLE[1]) == FORMATS[
        "csv"
    ](result.frame())
    assert ran(
        result.recipe().script(), capsys, SAMPLE[0], SAMPLE[0] if found.judged else SAMPLE[1]
    ) == FORMATS["csv"](result.frame())


@pytest.mark.parametrize("profile", PROFILES)
def test_command_when_a_profile_decides_then_it_is_named(profile, tiny):
    collection = read_collection(*tiny, **dataclasses.asdict(PROFILES[profile]) | {"depth": 7})
    line = EXPERIMENTS["collection"](collection).recipe().command()
    assert "--depth 7" in line
    assert (f"--profile {shlex.quote(profile)}" in line) == (profile != "papers")
    assert "--order" not in line


@pytest.mark.parametrize(
    "word",
    [
        "AP'",
        "RBP(p=0.8)'",
        "it's $HOME",
        'a "b"\'s',
        "`x`'",
        "x!'",
        "\\'",
        "plain",
        "two words",
        "",
    ],
)
def test_quoted_when_a_shell_reads_it_then_the_word_is_itself(word):
    assert (
        subprocess.run(
            ["sh", "-c", f"printf %s {_quoted(word)}"], capture_output=True, text=True
        ).stdout
        == word
    )


def test_command_when_teams_are_listed_then_the_list_is_asked_for(tiny, tmp_path, capsys):
    text = "run,team\nexample,a\nideal,a\nshort,b\n"
    (tmp_path / "t.csv").write_text(text)
    collection = read_collection(*tiny)
    found = EXPERIMENTS["leave-one-out"]
    result = found(collection, ["AP"], team=read_teams("t.csv", text.encode()).teams)
    assert again(
        result.recipe().command(), capsys, QRELS=tiny[0], RUNS=tiny[1], TEAMS=tmp_path / "t.csv"
    ) == FORMATS["csv"](result.frame())


def test_command_when_judges_are_drawn_from_others_and_another_one_is_first_then_all_of_it_is_said(
    capsys,
):
    both = (
        read_once(*SAMPLE)
        .with_judgments("again", SAMPLE[0], map={3: 2}, relevant=2, first="a person")
        .judged_by("again")
    )
    runs = [both.runs[0], both.runs[3]]
    drawn = both.with_judgments(
        "biased", f"simulated:lenient,0.5,2,{','.join(runs)}"
    ).with_judgments("strict", "simulated:strict,0.4,3")
    found, files = (
        EXPERIMENTS["systems"],
        {
            "QRELS": SAMPLE[0],
            "RUNS": SAMPLE[1],
            "again=OTHER": f"again={SAMPLE[0]}",
        },
    )
    rules = Selection(topics_only="901-906", random_runs=5)
    for first in ("again", "biased"):
        result = found(
            select(drawn.judged_by(first), rules).collection,
            ["AP"],
            found.params(mixtures=20, samples=20),
        )
        assert again(result.recipe().command(), capsys, **files) == FORMATS["csv"](result.frame())
        assert ran(result.recipe().script(), capsys, SAMPLE[0], SAMPLE[0], SAMPLE[1]) == FORMATS[
            "csv"
        ](result.frame())


def test_command_when_judgments_on_some_topics_were_compared_with_those_of_another_then_it_is_said(
    capsys,
):
    others = {"again": SAMPLE[0], "strict": "simulated:of=again,strict,0.4,3"}
    judges = (
        irmeval.read_judges(SAMPLE[0], others, name="a person", maps={"again": {3: 1}})
        .within(["901", "905", "909"])
        .led_by(2)
    )
    result = EXPERIMENTS["judges"](judges, params=EXPERIMENTS["judges"].params(samples=20))
    line = result.recipe().command()
    assert "--judge strict --topics-only 901,905,909" in line
    assert again(line, capsys, QRELS=SAMPLE[0], **{"again=OTHER": f"again={SAMPLE[0]}"}) == FORMATS[
        "csv"
    ](result.frame())
    assert ran(result.recipe().script(), capsys, SAMPLE[0], SAMPLE[0]) == FORMATS["csv"](
        result.frame()
    )


def test_command_when_a_judge_errs_on_what_is_retrieved_and_runs_lack_then_a_file_is_asked_for():
    drawn = read_once(*SAMPLE).with_judgments(
        "biased", f"simulated:lenient,0.5,2,{read_once(*SAMPLE).runs[0]}"
    )
    recipe = EXPERIMENTS["judges"](
        drawn.panel.judges, params=EXPERIMENTS["judges"].params(samples=20)
    ).recipe()
    assert "--other biased=OTHER" in recipe.command()
    assert recipe.files() == ["QRELS", "QRELS of biased"]
