"""The coin by the command: a dry run, a server, simulated people, an export that is read back."""

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx
import nbformat
import numpy as np
import pytest
from coin_site import (
    BOUNDS,
    CODES,
    FILE,
    FIVE,
    MIXED,
    OWN,
    TEN,
    TWENTY,
    channel_of,
    question,
    send_all,
    tallied,
    words,
)
from collecting import asked, command, refusal, rows_in
from serving import serve

from ppdm._statistics import at_most
from ppdm.compare import choose_scheme
from ppdm.protocol import DataMiner
from ppdm.reconstruction import estimate_frequencies
from ppdm_survey import (
    Attribute,
    CoinChannel,
    CoinCollector,
    Survey,
    __main__,
    _app,
    _operate,
    create_app,
    voting_survey,
)
from ppdm_survey._check import SURVEYS, check_coin, check_guided, start_seed
from ppdm_survey._schema import say

TEMPLATES = Path(__main__.__file__).parent / "templates"


@pytest.fixture
def results(database):
    """Two whole batches and one report more."""
    with CoinCollector(MIXED, database, channel=channel_of(MIXED, 9.0), batch_size=60) as collector:
        send_all(collector, np.tile(CODES, (121, 1)), 0)
        return collector.results()


@pytest.mark.filterwarnings("ignore::ppdm.exceptions.NegativeEstimateWarning")
def test_an_export_is_read_back_by_the_package(results, exported):
    folder = exported()
    rows = rows_in(folder / "reports.csv")
    assert len(rows) == 120  # the unfinished batch stays out
    matrices = json.loads((folder / "channel.json").read_text())["matrices"]
    assert list(matrices) == list(rows[0])
    for name, matrix in matrices.items():
        estimate = estimate_frequencies([int(row[name]) for row in rows], matrix)
        base, _, value = name.partition("=")
        (one,) = [each for each in results["questions"] if each["name"] == base]
        known = [each["share"] for each in one["values"]]
        mine = [estimate.frequencies[1]] if value else estimate.frequencies
        np.testing.assert_allclose(mine, [known[int(value)]] if value else known, atol=1e-12)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert [row["question"] for row in rows_in(folder / "shares.csv")] == [
        one["name"] for one in results["questions"] for _ in one["values"]]
    Survey.from_dict(json.loads((folder / "survey.json").read_text()), scheme="coin")


def test_a_cell_that_a_spreadsheet_would_run_is_shown_instead(database, exported):
    survey = Survey(title="Cells", attributes=[Attribute(
        name="a", label="A?", values=["=1+1", "-1"], labels=["@a", "-a()"])])
    with CoinCollector(survey, database, channel=channel_of(survey), batch_size=10) as collector:
        send_all(collector, np.zeros((10, 1), dtype=int), 0)
    rows = rows_in(exported() / "shares.csv")
    assert [(row["value"], row["label"]) for row in rows] == [("'=1+1", "'@a"), ("-1", "'-a()")]
    # numbers stay numbers
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1)


def carried_out(folder):
    """Run the exported notebook in its folder; return what it prints."""
    book = nbformat.read(folder / "read_back.ipynb", as_version=4)
    nbformat.validate(book)
    code = "\n".join(cell.source for cell in book.cells)
    return subprocess.run([sys.executable, "-W", "ignore", "-c", code], text=True,
                          cwd=folder, capture_output=True, check=True).stdout


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("asked", [1, 4])
def test_the_exported_notebook_runs_and_has_the_page_s_intervals(database, form, asked, exported):
    """Of parquet it opened a CSV that is not there, and stopped at a question without a report."""
    if form == "parquet":
        pytest.importorskip("pyarrow")
    channel = channel_of(MIXED, 9.0, asked)
    with CoinCollector(MIXED, database, channel=channel, batch_size=2) as collector:
        send_all(collector, np.tile(CODES, (2, 1)), 0)  # by lot two questions have none
    said = carried_out(exported("--format", form))
    assert ("people asked: 0" in said) == (asked == 1)
    assert "no question is open" in said
    labels = bool(re.search(r"\nn +[\d.-]+ .*\ny +[\d.-]+ ", said))  # not 0 and 1
    assert labels == ("smokes, people asked: 2" in said)  # of one there is no table


@pytest.mark.parametrize(("people", "says"), [(1, "Too few"), (40, "These tell nothing")])
def test_the_exported_notebook_says_where_it_can_tell_nothing(database, people, says, exported):
    survey = Survey(title="Few", attributes=[question("error", 2), question("ward", 4, open=True)])
    channel = channel_of(survey, 0.5, 1)
    with CoinCollector(survey, database, channel=channel, batch_size=50) as collector:
        send_all(collector, np.column_stack([np.arange(people) % 2, np.arange(people) % 4]), 0)
    assert says in carried_out(exported(closed=True))


def test_the_exported_notebook_finds_what_an_open_answer_explains(database, exported):
    """Of who smokes 80% are in the second party, of others 20%: that is 2.8 in log odds."""
    rng = np.random.default_rng(0)
    labels = ["By car", "By bus", "On foot", "Else"]
    survey = Survey(title="Groups", attributes=[
        question("party", 4, labels=labels, open=True), MIXED.attributes[0], MIXED.attributes[2]])
    party = rng.integers(0, 4, 4000)
    smokes = (rng.random(4000) < np.where(party == 2, 0.8, 0.2)).astype(int)
    codes = np.column_stack([party, smokes, np.ones(4000, dtype=int)])
    with CoinCollector(survey, database, channel=channel_of(survey, 4.0, 2),
                       batch_size=1000) as collector:
        for nth in range(4):
            send_all(collector, codes[1000 * nth : 1000 * (nth + 1)], nth)
    before, folder = exported(to="before"), exported(closed=True)
    page = (folder / "results.html").read_text(encoding="utf-8")
    assert "By group" in page
    assert "Groups are those of “Question party?” alone" in page
    early = [(before / name).read_text(encoding="utf-8-sig")
             for name in ("results.html", "shares.csv")]
    assert "have no shares" in early[0]
    assert not any("By group" in one or "party" in one.replace("Question party?", "")
                   for one in early)  # nor has what is open
    said = carried_out(folder)
    for label, true in zip(labels[1:], [0.0, np.log(16), 0.0], strict=True):
        row = re.search(rf"^\d+ +1 +party_{label} +([\d.-]+) +([\d.]+) ", said, re.MULTILINE)
        slope, error = map(float, row.groups())
        assert abs(slope - true) < 4 * error  # four standard errors
        assert error < 0.3  # or anything would pass
    of = {one["group"]: one for one in rows_in(folder / "shares.csv")
          if (one["question"], one["value"]) == ("smokes", "y")}
    assert float(of["party=v2"]["from"]) < 0.8 < float(of["party=v2"]["to"])
    assert float(of["party=v1"]["from"]) < 0.2 < float(of["party=v1"]["to"])


def test_a_closed_survey_has_one_interval_everywhere_and_no_order(results, database, tmp_path,
        exported):
    folder = exported(closed=True)
    page = (folder / "results.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<link rel=\"stylesheet\"" not in page  # it stands alone
    for one in rows_in(folder / "shares.csv"):
        for end in (float(one["from"]), float(one["to"])):
            assert f"<td>{100 * end:.1f}</td>" in page
    assert "121 reports" in page
    assert (folder / "reports.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert len(rows_in(folder / "reports.csv")) == 121
    rows = asked(tmp_path / "survey.sqlite", "SELECT bits FROM submission ORDER BY position")
    for batch in (rows[:60], rows[60:]):  # the one report more joins the batch before
        assert batch == sorted(batch)
    command("delete", "--yes", "--database", database)
    assert [one.name for one in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_bound_in_words_is_rounded_up_and_alike_in_package_and_survey(bound):
    said = at_most(bound)
    assert _app.at_most(bound) == said
    shown = float(said.replace(",", ""))
    assert bound * (1 - 1e-11) <= shown <= bound * 1.01  # of what a float errs by, no more
    assert len(said.partition("E")[0].replace(",", "").replace(".", "").strip("0")) <= 3


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 6.0, 12.0, 60.0])
def test_no_door_says_less_than_the_odds_that_a_report_moves(database, epsilon, exported):
    """At epsilon 6 the operator read "at most 403", and the respondent 404: it is 403.43."""
    channel = channel_of(MIXED, epsilon)
    with CoinCollector(MIXED, database, channel=channel, batch_size=2) as collector:
        send_all(collector, np.tile(CODES, (2, 1)), 0)
        with serve(create_app(collector)) as url:
            page = httpx.get(f"{url}/miner/").text
    folder = exported()
    doors = [page, (folder / "results.html").read_text(encoding="utf-8"),
             "\n".join(check_coin(MIXED, channel, 300, 0.05, surveys=2).lines),
             "\n".join(choose_scheme(1_000, yes_no=3, epsilon=epsilon).sentences)]
    for said in doors:
        assert re.search(rf"factor\s+of\s+(at\s+most\s+)?{at_most(np.exp(epsilon))}\b", said), said


def test_the_results_of_a_closed_survey_promise_no_later_batch(database, exported):
    """Three answered, each one of four questions; the page said that shares come with a batch."""
    with CoinCollector(MIXED, database, channel=channel_of(asked=1), batch_size=50) as collector:
        send_all(collector, np.tile(CODES, (3, 1)), 0)
    page = (exported(closed=True) / "results.html").read_text(encoding="utf-8")
    assert "too few for shares" in page
    assert "first batch" not in page


def test_parquet_without_pyarrow_leaves_nothing_behind(results, database, tmp_path, monkeypatch,
        capsys):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pyarrow" in refusal(
        capsys, "export", tmp_path / "out", "--database", database, "--format", "parquet")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("more", [-1, 0])
def test_many_invitations_come_with_what_they_cost(database, capsys, monkeypatch, more):
    monkeypatch.setattr(_operate, "SLOW", 20)
    with CoinCollector(MIXED, database, channel=channel_of(), access="invitation"):
        pass
    command("invite", 20 + more, "--database", database)
    links, said = capsys.readouterr()
    assert len(links.split()) == 20 + more  # and nothing else
    assert ("takes over a second" in said) == (more == 0)


@pytest.mark.parametrize(("text", "said"), [
    (b'{"title": "a",\n"attributes": [],\n"title": "b"}', "line 3: the key 'title' stands twice"),
    (b'{"title": "a",\n}', "line 1: nothing follows this comma: take it away"),
    (b'{"title": "a",\n"questions": ["b",]}', "line 2: nothing follows this comma"),
    (b'{"title": ,\n}', "line 1: Expecting value"),
    (b'{"title":\n"\xe4"}', "line 2: the file is not in UTF-8"),
])
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path, capsys, text, said):
    """A key written twice dropped the first block of questions without a word."""
    file = tmp_path / "q.json"
    file.write_bytes(text)
    told = refusal(capsys, "check", file, "--epsilon", "2", "--people", "300")
    assert re.search(f"{re.escape(str(file))}, {said}", told)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    file = tmp_path / "q.json"
    file.write_bytes(b"\xef\xbb\xbf" + FILE.read_bytes())
    assert Survey.from_json(file) == Survey.from_json(FILE)


@pytest.mark.parametrize("asked", [1, 3])
def test_what_check_advises_does_not_depend_on_how_many_are_expected(asked):
    its = channel_of(OWN, 1.0, asked)
    told = {re.search(r"takes ([\d,]+) people", "\n".join(
        check_coin(OWN, its, n, 0.05, surveys=5).lines))[1] for n in (100, 300, 1000, 3000)}
    assert len(told) == 1


def test_as_many_people_as_check_says_reach_the_margin():
    # the widest of five questions' margins, in 20 surveys whose answers are drawn: at most the
    # one that was asked for, and where a share is near one half not much less
    its = channel_of(OWN, 3.0, 5)
    n = round(max(its.people_for(0.05, j) for j in range(5)))
    widest = check_coin(OWN, its, n, 0.05, surveys=20).numbers["margin"]
    assert 0.035 < widest <= 0.0505


def test_check_warns_of_a_question_that_needs_another_one():
    for more in ({}, {"may_not_apply": True}):
        survey = Survey(title="Errors", attributes=[
            Attribute(name="error", label="Did you make an error?", values=["n", "y"]),
            Attribute(name="told", label="Did you report it?", values=["n", "y"], **more)])
        channel = channel_of(survey, 2.0, 1)
        lines = "\n".join(check_coin(survey, channel, 300, 0.05, surveys=5).lines)
        assert ("Led to by another question, it seems: told" in lines) == (not more)
        assert "each must be understood by itself" in lines


def test_a_small_batch_from_before_goes_on_and_is_warned_of(database, monkeypatch, capsys):
    # an earlier version allowed it; what the refusal names must open the survey
    monkeypatch.setattr(__main__, "new_server", lambda *_: SimpleNamespace(run=lambda: None))
    survey = voting_survey("coin")
    channel = channel_of(survey, 2.0, 1)
    with CoinCollector(survey, database, channel=channel, batch_size=20) as before:
        send_all(before, np.zeros((5, 17), dtype=int), 0)
    options = ["--epsilon", "2", "--asked", "1", "--port", "0", "--database", database]
    assert "begun with --batch-size 20: start with that" in refusal(capsys, *options)
    command(*options, "--batch-size", "20")
    assert "Begun before: batch_size must be at least 50" in capsys.readouterr().err


def test_check_says_what_a_file_would_give(capsys):
    for scheme, parts in (
            (["--epsilon", "2"], ("Served: 300 of 300", "Margins: ±", "is guessed right for")),
            (["--scheme", "guided"], ("Served:", "Directions asked", "Accuracy", "guessed right",
                                      "standard error", "Advised against"))):
        command("check", FILE, *scheme, "--people", "300")
        said = capsys.readouterr().out
        assert all(one in said for one in parts)
    command("check", FILE, "--scheme", "guided", "--random-start", "0", "--clear-volunteers",
            "--people", "150")


def test_check_takes_the_file_either_way(capsys):
    """With ``--survey``, as the server takes it, it was an unrecognized argument."""
    rest, said = ["--epsilon", "2", "--people", "60", "--batch-size", "50"], set()
    for given in ([FILE, *rest], [*rest, FILE], ["--survey", FILE, *rest]):
        command("check", *given)
        said.add(capsys.readouterr().out)
    assert len(said) == 1
    command("check", *rest)
    assert capsys.readouterr().out not in said  # the sixteen votes


#: What the page says of its operator where the file does not.
NEEDED = re.findall(r'"(\w+)", true\)', (TEMPLATES / "survey.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize("scheme", [["--epsilon", "2"], ["--scheme", "guided"]])
@pytest.mark.parametrize("missing", [[], *([key] for key in NEEDED), NEEDED])
def test_check_names_what_the_page_will_say_is_not_stated(tmp_path, capsys, missing, scheme):
    """Nothing was said of it before people read "The operator has not said"."""
    given = json.loads(FILE.read_text(encoding="utf-8"))
    file = tmp_path / "q.json"
    file.write_text(json.dumps({key: given[key] for key in given if key not in missing}))
    command("check", file, *scheme, "--people", "60")
    said = [line for line in capsys.readouterr().out.splitlines() if "not said" in line]
    assert [line.partition(". ")[0] for line in said] == (
        [f"Not in the file: {', '.join(missing)}"] if missing else [])


def test_the_simulated_database_is_named_where_the_other_one_is_not(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for there in (False, True):
        said = refusal(capsys, "export", "out")
        assert ("; here is --database sqlite:///ppdm-simulated.sqlite\n" in said) == there
        Path("ppdm-simulated.sqlite").touch()


def test_help_has_a_word_for_each_option():
    """Of --port it had the number alone."""
    for action in (*__main__._parser(True)._actions, *__main__._parser(False)._actions):
        assert re.search("[a-z]{2}", re.sub(r"%\(\w+\)s", "", action.help)), action.dest


def test_check_advises_against_where_nothing_is_learnt():
    checked = check_coin(TEN, CoinChannel.choose(TEN, 1.0, people=100), 100, 0.05)
    assert not checked.advised
    # every question is named, and how many people it would take
    assert re.search(r"Advised against: of (a\d, )+a9 nothing is learnt", checked.lines[-1])
    needed = int(re.search(r"about ([\d,]+) people", checked.lines[-1])[1].replace(",", ""))
    assert check_coin(TEN, CoinChannel.choose(TEN, 1.0, people=needed), needed, 0.05).advised
    small = check_coin(TEN, CoinChannel.choose(TEN, 8.0, people=90), 90, 0.05, batch_size=100)
    assert any("nothing before 100 people have answered" in line for line in small.lines)
    assert check_coin(TEN, CoinChannel.choose(TEN, 1.0, people=9000), 9000, 0.05).advised


@pytest.mark.parametrize("survey", [OWN, voting_survey("coin"), TEN])
def test_the_coin_s_forecast_is_what_other_surveys_give(survey):
    channel = CoinChannel.choose(survey, 4.0, people=300)
    forecast = check_coin(survey, channel, 300, 0.05).numbers["margin"]
    rng, widest = np.random.default_rng(1), []
    for _ in range(100):
        codes = np.column_stack([rng.choice(k, 300, p=rng.dirichlet(np.full(k, 5.0)))
                                 for k in survey.n_values])
        tally = tallied(channel, codes, rng)
        widest.append([tally.question(j).margins.max() for j in range(len(survey.n_values))])
    widths = np.array(widest)
    # each question's mean of SURVEYS against that of 100, the widest of all questions: within two
    # standard deviations of one survey's margin, whatever the seed
    assert abs(forecast - widths.mean(axis=0).max()) < 2 * widths.std(axis=0).max()


def test_the_answer_read_best_is_read_as_often_as_is_said():
    channel = channel_of(MIXED, 6.0, 4)
    said = check_coin(MIXED, channel, 300, 0.05).numbers["read"]
    n, rng = 20_000, np.random.default_rng(2)
    codes = rng.integers(0, MIXED.n_values, (n, 4))
    marks = channel.report(codes, words(channel, n, rng))
    read = []
    for j, (start, one) in enumerate(zip(channel.starts, channel.columns, strict=False)):
        told = marks[:, start + 1 : start + 1 + one.n_values]
        # the likeliest: one of the values that are set, or any where none is
        guess = (told + rng.random(told.shape) / 2).argmax(axis=1)
        read.append(((guess == codes[:, j]).mean(), one.n_values))
    best = max(read, key=lambda one: one[0] - 1 / one[1])[0]
    assert best == pytest.approx(said, abs=5 * 0.5 / np.sqrt(n))


def test_the_guided_forecast_is_what_other_surveys_give():
    survey = Survey.from_json(FILE)
    options = {"mu": 0.15, "batch_size": 100, "start": 5}
    forecast = check_guided(survey, 300, **options)
    others = [check_guided(survey, 300, **options, surveys=1, seed=seed).numbers
              for seed in range(1, 41)]
    for name, said in forecast.numbers.items():
        each = np.array([one[name] for one in others])
        # a mean of SURVEYS less one of 40: within four standard errors of the difference
        assert abs(said - each.mean()) < 4 * each.std() * np.sqrt(1 / SURVEYS + 1 / 40) + 1e-9, name
        # and what is said of its own error is that spread's: of 40, five of its own errors are 60%
        assert forecast.errors[name] == pytest.approx(each.std() / np.sqrt(SURVEYS), rel=0.6), name


@pytest.mark.long(part="survey")
def test_the_page_of_guided_perturbation_says_what_was_measured():
    numbers = [check_guided(one, 300, mu=0.15, batch_size=100, start=len(one.attributes)).numbers
             for one in (Survey.from_json(FILE), FIVE, TEN, TWENTY)]
    served, right = ([round(100 * one[name]) for one in numbers] for name in ("served", "accuracy"))
    text = say("en", "page.research")
    assert f"{min(served)} to {max(served)} of 100" in text
    assert f"for {min(right)} to {max(right)} of 100" in text


def test_a_start_has_both_classes_and_asks_for_less_than_all():
    survey = Survey.from_json(FILE)
    for seed in range(30):
        miner = DataMiner(survey.n_values, mu=0.15)
        miner.bootstrap_random(5, random_state=start_seed(
            survey, 5, mu=0.15, batch_size=100, seed=seed))
        assert miner.guidance.A0.any()
        assert miner.guidance.A1.any()
        assert miner.inquire().k < survey.n_bits
    with pytest.raises(ValueError, match="both classes"):
        start_seed(survey, 1, mu=0.15, batch_size=100, seed=0)
