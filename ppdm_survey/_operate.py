"""What is done with a survey beside serving it: ``export``, ``backup``, ``invite``."""

import argparse
import csv
import json
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from markupsafe import Markup
from sklearn.utils import check_scalar

import ppdm
from ppdm_survey._app import render, report
from ppdm_survey._coin import WHOLE, CoinChannel, Tally, grouped, published
from ppdm_survey._messages import Learning
from ppdm_survey._schema import STATIC, Survey
from ppdm_survey._store import Row, Store, create_private, new_engine, sqlite_path, unpack
from ppdm_survey._tokens import invitations

#: Ten lines that read an export back.
_READ_BACK = Path(__file__).parent / "templates" / "read_back.ipynb"

DATABASE = "sqlite:///ppdm-survey.sqlite"
SIMULATED = "sqlite:///ppdm-simulated.sqlite"

#: Used invitations with which an exchange takes a second, on two busy cores.
SLOW = 20_000

#: How a cell begins that a spreadsheet would run; a number, and a sign alone, it does not.
_RUN = re.compile(r"^([=@\t\r]|[+-](?![\d.]*$))")


def run(arguments: Sequence[str]) -> None:
    """Carry out one command; say what was done."""
    parser = argparse.ArgumentParser(prog="python -m ppdm_survey", epilog=" ".join(
        f"{name}: {command.__doc__}" for name, command in COMMANDS.items()))
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("target", nargs="?",
                        help="a new folder (export), a new file (backup), how many (invite)")
    parser.add_argument("--database", default=DATABASE, metavar="URL", help="(%(default)s)")
    parser.add_argument("--format", choices=("csv", "parquet"), default="csv", help="of an export")
    parser.add_argument("--yes", action="store_true", help="delete, really")
    parser.add_argument("--url", metavar="ADDRESS", help="of the page that people are invited to")
    options = parser.parse_args(arguments)
    if (options.target is None) == (options.command in ("export", "backup", "invite")):
        parser.error("export, backup and invite need a target, the others take none")
    path = sqlite_path(new_engine(options.database))
    if path is not None and not path.is_file():
        there = f"; here is --database {SIMULATED}" * Path(SIMULATED.rpartition("/")[2]).is_file()
        raise ValueError(f"database must be there, got none at {path}{there}")
    new = {"export": "folder", "backup": "file"}.get(options.command)
    if new and Path(options.target).exists():
        raise ValueError(f"{options.target} is there already: name a new {new}")
    print(COMMANDS[options.command](options))


def export(options: argparse.Namespace) -> str:
    """Write every report or R(t), and what was learnt from them, into a new folder.

    The rows of a batch are sorted: the order in which they came is nobody's business. While
    the survey is open an unfinished batch stays out, so that two exports differ by whole batches;
    the one after ``close`` differs from the last by whoever was left, be it one.
    """
    with closing(Store(options.database, lock=False)) as store:
        schema, settings, *_ = store.settled()
        survey = Survey.from_dict(schema, scheme=settings["scheme"])
        batches = [sorted(page, key=lambda row: row[1:])
                   for page in store.pages(settings["batch_size"])
                   if store.closed or len(page) == settings["batch_size"]]
        if not batches:
            raise ValueError("database must hold a whole batch, or be closed, to be exported")
        if options.format == "parquet":
            import pyarrow  # noqa: F401  # before anything is written
        folder = Path(options.target)
        folder.mkdir(mode=0o700)  # clear records may be among them
        write = _export_coin if settings["scheme"] == "coin" else _export_guided
        return write(store, survey, settings, batches, folder, options.format)


def _export_guided(store: Store, survey: Survey, settings: dict[str, Any],
                   epochs: Sequence[Sequence[Row]], folder: Path, form: str) -> str:
    """Write every R(t), the classifier and its card."""
    results, levels = Learning(survey), list[int]()
    for epoch, page in enumerate(epochs):
        guidance = store.guidance(epoch)
        assert guidance is not None  # it is stored before anybody may answer
        levels.append(guidance.k)
        if len(page) == settings["batch_size"]:  # fewer would be told by a subtraction
            results.add_epoch(epoch, *unpack(page, survey.n_bits))
    rows = [row for page in epochs for row in page]
    columns = {"epoch": [row.epoch for row in rows], "k": [levels[row.epoch] for row in rows],
               "class": [survey.question.values[row.label] for row in rows]}
    names = [f"{one.name}={value}" for one in survey.attributes for value in one.values]
    columns |= dict(zip(names, unpack(rows, survey.n_bits)[0].T.tolist(), strict=True))
    _write(folder / "responses", form, columns)
    import joblib  # it comes with scikit-learn

    if results.n_tuples:
        joblib.dump(results.classifier, create_private(folder / "classifier.joblib"))
    card = report("model_card.md", survey, settings=settings, levels=levels, results=results,
                  n=len(rows), closed=store.closed,
                  versions=[ppdm.__version__, np.__version__, sklearn.__version__])
    create_private(folder / "MODEL_CARD.md").write_text("\n".join(card) + "\n", encoding="utf-8")
    return f"{len(rows)} tuples and what was learnt from {results.n_tuples} of them are in {folder}"


def _write(path: Path, form: str, columns: dict[str, Any]) -> None:
    """Write a table as CSV, where no cell is run, or Parquet."""
    path = create_private(path.with_suffix(f".{form}"))
    if form == "csv":
        shown = [[_RUN.sub(r"'\g<0>", cell) if isinstance(cell, str) else cell for cell in column]
                 for column in columns.values()]
        with path.open("w", encoding="utf-8-sig", newline="") as file:  # a spreadsheet sees UTF-8
            csv.writer(file).writerows([columns, *zip(*shown, strict=True)])
    else:
        from pyarrow import parquet, table

        parquet.write_table(table(columns), path)


def _export_coin(store: Store, survey: Survey, settings: dict[str, Any],
                 batches: Sequence[Sequence[Row]], folder: Path, form: str) -> str:
    """Write the reports, shares, channel, and a notebook that reads them."""
    channel = CoinChannel.model_validate(settings["channel"])
    marks = unpack([row for page in batches for row in page], int(channel.starts[-1]))[0]
    tally, rows = Tally(channel), marks.tolist()
    tally.add(marks)
    columns: dict[str, list[int | None]] = {}
    matrices = {}
    for start, one in zip(channel.starts, channel.columns, strict=False):
        many = one.kind == "unary"  # a column of 0 and 1 for each value
        names = [f"{one.name}={h}" for h in range(one.n_values)] if many else [one.name]
        for h, name in enumerate(names, start + 1):
            columns[name] = [
                None if not row[start] else row[h] if many else row[h : h + one.n_values].index(1)
                for row in rows]
            matrices[name] = (one.parts / WHOLE).tolist()
    _write(folder / "reports", form, columns)
    results = published(survey, tally, margin=settings["margin"], closed=store.closed,
                        batch_size=settings["batch_size"])
    groups = grouped(survey, tally, settings["margin"]) if store.closed else {}
    shares = [{"group": name, "question": one["name"], "n": one["n"],
               "more_people": one["more_people"], **value}
              for name, group in {"": results["questions"], **groups}.items()
              for one in group for value in one["values"]]
    _write(folder / "shares", form, {key: [one[key] for one in shares] for key in shares[0]})
    labels = {name: one.labels for one in survey.attributes for name in columns
              if name.partition("=")[0] == one.name}
    parts = {"channel.json": {**settings["channel"], "matrices": matrices, "labels": labels},
             "survey.json": survey.to_dict("coin"),
             "read_back.ipynb": json.loads(_READ_BACK.read_text(encoding="utf-8"))}
    pages = {name: json.dumps(part, indent=1) for name, part in parts.items()}
    css = ((STATIC / f"{name}.css").read_text(encoding="utf-8") for name in ("theme", "miner"))
    # the style is our own, nothing to escape
    pages["results.html"] = render("shares.html", survey, "", results=results, live=False,
                                   groups=groups, style=Markup("".join(css)))
    for name, page in pages.items():
        create_private(folder / name).write_text(page, encoding="utf-8")
    return f"{len(rows)} reports, the shares and the channel are in {folder}"


def close(options: argparse.Namespace) -> str:
    """End the survey: no server takes answers for it any more."""
    with closing(Store(options.database)) as store:
        store.end(store.settled().settings["batch_size"])
    if path := sqlite_path(new_engine(options.database)):
        with closing(sqlite3.connect(path)) as file:
            file.execute("VACUUM")  # a page may have copies of what was in it
    return "the survey is closed; its tokens and the order in which answers came are forgotten"


def delete(options: argparse.Namespace) -> str:
    """Delete all of a survey's data from this database."""
    if not options.yes:
        raise ValueError("delete must be told --yes: it deletes every answer and cannot be undone")
    with closing(Store(options.database)) as store:
        store.drop()
    return "the survey is deleted; backups are not, and a disk may keep what it held for a while"


def backup(options: argparse.Namespace) -> str:
    """Copy SQLite's file, whether or not a server is at work on it."""
    path, copy = sqlite_path(new_engine(options.database)), Path(options.target)
    if path is None:
        raise ValueError(f"backup copies SQLite's file; for PostgreSQL: pg_dump -Fc -f {copy} NAME")
    create_private(copy)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return (f"the copy is {copy}; it holds the secret that signs tokens, too. By invitation two "
            "copies tell who answered between them: keep one, and make it seldom")


def invite(options: argparse.Namespace) -> str:
    """Print N invitations, as links where a --url is given; each is good for one answer."""
    n = check_scalar(int(options.target), "target", int, min_val=1)
    if n >= SLOW:
        print(f"From {SLOW} answers by invitation on each Begin takes over a second: the table of "
              "used ones is written anew, so that it keeps no order", file=sys.stderr)
    with closing(Store(options.database, lock=False)) as store:
        survey = store.settled()
    if store.closed or survey.settings["access"] != "invitation":
        raise ValueError("database must hold a survey that people are invited to")
    made = invitations(survey.secret)
    front = f"{options.url.rstrip('/')}/#" if options.url else ""
    return "\n".join(front + made.issue(0) for _ in range(n))


COMMANDS: dict[str, Callable[[argparse.Namespace], str]] = {
    one.__name__: one for one in (export, close, delete, backup, invite)}
