"""The chapters away from this tree: launch buttons, Binder, JupyterLab."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import pytest
from by_path import NOTEBOOKS, ROOT, each_notebook, load, notebook
from headless import CHROMIUM

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
    "optional-dependencies"
]
jupyter_book = Path(sys.executable).with_name("jupyter-book")
jupyter = Path(sys.executable).with_name("jupyter-lab")
ELSEWHERE = pytest.mark.long(part="elsewhere")


@each_notebook
def test_first_cell_says_what_to_install_and_does_nothing(path):
    first = notebook(path).cells[0]
    assert first.source.startswith('# %pip install -q "ppdm[chapters]"')
    assert len(first.source.splitlines()) == 1  # a comment: nothing is installed unasked
    assert "remove-cell" in first.metadata.tags


def test_the_extra_of_the_chapters_is_small():
    assert EXTRAS["chapters"][0] == "ppdm[data,plots,survey]"
    assert not any("sphinx" in need or "jupyter-book" in need for need in EXTRAS["chapters"])


def test_binder_installs_the_extra_in_the_pinned_versions():
    script = ROOT / ".binder" / "postBuild"
    assert os.access(script, os.X_OK)
    assert '-c requirements.txt ".[chapters]"' in script.read_text(encoding="utf-8")
    version = (ROOT / ".binder" / "runtime.txt").read_text(encoding="utf-8").strip()
    assert version in {"python-3.11", "python-3.12", "python-3.13"}


@ELSEWHERE
@pytest.mark.skipif(not jupyter_book.exists(), reason="jupyter-book is not installed here")
def test_launch_buttons_follow_the_repositorys_address(tmp_path):
    for name in ("book/_ext", "book/_static", "ppdm_survey/static"):
        shutil.copytree(ROOT / name, tmp_path / name)
    chapter = "notebooks/00_tour.ipynb"
    (tmp_path / "notebooks").mkdir()
    for name in ("book/references.bib", "_config.yml", chapter):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: notebooks/00_tour\n")
    at = os.environ | {"PPDM_REPOSITORY": "https://github.com/somebody/a-course"}
    build = [jupyter_book, "build", "-q", tmp_path]
    subprocess.run(build, check=True, capture_output=True, env=at)
    html = tmp_path / "_build" / "html"
    page = (html / "notebooks" / "00_tour.html").read_text(encoding="utf-8").replace("&amp;", "&")
    github = "github.com/somebody/a-course"
    for link in (
        f'"https://mybinder.org/v2/gh/somebody/a-course/main?urlpath=lab/tree/{chapter}"',
        f'"https://colab.research.google.com/github/somebody/a-course/blob/main/{chapter}"',
        f'"https://{github}/edit/main/notebooks/00_tour.md"',
        f'"https://{github}/issues/new?template=chapter.yml&page=notebooks%2F00_tour"',
    ):
        assert f"href={link}" in page
    assert '<link rel="canonical" href="https://somebody.github.io/a-course/notebooks/' in page
    # what the page offers to download is the notebook, with its first cell that no page shows
    assert (html / "_sources" / chapter).read_bytes() == NOTEBOOKS[0].read_bytes()
    assert "pip install" not in page


@pytest.mark.skipif(find_spec("sphinx") is None, reason="sphinx is not installed here")
@pytest.mark.parametrize(
    ("remote", "repository", "pages"),
    [
        ("https://github.com/example/ppdm", "example/ppdm", "https://example.github.io/ppdm/"),
        ("https://github.com/Example/ppdm.git", "Example/ppdm", "https://example.github.io/ppdm/"),
        ("https://token@github.com/a/b", "a/b", "https://a.github.io/b/"),
        ("git@github.com:a/b.git", "a/b", "https://a.github.io/b/"),
        ("ssh://git@github.com/a/b", "a/b", "https://a.github.io/b/"),
        ("https://github.com/a/a.github.io", "a/a.github.io", "https://a.github.io/"),
        ("/srv/ppdm", None, None),
        ("file:///srv/ppdm", None, None),
        ("../ppdm", None, None),
        ("https://example.org/a/b", None, None),
    ],
)
def test_an_address_is_that_of_a_known_remote(monkeypatch, tmp_path, remote, repository, pages):
    monkeypatch.delenv("PPDM_REPOSITORY", raising=False)
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "remote", "add", "origin", remote], check=True)
    address = load("book/_ext/address.py").address
    found = address(tmp_path)
    assert (found and found[::2]) == (repository and (f"https://github.com/{repository}", pages))
    # CI's own variables come first
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://github.com")
    monkeypatch.setenv("GITHUB_REPOSITORY", "the/fork")
    assert address(tmp_path).repository == "https://github.com/the/fork"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Run what make lab runs; give the address of a path there, and the file of what it printed."""
    if not jupyter.exists():
        pytest.skip("JupyterLab is not installed here")
    folder = tmp_path_factory.mktemp("home")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = f"--no-browser --port={port} --IdentityProvider.token=open"
    # make test is a make, too, and would tell this one to name its folder
    alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    *_, command = subprocess.run(
        ["make", "-n", "lab", f"VENV={sys.prefix}", f"ARGS={arguments}"],
        cwd=ROOT, capture_output=True, text=True, check=True, env=alone,
    ).stdout.splitlines()  # fmt: skip
    home = {**os.environ, "HOME": str(folder)}  # nobody's own settings
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(["sh", "-c", f"exec env {command}"], cwd=ROOT, env=home,
                                  stdout=log, stderr=log)  # fmt: skip

    def at(path):
        return f"http://127.0.0.1:{port}/{path}token=open"

    try:
        for _ in range(120):
            assert server.poll() is None, "the server stopped"
            try:
                urllib.request.urlopen(at("api/status?"), timeout=60).close()
                break
            except OSError:
                time.sleep(0.5)
        yield at, folder / "log"
    finally:
        server.terminate()  # ends its kernels, too, which takes a while on a busy machine
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()


@ELSEWHERE
def test_make_lab_opens_a_text_as_a_notebook_also_as_root(lab):
    at, log = lab

    def get(path):
        with urllib.request.urlopen(at(path), timeout=60) as answer:
            return json.load(answer)

    settings = get("lab/api/settings/@jupyterlab/docmanager-extension:plugin?")
    default = settings["schema"]["properties"]["defaultViewers"]["default"]
    assert default["markdown"] == "Jupytext Notebook"
    assert get("api/contents/00_tour.md?content=0&")["type"] == "notebook"
    assert get("api/contents/00_tour.ipynb?content=0&")["type"] == "notebook"
    assert "nbgrader" not in log.read_text(encoding="utf-8").lower()


@ELSEWHERE
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH")
def test_jupyterlab_shows_exercises_as_the_book_does_with_folded_solutions(lab, chromium):
    context = chromium.new_context(viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(lab[0]("lab/tree/00_tour.ipynb?reset&"))
    try:
        page.wait_for_selector(".jp-Notebook .myst", timeout=60_000)
        assert page.get_by_role("menuitem", name="File").count() == 1
        assert page.get_by_role("menuitem", name="Nbgrader").count() == 0
        solution = page.locator("details", has_text="unrelated-question model")
        outer = page.locator(".jp-WindowedPanel-outer")
        for _ in range(60):  # what is far from the window is not there yet
            if solution.count():
                break
            outer.evaluate("it => it.scrollBy(0, 400)")
            page.wait_for_timeout(250)
        assert page.get_by_text("(A question about nothing)").is_visible()
        answer = solution.get_by_text("unrelated-question model")
        assert not answer.is_visible()
        solution.locator("summary").click()
        assert answer.is_visible()
    finally:
        context.close()


#: How a tree comes, as Git's own words behind ``git``; all in a folder with blanks.
TREES = {
    "with the line ends of Windows": ["clone", "-q", "-c", "core.autocrlf=true"],
    "with those of Linux": ["clone", "-q", "-c", "core.autocrlf=input"],
    "at a commit": ["clone", "-q", "--depth=1", "--no-local"],
    "without Git": None,
}


@ELSEWHERE
@pytest.mark.parametrize("how", TREES)
def test_a_tree_works_as_it_comes(tmp_path, how):
    folder = tmp_path / "my work" / "ppdm"
    folder.mkdir(parents=True)
    if TREES[how]:
        subprocess.run(["git", *TREES[how], ROOT.as_uri(), folder], check=True)
        head = ["git", "-C", folder, "-c", "advice.detachedHead=false", "checkout", "-q", "HEAD^0"]
        subprocess.run(head, check=True)
        assert subprocess.run(["git", "-C", folder, "diff", "--quiet"], check=False).returncode == 0
    else:
        packed = subprocess.run(
            ["git", "-C", ROOT, "archive", "HEAD"], capture_output=True, check=True
        )
        subprocess.run(["tar", "-x", "-C", folder], input=packed.stdout, check=True)
    for path in (folder / "Makefile", *(folder / ".ci").iterdir(), *folder.glob("tests/*.sh")):
        assert b"\r" not in path.read_bytes(), path.name

    plain = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "LC_"))}
    plain |= {"LANG": "C", "LC_ALL": "C", "PYTHONPATH": str(ROOT)}

    def run(*command, **more):
        return subprocess.run(command, cwd=folder, env=plain | more, capture_output=True, text=True,
                              check=False)  # fmt: skip

    assert "make book" in run("make").stdout
    make = "import release as r; r.make('1_roles', 7, r.COURSES / '7', with_key=False)"
    at = os.pathsep.join([str(ROOT), str(folder / "notebooks" / "assignments")])
    assert run(sys.executable, "-c", make, PYTHONPATH=at).returncode == 0
    (folder / "hand ins" / "J\u00f6rg").mkdir(parents=True)
    (folder / "hand ins" / "J\u00f6rg" / "essay.txt").write_text("Dear council")
    # as it is: nothing is installed anew
    graded = run("make", "-o", f"{sys.prefix}/.installed", f"VENV={sys.prefix}", "grade", "SEED=7",
                 "SUBMISSIONS=hand ins", "SANDBOX=none")  # fmt: skip
    assert graded.returncode == 0, graded.stderr
    table = (folder / "courses" / "7" / "grades.csv").read_text(encoding="utf-8-sig")
    assert '"J\u00f6rg","",0' in table


@ELSEWHERE
def test_what_could_not_be_installed_says_why(tmp_path):
    # an index that is not there; the last line is true of this and of nothing else
    nowhere = "http://127.0.0.1:9/"
    offline = os.environ | {"UV_INDEX_URL": nowhere, "UV_HTTP_RETRIES": "0", "UV_NO_CACHE": "1",
                            "PIP_INDEX_URL": nowhere, "PIP_RETRIES": "0"}  # fmt: skip
    for arguments, says in (([tmp_path / "a", "no-such-package-here"], "package index reachable"),
                            ([tmp_path / "b", "-r", "nowhere.txt"], "nowhere.txt")):  # fmt: skip
        run = subprocess.run([ROOT / ".ci" / "environment", *arguments], env=offline,
                             capture_output=True, text=True, check=False)  # fmt: skip
        assert run.returncode != 0
        assert says in run.stderr
