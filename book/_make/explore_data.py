"""Data of the explorables: customers, the House's votes, women, the frontier of chapter 52.

``python book/_make/explore_data.py`` writes ``ages.js``, ``house.js``, ``women.js`` and
``frontier.js`` in ``book/_static/explore/`` (a second), and beside the folder
``survey_guidance.js``, for the page on which readers disguise a record of their own. They are
scripts and not JSON, because a page opened from a folder may not fetch a file.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm.datasets import AGRAWAL_DOMAIN, AGRAWAL_FEATURES, load_pima, load_voting, make_agrawal
from ppdm.guidance import Guidance, one_hot
from ppdm.noise import AdditiveNoise
from ppdm.reconstruction import reconstruct_distribution
from ppdm_book import experiments
from ppdm_book.experiments import lx14
from ppdm_survey import voting_survey

OUT = Path(__file__).resolve().parent.parent / "_static" / "explore"
#: The columns of a row of the frontier, after scheme and setting.
COLUMNS = ["trust", "own", "n", "accuracy", "sd", "pool", "product", "attack", "epsilon"]

#: Rows of the women that chapter 41 ranks by hand.
WOMEN = [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]


def ages() -> dict[str, Any]:
    """Return the first twelve of chapter 12's customers, and where ByClass deals all of them."""
    rng = np.random.default_rng(2000)
    X, group = make_agrawal(10_000, function=2, random_state=rng)
    make_agrawal(5_000, function=2, random_state=rng)  # the chapter draws its test records here
    noise = AdditiveNoise("uniform", 1.0, domain=AGRAWAL_DOMAIN, random_state=rng)
    age = AGRAWAL_FEATURES.index("age")
    true, sent = X[:, age], noise.fit_transform(X)[:, age]
    cuts, edges = [40, 60], np.array([20, 40, 60, 80])
    own, dealt = np.digitize(true, cuts), np.empty(len(true), dtype=int)
    found = reconstruct_distribution(sent, noise, edges, labels=group, feature=age).probabilities
    for one, shares in enumerate(found):
        members = np.flatnonzero(group == one)
        upto = np.round(shares.cumsum() * len(members)).astype(int)
        dealt[members[sent[members].argsort()]] = np.repeat([0, 1, 2], np.diff(upto, prepend=0))
    at_their_word = np.digitize(sent, cuts)
    return {
        "ages": true[:12].round(1).tolist(),
        "reports": sent[:12].round(1).tolist(),
        "group": group[:12].tolist(),
        "right": {name: float((at == own).mean())
                  for name, at in (("byclass", dealt), ("reported", at_their_word))},
    }


def women() -> dict[str, Any]:
    """Return the ten women of chapter 41, a row each, with all their attributes."""
    records = lx14.split("pima", 0)[0]
    return {"names": list(load_pima().feature_names), "rows": records[WOMEN].tolist()}


def house() -> dict[str, Any]:
    """Return the questions, and the members, 17 bits each: sixteen votes and the party."""
    votes = load_voting(fill="mode")
    bits = np.column_stack([votes.data, votes.target]).astype(np.uint8)
    return {
        "names": [name.replace("_", " ") for name in votes.feature_names],
        "members": base64.b64encode(np.packbits(bits).tobytes()).decode(),
    }


def frontier() -> dict[str, Any]:
    """Return the means over the seeds of chapter 52's table, a list of rows a data set."""
    table = experiments.load_table("frontier")
    table["gain"] = table.attack_gain / (1 - table.attack_baseline)
    sets: dict[str, list[Any]] = {}
    keys = ["dataset", "scheme", "setting"]
    for (data, scheme, setting), rows in table.groupby(keys, sort=False):
        mean = rows.mean(numeric_only=True)
        # Gaussian noise has an epsilon but for a delta, and none by itself
        bounded = mean.delta == 0 or rows.trust.iloc[0] == "curator"
        values = [mean.accuracy, rows.accuracy.std(ddof=1), mean.information_pool,
                  mean.information_product, mean.gain, mean.epsilon_record if bounded else np.inf]
        sets.setdefault(str(data), []).append([
            str(scheme), float(setting), rows.trust.iloc[0], _number(mean.own_measure),
            len(rows), *map(_number, values)])
    return {"columns": ["scheme", "setting", *COLUMNS], "sets": sets}


def _number(value: float) -> float | str | None:
    """Round to four digits; what is infinite is a word, what is missing is nothing."""
    if pd.isna(value):
        return None
    return "inf" if np.isinf(value) else float(f"{value:.4g}")


def guidance() -> dict[str, Any]:
    """Return the survey, V, and how the larger part of each party voted.

    The first k columns of V are V_k of the 435 clear records, whose rank is 17: with so many all
    is read. A column's sign and last digits are the machine's.
    """
    survey, house = voting_survey(), load_voting(random_state=0)
    T = one_hot(house.data, survey.n_values)
    V = Guidance(survey.n_bits).update(T, house.target).vectors(17)
    most = [np.round(house.data[house.target == c].mean(axis=0)).astype(int) for c in (0, 1)]
    return {"schema": survey.to_dict(), "V": V.round(12).tolist(),
            "typical": [votes.tolist() for votes in most]}


def script(name: str, content: dict[str, Any]) -> str:
    """Return the text of a classic script that sets a global name."""
    text = json.dumps(content, separators=(",", ":"))
    return f"/* Made by book/_make/explore_data.py. */\nglobalThis.{name} = {text};\n"


#: File -> the name of its global, and what makes it.
FILES = {
    "ages.js": ("exploreAges", ages),
    "house.js": ("exploreHouse", house),
    "women.js": ("exploreWomen", women),
    "frontier.js": ("exploreFrontier", frontier),
}


def main() -> None:
    """Write all files."""
    others = {"../survey_guidance.js": ("surveyGuidance", guidance)}
    for file, (name, make) in (FILES | others).items():
        (OUT / file).write_text(script(name, make()), encoding="utf-8")
        print(OUT / file)


if __name__ == "__main__":
    main()
