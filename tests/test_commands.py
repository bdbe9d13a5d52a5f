"""A dozen commands; each that a text names is there; no long test is in a part that never runs."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from ppdm_survey.__main__ import _channel, _parser
from ppdm_survey._operate import COMMANDS
from ppdm_survey._schema import voting_survey

ROOT = Path(__file__).parent.parent
RUN = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
PARTS = re.search(r'^parts="(.*)"$', RUN, re.MULTILINE)[1].split()
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("book/*.md"), *ROOT.glob("notebooks/*.md")]
#: Within backquotes, behind a prompt, or alone on a line of a block.
COMMAND = r"(?:`|^\$ |^(?=make [a-z]+(?:$| +#| [A-Z]+=)))make (?:-C (\w+) )?([a-z][a-z -]*)"


def targets(folder):
    makefile = (ROOT / folder / "Makefile").read_text(encoding="utf-8")
    return set(" ".join(re.findall(r"^([a-z][\w -]*):(?!=)", makefile, re.MULTILINE)).split())


def test_a_dozen_commands_and_each_is_there():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r'^\t@echo "make ([\w-]+) ', makefile, re.MULTILINE)
    assert len(named) == len(set(named)) == 12
    assert set(named) <= targets(".")


def test_marks_of_an_older_version_are_moved_before_anything_else(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    old, new = tmp_path / "_build/assignments/2027", tmp_path / "courses/2027"
    for again in (False, True):
        old.mkdir(parents=True)
        (old / "gradebook.db").write_text("again" if again else "marks")
        done = subprocess.run(
            ["make", "help"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (new / "gradebook.db").read_text() == "marks"
        # a second one is not thrown over the first, nor left where a build would remove it
        assert (done.returncode != 0) == again
        assert old.exists() == again
    assert "courses/" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert not re.search(r"rm -rf .*courses", (ROOT / "Makefile").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_a_command_that_a_text_names_is_there(path):
    text = path.read_text(encoding="utf-8")
    for folder, words in re.findall(COMMAND, text, re.MULTILINE):
        # below -C several may be named; of a line in a block, the first word is the command
        wanted = words.split() if folder else words.split()[:1]
        assert set(wanted) <= targets(folder or "."), words
    for words in re.findall(r"`\.ci/run ([a-z ]+)`", text):
        assert set(words.split()) <= set(PARTS), words


#: What a page tells to type, and what somebody would try after it.
SURVEYS = {
    "", "--people 50", "--odds 3", "--epsilon=1", "--port 8010 --simulate", "--scheme guided",
    *(one or two for path in [ROOT / "Makefile", *TEXTS] for one, two in re.findall(
        r'make survey(?: ARGS="([^"]+)"|.*ARGS=([-=\w]+))', path.read_text(encoding="utf-8"))),
}  # fmt: skip
assert {"--simulate", "--help"} <= {*SURVEYS}  # the page's own


def survey_command(arguments):
    """Return what ``make survey`` would run, behind the module's name."""
    done = subprocess.run(
        ["make", "-n", "survey", f"ARGS={arguments}"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return shlex.split(done.stdout.splitlines()[-1].partition("ppdm_survey")[2])


@pytest.mark.parametrize("arguments", sorted(SURVEYS))
def test_make_survey_starts_with_what_it_is_told(arguments):
    """With ``ARGS="--simulate"``, as the page has it, it ended in "say --epsilon or --odds"."""
    run = survey_command(arguments)
    if "--help" in run:
        assert run[-1] == "--help"
        return
    options = _parser().parse_args(run)
    _channel(options, voting_survey("coin"))  # it says how much a report may tell, once
    told = arguments.replace("=", " ").split()
    assert str(options.people) == (told[1] if told[:1] == ["--people"] else "400")
    assert (options.simulate is None) == ("--simulate" not in told)


@pytest.mark.parametrize("command", ["check", *COMMANDS])
def test_make_survey_adds_nothing_to_a_command(command):
    assert survey_command(f"{command} one") == [command, "one"]


def test_each_part_of_the_long_tests_is_one_that_ci_runs():
    marked = {
        part
        for path in ROOT.glob("tests/**/*.py")
        for part in re.findall(r'long\(part="(\w+)"\)', path.read_text(encoding="utf-8"))
    }
    assert marked == set(re.findall(r"[ )]long ([a-z]+)(?: -.*| ;;)?$", RUN, re.MULTILINE))
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    assert set(re.findall(r"part: (\w+)", workflow)) == set(PARTS)
