"""Four slips with every tied number of the chapters' prose, and how many of them are caught."""

import re
from collections import defaultdict
from itertools import pairwise

import numpy as np
from by_path import NOTEBOOKS, told
from prose_numbers import FREE, Chapter, check_text, texts, ties


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
    """Return whether a number of a chapter is tied, or free of the tie that it would need."""
    if entry and entry not in FREE:
        return "tied"
    if entry and not found.is_literal(numeral):
        return entry
    return "literal"


def trials(found, rng):
    """Yield (slip, caught) for each tied number of a chapter's prose."""
    pairs = [
        (text, *pair) for cell in found.cells for text in texts(cell) for pair in ties(text)[0]
        if re.search(r"\d", pair[0].text)
    ]
    others = [numeral.text for _, numeral, entry in pairs if not found.is_literal(numeral)]
    for text, numeral, entry in pairs:
        if kind_of(found, numeral, entry) != "tied":
            continue
        for slip, other in changes(numeral.text, others, rng).items():
            # 4 for 3.683 is rounded, no slip
            if plain(other) != round(plain(numeral.text), len(other.partition(".")[2])):
                new = text[: numeral.start] + other + text[numeral.end :]
                yield slip, bool(check_text(found, new))


def measure(seed):
    """Return ``{slip: [caught, ...]}`` over all chapters."""
    rng, caught = np.random.default_rng(seed), defaultdict(list)
    for path in NOTEBOOKS:
        for slip, seen in trials(chapter(path), rng):
            caught[slip].append(seen)
    return caught
