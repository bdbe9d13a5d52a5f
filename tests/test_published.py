"""What publishes the project: workflows, forms, the release, the site under its prefix."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import threading
import tomllib
from urllib.parse import unquote, urljoin, urlparse

import pytest
from by_path import ROOT, load
from headless import CHROMIUM

yaml = pytest.importorskip("yaml")
pytest.importorskip("sphinx")
BeautifulSoup = pytest.importorskip("bs4").BeautifulSoup

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
COURSE = pytest.mark.long(part="course")
SITE = ROOT / "_site"
#: Actions that are used, each by a version that exists.
ACTIONS = {
    "actions/checkout@v4", "actions/setup-python@v5", "actions/cache@v4",
    "actions/upload-artifact@v4", "actions/download-artifact@v4",
    "actions/upload-pages-artifact@v3", "actions/deploy-pages@v4",
    "pypa/gh-action-pypi-publish@release/v1", "openjournals/openjournals-draft-action@v.1.0",
}  # fmt: skip


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_do_no_more_than_it_must(path):
    flow = yaml.safe_load(path.read_text(encoding="utf-8"))
    # YAML reads on: as True
    assert set(flow) <= {"name", True, "permissions", "concurrency", "jobs"}
    assert flow["permissions"] == {"contents": "read"}
    for name, job in flow["jobs"].items():
        assert job["timeout-minutes"] <= 30
        more = {f"{kind}: {may}" for kind, may in job.get("permissions", {}).items()}
        allowed = {"deploy": {"pages: write", "id-token: write"}, "publish": {"id-token: write"},
                   "page": {"contents: write"}}.get(name, set())  # fmt: skip
        assert more <= allowed, name
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert step.get("uses") is None or step["uses"] in ACTIONS
            for word in re.findall(r"(?:^|\s)(\.ci/\w+)", step.get("run", "")):
                assert os.access(ROOT / word, os.X_OK), word


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_an_issue_form_is_one(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.stem == "config":
        return
    assert {"name", "description", "body"} <= set(form)
    ids = [part["id"] for part in form["body"]]
    assert len(ids) == len(set(ids))
    assert "page" in ids or path.stem != "chapter"  # the page of an error fills it in
    kinds = {part["type"] for part in form["body"]}
    assert kinds <= {"input", "textarea", "dropdown", "checkboxes"}
    assert all(part["attributes"]["label"] for part in form["body"])


def copy_of_tree(folder):
    """Commit a copy of this tree, changes included, and return its folder."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in names.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm all"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)
    return folder


def test_a_release_says_all_that_is_missing_and_builds_nothing(tmp_path):
    tree = copy_of_tree(tmp_path / "tree")
    (tree / "left_over").write_text("x")
    done = subprocess.run([".ci/release", "9.9.9"], cwd=tree, capture_output=True, text=True)
    assert done.returncode != 0
    for word in ("OWNER.toml: contact", "pyproject.toml: its version", "CITATION.cff: its version",
                 "no heading '## 9.9.9", "left_over"):  # fmt: skip
        assert word in done.stderr, done.stderr
    assert not (tree / "dist").exists()


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version_everywhere():
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"version: {version}\n" in text("CITATION.cff")
    assert re.search(rf"^## {re.escape(version)} \(\d{{4}}-", text("CHANGELOG.md"), re.MULTILINE)
    assert len(text("CHANGELOG.md").splitlines()) <= 110  # two screens


def links(text):
    """Return where links and pictures of a Markdown text lead."""
    return re.findall(r"\]\((?!#)([^)\s]+)\)", text)


def test_readme_leads_somewhere_in_the_tree_and_on_an_index():
    readme = text("README.md")
    local = [link for link in links(readme) if ":" not in link]
    assert local
    assert all((ROOT / link).exists() for link in local)
    there = load("hatch_build.py").absolute(readme, "https://github.com/example/ppdm")
    assert all(link.startswith("https://") for link in links(there))
    figure = "raw.githubusercontent.com/example/ppdm/main/book/_static/one_coin.svg"
    assert f"](https://{figure})" in there
    assert "](https://github.com/example/ppdm/blob/main/notebooks/00_tour.md)" in there


def read(path):
    """Return what a page leads to and loads, and its places."""
    soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    leads = (tag.get(name) for tag in soup(True) if tag.name != "base" for name in ("href", "src"))
    places = (tag.get(name) for tag in soup(True) for name in ("id", "name"))
    return {*leads} - {None, ""}, {*places}


@pytest.fixture
def site():
    """What is published; the part ``course`` makes it first, and any other run what it finds."""
    if not SITE.exists():
        pytest.skip("no site: run .ci/site")
    return SITE


@COURSE
def test_no_link_of_the_published_site_is_dead(site):
    pages = {path: read(path) for path in site.rglob("*.html")
             if "_static" not in path.parts}  # the theme's own templates  # fmt: skip
    dead = []
    for path, (leads, _) in pages.items():
        here = f"https://example.github.io/ppdm/{path.relative_to(site).as_posix()}"
        for link in leads:
            target = urlparse(urljoin(here, link))
            if target.netloc != "example.github.io" or target.scheme not in ("http", "https"):
                continue
            file = site / unquote(target.path).removeprefix("/ppdm/")
            file = file / "index.html" if file.is_dir() else file
            place = unquote(target.fragment)
            # the theme's own files are led to as a whole
            ours = place and file in pages and "_static" not in str(file)
            if not file.exists() or (ours and place not in pages[file][1]):
                dead.append(f"{path.relative_to(site)}: {link}")
    assert len(pages) > 100
    assert not [link for link in dead if "slides/" not in link.partition(":")[0]], dead[:20]


@COURSE
def test_what_the_front_page_offers_lies_beside_the_book(site):
    offered = re.findall(r'href="(.*?)"', load("book/_ext/address.py").DOWNLOADS)
    assert len(offered) == 3
    assert all((site / "book" / href).resolve().exists() for href in offered)


@COURSE
def test_a_book_without_an_address_leads_to_none(site):
    # the student edition is built without one everywhere
    page = (site / "student" / "notebooks" / "00_tour.html").read_text(encoding="utf-8")
    for word in ("mybinder", "colab", "page-links", "canonical", "github.com"):
        assert word not in page, word


@COURSE
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")
def test_the_site_works_under_its_prefix(site, chromium, tmp_path):
    (tmp_path / "ppdm").symlink_to(site)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/ppdm/"
        missing = []
        page = chromium.new_page()
        page.on("response", lambda answer: answer.status >= 400 and missing.append(answer.url))
        page.goto(root + "notebooks/00_tour.html")
        page.locator("#explore-coin .explore-guess button").first.click()
        page.wait_for_selector("#explore-coin .explore-said:not(:empty)")
        page.goto(root + "search.html?q=epsilon")
        page.wait_for_selector("#search-results li a")
        page.close()
        server.shutdown()
    assert missing == []
