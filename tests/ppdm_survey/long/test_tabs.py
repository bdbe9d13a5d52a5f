"""One person, two tabs, a network that delays each answer as it likes: both say that it was sent.

The tests of the browser client hold back single answers; here their order is drawn, and what she
presses. Nothing may be refused because the other tab was faster, and one submission is stored.
"""

import asyncio
import random

import pytest
from browser import fill, opened, submit, view
from headless import MARKS
from serving import serve
from test_browser_invited import bodies, survey_of

from ppdm_survey import create_app

pytestmark = MARKS
FORWARD = ("go", "resume", "send")  # the buttons that lead on
DELAYS = (0, 0, 0.02, 0.4)  # seconds
MOST = 1000  # looks at the two pages


def delayed(app, rng):
    async def wrapped(scope, receive, send):
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            await asyncio.sleep(rng.choice(DELAYS))
        await app(scope, receive, send)
    return wrapped


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("access", ["invitation", "open"])
def test_whichever_tab_is_faster_it_is_sent_once(person, seed, access):
    rng = random.Random(seed)
    hold = 600 if access == "invitation" else 0  # nobody waits where the survey is open
    with (survey_of(access) as collector,
          serve(delayed(create_app(collector, hold=hold), rng)) as url):
        link = f"{url}/#{collector.invite(1)[0]}" if access == "invitation" else f"{url}/"
        someone = person()
        tabs = [opened(someone, link), opened(someone, link)]
        both = access == "open" or rng.random() < 0.5
        answering = tabs if both else tabs[:1]
        for act in (fill, submit):
            for tab in answering:
                tab.bring_to_front()
                act(tab)
        if not both:  # the other finds what is stored
            view(tabs[0], "waiting")
            tabs[1].reload()
        eager = rng.choice([0.05, 0.5, 0.95])  # the share of her presses in the second tab
        seen = [[view_of(tab) for tab in tabs]]
        while seen[-1] != ["sent", "sent"]:
            assert len(seen) < MOST, seen[-5:]
            tab = tabs[rng.random() < eager]
            if "waiting" in seen[-1] and rng.random() < 0.05:  # stored, so nothing is lost
                tab.reload()
            press_forward(tab, rng)
            tab.wait_for_timeout(rng.choice([0, 5, 20]))
            seen.append([view_of(tab) for tab in tabs])
            assert not {"refused", "rejected"} & set(seen[-1]), seen[-5:]
        assert collector.n_received == 1
        assert len(set(map(str, bodies(someone, "/api/submit")))) == 1


def view_of(tab):
    return tab.evaluate("document.querySelector('.ppdm-panel')?.dataset.view")


def press_forward(tab, rng):
    for name in rng.sample(FORWARD, len(FORWARD)):
        button = tab.locator(f'[data-action="{name}"]:visible')
        if button.count() and rng.random() < 0.5:
            # the page may put others in its place just now
            tab.evaluate("(name) => document.querySelector(`[data-action=${name}]`)?.click()", name)
