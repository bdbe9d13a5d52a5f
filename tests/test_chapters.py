"""What makes a chapter one sitting: objectives exercised, predictions, few words, few numbers."""

import re

from by_path import cells, each_notebook

FOLDED = {"hide-output", "hide-cell", "remove-output", "remove-cell"}


def prose(path):
    """Return what a reader sees of the text: the comments that tie its numbers are not shown."""
    text = "\n\n".join(cell.source for cell in cells(path, "markdown"))
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


def section(text, title):
    """Return the text under a heading of the second level."""
    found = re.search(rf"^## {title}.*?$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"no section {title!r}"
    return found.group(1)


def objectives(text):
    return [int(n) for n in re.findall(r"^(\d)\. ", section(text, "Objectives"), re.MULTILINE)]


def exercises(text):
    """Return the objectives that each exercise names, by its label."""
    found = re.findall(
        r"^(`{3,})\{exercise\}.*?\n:label: (\S+)\n(.*?)^\1", text, re.MULTILINE | re.DOTALL
    )
    tags = {}
    for _, label, body in found:
        tag = re.search(r"^\*Objectives? ([\d, ]+)\.\*$", body, re.MULTILINE)
        assert tag, f"{label} names no objective"
        tags[label] = {int(n) for n in tag.group(1).split(",")}
    return tags


def read_words(text):
    """Count the words outside optional sections and exercises."""
    count, skipped_level = 0, 0
    for line in text.splitlines():
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            level = len(heading.group(1))
            if not skipped_level or level <= skipped_level:
                title = heading.group(2).lower()
                skip = title.endswith("(optional)") or title.startswith("exercises")
                skipped_level = level if skip else 0
        if not skipped_level:
            count += len(re.findall(r"[A-Za-z]{2,}", line))
    return count


@each_notebook
def test_objectives_are_exercised_and_exercises_have_an_objective(path):
    text = prose(path)
    wanted, tags = set(objectives(text)), exercises(text)
    assert 3 <= len(wanted) <= 5
    named = set().union(*tags.values())
    assert named == wanted, f"without an exercise: {wanted - named}; unknown: {named - wanted}"


@each_notebook
def test_a_chapter_says_how_long_it_takes(path):
    text = section(prose(path), "Objectives")
    found = re.search(r"^\*\*Time\.\*\* (\d+) minutes", text, re.MULTILINE)
    assert found, "no line '**Time.** N minutes; the core path (...) takes M.'"
    assert int(found.group(1)) <= 90


@each_notebook
def test_two_predictions_are_asked_for_and_answered(path):
    text = prose(path)
    asked = len(re.findall(r"\{admonition\} Predict before you run\n:class: tip", text))
    answered = len(re.findall(r"\{admonition\} Answer\n:class: dropdown", text))
    assert asked >= 2
    assert asked == answered


@each_notebook
def test_a_chapter_is_one_sitting(path):
    assert read_words(prose(path)) <= 2500


@each_notebook
def test_few_numbers_are_printed(path):
    words = len(re.findall(r"[A-Za-z]{2,}", prose(path)))
    printed = 0
    for cell in cells(path, "code"):
        if FOLDED & set(cell.metadata.get("tags", [])):
            continue
        for output in cell.outputs:
            data = output.get("data", {})
            if "image/png" not in data:
                shown = output.get("text") or data.get("text/plain", "")
                printed += len(re.findall(r"\d+(?:[.,]\d+)*", shown))
    assert printed <= 0.15 * words, f"{printed} numbers for {words} words"


@each_notebook
def test_what_a_reader_need_not_see_is_folded(path):
    # the cells that build claims tables, and plotting code of more than fifteen lines
    for cell in cells(path, "code"):
        long_plot = "plt.show()" in cell.source and cell.source.count("\n") >= 15
        if "ClaimsTable(" in cell.source or long_plot:
            folded = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
            assert folded & set(cell.metadata.get("tags", [])), cell.source
