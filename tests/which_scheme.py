"""The two tables of the closing page, as the chooser says them; test_pages.py compares.

``python tests/which_scheme.py`` prints both tables.
"""

import math

from ppdm.compare import compare_schemes

ODDS = (3, 10, 100, 1_000)
RECORDS = {
    "one yes or no": [2],
    "sixteen yes or no": [2] * 16,
    "nine of four values": [4] * 9,
}


def least(n_values, odds, trust):
    """Return the best scheme where there are people enough, and how few are enough."""
    asked = compare_schemes(n_values, 10**9, odds)
    name = getattr(asked, trust)
    people = next(int(row.people) for row in asked.rows if row.scheme == name)
    found = [getattr(compare_schemes(n_values, n, odds), trust) for n in (people - 1, people)]
    assert found == ["none", name]
    return f"{name}, from {people:,}"


def decisions():
    """Return a row for each kind of record and trust, a column for each odds."""
    lines = ["| record | trusted | " + " | ".join(f"odds {odds:,}" for odds in ODDS) + " |"]
    lines.append("|---|---|" + "---|" * len(ODDS))
    for record, n_values in RECORDS.items():
        for trust in ("nobody", "curator"):
            cells = " | ".join(least(n_values, odds, trust) for odds in ODDS)
            lines.append(f"| {record} | {trust} | {cells} |")
    return lines


def schemes():
    """Return a row for each scheme: sixteen yes-or-no answers, 1,000 people, odds of 100."""
    lines = ["| scheme | verdict | noise, or why not | error | people needed | not stopped |"]
    lines.append("|---|---|---|--:|--:|---|")
    for row in compare_schemes([2] * 16, 1_000, odds=100).rows:
        error = "" if math.isnan(row.error) else f"{row.error:.3f}"
        people = "" if math.isnan(row.people) else f"{row.people:,.0f}"
        lines.append(
            f"| {row.scheme} | {row.verdict} | {row.noise} | {error} | {people} | "
            f"{row.not_stopped} |"
        )
    return lines


if __name__ == "__main__":
    print("\n".join([*decisions(), "", *schemes()]))
