"""Draw the pages' pictures anew: ``python book/_make/draw.py``, all or those that are named.

A script beside this one has a function ``svg``, and the picture has the script's name.
"""

import sys
from importlib import import_module
from pathlib import Path

STATIC = Path(__file__).resolve().parent.parent / "_static"
PICTURES = ("asking_again", "epsilon_curve", "house", "one_coin", "people_needed")

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        (STATIC / f"{name}.svg").write_text(import_module(name).svg(), encoding="utf-8")
