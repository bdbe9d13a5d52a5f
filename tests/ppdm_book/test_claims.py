"""Claims tables: what they refuse and how they read."""

import json
import sys
from types import SimpleNamespace

import pytest
from by_path import NOTEBOOKS, load

from ppdm_book.claims import VERDICTS, Claim, ClaimsTable


def test_table_reads_as_aligned_text():
    table = ClaimsTable(
        [
            Claim("AS00 3", "a", "1.0 +- 0.1", "reproduced"),
            Claim("ZWZ05 5", "longer", "2", "not", "a sign"),
        ]
    )
    header, first, second = repr(table).splitlines()
    assert header.split(" | ")[0].strip() == "source"
    assert first.index("| a") == second.index("| longer")
    assert second.endswith("a sign")


def test_html_escapes_and_marks_the_verdict():
    claim = Claim("DZ03 3", "a < b & c", "1", "misses by little", "x > y", "privacy")
    page = ClaimsTable([claim])._repr_html_()
    assert "a &lt; b &amp; c" in page
    assert "x &gt; y" in page
    assert "class='verdict little'" in page
    assert "<tr class='privacy' data-key='a &lt; b &amp; c'>" in page
    assert "[privacy] a &lt; b" in page
    assert page.count("<th ") == 6


def test_the_gap_stands_beside_our_number_and_is_a_dash_where_there_is_none():
    table = ClaimsTable(
        [
            Claim("AS00 5.2", "within 5%", "6.2", "not", "b", gap="+1.2 points"),
            Claim("AS00 3", "it is so", "it is", "reproduced", gap=" "),
        ]
    )
    rows = [[cell.strip() for cell in line.split("|")] for line in repr(table).splitlines()]
    assert [row[2:4] for row in rows] == [["ours", "gap"], ["6.2", "+1.2 points"], ["it is", "–"]]
    page = table._repr_html_()
    assert "<td class='ours not'>6.2</td><td class='gap not'>+1.2 points</td>" in page
    assert "<td class='gap reproduced'>–</td>" in page


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_but_reproduced_needs_a_cause(verdict):
    if verdict == "reproduced":
        assert Claim("s", "c", "o", verdict).cause == ""
    else:
        with pytest.raises(ValueError, match=f"cause must say why the verdict is '{verdict}'"):
            Claim("s", "c", "o", verdict)


def test_unknown_verdict_and_empty_texts_are_named():
    with pytest.raises(ValueError, match="verdict must be one of 'reproduced', 'misses by little'"):
        Claim("s", "c", "o", "yes")
    with pytest.raises(ValueError, match="mark must be one of '', 'privacy', 'ours', got 'secret'"):
        Claim("s", "c", "o", "reproduced", mark="secret")
    with pytest.raises(ValueError, match="ours must not be empty"):
        Claim("s", "c", " ", "reproduced")
    with pytest.raises(ValueError, match="at least one Claim"):
        ClaimsTable([])


def load_extension():
    return load("book/_ext/claims_summary.py")


def test_the_summary_counts_what_is_glued(tmp_path):
    pytest.importorskip("sphinx")
    table = ClaimsTable(
        [
            Claim("AS00 3", "a", "1", "reproduced", mark="privacy", key="one"),
            Claim("AS00 5.2", "b < c", "1", "holds under a condition", "where d > e"),
            Claim("ZWZ05 7", "verdict", "1", "not", "f", mark="ours"),
            Claim("AS00 4", "a again", "2", "reproduced", mark="privacy", key="one"),
            Claim("Li20", "a", "2", "reproduced", mark="privacy"),
        ]
    )
    glued = {
        "metadata": {"scrapbook": {"name": "claims-x"}},
        "data": {"application/papermill.record/text/html": table._repr_html_()},
    }
    shown = {"metadata": {}, "data": {"text/html": table._repr_html_()}}
    path = tmp_path / "10_x.ipynb"
    path.write_text(json.dumps({"cells": [{"outputs": [glued, shown]}, {}]}), encoding="utf-8")
    assert load_extension().VERDICTS == VERDICTS
    assert load_extension().summary([path]) == [
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


def test_a_claim_has_one_verdict_wherever_it_stands(tmp_path):
    pytest.importorskip("sphinx")
    paths = []
    for name, verdict in (("10_x", "not"), ("20_y", "misses by little")):
        table = ClaimsTable([Claim("AS00 3", name, "1", verdict, "a cause", key="one")])
        glued = {
            "metadata": {"scrapbook": {"name": "claims-x"}},
            "data": {"application/papermill.record/text/html": table._repr_html_()},
        }
        paths.append(tmp_path / f"{name}.ipynb")
        paths[-1].write_text(json.dumps({"cells": [{"outputs": [glued]}]}), encoding="utf-8")
    with pytest.raises(ValueError, match="'one' must have one verdict, got 'not' and, in 20_y"):
        load_extension().summary(paths)
    load_extension().summary(NOTEBOOKS)  # the book's own


def test_glue_writes_what_the_scorecard_reads(monkeypatch):
    pytest.importorskip("sphinx")
    written = []
    shown = SimpleNamespace(display=lambda *args, **options: written.append((args, options)))
    notebook = SimpleNamespace(get_ipython=lambda: object(), display=shown)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    table = ClaimsTable([Claim("DZ03 3", "a", "b", "reproduced")])
    table.glue("claims-x")
    [((data,), options)] = written
    assert options["raw"]
    output = {"data": data, "metadata": options["metadata"]}
    found = list(load("book/_ext/claims_summary.py").claims_of({"cells": [{"outputs": [output]}]}))
    assert found == [("a", "DZ03", "reproduced", "")]
    assert data["application/papermill.record/text/plain"] == repr(table)


def test_glue_does_nothing_without_a_notebook(monkeypatch):
    table = ClaimsTable([Claim("DZ03 3", "a", "b", "reproduced")])
    shown = []
    display = SimpleNamespace(display=lambda *args, **options: shown.append(args))
    outside = SimpleNamespace(get_ipython=lambda: None, display=display)
    monkeypatch.setitem(sys.modules, "IPython", outside)
    table.glue("claims-x")
    assert shown == []
    # the display is there and is asked nothing: with a shell it would be
    outside.get_ipython = lambda: "a shell"
    table.glue("claims-x")
    assert len(shown) == 1
    monkeypatch.delitem(sys.modules, "IPython")
    table.glue("claims-x")
    assert len(shown) == 1


@pytest.mark.parametrize(("name", "error"), [("", ValueError), (" ", ValueError), (3, TypeError)])
def test_glue_refuses_no_name(name, error):
    with pytest.raises(error, match="name must"):
        ClaimsTable([Claim("DZ03 3", "a", "b", "reproduced")]).glue(name)


def test_a_verdict_is_changed_on_purpose():
    pytest.importorskip("sphinx")
    # a paper's claims, then as many of each verdict
    assert [" ".join(row) for row in load_extension().summary(NOTEBOOKS)[:5]] == [
        "AS00 24 8 2 11 3", "DZ03 11 7 0 2 2", "ZCM04 11 4 0 3 4", "ZWZ05 38 6 1 17 14",
        "LX14 18 5 2 8 3",
    ]  # fmt: skip
