"""What a respondent reads, one file for each language; the browser's script reads it, too."""

import json
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parent / "static"

#: The languages that are shipped: ``static/ppdm.LANGUAGE.js``.
LANGUAGES = tuple(sorted(file.name.split(".")[1] for file in STATIC.glob("ppdm.*.js")))


@cache
def texts(language: str) -> dict[str, Any]:
    """Return the texts of a language, in groups.

    Parameters
    ----------
    language : str
        One of ``LANGUAGES``.

    Returns
    -------
    dict
        With its tag, ``lang``, and its direction, ``dir``.

    Examples
    --------
    >>> from ppdm_survey._texts import texts
    >>> texts("de")["lang"], texts("de")["buttons"]["go"]
    ('de', 'Jetzt fragen')
    """
    script = (STATIC / f"ppdm.{language}.js").read_text(encoding="utf-8")
    return dict(json.loads(script.partition("globalThis.ppdmText =")[2].rstrip("; \n")))


def say(language: str, key: str, **values: object) -> str:
    """Return one text with its placeholders filled in.

    Examples
    --------
    >>> from ppdm_survey._texts import say
    >>> say("en", "level.number", level=3, n=32)
    '3 of 32 directions'
    """
    return str(reduce(getitem, key.split("."), texts(language))).format_map(values)
