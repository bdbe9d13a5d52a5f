"""Some answers a person: which, by lot. NaN stands where nothing was asked.

Who answers s of d questions may give each of them an s-th of the budget, and not a d-th. Which
were asked is drawn without a look at the record and says nothing of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, log

import numpy as np
from scipy.sparse import coo_array
from scipy.special import xlogy

from ppdm import _validation as check
from ppdm.channel import Channel, RecordPart
from ppdm.randomized_response._groups import OneCoin, distinct
from ppdm.typing import AnyArray, Bits, BoolArray, Codes, FloatArray, Groups, IntArray

#: The code of no answer, beside 0 and 1.
NOT_ASKED = 2
#: Entries of the channel of whole records, at most.
_MOST_ENTRIES = 2**22


@dataclass(frozen=True)
class AskedCoin(Channel):
    """One attribute: asked for with probability ``share``, then told by a coin.

    Released are 0, 1 and 2, which stands for no answer.
    """

    theta: float
    share: float

    def channel_matrix(self, feature: int = 0) -> FloatArray:
        """P[released | true], (3, 2)."""
        told = OneCoin(self.theta).channel_matrix()
        return np.vstack([self.share * told, np.full((1, 2), 1 - self.share)])

    def inverse_matrix(self, feature: int = 0) -> FloatArray:
        """Return what undoes it on counts, (2, 3): no answer is half a record of each value.

        So the counts add up to the number of records, and their error is least where both
        values are alike frequent. Who divides by the number that answered does better still,
        but not by a matrix.
        """
        undone = OneCoin(self.theta).inverse_matrix()
        told = (undone - (1 - self.share) / 2) / self.share
        return np.hstack([told, np.full((2, 1), 0.5)])


def own_coins(
    asked: int, n_bits: int, groups: Groups, class_group: object, names: AnyArray | None = None
) -> list[list[int]]:
    """Return a group for each attribute; refuse what cannot be asked one by one."""
    check.integer(asked, "asked", low=1, high=n_bits)
    if groups is not None and any(len(group) > 1 for group in check.groups(groups, n_bits, names)):
        raise ValueError(
            "groups must be None or a coin for each attribute, [[0], [1], ...], where only some "
            f"are asked, got {groups!r}"
        )
    if class_group is not None and not (isinstance(class_group, str) and class_group == "own"):
        raise ValueError(
            "class_group must be None or 'own' where only some attributes are asked, "
            f"got {class_group!r}"
        )
    return [[j] for j in range(n_bits)]


def draw_asked(rng: np.random.Generator, n: int, n_bits: int, asked: int) -> BoolArray:
    """Draw ``asked`` attributes of each of n records, every choice as likely as another."""
    return np.asarray(rng.random((n, n_bits)).argsort(axis=1) < asked)


def read_answers(found: FloatArray, asked: int, n_bits: int) -> Codes:
    """Return 0, 1 and 2 for NaN, of one attribute (n,) or of records (n, n_bits)."""
    missing = np.isnan(found)
    check.refuse(
        ~missing & (found != 0) & (found != 1),
        found,
        "released must hold only 0 and 1, and NaN where nothing was asked",
    )
    if found.ndim == 2:
        if found.shape[1] != n_bits:
            raise ValueError(f"released must have {n_bits} attribute(s), got {found.shape[1]}")
        answers = n_bits - missing.sum(axis=1)
        if (answers != asked).any():
            row = int(np.argmax(answers != asked))
            raise ValueError(
                f"released must have {asked} answer(s) a record, as asked={asked} says, and NaN "
                f"elsewhere, got {answers[row]} in row {row}"
            )
    return np.where(missing, NOT_ASKED, found).astype(np.int8)


def asked_likelihood(codes: Codes, records: Bits, theta: float) -> FloatArray:
    """Return log P[released | record], (n, m), of answers 0, 1, 2 and true records."""
    yes, no = (np.asarray(codes == value, dtype=np.float64) for value in (1, 0))
    true = records.T.astype(np.float64)
    kept = yes @ true + no @ (1 - true)
    lied = yes @ (1 - true) + no @ true
    choices = comb(codes.shape[1], int((codes[0] != NOT_ASKED).sum()))
    return np.asarray(xlogy(kept, theta) + xlogy(lied, 1 - theta) - log(choices))


def asked_part(bits: Bits, theta: float, asked: int) -> RecordPart:
    """Return what these bits release: which were asked, and each answer or its opposite.

    The release of a record is one part: one answer less is one more of another attribute. A row
    is a choice of attributes, the first by :func:`itertools.combinations`, and their answers.
    """
    first, values = distinct(bits)
    n, n_bits = len(first), bits.shape[1]
    n_choices, n_ways = comb(n_bits, asked), 2**asked
    if n * n_choices * n_ways > _MOST_ENTRIES:
        raise ValueError(
            f"records must have at most {_MOST_ENTRIES} pairs of record and release for a table "
            f"of them, got {n} times {n_choices * n_ways}: log_likelihood needs no table"
        )
    choices: IntArray = np.array(list(combinations(range(n_bits), asked)))
    powers = 1 << np.arange(asked)
    told = bits[first][:, choices] @ powers  # (n, n_choices), a number for the true answers
    lies = np.arange(n_ways)
    n_lies = (lies[:, np.newaxis] & powers > 0).sum(axis=1)
    chance = theta ** (asked - n_lies) * (1 - theta) ** n_lies / n_choices
    rows = np.arange(n_choices)[:, np.newaxis] * n_ways + (told[:, :, np.newaxis] ^ lies)
    columns = np.broadcast_to(np.arange(n)[:, np.newaxis, np.newaxis], rows.shape)
    entries = np.broadcast_to(chance, rows.shape).ravel(), (rows.ravel(), columns.ravel())
    matrix = coo_array(entries, shape=(n_choices * n_ways, n))
    return RecordPart(np.arange(n_bits), values, matrix.tocsc())
