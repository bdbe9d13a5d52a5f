"""Make invitations: ``python -m ppdm.survey invite N``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from sqlalchemy.exc import SQLAlchemyError

from ppdm.survey._store import read_begun
from ppdm.survey._tokens import invitations


def main(arguments: Sequence[str]) -> int:
    """Print one link a line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m ppdm.survey invite",
        description="Print invitations, one a line, to a survey with --access invitation that has "
        "been started once. Send each to one person; each is good for one answer. Nothing is "
        "stored: what is printed twice is twice as many invitations.",
    )
    add = parser.add_argument
    add("n", type=int, metavar="N", help="how many")
    add("--database", default="sqlite:///ppdm-survey.sqlite", metavar="URL", help="(%(default)s)")
    add("--url", default="", metavar="ADDRESS",
        help="of the survey's page: print links instead of codes")
    options = parser.parse_args(arguments)
    try:
        secret, settings = read_begun(options.database)
        if settings.get("access") != "invitation":
            raise ValueError("database holds a survey that is open to anybody")
        if options.n < 1:
            raise ValueError(f"N must be a whole number >= 1, got {options.n}")
    except (ImportError, ValueError, SQLAlchemyError) as error:
        print(f"python -m ppdm.survey invite: {error}", file=sys.stderr)
        return 2
    made = invitations(secret)
    front = f"{options.url.rstrip('/')}/#" if options.url else ""
    for _ in range(options.n):
        print(f"{front}{made.issue(0)}")
    return 0
