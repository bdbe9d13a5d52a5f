"""Claims tables: what they refuse and how they read."""

import json
import sys
from types import SimpleNamespace

import pytest
from by_path import NOTEBOOKS, load

from ppdm_book.claims import VERDICTS, Claim, ClaimsTable

GAPS = ClaimsTable([
    Claim("AS00 5.2", "within 5%", "6.2", "not", "b", gap="+1.2 points"),
    Claim("AS00 3", "it is so", "it is", "reproduced", gap=" "),
])  # fmt: skip


def test_table_reads_as_aligned_text_with_the_gap_beside_our_number():
    rows = [[cell.strip() for cell in line.split("|")] for line in repr(GAPS).splitlines()]
    assert [row[2:4] for row in rows] == [["ours", "gap"], ["6.2", "+1.2 points"], ["it is", "–"]]
    assert [row[0] for row in rows] == ["source", "AS00 5.2", "AS00 3"]
    _, first, second = repr(GAPS).splitlines()
    assert first.index("| within") == second.index("| it is so")
    assert first.endswith("b")
    page = GAPS._repr_html_()
    assert "<td class='ours not'>6.2</td><td class='gap not'>+1.2 points</td>" in page
    assert "<td class='gap reproduced'>–</td>" in page


def test_html_escapes_and_marks_the_verdict():
    claim = Claim("DZ03 3", "a < b & c", "1", "misses by little", "x > y", "privacy")
    page = ClaimsTable([claim])._repr_html_()
    assert "a &lt; b &amp; c" in page
    assert "x &gt; y" in page
    assert "class='verdict little'" in page
    assert "<tr class='privacy' data-key='a &lt; b &amp; c'>" in page
    assert "[privacy] a &lt; b" in page
    assert page.count("<th ") == 6


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_but_reproduced_needs_a_cause(verdict):
    if verdict == "reproduced":
        assert Claim("s", "c", "o", verdict).cause == ""
    else:
        with pytest.raises(ValueError, match=f"cause must say why the verdict is '{verdict}'"):
            Claim("s", "c", "o", verdict)


@pytest.fixture(scope="module")
def extension():
    pytest.importorskip("sphinx")
    return load("book/_ext/claims_summary.py")


def chapter(path, table, *others):
    """Write a notebook that shows this table and glues it."""
    glued = {
        "metadata": {"scrapbook": {"name": "claims-x"}},
        "data": {"application/papermill.record/text/html": table._repr_html_()},
    }
    cells = {"cells": [{"outputs": [glued, *others]}, {}]}
    path.write_text(json.dumps(cells), encoding="utf-8")
    return path


def test_the_summary_counts_what_is_glued(tmp_path, extension):
    table = ClaimsTable(
        [
            Claim("AS00 3", "a", "1", "reproduced", mark="privacy", key="one"),
            Claim("AS00 5.2", "b < c", "1", "holds under a condition", "where d > e"),
            Claim("ZWZ05 7", "verdict", "1", "not", "f", mark="ours"),
            Claim("AS00 4", "a again", "2", "reproduced", mark="privacy", key="one"),
            Claim("Li20", "a", "2", "reproduced", mark="privacy"),
        ]
    )
    shown = {"metadata": {}, "data": {"text/html": table._repr_html_()}}
    path = chapter(tmp_path / "10_x.ipynb", table, shown)
    assert extension.VERDICTS == VERDICTS
    assert extension.summary([path]) == [
        ("AS00", "2", "1", "0", "1", "0"),
        ("DZ03", "0", "0", "0", "0", "0"),
        ("ZCM04", "0", "0", "0", "0", "0"),
        ("ZWZ05", "1", "0", "0", "0", "1"),
        ("LX14", "0", "0", "0", "0", "0"),
        ("the five papers", "3", "1", "0", "1", "1"),
        ("of these, about privacy", "1", "1", "0", "0", "0"),
        ("of these, on this book's own system", "1", "0", "0", "0", "1"),
        ("their successors", "1", "1", "0", "0", "0"),
    ]


def test_a_claim_has_one_verdict_wherever_it_stands(tmp_path, extension):
    paths = [
        chapter(tmp_path / f"{name}.ipynb",
                ClaimsTable([Claim("AS00 3", name, "1", verdict, "a cause", key="one")]))
        for name, verdict in (("10_x", "not"), ("20_y", "misses by little"))
    ]  # fmt: skip
    with pytest.raises(ValueError, match="'one' must have one verdict, got 'not' and, in 20_y"):
        extension.summary(paths)


def test_glue_writes_what_the_scorecard_reads(monkeypatch, extension):
    written = []
    shown = SimpleNamespace(display=lambda *args, **options: written.append((args, options)))
    notebook = SimpleNamespace(get_ipython=lambda: object(), display=shown)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    table = ClaimsTable([Claim("DZ03 3", "a", "b", "reproduced")])
    table.glue("claims-x")
    [((data,), options)] = written
    assert options["raw"]
    output = {"data": data, "metadata": options["metadata"]}
    found = list(extension.claims_of({"cells": [{"outputs": [output]}]}))
    assert found == [("a", "DZ03", "reproduced", "")]
    assert data["application/papermill.record/text/plain"] == repr(table)


def test_glue_does_nothing_without_a_notebook(monkeypatch):
    table = ClaimsTable([Claim("DZ03 3", "a", "b", "reproduced")])
    shown = []
    display = SimpleNamespace(display=lambda *args, **options: shown.append(args))
    outside = SimpleNamespace(display=display)
    monkeypatch.setitem(sys.modules, "IPython", outside)
    # the display is there and is asked nothing: with a shell it would be
    for shell, n_shown in ((None, 0), ("a shell", 1)):
        outside.get_ipython = lambda shell=shell: shell
        table.glue("claims-x")
        assert len(shown) == n_shown
    monkeypatch.delitem(sys.modules, "IPython")
    table.glue("claims-x")
    assert len(shown) == 1


def test_a_verdict_is_changed_on_purpose(extension):
    # a paper's claims, then as many of each verdict
    assert [" ".join(row) for row in extension.summary(NOTEBOOKS)[:5]] == [
        "AS00 24 8 2 11 3", "DZ03 11 7 0 2 2", "ZCM04 11 4 0 3 4", "ZWZ05 38 6 1 17 14",
        "LX14 18 5 2 8 3",
    ]  # fmt: skip
