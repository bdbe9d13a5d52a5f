"""What somebody reads of the others who fills an open survey's epochs with answers of his own."""

import numpy as np
import pytest
from outsiders import Outsider, T, Y, as_person
from serving import serve

from ppdm.protocol import DataProvider
from ppdm_survey import Collector, HttpMiner, create_app, voting_survey

pytestmark = pytest.mark.long(part="survey")

B = 100


def epochs_of(others, n_epochs, random_start=200):
    """Yield, epoch by epoch, what the flooder is left with and what the others sent.

    He comes first, with all answers of the epoch but as many as there are others; one of them
    over HTTP, as the others, the rest of them in the process, which is faster.
    """
    rng = np.random.default_rng(others)
    with (Collector(voting_survey(), batch_size=B, random_start=random_start, random_state=1)
          as collector, serve(create_app(collector)) as url, Outsider(url) as flooder):
        for epoch in range(n_epochs):
            before = flooder.counts()
            for _ in range(B - others - 1):
                _, token = collector.ready(epoch)
                collector.submit(token, epoch, 0, []).result()
                flooder.sent[0] += 1
            assert others == B or flooder.answer()
            sent = []
            for i in rng.choice(len(T), others, replace=False):
                person = DataProvider(T[i], int(Y[i]), 32, sender=int(i), random_state=rng)
                with HttpMiner(url, flooder.web) as miner:
                    assert person.attempt(miner)
                sent.append((person.submission.label, np.asarray(person.submission.R), T[i]))
            assert flooder.epoch() == epoch + 1
            yield flooder.difference(before), sent


def read(counts, sent):
    """Return how many R(t) are read whole, and the share of their bits that is guessed right.

    His guess of a bit is what most of the person's class have; the class he knows.
    """
    guesses = [2 * counts[c, :-1] > counts[c, -1] for c in (0, 1)]
    certain = [((counts[c, :-1] == 0) | (counts[c, :-1] == counts[c, -1])).all() for c in (0, 1)]
    right = [(guesses[c] == R).mean() for c, R, _ in sent]
    return sum(certain[c] for c, *_ in sent), float(np.mean(right))


def test_all_answers_but_one_read_that_one():
    """The limit of open access: R(t) and class of 10 of 10; in a first epoch, the answers."""
    for counts, [(label, R, _)] in epochs_of(1, 10):
        assert as_person(counts) == (label, np.flatnonzero(R).tolist())
    [(counts, [(label, R, t)])] = list(epochs_of(1, 1, random_start=0))
    assert as_person(counts) == (label, np.flatnonzero(t).tolist())


@pytest.mark.parametrize("others", [2, 5, 10, 25, 100])
def test_the_more_others_the_less_is_read(others, capsys):
    """Bounds are what was measured over ten epochs (.40, .10, 0), and half as much again.

    Of 2 others .40 are the only one of their class; of 5, .10. The share of bits falls to that
    which the counts of an honest epoch give, too.
    """
    reads = [read(counts, sent) for counts, sent in epochs_of(others, 10)]
    whole = sum(n for n, _ in reads) / (10 * others)
    bits = float(np.mean([share for _, share in reads]))
    with capsys.disabled():
        print(f"\n{B - others:3} of {B} his own: {whole:.2f} of the others' R(t) whole, "
              f"{bits:.3f} of their bits")
    assert whole <= {2: 0.6, 5: 0.2}.get(others, 0.02)
    assert bits <= {2: 0.92, 5: 0.86}.get(others, 0.84)
