"""Figures: a digest tells two pictures apart that a reader could; the style reads on any page."""

import itertools
import os
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from ppdm import plots
from ppdm.tree import CountTreeClassifier
from ppdm_book import figures

X = np.linspace(0, 1, 20)
FOUND = np.exp(-((X - 0.3) ** 2) / 0.02)
TRUE = np.exp(-((X - 0.4) ** 2) / 0.05)
BARS = np.array([3.0, 7.0, 4.0, 9.0])
INK = figures.PALETTE


def lines(*, found=FOUND, true=TRUE, roles=("estimate", "truth"), names=("found", "true"),
          ends=("here", "there"), xlabel="income", shift=0.0, dash="-"):
    fig, ax = plt.subplots()
    ax.plot(X, found, dash, color=INK[roles[0]], label=names[0])
    ax.plot(X, true, "--", color=INK[roles[1]], label=names[1])
    figures.label_ends(ax, 1 + shift, [found[-1], true[-1] + 0.4], list(ends), list(roles))
    ax.set(xlabel=xlabel, ylabel="share", ylim=(0, 1.1), xlim=(0, 1.3))
    ax.legend()
    return fig


def bars(*, heights=BARS, words=("a", "b", "c", "d"), role="estimate"):
    fig, ax = plt.subplots()
    ax.bar(range(4), heights, color=INK[role], label="votes")
    ax.set(xticks=range(4), xticklabels=words, ylim=(0, 10))
    return fig


def panels(*, swapped=False, image=None, clouds=None, titles=("left", "right")):
    fig, axes = plt.subplots(1, 2)
    left, right = axes[::-1] if swapped else axes
    left.imshow(np.arange(12.0).reshape(3, 4) if image is None else image, vmin=0, vmax=11)
    rng = np.random.default_rng(3)
    clouds = rng.normal([[0.3], [0.7]], 0.1, (2, 2, 300)) if clouds is None else clouds
    for role, cloud in zip(("estimate", "disguised"), clouds, strict=True):
        right.scatter(*cloud, color=INK[role], s=4)
    right.set(xlim=(0, 1), ylim=(0, 1))
    left.set_title(titles[0]), right.set_title(titles[1])
    return fig


def steps(*, values=TRUE[:-1], counts=BARS, error=0.5, low=0.8):
    fig, axes = plt.subplots(2, 2)
    axes[0, 0].stairs(values, X, color=INK["quiet"], fill=True)
    axes[0, 1].hist(np.repeat([0, 1, 2, 3], counts.astype(int)), np.arange(5), histtype="step")
    axes[1, 0].errorbar([1, 2, 3], [4, 5, 6], error, fmt="o", capsize=3, label="mean")
    axes[1, 1].fill_between(X, low * TRUE, TRUE, alpha=0.2)
    axes[1, 1].axvspan(0.2, low, color=INK["quiet"], alpha=0.1)
    axes[1, 1].hlines(low, 0, 1)
    return fig


def tree(*, y=(0, 0, 1, 1), names=("age",)):
    grown = CountTreeClassifier().fit([[23], [25], [32], [43]], y)
    return plots.draw_tree(grown, list(names)).figure


def dots(*, shift=0):
    fig, ax = plt.subplots()
    colors = np.array([INK["estimate"], INK["disguised"], INK["other"]])[np.arange(60) % 3]
    ax.scatter(np.arange(60), np.arange(60), c=list(np.roll(colors, shift)))
    return fig


def long_line(*, spike=0):
    fig, ax = plt.subplots()
    ax.plot(np.sin(np.linspace(0, 9, 1000)) / 2 + spike * np.eye(1000)[501])
    ax.set(ylim=(-2, 2))
    return fig


CLOUDS = np.random.default_rng(3).normal([[0.3], [0.7]], 0.1, (2, 2, 300))
IMAGE = np.arange(12.0).reshape(3, 4)

WRONG = {
    "curve reversed": (lines, {"found": FOUND[::-1]}),
    "curve halved": (lines, {"found": FOUND / 2}),
    "reversed and halved": (lines, {"found": FOUND[::-1] * 0.5}),
    "curve moved by one step": (lines, {"found": np.roll(FOUND, 1)}),
    "one point off by 3% of the axis": (lines, {"found": FOUND + 0.033 * np.eye(20)[7]}),
    "data swapped": (lines, {"found": TRUE, "true": FOUND}),
    "colours swapped": (lines, {"roles": ("truth", "estimate")}),
    "labels swapped": (lines, {"names": ("true", "found")}),
    "texts at the ends swapped": (lines, {"ends": ("there", "here")}),
    "text moved": (lines, {"shift": 0.02}),
    "axis named wrongly": (lines, {"xlabel": "age"}),
    "another dash": (lines, {"dash": ":"}),
    "a bar off by 3% of the axis": (bars, {"heights": BARS + np.array([0, 0.3, 0, 0])}),
    "bars reversed": (bars, {"heights": BARS[::-1]}),
    "words under the bars swapped": (bars, {"words": ("b", "a", "c", "d")}),
    "bars of another colour": (bars, {"role": "disguised"}),
    "panels swapped": (panels, {"swapped": True, "titles": ("right", "left")}),
    "titles swapped": (panels, {"titles": ("right", "left")}),
    "image mirrored": (panels, {"image": IMAGE[:, ::-1]}),
    "image upside down": (panels, {"image": IMAGE[::-1]}),
    "image paler": (panels, {"image": IMAGE * 0.9}),
    "clouds swapped": (panels, {"clouds": CLOUDS[::-1]}),
    "a cloud mirrored": (panels, {"clouds": CLOUDS * [[[1]], [[-1]]] + [[[0]], [[1]]]}),
    "a cloud's pairs broken": (panels, {"clouds": np.stack([np.sort(CLOUDS[0]), CLOUDS[1]])}),
    "stairs reversed": (steps, {"values": TRUE[:-1][::-1]}),
    "steps of a histogram reversed": (steps, {"counts": BARS[::-1]}),
    "bars of errors shorter": (steps, {"error": 0.4}),
    "a band wider": (steps, {"low": 0.7}),
    "another tree": (tree, {"y": (0, 1, 1, 1)}),
    "another attribute": (tree, {"names": ("pay",)}),
    "colours of single points": (dots, {"shift": 1}),
    "one spike in a long line": (long_line, {"spike": 1}),
}


@pytest.fixture(autouse=True)
def book_style():
    with mpl.rc_context():
        figures.use_style()
        yield
        plt.close("all")


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_picture_has_another_digest(wrong):
    draw, change = WRONG[wrong]
    assert figures.digest(draw(**change)) != figures.digest(draw())


@pytest.mark.parametrize("draw", [lines, bars, panels, steps, tree, dots, long_line])
def test_a_redraw_has_the_same_digest_whatever_fonts_and_resolution(draw):
    before = draw()
    told = figures.digest(before)
    assert "None" not in told  # no label is no label
    before.canvas.draw()
    assert figures.digest(before) == told  # looking does not change it
    with mpl.rc_context({"font.family": "STIXGeneral", "font.size": 8, "figure.dpi": 60}):
        assert figures.digest(draw()) == told


def test_the_order_of_a_cloud_is_not_seen():
    order = np.random.default_rng(0).permutation(300)
    assert figures.digest(panels(clouds=CLOUDS[:, :, order])) == figures.digest(panels())
    few, other = (plt.subplots()[1] for _ in range(2))
    few.plot([1, 2, 3], [4, 6, 5], "o")
    other.plot([3, 1, 2], [5, 4, 6], "o")
    assert figures.digest(few.figure) == figures.digest(other.figure)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_the_last_bits_are_not_seen(unit):
    # .125, .375, ... are halves of a step of two decimals: a sum in another order must not show
    values = np.arange(1, 60, 2) / 40 * unit
    nudged = values * (1 + 2e-14 * np.where(np.arange(30) % 2, 1, -1))
    told = set()
    for drawn in (values, nudged):
        fig, axes = plt.subplots(1, 4)
        axes[0].plot(drawn[:20]), axes[1].plot(drawn), axes[2].plot(drawn, drawn, "o")
        axes[3].semilogy(drawn)
        told.add(figures.digest(fig))
    assert len(told) == 1


def test_long_series_and_many_points_stay_short():
    rng = np.random.default_rng(0)
    fig, ax = plt.subplots()
    ax.plot(rng.random(10_000)), ax.scatter(rng.random(5_000), rng.random(5_000))
    assert len(figures.digest(fig).splitlines()) <= 12


def test_lines_across_the_axes_are_told_in_its_units():
    fig, ax = plt.subplots()
    ax.set(xlim=(0, 4), ylim=(0, 1))
    ax.axhline(0.5, color=INK["truth"]), ax.axvspan(1, 2, color=INK["quiet"])
    told = figures.digest(fig)
    assert "line truth -: x 0 4; y 0.5" in told
    assert "bars quiet: left 1; right 2; bottom 0; top 1" in told


def test_what_is_hidden_is_not_told():
    fig = lines()
    fig.axes[0].lines[0].set_visible(False)
    assert figures.digest(fig).count("line ") == 3  # one line, and two keys of the legend


LIGHT, DARK = np.ones(3), np.array([0x14, 0x18, 0x1E]) / 255  # the theme's two grounds

# CSS: invert(1), then hue-rotate(180deg): the matrix of the Filter Effects specification
HUE_180 = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])


def rgb(colour):
    return np.array(mpl.colors.to_rgb(colour))


def on_dark(colour):
    return np.clip(HUE_180 @ (1 - rgb(colour)), 0, 1)


def linear(colour):
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def luminance(colour):
    return linear(colour) @ [0.2126, 0.7152, 0.0722]


def contrast(a, b):
    high, low = sorted([luminance(a), luminance(b)], reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("role", figures.PALETTE)
def test_colours_stand_out_on_light_and_on_dark(role):
    # WCAG 2.1, 1.4.11 asks 3:1 of graphics; labels are written in these colours: 4.5:1
    assert contrast(rgb(figures.PALETTE[role]), LIGHT) >= 4.5
    assert contrast(on_dark(figures.PALETTE[role]), DARK) >= 4.5


# Machado, Oliveira and Fernandes (2009), severity 1, linear RGB
DEFICIENCIES = {
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
}


def to_lab(light):
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = np.clip(xyz @ light, 0, None) / [0.9505, 1, 1.089]
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", DEFICIENCIES)
@pytest.mark.parametrize("ground", ["light", "dark"])
def test_roles_can_be_told_apart_by_colour_blind_readers(eye, ground):
    # a distance of 10 in CIELAB is plain to see side by side (2.3 is just noticeable)
    seen = {
        role: to_lab(DEFICIENCIES[eye] @ linear(rgb(c) if ground == "light" else on_dark(c)))
        for role, c in figures.PALETTE.items()
        if role != "quiet"
    }
    for one, other in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 10, (one, other)


def test_style_is_transparent_with_dark_ink():
    fig, ax = plt.subplots()
    assert fig.get_facecolor()[3] == 0
    assert mpl.colors.to_hex(ax.xaxis.label.get_color()) == figures.INK


def test_lines_differ_in_dash_as_well_as_colour():
    cycle = list(mpl.rcParams["axes.prop_cycle"])
    assert len({(entry["color"], entry["linestyle"]) for entry in cycle}) == len(cycle)
    assert len({entry["linestyle"] for entry in cycle[:4]}) == 4


@pytest.mark.long(part="elsewhere")
def test_a_figure_is_its_digest_in_jupyter_and_the_backend_does_not_undo_it():
    # the inline backend forgets all printers of figures when it is loaded, at the first figure
    code = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
from ppdm_book import figures
figures.use_style()
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([0, 1], [0, 1], label="here")
told, _ = shell.display_formatter.format(fig, include={"text/plain"})
assert told["text/plain"] == figures.digest(fig), told
assert plt.get_backend().endswith("inline"), plt.get_backend()
"""
    environment = os.environ | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.long(part="elsewhere")
def test_style_outside_jupyter_needs_no_ipython():
    code = (
        "from ppdm_book import figures; import sys; figures.use_style(); "
        "print('IPython' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_label_ends_names_each_line_in_its_colour():
    _, ax = plt.subplots()
    figures.label_ends(ax, 2.0, [0.1, 0.9], ["low", "high"], ["estimate", "adversary"])
    assert [text.get_text() for text in ax.texts] == ["low", "high"]
    assert [text.xy for text in ax.texts] == [(2.0, 0.1), (2.0, 0.9)]
    assert ax.texts[1].get_color() == figures.PALETTE["adversary"]
    with pytest.raises(ValueError, match="zip"):
        figures.label_ends(ax, 2.0, [0.1], ["low", "high"], ["estimate", "adversary"])


def test_no_grid_line_strikes_a_name_through():
    mpl.rcdefaults()  # Matplotlib's own style, and not the book's
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
