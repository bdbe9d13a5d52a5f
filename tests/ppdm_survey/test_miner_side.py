"""Who may see the miner's side, what a monitor is told, and where invented answers go."""

import re
from contextlib import contextmanager
from queue import Queue
from types import SimpleNamespace

import httpx
import pytest
import sqlalchemy as sa
from collecting import send
from serving import serve

from ppdm_survey import BusyError, Collector, __main__, create_app, voting_survey
from ppdm_survey._store import Store

PAGES = ["/miner/", "/miner/api/status", "/miner/api/results", "/miner/metrics"]


@pytest.fixture
def collector():
    with Collector(voting_survey(), batch_size=3) as collector:
        yield collector


@contextmanager
def client_of(app):
    with serve(app) as url, httpx.Client(base_url=url) as client:
        yield client


# Where it is

@pytest.mark.parametrize("path", PAGES)
def test_miner_side_can_be_left_out_or_hidden(collector, path):
    with client_of(create_app(collector, miner_page=False)) as client:
        assert client.get(path).status_code == 404
    hidden = create_app(collector, miner_path=collector.secret_name)
    with client_of(hidden) as client:
        assert client.get(path).status_code == 404
        assert client.get(path.replace("miner", collector.secret_name)).status_code == 200


def test_secret_address_is_the_surveys_own_and_stays(tmp_path):
    """It is drawn with the secret that signs tokens, and tells nothing of it."""
    names = []
    for database in ("a", "a", "b"):
        with Collector(voting_survey(), f"sqlite:///{tmp_path}/{database}") as collector:
            names.append(collector.secret_name)
    assert re.fullmatch("miner-[0-9a-f]{32}", names[0])
    assert names[0] == names[1] != names[2]


# What the command does

@pytest.fixture(params=[["--scheme", "guided"], ["--epsilon", "2", "--asked", "1"]])
def served(request, monkeypatch, tmp_path):
    """Run the command with a server that ends at once; give the app's paths."""
    monkeypatch.chdir(tmp_path)
    seen = []

    def new_server(app, host, port):
        seen.append({route.path for route in app.routes})
        return SimpleNamespace(run=lambda: None)

    monkeypatch.setattr(__main__, "new_server", new_server)
    monkeypatch.setattr(__main__.simulate, "answer", lambda *_, **__: "nobody")

    def run(*options):
        assert __main__.main([*request.param, "--port", "0", *options]) == 0
        return seen[-1]

    return run


@pytest.mark.parametrize(("options", "where"), [
    ([], "open"),
    (["--host", "localhost"], "open"),
    (["--no-miner-page"], "nowhere"),
    (["--no-miner-page", "--host", "0.0.0.0"], "nowhere"),
    (["--host", "0.0.0.0"], "secret"),
    (["--allow-host", "survey.example"], "secret"),  # behind a proxy
])
def test_miner_page_is_open_on_this_machine_alone(served, options, where, capsys):
    """It was open to everybody, wherever the survey could be reached."""
    paths = [path for path in served(*options) if path.startswith("/miner")]
    said = capsys.readouterr().out
    if where == "nowhere":
        assert paths == []
        assert "miner's page: not served" in said
    else:
        assert len(paths) == 1
        assert (paths[0] == "/miner") == (where == "open")
        assert f"{paths[0]}/\n" in said


def test_invented_answers_have_a_database_of_their_own(served, tmp_path):
    """``make survey ARGS=--simulate`` wrote them where the real ones were."""
    served("--simulate")
    assert not (tmp_path / "ppdm-survey.sqlite").exists()
    assert (tmp_path / "ppdm-simulated.sqlite").exists()
    served()
    assert (tmp_path / "ppdm-survey.sqlite").exists()


@pytest.mark.parametrize(("options", "people"), [([], None), (["--people", "300"], 300)])
def test_as_many_people_are_simulated_as_are_expected(served, monkeypatch, options, people):
    """``--simulate --people 300`` let 100 answer."""
    asked = Queue()
    monkeypatch.setattr(__main__.simulate, "answer", lambda *given, **_: asked.put(given[1]))
    served("--simulate", *options)
    assert asked.get(timeout=60) == people


# Health and metrics

def test_health_is_that_of_the_store(collector, monkeypatch):
    with client_of(create_app(collector)) as client:
        assert client.get("/api/health").status_code == 204
        send(collector, 0, [1, 5])
        with monkeypatch.context() as patch:
            def full(*_):
                raise sa.exc.OperationalError("INSERT", {}, Exception("disk full"))

            patch.setattr(Store, "add", full)
            with pytest.raises(BusyError):
                send(collector, 0, [1, 5])
            answer = client.get("/api/health")
            assert answer.status_code == 503
            assert answer.json()["error"] == "busy"
            assert "disk full" not in answer.text
            metrics = client.get("/miner/metrics").text
            assert "ppdm_survey_healthy 0\n" in metrics
            assert "ppdm_survey_failures_total 1\n" in metrics
        send(collector, 0, [1, 5])
        assert client.get("/api/health").status_code == 204


def test_metrics_are_what_prometheus_reads(collector):
    for _ in range(4):
        send(collector, 0, [1, 5])
    with client_of(create_app(collector)) as client:
        answer = client.get("/miner/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert all(re.fullmatch(r"ppdm_survey_[a-z_]+ \d+", line) for line in answer.text.splitlines())
    values = dict(line.split() for line in answer.text.splitlines())
    assert values["ppdm_survey_epoch"] == "1"
    assert values["ppdm_survey_tuples_of_whole_epochs"] == "3"
    assert int(values["ppdm_survey_disclosure_level"]) == collector.inquire().k
    assert abs(int(values["ppdm_survey_start_time_seconds"]) - 1.7e9) < 1e9


def test_metrics_do_not_move_with_a_submission(collector):
    """A monitor keeps when each number changed: a count would time every row of the store."""
    texts = []
    with client_of(create_app(collector)) as client:
        for _ in range(3):
            texts.append(client.get("/miner/metrics").text)
            client.get("/api/inquiry")
            client.post("/api/ready", json={"epoch": 0})
            send(collector, 0, [1, 5])
        assert len(set(texts)) == 1
        assert client.get("/miner/metrics").text != texts[0]  # an epoch is over
