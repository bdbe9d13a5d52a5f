"""A digest tells two pictures apart that a reader could tell apart, and no others."""


import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

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


PICTURES = [lines, bars, panels, steps, tree]


@pytest.mark.parametrize("draw", PICTURES)
def test_a_redraw_has_the_same_digest_whatever_fonts_and_resolution(draw):
    before = draw()
    told = figures.digest(before)
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


def test_colours_of_single_points_are_seen():
    told = []
    colors = np.array([INK["estimate"], INK["disguised"], INK["other"]])[np.arange(60) % 3]
    for chosen in (colors, np.roll(colors, 1)):
        fig, ax = plt.subplots()
        ax.scatter(np.arange(60), np.arange(60), c=list(chosen))
        told.append(figures.digest(fig))
    assert told[0] != told[1]


def test_one_spike_in_a_long_line_is_seen():
    drawn = []
    for spike in (0, 1):
        fig, ax = plt.subplots()
        values = np.sin(np.linspace(0, 9, 1000)) / 2
        values[501] += spike
        ax.plot(values)
        ax.set(ylim=(-2, 2))
        drawn.append(figures.digest(fig))
    assert drawn[0] != drawn[1]


def test_lines_across_the_axes_are_told_in_its_units():
    fig, ax = plt.subplots()
    ax.set(xlim=(0, 4), ylim=(0, 1))
    ax.axhline(0.5, color=INK["truth"]), ax.axvspan(1, 2, color=INK["quiet"])
    told = figures.digest(fig)
    assert "line truth -: x 0 4; y 0.5" in told
    assert "bars quiet: left 1; right 2; bottom 0; top 1" in told


def test_no_label_is_no_label():
    assert "None" not in figures.digest(steps())


def test_what_is_hidden_is_not_told():
    fig = lines()
    fig.axes[0].lines[0].set_visible(False)
    assert figures.digest(fig).count("line ") == 3  # one line, and two keys of the legend
