"""Randomised response: a channel on bits or codes, and its inverse on counts.

A data provider holds a record of sensitive bits. With probability theta it reports them,
else the opposite. Nobody who sees the report knows which happened, and yet the share of
records with any property can be estimated: the channel is known, so it can be undone, on
counts and never on records.

The provider's side is :class:`RandomizedResponse` (bits that share coins in groups),
:class:`CategoricalRandomizedResponse` (codes, with any matrix), :class:`UnaryEncoding` (codes
released as bits), :class:`HadamardResponse` (for very many values), :class:`MixedResponse` (a
record of several kinds), :class:`MemoizedResponse` (for people who are asked again) and
:func:`unrelated_question` (where theta is 1/2). All are channels (:class:`ppdm.channel.Channel`).
All but the memoised one may ask each person some questions, drawn by lot, ``asked=``. The miner's
side is :func:`estimate_proportion` and :func:`signed_records`, which ask the coins how they were
tossed; codes are undone by :mod:`ppdm.reconstruction`, which takes any channel.

Wherever ``theta`` stands ``epsilon`` may stand instead: what one reported value spends.

Warner (1965); Du and Zhan (2003), sections 3 and 4; Zhan, Chang and Matwin (2004), section 3.
"""

from ppdm.randomized_response._categorical import CategoricalRandomizedResponse, unrelated_question
from ppdm.randomized_response._channel import RandomizedResponse
from ppdm.randomized_response._estimates import ProportionEstimate, estimate_proportion
from ppdm.randomized_response._memoized import MemoizedResponse
from ppdm.randomized_response._mixed import MixedResponse
from ppdm.randomized_response._signed import SignedRecords, signed_records
from ppdm.randomized_response._unary import HadamardResponse, UnaryEncoding

__all__ = [
    "CategoricalRandomizedResponse",
    "HadamardResponse",
    "MemoizedResponse",
    "MixedResponse",
    "ProportionEstimate",
    "RandomizedResponse",
    "SignedRecords",
    "UnaryEncoding",
    "estimate_proportion",
    "signed_records",
    "unrelated_question",
]
