"""Names stand at the ends of their lines."""

import matplotlib.pyplot as plt
import pytest

from ppdm_book import figures


def test_label_ends_names_each_line_in_its_colour():
    fig, ax = plt.subplots()
    figures.label_ends(ax, 2.0, [0.1, 0.9], ["low", "high"], ["estimate", "adversary"])
    assert [text.get_text() for text in ax.texts] == ["low", "high"]
    assert [text.xy for text in ax.texts] == [(2.0, 0.1), (2.0, 0.9)]
    assert ax.texts[1].get_color() == figures.PALETTE["adversary"]
    plt.close(fig)
    with pytest.raises(ValueError, match="zip"):
        figures.label_ends(ax, 2.0, [0.1], ["low", "high"], ["estimate", "adversary"])
