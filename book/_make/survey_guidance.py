"""Guidance for the page on which readers disguise a record of their own.

``python book/_make/survey_guidance.py`` writes ``book/_static/survey_guidance.js`` (a second).
It is a script and not JSON, because a page opened from a folder may not fetch a file. The
first k columns of its V are V_k of the 435 clear records.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ppdm.datasets import load_voting
from ppdm.guidance import Guidance, one_hot
from ppdm_survey import voting_survey

OUT = Path(__file__).resolve().parent.parent / "_static" / "survey_guidance.js"
#: The rank of the clear records: with so many columns everything is read.
K = 17


def content() -> dict[str, Any]:
    """Return the questions, V, and how the larger part of each party voted."""
    survey, house = voting_survey(), load_voting(random_state=0)
    T = one_hot(house.data, survey.n_values)
    V = Guidance(survey.n_bits).update(T, house.target).vectors(K)
    most = [np.round(house.data[house.target == c].mean(axis=0)).astype(int) for c in (0, 1)]
    return {"schema": survey.to_dict(), "V": V.round(12).tolist(),
            "typical": [votes.tolist() for votes in most]}


def main() -> None:
    """Write the file."""
    text = json.dumps(content(), separators=(",", ":"))
    OUT.write_text(
        f"/* Made by book/_make/survey_guidance.py. */\nglobalThis.surveyGuidance = {text};\n",
        encoding="utf-8",
    )
    print(OUT)


if __name__ == "__main__":
    main()
