"""Serve a survey: ``python -m ppdm_survey``; its options: ``python -m ppdm_survey --help``."""

import argparse
import math
import signal
import sys
from collections.abc import Sequence
from threading import Thread

from pydantic import ValidationError
from sqlalchemy import make_url
from sqlalchemy.exc import SQLAlchemyError

from ppdm_survey import simulate
from ppdm_survey._app import HOLD, LEAST_HOLD, create_app
from ppdm_survey._check import SURVEYS, Forecast, check_coin, check_guided, start_seed
from ppdm_survey._coin import CoinChannel
from ppdm_survey._coin_collector import CoinCollector
from ppdm_survey._collector import Collector
from ppdm_survey._errors import DatabaseInUseError, demand
from ppdm_survey._operate import COMMANDS, DATABASE, SIMULATED, run
from ppdm_survey._schema import Survey, voting_survey
from ppdm_survey._serve import demand_free, new_server

#: Of a class that one in ten is in, an epoch of so many has a single person three times in a
#: hundred; that person's R(t) is what the counts of the class grow by. Of 20, it is one in four.
SMALLEST_BATCH = 50
_FEW = f"batch_size must be at least {SMALLEST_BATCH}, because counts of fewer tell much of each"

_ACCESS = {
    "open": "anybody, as often as they like; who fills a batch or group but for one reads that one",
    "invitation": "who is invited, once (python -m ppdm_survey invite --help)",
}

#: What is wrong with a file of questions, by pydantic's type of error; its words are a library's.
_SAID = {
    "string_pattern_mismatch": "must have letters, digits, . _ -, a letter first, got {got!r}",
    "too_short": "must have {min_length} or more, got {actual_length}",
    "extra_forbidden": "is not a key of a survey", "missing": "must be there",
    "string_type": "must be text, in quotes, got {got!r}"}

_LOOPBACK = ("127.0.0.1", "localhost", "::1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted, or carry out a command; return the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments and arguments[0] in COMMANDS:
            run(arguments)
        elif arguments and arguments[0] == "check":
            options = _parser(check=True).parse_args(arguments[1:])
            survey = _survey(options)
            lines = _forecast(options, survey, SURVEYS).lines
            print(*lines, _fingerprint(options, survey), sep="\n")
        else:
            _serve(*_parser().parse_known_args(arguments))
    except ValidationError as error:
        for one in error.errors():
            place = ".".join(map(str, one["loc"])) or "the survey"
            said = _SAID.get(one["type"], "").format(**one.get("ctx", {}), got=one["input"])
            reason = said or one["msg"].removeprefix("Value error, ")
            print(f"python -m ppdm_survey: {place}: {reason}", file=sys.stderr)
        return 2
    except (ImportError, OSError, ValueError, TypeError, DatabaseInUseError,
            SQLAlchemyError) as error:
        print(f"python -m ppdm_survey: {error}", file=sys.stderr)
        return 2
    return 0


def _serve(options: argparse.Namespace, rest: Sequence[str]) -> None:
    """Open the survey, say where it is, and serve it until a signal comes."""
    demand(not rest, "a command must come first, and an option be one that --help has", rest)
    # nobody shall take invented answers for real ones
    options.database = options.database or (SIMULATED if options.simulate else DATABASE)
    rate, access = options.simulate, options.access
    demand(rate is None or rate > 0, "simulate must be a number > 0", rate)
    demand(rate is None or access == "open", "simulate needs access 'open', for a browser answers "
           "an invitation", access)
    survey = _survey(options)
    demand(0 <= options.port < 2**16, "port must be in [0, 65535]", options.port)
    demand_free(options.host, options.port)
    with _collector(options, survey) as collector:
        # where others than this machine's users come, nobody comes upon it
        alone = options.host in _LOOPBACK and not options.allow_host
        path = "miner" if alone else collector.secret_name
        app = create_app(collector, hosts=_hosts(options.host, options.allow_host),
                         miner_page=options.miner_page, miner_path=path, hold=options.hold)
        if not collector.n_received:  # a second, before anybody is asked
            lines = _forecast(options, survey, surveys=20).lines
            print("What to expect (roughly; check simulates more):", *lines, sep="\n  ")
        elif options.batch_size < SMALLEST_BATCH:
            print(f"Begun before: {_FEW}. Close this survey soon.", file=sys.stderr)
        # uvicorn passes the signal on when it has answered everybody; then the store is closed
        for told in (signal.SIGTERM, signal.SIGINT):
            signal.signal(told, lambda *_: sys.exit(0))
        # the name under which this machine finds what listens there
        host = {"0.0.0.0": "localhost", "::": "localhost"}.get(options.host, options.host)
        url = f"http://{f'[{host}]' if ':' in host else host}:{options.port}"
        print(f"The survey:       {url}/")
        page = f"{url}/{path}/" if options.miner_page else "not served"
        print(f"The miner's page: {page}")
        print(_fingerprint(options, survey))
        print(f"Who may answer:   {_ACCESS[options.access]}")
        database = make_url(options.database)  # shown without its password
        print(f"Stored so far:    {collector.n_received} submissions in {database!r}")
        print("Stop with Ctrl-C; nothing that was acknowledged is lost.", flush=True)
        if options.simulate is not None:
            Thread(target=_people, args=(url, options), daemon=True).start()
        new_server(app, options.host, options.port).run()


def _survey(options: argparse.Namespace) -> Survey:
    """Read what is asked, after a look at the numbers that the server and check both take."""
    scheme, people, margin, seed = options.scheme, options.people, options.margin, options.seed
    demand(people is None or people >= 2, "people must be at least 2", people)
    demand(0 < margin < 1, "margin must be a share in (0, 1), 0.05 is five points", margin)
    demand(seed is None or seed >= 0, "seed must not be negative", seed)
    return (Survey.from_json(options.survey, scheme=scheme) if options.survey
            else voting_survey(scheme))


def _collector(options: argparse.Namespace, survey: Survey) -> Collector | CoinCollector:
    """Open the survey under its scheme."""
    common = {"batch_size": options.batch_size, "access": options.access}
    if options.scheme == "coin":
        return CoinCollector(survey, options.database, channel=_channel(options, survey),
                             margin=options.margin, **common)
    start = _start(options, survey)
    seed = start_seed(survey, start, mu=options.mu, batch_size=options.batch_size,
                      seed=options.seed) if start else None
    collector = Collector(survey, options.database, mu=options.mu, random_start=start,
                          random_state=seed, **common)
    print(f"Asked of people:  {collector.inquire().k} of {survey.n_bits} directions, at the moment")
    return collector


def _channel(options: argparse.Namespace, survey: Survey) -> CoinChannel:
    """Return the coin's channel, by what the operator says of the whole record."""
    if (options.epsilon is None) == (options.odds is None):
        raise ValueError("say --epsilon or --odds, one of them: how much a report may tell of a "
                         "whole record (--epsilon 2 is --odds 7.39)")
    demand(options.odds is None or options.odds > 1, "odds must be > 1", options.odds)
    epsilon = options.epsilon if options.odds is None else math.log(options.odds)
    return CoinChannel.choose(survey, epsilon, asked=options.asked, people=options.people)


def _forecast(options: argparse.Namespace, survey: Survey, surveys: int) -> Forecast:
    """Simulate the survey, before anybody is asked."""
    demand(options.batch_size >= SMALLEST_BATCH, _FEW, options.batch_size)
    people = 300 if options.people is None else options.people
    common = {"batch_size": options.batch_size, "surveys": surveys, "seed": options.seed or 0}
    if options.scheme == "coin":
        return check_coin(survey, _channel(options, survey), people, options.margin, **common)
    return check_guided(survey, people, mu=options.mu, start=_start(options, survey), **common)


def _fingerprint(options: argparse.Namespace, survey: Survey) -> str:
    """Say what people compare, before it is served and while it is."""
    channel = _channel(options, survey).hash if options.scheme == "coin" else ""
    return f"For your letter:  {survey.fingerprint(options.scheme, channel)} (its fingerprint)"


def _start(options: argparse.Namespace, survey: Survey) -> int:
    """Begin with M0 random tuples, as many as there are questions where it is left out.

    0 begins with an epoch that takes records as they are, undisguised. On the sixteen votes, in
    40 collections: from 0 the classifier is right for 89 of 100 (worst 89), 100 records are in
    the clear, and 380 people come before one who does not allow everything is served (median);
    from 16 for 86 (worst 69), no record and 5 people; from 100 for 88 (worst 82), no record and
    360 people.
    """
    chosen: int | None = options.random_start
    demand(chosen is None or chosen >= 0, "random_start must be at least 0", chosen)
    if chosen == 0 and not options.clear_volunteers:
        raise ValueError("random_start 0 asks the first people for their records as they are: "
                         "say --clear-volunteers, too, or begin with random tuples")
    # nobody's record is needed in the clear, unless the operator asks for such volunteers
    return len(survey.attributes) if chosen is None else chosen


def _people(url: str, options: argparse.Namespace) -> None:
    """Let simulated people answer, until they have or the server ends."""
    try:
        print(simulate.answer(url, options.people, rate=options.simulate))
    except (ValueError, ConnectionError) as error:
        print(f"--simulate: {error}", file=sys.stderr)


def _hosts(host: str, others: Sequence[str]) -> Sequence[str]:
    """On loopback, answer to loopback's names only: a foreign name may be rebound to it."""
    return [*_LOOPBACK, "[::1]", host, *others] if host in _LOOPBACK or others else []


def _parser(check: bool = False) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m ppdm_survey" + " check" * check,
        description="Say what a survey would give, before it is served." if check else
        "Serve a survey whose answers are disguised in the browser.",
        epilog=f"Before it is served: check FILE. Of a survey that is stored: "
        f"{', '.join(COMMANDS)} (see export --help).")
    add = parser.add_argument
    if check:
        add("survey", nargs="?", default=argparse.SUPPRESS, metavar="FILE", help="as --survey")
    add("--survey", metavar="FILE",
        help="what is asked, as JSON; the sixteen votes if left out")
    add("--scheme", choices=["coin", "guided"], default="coin",
        help="how answers are disguised: by a coin, everybody served and a bound on what is told; "
        "or by guided perturbation (ZWZ05, section 7), for demonstrations (%(default)s)")
    add("--epsilon", type=float, help="of the coin: what the report of a whole record may tell")
    add("--odds", type=float, help="e^epsilon instead: the factor by which anybody's odds may move")
    add("--asked", type=int, metavar="S", help="of the coin: questions each answers, by lot")
    add("--people", type=int, metavar="N",
        help="how many are expected; without --asked it says how many questions each answers")
    add("--margin", type=float, default=0.05,
        help="of the coin: the 95%% margin wished for, a share: 0.05 is five points (%(default)s)")
    add("--clear-volunteers", action="store_true",
        help="of guided perturbation: let the first people send their records as they are")
    add("--host", default="127.0.0.1",
        help="address to listen on; anything but loopback needs https in front (%(default)s)")
    add("--port", type=int, default=8008, help="to listen on (%(default)s)")
    add("--allow-host", action="append", default=[], metavar="NAME",
        help="a name under which the server may be asked; may be repeated")
    add("--database", metavar="URL",
        help=f"sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME ({DATABASE}; "
        f"with --simulate {SIMULATED})")
    add("--no-miner-page", dest="miner_page", action="store_false",
        help="leave it out; where others than this machine can ask, it has a secret address")
    add("--simulate", nargs="?", type=float, const=10.0, metavar="RATE",
        help="let as many simulated people answer meanwhile, RATE a second (%(const)s)")
    add("--access", choices=["open", "invitation"], default="open",
        help="anybody may answer, as often as they like; or who is invited, once (%(default)s)")
    add("--hold", type=float, metavar="N",
        help=f"an invited person's browser waits a random time of {LEAST_HOLD} to N minutes before "
        f"it sends, so that the time tells less of whose answer it is ({HOLD})")
    add("--mu", type=float, default=0.15,
        help="share of the first eigenvalue that k* is computed with (%(default)s)")
    add("--batch-size", type=int, default=100, metavar="N",
        help=f"people whose reports are opened together (%(default)s), at least {SMALLEST_BATCH}")
    add("--random-start", type=int, metavar="M0", help=_start.__doc__)
    add("--seed", type=int, help="of the random start")
    return parser


if __name__ == "__main__":
    sys.exit(main())
