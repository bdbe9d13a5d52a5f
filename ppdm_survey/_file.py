"""A survey's file as people write it: what is wrong is said with its line and the remedy."""

import json
from codecs import BOM_UTF8
from json.decoder import JSONObject  # type: ignore[attr-defined]
from json.scanner import py_make_scanner  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any


def read_json(path: str | Path) -> Any:
    """Read a JSON file; say of one that is none in which line, and what to do."""
    raw = Path(path).read_bytes()

    def refused(at: int, rule: str) -> ValueError:
        return ValueError(f"{path}, line {raw.count(10, 0, at) + 1}: {rule}")

    def distinct(start: tuple[str, int], *given: Any) -> tuple[Any, int]:
        pairs, end = JSONObject(start, *given[:2], None, list, *given[4:])
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                at = text[:end].rindex(json.dumps(name, ensure_ascii=False))
                raise refused(len(text[:at].encode()), f"the key {name!r} stands twice in an "
                              "object, and only one would be read: join the two")
        return dict(pairs), end

    try:
        text = raw.removeprefix(BOM_UTF8).decode()
        decoder = json.JSONDecoder()
        decoder.parse_object = distinct  # type: ignore[attr-defined]
        # the quicker scanner takes no parse_object
        decoder.scan_once = py_make_scanner(decoder)  # type: ignore[attr-defined]
        return decoder.decode(text)
    except UnicodeDecodeError as error:
        raise refused(error.start, "the file is not in UTF-8: save it as UTF-8") from None
    except json.JSONDecodeError as error:
        # Python 3.13 points at a trailing comma, and earlier versions at what follows it
        before = text[: error.pos + error.msg.startswith("Illegal trailing comma")].rstrip()
        if before.endswith(","):
            raise refused(len(before[:-1].encode()), "nothing follows this comma: "
                          "take it away") from None
        raise refused(len(text[: error.pos].encode()), error.msg) from None
