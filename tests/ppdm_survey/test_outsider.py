"""What an outsider, and the operator with all that the server keeps, can join with a person."""

import hashlib
import logging
import re
from math import gcd

import httpx
import numpy as np
import pytest
import sqlalchemy as sa
from blinding import Blinded, Invited
from collecting import asked, command, exchanged, refusal, send
from outsiders import Outsider, T, Y, as_person
from serving import serve

from ppdm.exceptions import EpochOverError
from ppdm.protocol import DataProvider
from ppdm_survey import (
    BadInvitationError,
    BadTokenError,
    Collector,
    DatabaseInUseError,
    HttpMiner,
    InvitationUsedError,
    SurveyError,
    TokenUsedError,
    _collector,
    create_app,
    voting_survey,
)
from ppdm_survey import _tokens as blind
from ppdm_survey.__main__ import SMALLEST_BATCH
from ppdm_survey._store import Row
from ppdm_survey._tokens import decode, encode

SURVEY = voting_survey()
N = 8  # people of the tests below


def provider(i, level=32):
    return DataProvider(T[i], int(Y[i]), level, sender=i, random_state=i)


def answer(url, i, invitation=None):
    """Let one person answer; return class and ones of R(t)."""
    person = provider(i)
    with Invited(url, invitation=invitation) if invitation else HttpMiner(url) as miner:
        assert person.attempt(miner)
    return person.submission.label, np.flatnonzero(person.submission.R).tolist()


@pytest.fixture
def invited(database, tmp_path):
    """A survey by invitation, its address, and its file."""
    with (Collector(SURVEY, database, batch_size=2 * N, access="invitation") as collector,
          serve(create_app(collector)) as url):
        yield collector, url, tmp_path / "survey.sqlite"


# --- the public pages


def test_no_public_page_changes_before_an_epoch_ends():
    """Whatever changed with a submission would tell its time, and who watches whom."""
    with (Collector(SURVEY, batch_size=5) as collector, serve(create_app(collector)) as url,
          Outsider(url) as outsider):
        changes, before = [], outsider.pages()
        assert len(before) >= 9  # or what was to be compared was not found
        for i in range(11):
            answer(url, i)
            now = outsider.pages()
            changes.append({path for path in now if now[path] != before[path]})
            before = now
    ends = [i for i, paths in enumerate(changes) if paths]
    assert ends == [4, 9]
    assert {"api/inquiry", "miner/api/results", "miner/api/status"} <= changes[4]


def test_others_with_the_same_counts_leave_the_same_pages():
    """What is published is made of counts: a submission on any page would be another one here.

    Of three bits, the four records of even parity have the same sums of each bit and of each pair
    as the four of odd parity. So guidance and classifier are the same, and no record is.
    """
    even = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    published = []
    for three in (even, 1 - even):
        start = {"random_start": 400, "random_state": 0}
        with (Collector(SURVEY, mu=0.9, batch_size=8, **start) as collector,
              serve(create_app(collector)) as url, Outsider(url) as outsider):
            for label in [0, 1] * 3:
                for bits in three:
                    # all but the three are the class's: by these the classifier names it
                    R = np.r_[bits, np.repeat([label, 1 - label], (15, 14))]
                    send(collector, label, np.flatnonzero(R).tolist())
            pages = outsider.pages()
            assert collector.results()["accuracy"][-1]["epoch"] == 2
        pages["miner/metrics"] = re.sub(r"start_time_seconds \d+", "", pages["miner/metrics"])
        # each database's own, from its secret
        pages["api/access"] = re.sub(r'"id":"[0-9a-f]{64}"', "", pages["api/access"])
        published.append(pages)
    assert published[0] == published[1]


def test_an_outsider_reads_nobody_where_people_are_invited():
    """Before, from the public room and 99 free tokens: R(t) and class of 10 of 10."""
    with (Collector(SURVEY, access="invitation") as collector,
          serve(create_app(collector)) as url, Outsider(url) as outsider):
        people, read = [], []
        for i, code in enumerate(collector.invite(10)):
            before, pages = outsider.counts(), outsider.pages()
            people.append(answer(url, i, code))
            assert outsider.pages() == pages  # he does not see that somebody came
            assert outsider.fill(limit=99) == 0
            read.append(as_person(outsider.difference(before)))
        assert collector.n_received == 10
    assert not any(one == seen for one, seen in zip(people, read, strict=True))


# --- tokens


@pytest.fixture
def now(monkeypatch):
    """The time as the journal sees it; it goes on where a test says so."""
    now = [1000.0]
    monkeypatch.setattr(_collector.time, "monotonic", lambda: now[0])
    return now


def test_a_token_ends_with_its_epoch(now):
    with Collector(SURVEY, batch_size=2) as collector:
        hoard = [collector.ready(0)[1] for _ in range(4)]
        for token in hoard[:2]:
            collector.submit(token, 0, 0, [1]).result()
        with pytest.raises(EpochOverError, match="epoch 0 is over, the current one is 1"):
            collector.ready(0)
        # who had drawn when the epoch ended is let in: the answers are deleted already
        now[0] += _collector.GRACE - 0.1
        collector.submit(hoard[2], 0, 1, [3]).result()
        now[0] += 0.2
        for _ in range(2):
            with pytest.raises(EpochOverError, match="epoch 0 is over, and its tokens with it"):
                collector.submit(hoard[3], 0, 1, [3]).result()
            collector._replay()  # a failure of the database makes no token young again
        collector.submit(hoard[2], 0, 1, [3]).result()  # what is stored is acknowledged again
        assert collector.n_received == 3


def test_who_is_prompt_is_let_in_however_many_epochs_end(now):
    # a crowd, or somebody who fills epochs so that others are turned away
    with Collector(SURVEY, batch_size=2) as collector:
        hers, late = (collector.ready(0)[1] for _ in range(2))
        for _ in range(6):
            send(collector, 0, [1])
            now[0] += 0.25 * _collector.GRACE / 2
        assert collector.inquire().epoch == 3
        collector.submit(hers, 0, 1, [3]).result()  # half a minute counts from the end of hers
        now[0] += _collector.GRACE / 2
        with pytest.raises(EpochOverError):
            collector.submit(late, 0, 1, [3]).result()


def test_after_a_restart_only_the_last_epoch_has_half_a_minute(database):
    with Collector(SURVEY, database, batch_size=2) as before:
        tokens = []
        for epoch in (0, 1):
            tokens.append(before.ready(epoch)[1])
            for _ in range(2):
                send(before, 0, [1])
    with Collector(SURVEY, database, batch_size=2) as after:
        with pytest.raises(EpochOverError):
            after.submit(tokens[0], 0, 1, [3]).result()
        # when it ended is not known any more, and who had drawn shall not be lost
        after.submit(tokens[1], 1, 1, [3]).result()


def test_late_ones_of_a_batch_do_not_stop_the_others(monkeypatch):
    monkeypatch.setattr(_collector, "GRACE", 0.0)
    with Collector(SURVEY, batch_size=2) as collector:
        tokens = [collector.ready(0)[1] for _ in range(5)]
        rows = [Row(collector._tokens.check(token, 0), 0, 0, b"\0" * 4) for token in tokens]
        answers = collector._record([*rows, rows[0]])
        late = [isinstance(one, EpochOverError) for one in answers]
        assert late == [False] * 2 + [True] * 3 + [False]
        assert collector.n_received == 2


# --- invitations


def test_an_invitation_is_good_for_one_answer(invited):
    collector, url, _ = invited
    (code,) = collector.invite(1)
    person = provider(0)
    with Invited(url, invitation=code) as miner:
        assert person.attempt(miner)
        miner.submit(person.submission)  # the same again is stored once
        token = miner._token[1]
    assert collector.n_received == 1
    body = {"token": token, "epoch": 0, "class": 1 - person.submission.label, "ones": []}
    reply = httpx.post(f"{url}/api/submit", json=body)
    assert (reply.status_code, reply.json()["error"]) == (409, "token_used")
    with (Invited(url, invitation=code) as miner,
          pytest.raises(ValueError, match=r"409 invitation_used\): invitation has been exchanged")):
        miner.exchange()
    assert collector.n_received == 1


def test_a_lost_answer_does_not_cost_the_invitation(invited):
    collector, _, file = invited
    (code,) = collector.invite(1)
    mine, other = (Blinded.draw(collector.key) for _ in range(2))
    first = collector.exchange(code, mine.message).result()
    assert collector.exchange(code, mine.message).result() == first
    with pytest.raises(InvitationUsedError):
        collector.exchange(code, other.message).result()
    token = mine.token(first)
    collector.submit(token, 0, 0, [1]).result()
    assert asked(file, "select count(*) from invitation") == [(1,)]


@pytest.mark.parametrize("title", [SURVEY.title, "Sixteen votes, mended"])
def test_what_was_exchanged_lasts_over_a_restart(database, title):
    options = {"access": "invitation", "batch_size": 5}
    with Collector(SURVEY, database, **options) as before:
        code, spare = before.invite(2)
        token = exchanged(before, code)
        key = before.key
    mended = SURVEY.model_copy(update={"title": title})
    with Collector(mended, database, **options) as after:
        assert after.key == key
        with pytest.raises(InvitationUsedError):
            exchanged(after, code)
        after.submit(token, 0, 0, [1]).result()
        after.submit(exchanged(after, spare), 0, 0, []).result()
        assert after.n_received == 2
    with pytest.raises(DatabaseInUseError, match="begun with --access invitation: start"):
        Collector(mended, database, batch_size=5)  # it would be open to anybody


def test_the_file_does_not_keep_the_order_of_the_exchanges(database, tmp_path):
    # 30 exchanges one after the other: a page of SQLite has its rows as they came
    with Collector(SURVEY, database, access="invitation") as collector:
        codes = collector.invite(30)
        for code in codes:
            exchanged(collector, code)
    nonces = [decode(code)[:16] for code in codes]
    content = (tmp_path / "survey.sqlite").read_bytes()
    places = [[at.start() for at in re.finditer(re.escape(nonce), content)] for nonce in nonces]
    # once in the table and once in its index, or in the table alone
    for one in zip(*places, strict=True):
        by_place = [nonce for _, nonce in sorted(zip(one, nonces, strict=True))]
        assert by_place in (sorted(nonces), sorted(nonces, reverse=True))


@pytest.mark.parametrize("journal", ["as it is", "WAL"])
def test_no_file_beside_the_database_keeps_the_order(database, tmp_path, journal):
    """A write-ahead log, to compare with, has every exchange and submission in its order."""
    with Collector(SURVEY, database, access="invitation") as collector:
        if journal == "WAL":
            collector._store._drop_session()
            sa.event.listen(collector._store._engine, "connect",
                            lambda file, _: file.execute("PRAGMA journal_mode = WAL"))
        codes, held, came = collector.invite(12), [], []
        for code in codes:
            held.append(exchanged(collector, code))
            came.append(decode(code)[:16])
            if len(held) > 1:  # two hold a token, and one of them submits
                collector.submit(held.pop(len(came) % 2), 0, 0, [1]).result()
                [token] = asked(tmp_path / "survey.sqlite", "SELECT token FROM submission "
                                "ORDER BY position DESC LIMIT 1")
                came += token
        beside = [path for path in tmp_path.iterdir() if path.name != "survey.sqlite"]
        left = b"".join(path.read_bytes() for path in sorted(beside))
        assert {path.name.removeprefix("survey.sqlite") for path in beside} - {
            "-lock", "-lock-journal"} == ({"-wal", "-shm"} if journal == "WAL" else set())
    there = sorted((one for one in came if one in left), key=left.index)
    assert there == (came if journal == "WAL" else [])


def test_a_key_that_would_mark_what_it_signs_is_refused():
    # what a small factor divides, it divides in the exchange and in the token
    n = 2**2048 - 1  # 3, 5, 17, 257 ...: half of all draws share a factor with it
    jwk = {"n": encode(n.to_bytes(256, "big")), "e": "AQAB"}
    refused = 0
    for _ in range(60):
        try:
            assert gcd(int.from_bytes(Blinded.draw(jwk).message, "big"), n) == 1
        except ValueError as error:
            refused += "a product of two large primes" in str(error)
    assert refused > 5


def test_a_survey_that_becomes_another_forgets_its_invitations(database):
    with Collector(SURVEY, database, access="invitation") as before:
        (code,) = before.invite(1)
        token = exchanged(before, code)
    with Collector(SURVEY, database):  # open to anybody: nothing of the other is kept
        pass
    with Collector(SURVEY, database, access="invitation") as after:
        assert after.key != before.key
        with pytest.raises(BadInvitationError):
            exchanged(after, code)
        with pytest.raises(BadTokenError):
            after.submit(token, 0, 0, [])


def test_an_invited_token_lasts_and_is_good_for_one(invited, monkeypatch):
    # it names no epoch; hoarded ones are as many as the invitations that somebody has
    monkeypatch.setattr(_collector, "GRACE", 0.0)
    collector, _, _ = invited
    (code,) = collector.invite(1)
    token = exchanged(collector, code)
    for one in collector.invite(2 * collector.batch_size):
        collector.submit(exchanged(collector, one), collector.inquire().epoch, 0, []).result()
    epoch = collector.inquire().epoch
    assert epoch >= 2
    with pytest.raises(EpochOverError):  # R(t) of an epoch that is over is not taken
        collector.submit(token, 0, 0, []).result()
    collector.submit(token, epoch, 0, [1]).result()
    with pytest.raises(TokenUsedError):
        collector.submit(token, epoch, 0, [2]).result()


def test_what_is_no_invitation_is_refused_and_burns_none(invited):
    collector, _, _ = invited
    mine = Blinded.draw(collector.key)
    (code,) = collector.invite(1)
    for wrong in ("", "A" * 43, code[:-1], collector._tokens.issue(0), None):
        with pytest.raises(BadInvitationError, match="one that was made here"):
            collector.exchange(wrong, mine.message)
    for blinded in (b"", b"\xff" * 256):
        with pytest.raises(SurveyError, match="blinded must be 256 bytes"):
            collector.exchange(code, blinded)
    # neither an invitation nor a token of one's own is a token
    for wrong in (code, collector._tokens.issue(0), encode(b"\1" * 272)):
        with pytest.raises(BadTokenError):
            collector.submit(wrong, 0, 0, [])
    assert collector.ready(0)[1] == ""
    mine.token(collector.exchange(code, mine.message).result())


def test_an_open_survey_invites_nobody():
    with Collector(SURVEY) as collector, serve(create_app(collector)) as url:
        access = httpx.get(f"{url}/api/access").json()
        assert access == {"access": "open", "key": None, "id": access["id"]}
        with pytest.raises(BadInvitationError, match="open to all"):
            collector.exchange("A" * 43, b"")


# --- the operator, with mail list, database and log


def test_the_operator_cannot_join_a_person_with_a_disguise(invited, caplog):
    """N people exchange in one order and submit in another; all that is kept joins nobody.

    For each person and each token there is one blinding factor under which the blinded
    message holds that token. It was drawn uniformly, so each of the N! ways to join people
    and answers is as probable as any other: the best guess is right for one person on average.
    """
    collector, url, file = invited
    codes = collector.invite(N)
    caplog.set_level(logging.DEBUG)
    wire = []  # all that a server could write down, and the mail list
    people = [(provider(i), Invited(url, invitation=codes[i])) for i in range(N)]
    for _, miner in people:
        miner.exchange()
        wire.append(miner._blinded.message)
    for i in np.random.default_rng(1).permutation(N):
        person, miner = people[i]
        assert person.attempt(miner)
        miner.close()

    [(der,)] = asked(file, "select private from key")
    used = asked(file, "select code, blinded from invitation")
    # mail list and database name everybody who took part, by the code
    signer = blind.BlindSigner(der)
    assert {decode(code)[:16] for code in codes} == {code for code, _ in used}
    assert {hashlib.sha256(z).digest() for z in wire} == {digest for _, digest in used}

    # the operator's best: try each token with each transcript, all keys in hand
    n, e = signer.n, 65537
    tokens = [decode(miner._signed) for _, miner in people]
    rows = asked(file, "select token from submission")
    assert {token[:16] for token in tokens} == {token for (token,) in rows}
    for z in wire:
        for token in tokens:
            signature = int.from_bytes(token[16:], "big")
            blind_signature = int.from_bytes(signer.sign(z), "big")
            r = blind_signature * pow(signature, -1, n) % n
            encoded = pow(signature, e, n)
            # this token, blinded by this r, gives this transcript: message and signature
            assert encoded * pow(r, e, n) % n == int.from_bytes(z, "big")
            assert blind_signature * pow(r, -1, n) % n == signature
            assert 1 < r < n

    # nothing else in the database, and nothing in the log, is of both sides
    submissions = asked(file, "select * from submission")
    assert not pieces(submissions) & pieces(used)
    log = caplog.text + "".join(record.getMessage() for record in caplog.records)
    for secret in [*codes, *(encode(token) for token in tokens)]:
        assert secret not in log
    # exchanges are kept in the order of their codes, not in that in which they came
    assert [code for code, _ in used] == sorted(code for code, _ in used)


def pieces(rows):
    """Return every text of eight bytes in the rows' values: what could be found in another."""
    return {value[i : i + 8] for row in rows for value in row if isinstance(value, bytes)
            for i in range(len(value) - 7)}


def test_a_server_that_marks_its_tokens_marks_nobody_invited(invited):
    # a token of ``ready`` is not taken: it could be a mark
    collector, url, _ = invited
    marked = []

    def mark(request):
        reply = plain.send(request)
        if request.url.path.endswith("/ready"):
            return httpx.Response(200, json={**reply.json(), "token": "M" * 43})
        if request.url.path.endswith("/submit"):
            marked.append(request.read())
        return httpx.Response(reply.status_code, content=reply.content)

    with httpx.Client() as plain, httpx.Client(transport=httpx.MockTransport(mark)) as web:
        assert provider(0).attempt(Invited(url, web, invitation=collector.invite(1)[0]))
    assert len(marked) == 1
    assert b"M" * 43 not in marked[0]


def test_a_key_for_each_person_would_join_them():
    """The limit of the scheme, and why the key is public: compare it with others'."""
    one, other = (blind.BlindSigner(blind.new_key()) for _ in range(2))
    mine = Blinded.draw(one.jwk())
    token = mine.token(one.sign(mine.message))
    assert one.check(token)
    with pytest.raises(BadTokenError):
        other.check(token)


# --- the command


def test_a_small_batch_is_refused(capsys):
    options = ["--batch-size", SMALLEST_BATCH - 1, "--database", "sqlite://", "--epsilon", "2",
               "--asked", "1", "--port", "0"]
    assert f"batch_size must be at least {SMALLEST_BATCH}" in refusal(capsys, *options)


def test_why_the_smallest_batch_is_as_large():
    """A class that one in ten is in has a single person in 3% of batches of 50, in 27% of 20."""
    alone = {size: size * 0.1 * 0.9 ** (size - 1) for size in (20, SMALLEST_BATCH, 100)}
    assert alone[20] == pytest.approx(0.27, abs=0.005)
    assert alone[SMALLEST_BATCH] == pytest.approx(0.029, abs=0.0005)
    assert alone[100] < 0.0004


def test_invite_prints_links_while_the_survey_is_served(invited, capsys):
    collector, url, file = invited
    command("invite", 3, "--database", f"sqlite:///{file}", "--url", f"{url}/")
    links = capsys.readouterr().out.split()
    assert len(set(links)) == 3
    for link in links:
        assert re.fullmatch(rf"{url}/#[\w-]{{43}}", link)
        exchanged(collector, link.partition("#")[2])


@pytest.mark.parametrize(("n", "message"), [
    ("0", "target == 0, must be >= 1"), ("3", "that people are invited to"),
])
def test_invite_says_why_not(n, message, database, tmp_path, capsys):
    assert "database must be there, got none" in refusal(
        capsys, "invite", n, "--database", database)
    assert not list(tmp_path.iterdir())
    with Collector(SURVEY, database, access="invitation" if n == "0" else "open"):
        pass
    assert message in refusal(capsys, "invite", n, "--database", database)
