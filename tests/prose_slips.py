"""Four slips with every number of the chapters' prose, and how many of them are caught.

``python tests/prose_slips.py`` prints the table; a test asks for the first line of it.
"""

import re
from collections import defaultdict
from itertools import pairwise

import numpy as np
from by_path import NOTEBOOKS, told
from prose_numbers import FREE, Chapter, check_text, texts, ties

SLIPS = ("last digit", "two swapped", "another number", "small integer")


def chapter(path):
    """Read a chapter: its text, with the stored outputs."""
    return Chapter(path.stem, told(path))


def changes(text, others, rng):
    """Return the four slips with a number: what a hurried writer leaves behind."""
    at = [i for i, sign in enumerate(text) if sign.isdigit()]
    last = (int(text[at[-1]]) + rng.integers(1, 10)) % 10
    found = {
        "last digit": f"{text[: at[-1]]}{last}{text[at[-1] + 1 :]}",
        "another number": str(rng.choice(others)),
        "small integer": str(rng.integers(1, 13)),
    }
    if pairs := [(i, j) for i, j in pairwise(at) if text[i] != text[j]]:
        i, j = pairs[rng.integers(len(pairs))]
        found["two swapped"] = text[:i] + text[j] + text[i + 1 : j] + text[i] + text[j + 1 :]
    return found


def plain(text):
    """Return the size of a numeral."""
    return float(text.strip("-−").replace("{,}", "").replace(",", ""))


def kind_of(found, numeral, entry):
    """Return what the rules make of a number of a chapter."""
    if entry and entry not in FREE:
        return "tied"
    if entry and not found.is_literal(numeral):
        return entry
    # what an index, a count or half of a fraction may be
    return "literal" if "." in numeral.text or abs(numeral.value) > 9 else "one digit"


def trials(found, rng, kinds):
    """Yield (kind of number, slip, caught) for each number of a chapter's prose."""
    pairs = [
        (text, *pair) for cell in found.cells for text in texts(cell) for pair in ties(text)[0]
        if re.search(r"\d", pair[0].text)
    ]
    others = [numeral.text for _, numeral, entry in pairs if not found.is_literal(numeral)]
    for text, numeral, entry in pairs:
        if (kind := kind_of(found, numeral, entry)) not in kinds:
            continue
        for slip, other in changes(numeral.text, others, rng).items():
            # 4 for 3.683 is rounded, no slip
            if plain(other) != round(plain(numeral.text), len(other.partition(".")[2])):
                new = text[: numeral.start] + other + text[numeral.end :]
                yield kind, slip, bool(check_text(found, new))


def measure(seed, kinds):
    """Return ``{(kind of number, slip): [caught, ...]}`` over all chapters."""
    rng, caught = np.random.default_rng(seed), defaultdict(list)
    for path in NOTEBOOKS:
        for kind, slip, seen in trials(chapter(path), rng, kinds):
            caught[kind, slip].append(seen)
    return caught


def main():
    """Print the table."""
    kinds = ("tied", "given", "paper", "literal", "one digit")
    caught = measure(14, kinds)
    print("".join(f"{name:>18}" for name in ("", *SLIPS)))
    for kind in kinds:
        cells = [f"{sum(seen)} of {len(seen)}" for slip in SLIPS for seen in [caught[kind, slip]]]
        print("".join(f"{cell:>18}" for cell in (kind, *cells)))


if __name__ == "__main__":
    main()
