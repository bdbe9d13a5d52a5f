"""Bad calls, by the thousand: each is refused by an error that names the argument.

Every argument of every public function gets the bad values of ``bad/values.py``. What is accepted
must be legal by the second, plain definition in ``bad/kinds.py``; what is refused must be a
ValueError, a TypeError or, of a file, an OSError that names the argument. An error may name another
argument of the call where the value is legal by itself, or where its shape does not fit. What is no
object with the methods that are called may be an AttributeError of Python's.
"""

import re
import warnings

import numpy as np
import pytest
from bad import (
    attacking,
    counting,
    explaining,
    guiding,
    learners,
    measuring,
    past_one_machine,
    schemes,
)
from bad.kinds import nothing
from bad.values import SHAPES, bad_values
from bad.words import CHANNEL, COUNTS, EDGES
from public_doors import DOORS
from sklearn.exceptions import NotFittedError

from ppdm.guidance import Guidance
from ppdm.noise import AdditiveNoise
from ppdm.randomized_response import RandomizedResponse
from ppdm.reconstruction import em
from ppdm.utility import disguised_accuracy

TABLES = attacking, counting, explaining, guiding, measuring, schemes, learners, past_one_machine
CALLS = [call for table in TABLES for call in table.CALLS]

#: Results, messages and warnings that functions return are not called with a user's input.
NO_DOORS = {
    "Announcement", "AttackResult", "BayesGuess", "BayesResult", "Channel",
    "Collection", "DecodedRecords", "DenoisingResult", "DifferenceEstimate", "Disclosure",
    "EMResult",
    "EpsilonAudit", "FrequencyEstimate", "GuidanceMessage",
    "InvertedCounts", "Scheme", "SchemeChoice", "Support", "LeaveOneOutResult", "PosteriorOdds",
    "ReconstructedDistribution", "RecordPart", "SignedRecords", "Simulation",
    "Submission", "Tree",
}  # fmt: skip

#: An error is some lines of a terminal, whatever was given; a class of ours has a short name.
MOST_CHARACTERS = 500


def is_legal(kind, value):
    """Ask a kind; what it cannot even read is not legal."""
    try:
        return bool(kind(value))
    except (ValueError, TypeError):
        return False


def verdict(call, argument, value_name, make):
    """Return "legal", "clear", or what is wrong."""
    kind, bad = call.arguments[argument][1], make()
    try:
        call.function(**call.valid() | {argument: bad})
    except NotFittedError:
        return "clear"
    except AttributeError as error:  # Python says itself what an object lacks
        return "clear" if kind is nothing else f"{argument} = {value_name}: {error}"
    except (ValueError, TypeError, OSError) as error:
        if value_name.startswith("allowed") and f"{argument} must be a whole number" in str(error):
            return f"{argument} = {value_name} is refused: {error}"
        names = {argument, call.also.get(argument, argument)}
        if value_name in SHAPES or value_name.startswith("beyond") or is_legal(kind, make()):
            names |= set(call.arguments)
        if "\n" in str(error) or len(str(error)) > MOST_CHARACTERS or "<ppdm." in str(error):
            return f"{argument} = {value_name}: no short line: {error}"
        if re.search(rf"\b({'|'.join(names)})\b", str(error)):
            return "clear"
        return f"{argument} = {value_name}: {type(error).__name__} names it not: {error}"
    except Exception as error:  # whatever it is, it is not for a user
        return f"{argument} = {value_name}: {type(error).__name__}: {error}"
    return "legal" if is_legal(kind, make()) else f"{argument} = {value_name} is taken in silence"


def bad_calls(call):
    """Yield the arguments of a call, and the bad values of each, and where whole numbers end."""
    for argument, (valid, kind) in call.arguments.items():
        for value_name, make in bad_values(valid).items():
            yield argument, value_name, make
        for side in ("allowed", "beyond"):
            for end in getattr(kind, side, ()):
                yield argument, f"{side}: {end}", lambda end=end: end


@pytest.mark.fixed_seed("one valid call returns as many releases as its own seed draws")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS, ids=[call.name for call in CALLS])
def test_what_is_bad_is_refused_by_name(call):
    if call.needs:
        pytest.importorskip(call.needs)
    call.function(**call.valid())
    verdicts = [verdict(call, *bad) for bad in bad_calls(call)]
    assert not [found for found in verdicts if found not in ("legal", "clear")]


def test_no_public_door_is_forgotten():
    tried = {part for call in CALLS for part in re.findall(r"\w+", call.name)}
    # figures are checked in test_plots.py
    public = {name.split(".")[1] for name in DOORS if not name.startswith("plots")}
    assert not public - tried - NO_DOORS


def test_masked_values_are_refused_and_a_mask_without_any_is_not():
    tuples = np.ma.masked_array([[0, 1], [1, 0]], [[True, False], [False, False]])
    with pytest.raises(ValueError, match=r"R has 1 masked value\(s\): drop them first, and ne"):
        Guidance(2).update(tuples, [0, 1])
    with pytest.raises(ValueError, match=r"R has 1 masked value\(s\)"):
        Guidance(2).update([tuples[0], tuples[1]], [0, 1])
    tuples.mask = False
    np.testing.assert_array_equal(Guidance(2).update(tuples, [0, 1]).A0, [[0, 0], [0, 1]])


def test_texts_and_numbers_are_never_the_same_class():
    bits = [[0, 1], [1, 0]]
    with pytest.raises(TypeError, match=r"predict must return classes as .* of y, <U3, got 'int"):
        disguised_accuracy(lambda rows: rows[:, 0], bits, ["yes", "no"], RandomizedResponse(0.8))
    with pytest.raises(ValueError, match=r"y has 1 missing value.* drop them"):
        disguised_accuracy(lambda rows: rows[:, 0], bits, [0.0, np.nan], RandomizedResponse(0.8))
    named = np.array(["yes", "no"], dtype=object)  # as pandas keeps texts
    clear = RandomizedResponse(1.0)
    found = disguised_accuracy(lambda rows: np.array(["no", "yes"])[rows[:, 0]], bits, named, clear)
    assert found.proportion == 0.0


def test_nothing_is_warned_of_that_is_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="n_labels goes with labels"):
            AdditiveNoise(scale=1.0).on(EDGES).count([0.5, 0.7], n_labels=2)
        with pytest.raises(ValueError, match=r"feature must be a whole number in \[0, 0\], got 1"):
            em(CHANNEL, COUNTS, feature=1)
