"""Data of the explorables: the House's votes, and the frontier of chapter 52.

``python book/_make/explore_data.py`` writes ``house.js`` and ``frontier.js`` in
``book/_static/explore/`` (a second). They are scripts and not JSON, because a page opened from
a folder may not fetch a file.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ppdm.datasets import load_voting
from ppdm_book import experiments

OUT = Path(__file__).resolve().parent.parent / "_static" / "explore"
#: The columns of a row of the frontier, after scheme and setting.
COLUMNS = ["trust", "own", "n", "accuracy", "sd", "pool", "product", "attack", "epsilon"]


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
        values = [mean.accuracy, rows.accuracy.std(ddof=1), mean.information_pool,
                  mean.information_product, mean.gain, mean.epsilon_record]
        sets.setdefault(str(data), []).append([
            str(scheme), float(setting), rows.trust.iloc[0], _number(mean.own_measure),
            len(rows), *map(_number, values)])
    return {"columns": ["scheme", "setting", *COLUMNS], "sets": sets}


def _number(value: float) -> float | str | None:
    """Round to four digits; what is infinite is a word, what is missing is nothing."""
    if pd.isna(value):
        return None
    return "inf" if np.isinf(value) else float(f"{value:.4g}")


def script(name: str, content: dict[str, Any]) -> str:
    """Return the text of a classic script that sets a global name."""
    text = json.dumps(content, separators=(",", ":"))
    return f"/* Made by book/_make/explore_data.py. */\nglobalThis.{name} = {text};\n"


def main() -> None:
    """Write both files."""
    for file, name, content in (("house.js", "exploreHouse", house()),
                                ("frontier.js", "exploreFrontier", frontier())):
        (OUT / file).write_text(script(name, content), encoding="utf-8")
        print(OUT / file)


if __name__ == "__main__":
    main()
