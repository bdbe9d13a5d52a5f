"""What ``deploy/`` says: the container's steps in an empty folder, nginx in front of a survey."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest
from survey_server import Server, free_port

pytestmark = pytest.mark.long(part="survey")

PROJECT = Path(__file__).parents[3]
DEPLOY = PROJECT / "deploy"
NGINX = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
RATE, BURST = (int(re.search(rf"{name}=(\d+)", NGINX)[1]) for name in ("rate", "burst"))


# The container

def steps():
    """Return the instructions of the container file, continued lines in one."""
    text = (DEPLOY / "Containerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    return [line.split(maxsplit=1) for line in text.splitlines() if line and line[0] != "#"]


@contextmanager
def running(command, folder, environment=None):
    process = subprocess.Popen(command, cwd=folder, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def wait_for(ask):
    for _ in range(600):
        try:
            return ask()
        except OSError:
            time.sleep(0.1)
    raise AssertionError("no answer for a minute")


def test_steps_of_the_container_file(tmp_path):
    """They are carried out in an empty folder: the image itself is not built here.

    What differs: the Python is this one, its user is this one, and the port is a free one.
    """
    if not _index_is_reachable(tmp_path / "probe"):
        pytest.skip("the package index is not reachable")
    known = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK",
             "ENTRYPOINT"}
    environment = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
    told = {}
    folder = tmp_path / "survey"
    folder.mkdir()
    for name, argument in steps():
        assert name in known
        told[name] = argument
        if name == "COPY":
            *sources, target = argument.split()
            for source in sources:
                _copy(PROJECT / source, folder / target / (source if target == "./" else ""))
        elif name == "RUN":
            command = argument.replace("python -m venv", f"{sys.executable} -m venv")
            if os.geteuid():
                command = command.replace("-o 10001", "")
            subprocess.run(["sh", "-c", command], cwd=folder, env=environment, check=True)
    assert told["USER"] == "10001"
    assert told["VOLUME"] == f"{told['WORKDIR']}/data"
    port = free_port()
    command = [*json.loads(told["ENTRYPOINT"]), "--scheme", "guided", "--port", str(port)]
    check = json.loads(told["HEALTHCHECK"].removeprefix("CMD "))
    check = [part.replace(told["EXPOSE"], str(port)) for part in check]
    assert subprocess.run(check, cwd=folder, check=False, capture_output=True).returncode
    assert not (folder / "ppdm_survey").exists()  # what is served is what was installed
    url = f"http://127.0.0.1:{port}"
    with running(command, folder, environment), httpx.Client(base_url=url) as client:
        wait_for(lambda: socket.create_connection(("127.0.0.1", port)).close())
        subprocess.run(check, cwd=folder, check=True)
        token = client.post("/api/ready", json={"epoch": 0}).json()["token"]
        body = {"token": token, "epoch": 0, "class": 0, "ones": [1]}
        assert client.post("/api/submit", json=body).status_code == 204
        assert client.get("/miner/").status_code == 404  # it is not loopback
    assert (folder / "data" / "survey.sqlite").exists()
    code = "import ppdm, psycopg, pyarrow; print(ppdm.__file__)"
    done = subprocess.run([folder / "venv/bin/python", "-c", code], cwd=folder, env=environment,
                          check=True, capture_output=True, text=True)
    assert str(folder / "venv") in done.stdout


def _copy(source, target):
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def _index_is_reachable(probe):
    """Ask with a pip of its own: where uv made the environment of the tests, it has none."""
    subprocess.run([sys.executable, "-m", "venv", probe], check=True)
    done = subprocess.run([probe / "bin/python", "-m", "pip", "index", "versions", "h11"],
                          capture_output=True, check=False)
    return done.returncode == 0


# nginx

@pytest.fixture(scope="module")
def proxy(tmp_path_factory):
    """Debian's nginx with our example before a survey; gives its port and the survey."""
    nginx = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    openssl = shutil.which("openssl")
    if nginx is None or openssl is None:
        pytest.skip("nginx and openssl are not both installed (Debian's packages)")
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    subprocess.run([openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=survey.example", "-addext", "subjectAltName=DNS:survey.example",
                    "-keyout", "key", "-out", "pem"], cwd=folder, check=True, capture_output=True)
    with Server(f"sqlite:///{folder}/survey.sqlite", "--allow-host", "survey.example") as survey:
        plain, secure = free_port(), free_port()
        example = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
        for ours, here in (("listen 80;", f"listen 127.0.0.1:{plain};"),
                           ("listen 443 ssl;", f"listen 127.0.0.1:{secure} ssl;"),
                           ("/etc/ssl/survey.example.pem", f"{folder}/pem"),
                           ("/etc/ssl/private/survey.example.key", f"{folder}/key"),
                           ("127.0.0.1:8008", f"127.0.0.1:{survey.port}")):
            assert ours in example
            example = example.replace(ours, here)
        places = "".join(f"{name}_temp_path {folder}/{name};\n"
                         for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (folder / "nginx.conf").write_text(
            f"daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\n{places}{example}}}\n")
        command = [nginx, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"]
        subprocess.run([*command, "-t"], check=True)
        with running(command, folder):
            wait_for(lambda: socket.create_connection(("127.0.0.1", secure)).close())
            yield plain, secure, survey, folder


@contextmanager
def visitor(proxy, address="127.0.0.1"):
    """Speak with it as https://survey.example, whose certificate is known, from this address."""
    context = ssl.create_default_context(cafile=str(proxy[3] / "pem"))
    way = httpx.HTTPTransport(verify=context, local_address=address)
    with httpx.Client(base_url=f"https://127.0.0.1:{proxy[1]}", transport=way, timeout=60,
                      headers={"host": "survey.example"}) as client:
        client.event_hooks["request"].append(
            lambda request: request.extensions.update(sni_hostname="survey.example"))
        yield client


@pytest.fixture
def client(proxy):
    with visitor(proxy) as client:
        yield client


def test_a_submission_through_nginx(client, proxy):
    assert "Content-Security-Policy" in client.get("/").headers
    assert client.get("/api/health").status_code == 204
    before = proxy[2].get("api/inquiry")
    token = client.post("/api/ready", json={"epoch": before["epoch"]}).json()["token"]
    body = {"token": token, "epoch": before["epoch"], "class": 0, "ones": [1]}
    assert client.post("/api/submit", json=body).status_code == 204
    assert client.post("/api/submit", json={**body, "class": 1}).status_code == 409


def test_miner_page_is_at_its_secret_address(client, proxy):
    assert client.get("/miner/").status_code == 404
    address = re.search(r"/miner-[0-9a-f]{32}/", proxy[2].said())[0]
    assert client.get(address).status_code == 200
    bare = f"https://survey.example{address.rstrip('/')}"
    location = client.get(address.rstrip("/")).headers["location"]
    assert urljoin(bare, location) == f"{bare}/"


def test_plain_http_is_sent_to_https(proxy):
    answer = httpx.get(f"http://127.0.0.1:{proxy[0]}/x?y", headers={"host": "survey.example"})
    assert answer.status_code == 301
    assert answer.headers["location"] == "https://survey.example/x?y"


def test_other_hosts_large_bodies_and_chunks(client):
    def chunks():
        yield b"{}"

    json_body = {"content-type": "application/json"}
    assert client.post("/api/submit", content=b" " * 70_000).status_code == 413
    # nginx takes the chunks in, and says how long they were
    answer = client.post("/api/submit", content=chunks(), headers=json_body)
    assert answer.status_code == 422
    assert answer.json()["error"] == "invalid"


# Who floods has an address that no other test has, and so a burst that is whole.

def test_a_flood_from_one_address_is_turned_away(client, proxy):
    begun = time.monotonic()
    with visitor(proxy, "127.0.0.2") as flooder:
        got = [flooder.get("/api/inquiry") for _ in range(BURST + 400)]
        refilled = RATE * (time.monotonic() - begun)
        assert flooder.get("/").status_code == 200  # the page itself is let through
    answers = [one.status_code for one in got]
    assert set(answers) <= {200, 503}
    # the first and a burst, then so many a second: one more or less at either end
    assert BURST <= answers.count(200) <= min(BURST + 400, BURST + 2 + refilled)
    assert all("Strict-Transport-Security" in one.headers for one in got)
    assert client.get("/api/inquiry").status_code == 200  # nobody else is turned away


@pytest.mark.parametrize("n", [15, 30])
def test_a_class_behind_one_address_gets_the_page_whole(proxy, n):
    """All visit at once, each on six connections, with what a page of an invited person asks."""
    files = ["", *(f"static/{name}" for name in (
        "theme.css", "survey.css", "vendor/blindrsa.js", "ppdm.en.js", "ppdm.js", "keep.js",
        "visit.js", "guided.js"))]
    asked = ["api/schema", "api/access", "api/inquiry"]

    def visit(_):
        with visitor(proxy, f"127.0.0.{n}") as client, ThreadPoolExecutor(6) as six:
            return [[one.status_code for one in six.map(client.get, paths)]
                    for paths in (files, asked)]

    with ThreadPoolExecutor(n) as pool:
        visits = list(pool.map(visit, range(n)))
    assert visits == [[[200] * 9, [200] * 3]] * n


@pytest.mark.parametrize(("one", "other", "same"), [
    ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", True),
    ("2001:db8:1:2::9", "2001:db8:1:3::9", False),
    ("2001:db8::1", "2001:db8::ffff:1", True), ("192.0.2.1", "192.0.2.2", False)])
def test_addresses_of_one_household_count_as_one(one, other, same):
    rules = [rule.replace("?<", "?P<") for rule in re.findall(r'~([^"\s]+)"\s+\$head;', NGINX)]
    assert len(rules) == 2

    def network(address):
        network_part = next(filter(None, (re.match(rule, address) for rule in rules)), None)
        return network_part["head"].rstrip(":") if network_part else address

    assert (network(one) == network(other)) == same


def test_nothing_is_written_of_who_came(client, proxy):
    client.get("/canary-57")
    client.post("/api/submit", content=b" " * 70_000)
    written = [path for path in proxy[3].rglob("*") if path.is_file()]
    assert not any(b"canary-57" in path.read_bytes() for path in written)
    assert not any("log" in path.name for path in written)
    assert "127.0.0.1:" not in proxy[2].said().split("Stop with")[1]
