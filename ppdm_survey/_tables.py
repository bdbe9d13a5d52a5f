"""What the survey's database holds: its tables, and the rows that go into them.

No address and no time stands beside a submission. Its position is the order in which it
came, which the replay needs.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy import Column, Integer, LargeBinary, Table, Text

from ppdm.typing import Bits
from ppdm_survey._errors import SurveyError

#: What is stored has this layout. A change that the tables below cannot take over raises it.
LAYOUT = 1


#: A primary key that the database does not count by itself, and a column that is never empty.
_number = partial(Column, type_=Integer, primary_key=True, autoincrement=False)
_filled = partial(Column, nullable=False)


metadata = sa.MetaData()
STORE = Table("store", metadata, Column("layout", Integer), Column("closed", sa.Boolean))
SURVEY = Table(
    "survey", metadata, _number("id"), _filled("schema", Text), _filled("settings", Text),
    _filled("secret", LargeBinary), _filled("start", LargeBinary))
EPOCHS = Table("epoch", metadata, _number("epoch"), _filled("n_received", Integer),
               _filled("k", Integer), _filled("V", LargeBinary))
SUBMISSIONS = Table(
    "submission", metadata, _number("position"),
    _filled("token", LargeBinary(16), unique=True), _filled("epoch", Integer),
    _filled("label", sa.SmallInteger), _filled("bits", LargeBinary))
# by the code and without a row number: the order of the exchanges is not kept
INVITATIONS = Table(
    "invitation", metadata, Column("code", LargeBinary(16), primary_key=True),
    _filled("blinded", LargeBinary(32)), sqlite_with_rowid=False)
KEYS = Table("key", metadata, _number("id"), _filled("private", LargeBinary))


class Exchange(NamedTuple):
    """An invitation, and what it is to be exchanged for the signature of."""

    code: bytes
    """The nonce of the invitation."""
    blinded: bytes


class Row(NamedTuple):
    """One submission as it is stored, behind its position."""

    token: bytes
    """The nonce of its one-time token."""
    epoch: int
    label: int
    bits: bytes
    """R(t), eight bits a byte."""


def pack(ones: Sequence[int], n_bits: int) -> bytes:
    """Return R(t) as it is stored, from the indices of its set bits.

    Raises
    ------
    SurveyError
        If they are out of range or not ascending.
    """
    at = np.asarray(ones)
    bits = np.zeros(n_bits, dtype=bool)
    if at.size:
        whole = at.ndim == 1 and at.dtype.kind in "iu"
        if not (whole and at[0] >= 0 and at[-1] < n_bits and (at[1:] > at[:-1]).all()):
            raise SurveyError("ones must be whole numbers, distinct, ascending and in "
                              f"[0, {n_bits - 1}], got {list(ones)}")
        bits[at] = True
    return np.packbits(bits).tobytes()


def unpack(rows: Sequence[Row], n_bits: int) -> tuple[Bits, Bits]:
    """Return R and y of stored rows, shapes (n, n_bits) and (n,)."""
    packed = np.frombuffer(b"".join(row.bits for row in rows), np.uint8).reshape(len(rows), -1)
    R = np.unpackbits(packed, axis=1, count=n_bits).view(np.int8)
    return R, np.array([row.label for row in rows], dtype=np.int8)
