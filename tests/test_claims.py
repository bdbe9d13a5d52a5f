"""Claims tables: what they refuse and how they read."""

import pytest

from ppdm.claims import VERDICTS, Claim, ClaimsTable


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
    page = ClaimsTable([Claim("DZ03 3", "a < b & c", "1", "partly", "x > y")])._repr_html_()
    assert "a &lt; b &amp; c" in page
    assert "x &gt; y" in page
    assert "class='verdict partly'" in page
    assert page.count("<th ") == 5


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_but_reproduced_needs_a_cause(verdict):
    if verdict == "reproduced":
        assert Claim("s", "c", "o", verdict).cause == ""
    else:
        with pytest.raises(ValueError, match=f"cause must say why the verdict is '{verdict}'"):
            Claim("s", "c", "o", verdict)


def test_unknown_verdict_and_empty_texts_are_named():
    with pytest.raises(ValueError, match="verdict must be one of 'reproduced', 'partly', 'not'"):
        Claim("s", "c", "o", "yes")
    with pytest.raises(ValueError, match="ours must not be empty"):
        Claim("s", "c", " ", "reproduced")
    with pytest.raises(ValueError, match="at least one Claim"):
        ClaimsTable([])
