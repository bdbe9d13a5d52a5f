"""Where the explorables are, and how one is opened."""

from headless import serious

#: Explorable -> the pages that hold it.
PAGES = {
    "coin": ["notebooks/00_tour.html"],
    "reconstruction": ["notebooks/11_reconstruction.html"],
    "ages": ["notebooks/12_trees.html"],
    "groups": ["notebooks/21_groups_of_answers.html",
               "notebooks/51_local_differential_privacy.html"],
    "vote": ["notebooks/30_guided_perturbation.html"],
    "release": ["notebooks/41_what_the_measures_measure.html"],
    "frontier": ["notebooks/52_one_frontier.html"],
}


#: Whether an explorable, by its name, has said what it shows.
SAID = "(name) => document.querySelector(`#explore-${name} .explore-said`).textContent.length > 40"

#: Count the frames that scripts still wait for; what is drawn in steps is drawn when there is none.
FRAMES = """() => {
  const real = requestAnimationFrame;
  globalThis.frames_to_come = 0;
  globalThis.requestAnimationFrame = (call) => {
    frames_to_come += 1;
    return real((now) => { call(now); frames_to_come -= 1; });
  };
}"""
DRAWN = "() => frames_to_come === 0"

#: Whether the page and all of an explorable are as wide as the window.
FITS = """(name) => document.documentElement.scrollWidth <= window.innerWidth
  && [...document.querySelectorAll(`#explore-${name} *`)].every(
    (node) => node.getBoundingClientRect().right <= window.innerWidth + 1)"""


def fits(page, name, *widths):
    """Wait, in both themes, until an explorable is as wide as the window; all can be read."""
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_function(FITS, arg=name)
        assert serious(page, include=[[f"#explore-{name}"]]) == {}


def opened(page, name):
    """Guess, and wait until the explorable has said what it shows."""
    section = page.locator(f"#explore-{name}")
    section.locator(".explore-guess button").first.click()
    page.wait_for_function(SAID, arg=name)
    return section
