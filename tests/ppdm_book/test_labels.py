"""Names stand at the ends of their lines."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

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


def test_no_grid_line_strikes_a_name_through():
    fig, ax = plt.subplots(facecolor="white")
    ax.set(xlim=(0, 2), ylim=(0, 1), yticks=[0.5])
    ax.grid(visible=True, axis="y", color="#00ff00", lw=1)
    figures.label_ends(ax, 0.5, [0.5], ["mmmm"], ["adversary"])
    canvas = FigureCanvasAgg(fig)  # whatever draws elsewhere in the same process
    canvas.draw()
    (left, low), (right, top) = ax.texts[0].get_window_extent().get_points().round().astype(int)
    shown = np.asarray(canvas.buffer_rgba())[::-1]
    green = (shown[..., 1] > 200) & (shown[..., 0] < 100)
    assert not green[low:top, left + 2:right - 2].any()  # letters do not fill their box
    assert green[low:top].any()  # the line is there, beside the name
    plt.close(fig)
