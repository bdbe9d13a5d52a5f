"""Sources of chunks that are read again."""

import numpy as np
import pytest

from ppdm._readings import Readings, learn, numbers_of, weights_of

PAIRS = [([[1.0], [2.0]], [0, 1]), ([[3.0]], [1])]


class Changing:
    """A source that gives one list at the first reading and another one later."""

    def __init__(self, *lists):
        self.lists = list(lists)

    def __iter__(self):
        return iter(self.lists.pop(0) if len(self.lists) > 1 else self.lists[0])


def read(chunk, reset):
    return np.asarray(chunk.X), np.asarray(chunk.y)


def test_each_reading_begins_with_the_first_chunk_and_counts_the_records_before_it():
    readings = Readings([PAIRS[0], ([], []), PAIRS[1]])
    for _ in range(2):
        assert [(chunk.first, chunk.y) for chunk in readings] == [(0, [0, 1]), (2, [1])]
    assert readings.add_up(lambda chunk: np.bincount(chunk.y, minlength=2)).tolist() == [1, 2]


@pytest.mark.parametrize(
    "source", [iter(PAIRS), (pair for pair in PAIRS), map(tuple, PAIRS)]
)
def test_what_ends_after_one_reading_is_refused(source):
    with pytest.raises(TypeError, match="chunks must be an iterable that can be read again"):
        Readings(source)


@pytest.mark.parametrize(
    ("later", "message"),
    [
        ([PAIRS[0], ([[3.5]], [1])], "others in chunk 1"),
        ([PAIRS[0], ([[3.0]], [0])], "others in chunk 1"),
        ([([[1.0], [2.0]], [0, 1], [1, 2]), PAIRS[1]], "others in chunk 0"),
        ([PAIRS[0]], "got 1 chunks after 2"),
        ([*PAIRS, PAIRS[0]], "others in chunk 2"),
        ([], "got 0 chunks after 2"),
        ([([[1.0, 2.0]], [0]), PAIRS[1]], "others in chunk 0"),
    ],
)
def test_other_records_at_a_later_reading_are_refused(later, message):
    readings = Readings(Changing(PAIRS, later))
    assert len(list(readings)) == 2
    with pytest.raises(ValueError, match="the same records at each reading.*" + message):
        list(readings)


def test_a_reading_that_was_given_up_is_none():
    readings = Readings(Changing([PAIRS[1]], PAIRS, PAIRS))
    next(iter(readings))
    assert len(list(readings)) == len(list(readings)) == 2


def test_texts_are_compared_by_what_they_say():
    first = np.array(["yes", "no"], dtype=object)
    copied = np.array(["".join("yes"), "n" + "o"], dtype=object)
    readings = Readings(Changing([([[1], [2]], first)], [([[1], [2]], copied)]))
    for _ in range(2):
        assert list(readings)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (7, TypeError, "chunks must be an iterable of chunks"),
        ([], ValueError, "chunks must hold a record, got none"),
        ([([], [])], ValueError, "chunks must hold a record, got none"),
        ([7], TypeError, r"tuples \(X, y\).*got int as chunk 0"),
        ([PAIRS[0], ([[1]],)], TypeError, "got tuple as chunk 1"),
        ([([[1]], 7)], TypeError, "y must be an array, got int in chunk 0"),
        ([([[1]], [1, 2])], ValueError, "X and y must hold as many records, got 1 and 2"),
    ],
)
def test_what_is_no_source_of_chunks_is_named(source, error, message):
    with pytest.raises(error, match=message):
        list(Readings(source))


def test_the_first_reading_learns_ranges_and_classes_of_what_weighs_something():
    chunks = [
        ([[1.0, 5], [9, 9]], ["b", "x"], [1, 0]),
        ([[0.0, 7]], ["a"], [2]),
        ([[-9.0, 0]], ["c"], [0]),
    ]
    facts = learn(Readings(chunks), read, None)
    assert facts.ends.tolist() == [[0, 5], [1, 7]]
    assert (facts.n, facts.total, facts.plain) == (2, 3, False)
    assert facts.classes.tolist() == ["a", "b"]
    assert learn(Readings(PAIRS), read, [1, 0, 2]).classes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("chunks", "classes", "message"),
    [
        ([*PAIRS, ([[1.0, 2.0]], [0])], None, "X must have as many columns .* got 2 after 1"),
        ([*PAIRS, ([[1.0]], ["a"])], None, "y must be of one kind .* got texts after numbers"),
        ([*PAIRS, ([[1]], [1])], None, "X must be of one kind .* got int64 after float64"),
        (PAIRS, [0, 2], r"y must hold only labels among classes \[0, 2\], got .*1"),
        ([([[1.0]], [1], [0])], None, "sample_weight must have a total above zero, got 0"),
        ([([[1.0]], [1], [0.5])], None, "sample_weight must hold whole numbers in chunks"),
    ],
)
def test_chunks_that_disagree_are_refused(chunks, classes, message):
    with pytest.raises(ValueError, match=message):
        learn(Readings(chunks), read, classes)


def test_labels_are_numbered_by_their_classes():
    assert numbers_of(np.array(["b", "a", "b"]), np.array(["a", "b"])).tolist() == [1, 0, 1]
    assert weights_of(next(iter(Readings(PAIRS)))) is None
