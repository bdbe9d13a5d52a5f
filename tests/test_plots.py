"""The figure style reads on light and on dark pages."""

import itertools

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

from ppdm import plots
from ppdm.tree import CountTreeClassifier

LIGHT, DARK = np.ones(3), np.array([0x14, 0x18, 0x1E]) / 255  # the theme's two grounds

# CSS: invert(1), then hue-rotate(180deg): the matrix of the Filter Effects specification
HUE_180 = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])


def rgb(colour):
    return np.array(mpl.colors.to_rgb(colour))


def on_dark(colour):
    return np.clip(HUE_180 @ (1 - rgb(colour)), 0, 1)


def luminance(colour):
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def contrast(a, b):
    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", plots.PALETTE)
def test_colours_stand_out_on_light_and_on_dark(role):
    # WCAG 2.1, 1.4.11 asks 3:1 of graphics; labels are written in these colours: 4.5:1
    assert contrast(rgb(plots.PALETTE[role]), LIGHT) >= 4.5
    assert contrast(on_dark(plots.PALETTE[role]), DARK) >= 4.5


# Machado, Oliveira and Fernandes (2009), severity 1, linear RGB
DEFICIENCIES = {
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
}


def lab(colour):
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return linear


def to_lab(linear):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = np.clip(xyz @ linear, 0, None) / [0.9505, 1, 1.089]
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", DEFICIENCIES)
@pytest.mark.parametrize("ground", ["light", "dark"])
def test_roles_can_be_told_apart_by_colour_blind_readers(eye, ground):
    # a distance of 10 in CIELAB is plain to see side by side (2.3 is just noticeable)
    seen = {
        role: to_lab(np.array(DEFICIENCIES[eye]) @ lab(rgb(c) if ground == "light" else on_dark(c)))
        for role, c in plots.PALETTE.items()
        if role != "quiet"
    }
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 10, (one, other)


def test_style_is_transparent_with_dark_ink():
    with mpl.rc_context():
        plots.use_style()
        fig, ax = plt.subplots()
        assert fig.get_facecolor()[3] == 0
        assert mpl.colors.to_hex(ax.xaxis.label.get_color()) == plots.INK
        plt.close(fig)


def test_lines_differ_in_dash_as_well_as_colour():
    with mpl.rc_context():
        plots.use_style()
        cycle = list(mpl.rcParams["axes.prop_cycle"])
        assert len({(entry["color"], entry["linestyle"]) for entry in cycle}) == len(cycle)
        assert len({entry["linestyle"] for entry in cycle[:4]}) == 4


def test_label_ends_names_each_line_in_its_colour():
    fig, ax = plt.subplots()
    plots.label_ends(ax, 2.0, [0.1, 0.9], ["low", "high"], ["estimate", "adversary"])
    assert [text.get_text() for text in ax.texts] == ["low", "high"]
    assert [text.xy for text in ax.texts] == [(2.0, 0.1), (2.0, 0.9)]
    assert ax.texts[1].get_color() == plots.PALETTE["adversary"]
    plt.close(fig)
    with pytest.raises(ValueError, match="zip"):
        plots.label_ends(ax, 2.0, [0.1], ["low", "high"], ["estimate", "adversary"])


def grown(max_depth=None):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 3))
    y = X[:, 0] * 2 + X[:, 1]
    return CountTreeClassifier(max_depth=max_depth).fit(X, y)


def test_tree_picture_has_every_condition_and_size():
    tree = grown()
    ax = plots.draw_tree(tree, ["a", "b", "c"])
    texts = [text.get_text() for text in ax.texts]
    conditions = [text for text in texts if "=" in text or ">" in text]
    assert len(conditions) == tree.tree_.n_nodes - 1
    assert {"a <= 0", "b > 0"} <= set(conditions)
    assert "400" in texts  # the root
    shown = [int(text[text.index("(") + 1 : -1]) for text in texts if "(" in text]
    assert sum(shown) == 400  # the leaves share the records
    plt.close(ax.figure)


def test_tree_picture_bars_are_the_class_shares_and_nothing_overlaps():
    tree = grown()
    ax = plots.draw_tree(tree)
    root = [bar for bar in ax.patches if abs(bar.get_y() + bar.get_height() / 2 + 0.08) < 1e-9]
    np.testing.assert_allclose([bar.get_width() / 0.7 for bar in root], tree.tree_.proba[0])
    leaves = {round(bar.get_x(), 6) for bar in ax.patches if bar.get_y() < -2 and bar.get_width()}
    assert len(leaves) == 4
    plt.close(ax.figure)


def test_tree_picture_cut_off_says_so():
    ax = plots.draw_tree(grown(), max_depth=1)
    assert sum("..." in text.get_text() for text in ax.texts) == 2
    plt.close(ax.figure)
    with pytest.raises(ValueError, match=r"max_depth must be .* >= 0, got -1"):
        plots.draw_tree(grown(), max_depth=-1)
