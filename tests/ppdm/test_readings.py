"""Sources of chunks that are read again."""

import numpy as np
import pytest
from refusals import refusals

from ppdm._readings import Readings, learn, numbers_of

PAIRS = [([[1.0], [2.0]], [0, 1]), ([[3.0]], [1])]


def read(chunk, reset):
    weight = None if chunk.weight is None else np.asarray(chunk.weight, dtype=float)
    return np.asarray(chunk.X), np.asarray(chunk.y), weight


def test_each_reading_begins_with_the_first_chunk_that_holds_a_record():
    readings = Readings([([], []), PAIRS[0], ([], []), PAIRS[1]])
    for _ in range(2):
        found = readings.add_up(lambda chunk: [(chunk.number, chunk.y)])
        assert found == [(0, [0, 1]), (1, [1])]
    assert readings.add_up(lambda chunk: np.bincount(chunk.y, minlength=2)).tolist() == [1, 2]


@pytest.mark.parametrize(
    "source", [iter(PAIRS), (pair for pair in PAIRS), map(tuple, PAIRS)]
)
def test_what_ends_after_one_reading_is_refused(source):
    with pytest.raises(TypeError, match=r"chunks must be .* that can be read again"):
        Readings(source)


test_what_is_no_source_of_chunks_is_named = refusals(
    (7, "chunks must be an iterable of chunks", TypeError),
    ([], "chunks must hold a record, got 0"),
    ([([], [])], "chunks must hold a record, got 0"),
    ([7], r"tuples \(X, y\).*as chunk 0 must be, got 'int'", TypeError),
    ([PAIRS[0], ([[1]],)], "as chunk 1 must be, got 'tuple'", TypeError),
    ([([[1]], 7)], "y must be an array in chunk 0, got 'int'", TypeError),
    ([([[1]], [1, 2])], r"chunk 0 must hold as many records, got \(1, 2\)"),
    by=lambda source: Readings(source).add_up(len),
)  # fmt: skip


def test_the_first_reading_learns_ranges_and_classes_of_what_weighs_something():
    chunks = [
        ([[1.0, 5], [9, 9]], ["b", "x"], [1, 0]),
        ([[0.0, 7]], ["a"], [2]),
        ([[-9.0, 0]], ["c"], [0]),
    ]
    facts = learn(Readings(chunks), read, None)
    assert facts.ends.tolist() == [[0, 5], [1, 7]]
    assert (facts.n, facts.mass.tolist()) == (2, [3, 3, 5])
    assert facts.classes.tolist() == ["a", "b"]
    assert learn(Readings(PAIRS), read, [1, 0, 2]).classes.tolist() == [0, 1]


test_chunks_that_disagree_are_refused = refusals(
    ([*PAIRS, ([[1.0]], ["a"])], None, "y must be of one kind .* got texts after numbers"),
    (PAIRS, [0, 2], r"y must hold only labels among classes \[0, 2\], got .*1"),
    ([([[1.0]], [1], [0])], None, "sample_weight must have a total above zero, .*got 0"),
    ([([[1.0]], [1], [-2])], None, "sample_weight must have a total above zero, .*got -2"),
    by=lambda chunks, classes: learn(Readings(chunks), read, classes),
)  # fmt: skip


def test_labels_are_numbered_by_their_classes():
    assert numbers_of(np.array(["b", "a", "b"]), np.array(["a", "b"])).tolist() == [1, 0, 1]
