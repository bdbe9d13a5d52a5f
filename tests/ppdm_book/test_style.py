"""The figure style reads on light and on dark pages."""

import itertools
import os
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from ppdm_book import figures

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
    with mpl.rc_context():
        figures.use_style()
        fig, ax = plt.subplots()
        assert fig.get_facecolor()[3] == 0
        assert mpl.colors.to_hex(ax.xaxis.label.get_color()) == figures.INK
        plt.close(fig)


def test_lines_differ_in_dash_as_well_as_colour():
    with mpl.rc_context():
        figures.use_style()
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
