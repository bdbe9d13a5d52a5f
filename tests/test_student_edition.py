"""The student edition: what is taken out of the sources, and whether a leak would be seen.

``make book EDITION=student`` itself searches what it has built; here is whether it would find it.
"""

import base64
import json
import re

import pytest
from by_path import NOTEBOOKS, ROOT, each_chapter, load

# the tests of other versions have no book
pytest.importorskip("bs4")
pytest.importorskip("sphinx_external_toc")

pytestmark = pytest.mark.long(part="course")
student_edition = load("book/_course/student_edition.py")
SOLVED = """\
````{exercise} One
:label: ex-one
Count.
````
````{solution} ex-one
:class: dropdown

```python
3
```
````
After it.
"""
STARTED = "Before.\n\n````{solution-start} ex-two\n:class: dropdown\n````\n\nThe first half.\n"
ENDED = "The second half.\n\n````{solution-end}\n````\n\n````{exercise} Three\n````\n"


def markdown(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source, png=None):
    shown = [{"data": {"image/png": base64.b64encode(png).decode()}}] if png else []
    return {"cell_type": "code", "metadata": {}, "source": [source], "outputs": shown}


def part_notebook(name):
    path = ROOT / "notebooks" / f"{name}.ipynb"
    return student_edition.part_notebook(json.loads(path.read_text(encoding="utf-8")))


def test_a_solution_in_one_piece_goes():
    stays, goes, inside = student_edition.parted(SOLVED)
    assert stays == SOLVED[: SOLVED.index("````{solution}")] + "After it.\n"
    assert "```python\n3\n```" in goes
    assert not inside


def test_a_solution_of_several_cells_goes_with_its_code():
    cells = [code("a = 1"), markdown(STARTED), code("b = 2"), markdown(ENDED), code("c = 3")]
    kept, goes = student_edition.part_notebook({"cells": cells, "nbformat": 4})
    assert ["".join(cell["source"]) for cell in kept["cells"]] == [
        "a = 1", "Before.\n\n", "\n````{exercise} Three\n````\n", "c = 3",
    ]  # fmt: skip
    assert [cell["source"] for cell in goes][1] == ["b = 2"]
    assert "first half" in goes[0]["source"]
    assert "second half" in goes[2]["source"]
    with pytest.raises(ValueError, match="no solution-end"):
        student_edition.part_notebook({"cells": cells[:3]})


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("student")
    student_edition.write_sources(folder)
    return folder


@each_chapter
def test_a_chapter_keeps_all_but_its_solutions(sources, path):
    whole, kept = (
        json.loads((folder / "notebooks" / path.name).read_text(encoding="utf-8"))
        for folder in (ROOT, sources)
    )
    texts = ["\n".join("".join(cell["source"]) for cell in book["cells"]) for book in (whole, kept)]
    exercises, kept_exercises = (text.count("{exercise}") for text in texts)
    assert exercises == kept_exercises >= 3
    assert ["{solution" in text for text in texts] == [True, False]
    parts = "Objectives", "Summary", "What an adversary still learns", "Exercises"
    for part in [f"## {name}" for name in parts]:
        assert f"\n{part}" in texts[1]


def test_each_chapters_solutions_have_something_to_look_for_and_no_source_has_it(sources):
    phrases, _ = student_edition.probes()
    pages = sorted(student_edition.INSTRUCTORS)
    assert sorted(phrases) == sorted([*pages, *(path.stem for path in NOTEBOOKS)])
    told = {name: its for name, its in phrases.items() if "_fine_print_" not in name}
    assert min(map(len, told.values())) >= 30
    assert not student_edition.leaks(sources)


def test_instructors_pages_go_with_all_that_leads_to_them(sources):
    paths = [path for path in sources.rglob("*") if path.suffix in (".md", ".ipynb", ".yml")]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    for name in student_edition.INSTRUCTORS:
        assert (ROOT / f"{name}.md").exists()
        assert not (sources / f"{name}.md").exists()
        assert not any(name in text for text in texts)
    linked = "{doc}`Teach </book/teach>`"
    table = f"Before.\n\n| a | b |\n|---|---|\n{'{}'}| 2 | y |\n\nAfter."
    card = f"Before.\n\n```{'{card}'} Instructor\n{linked}.\n```\n\nAfter."
    row = f"| 1 | {linked} |\n"
    assert student_edition.without_instructors(table.format(row)) == table.format("")
    assert student_edition.without_instructors(card) == "Before.\n\nAfter."


def test_the_table_of_contents_keeps_all_other_pages(sources):
    whole, kept = (
        re.findall(r"file: (\S+)", (folder / "_toc.yml").read_text(encoding="utf-8"))
        for folder in (ROOT, sources)
    )
    assert kept == [name for name in whole if name not in student_edition.INSTRUCTORS]
    assert "Teaching" not in (sources / "_toc.yml").read_text(encoding="utf-8")


def test_each_exercise_is_looked_for():
    """A solution of formulas alone would have no phrase: then the search could not see it."""
    phrases, _ = student_edition.probes()
    for path in NOTEBOOKS:
        for cell in part_notebook(path.stem)[1]:
            if cell["cell_type"] == "markdown" and len(cell["source"].split()) > 40:
                assert set(student_edition._phrases(cell)) & phrases[path.stem], cell["source"]


def part_of(name):
    """Return a text and code of a chapter's solutions that the search would know."""
    _, goes = part_notebook(name)
    known = student_edition.probes()[0][name]
    hidden = {cell["cell_type"]: "".join(cell["source"]) for cell in reversed(goes)
              if set(student_edition._phrases(cell)) & known}  # fmt: skip
    return hidden["markdown"], hidden["code"]


def test_a_leak_is_found_wherever_it_stands(tmp_path, monkeypatch):
    picture = b"\x89PNG\r\n\x1a\n\0\0"
    phrases, _ = student_edition.probes()
    planted = {"a.png": picture, **{f"{name}.html": "" for name in student_edition.INSTRUCTORS}}
    said = [part for name in ("12_trees", "22_ask_some", "50_attacks") for part in part_of(name)]
    said += [(ROOT / f"{name}.md").read_text(encoding="utf-8")
             for name in student_edition.INSTRUCTORS]  # fmt: skip
    for n, text in enumerate(said):
        words = text.replace("<", "&lt;").replace(" ", "</span> <span>")
        planted |= {
            f"{n}.html": f"<p>{words}</p>",
            f"{n}.ipynb": json.dumps({"cells": [{"source": text.splitlines(keepends=True)}]}),
            f"{n}.js": f"Search.setIndex({json.dumps(text)})",
        }
    innocent = {"b.png": picture + b"other", "c.html": "<p>Some other words of ours.</p>"}
    (tmp_path / "book").mkdir()
    for name, content in (planted | innocent).items():
        (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    pictures = {student_edition._hash(one) for one in student_edition._images(code("", picture))}
    monkeypatch.setattr(student_edition, "probes", lambda: (phrases, pictures))
    found = {line.partition(": ")[0] for line in student_edition.leaks(tmp_path)}
    assert found == {str(tmp_path / name) for name in planted}
