"""The HTTP interface: one app for the data providers, and within it one for the miner."""

import asyncio
import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from functools import partial
from typing import Annotated, Any

from fastapi import FastAPI, Path, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.exceptions import HTTPException

from ppdm.exceptions import EpochOverError
from ppdm_survey import _messages as messages
from ppdm_survey._coin import FEWEST, HARDLY, CoinChannel
from ppdm_survey._coin_collector import CoinCollector
from ppdm_survey._collector import Collector
from ppdm_survey._errors import BusyError, SurveyError, demand
from ppdm_survey._schema import MOST, STATIC, Survey, say
from ppdm_survey._serve import Guard
from ppdm_survey._tokens import decode, encode

#: Minutes from the exchange of an invitation in which nothing is sent, and the longest by default.
LEAST_HOLD, HOLD = 2, 10

#: The refusals that a message with a token may get.
_REFUSALS = messages.problems(400, 403, 404, 409, 413, 415, 422, 503)

#: A bare address in a text: its last sign is none of a sentence's.
_LINK = re.compile(r"https://[^\s<>\"&]+(?:&amp;[^\s<>\"&]+)*[^\s<>\"&.,;:!?)]")


def prose(text: str) -> Markup:
    """Return a text's paragraphs, which an empty line parts, and its bare addresses as links."""
    parts = re.split(r"\n\s*\n", text.strip())
    shown = [_LINK.sub(r'<a href="\g<0>" rel="noreferrer">\g<0></a>', str(escape(part)))
             for part in parts]
    # what is escaped, and links between
    return Markup("\n".join(f"<p>{one}</p>" for one in shown) if len(shown) > 1 else shown[0])


def at_most(bound: float | Decimal) -> str:
    """Return a bound in three digits, rounded up, or it would promise too much (``ppdm.js``)."""
    up = Context(3, ROUND_CEILING).normalize(Decimal(f"{bound:.12g}"))
    return f"{up:,f}" if up < 10**12 else str(up).replace("+", "")


TEMPLATES = Environment(
    loader=PackageLoader("ppdm_survey"), autoescape=True, undefined=StrictUndefined)
TEMPLATES.globals |= {"prose": prose, "at_most": at_most, "exp": lambda x: Decimal(x).exp(),
                      "fewest": FEWEST, "hardly": HARDLY}


def create_app(
    collector: Collector | CoinCollector, *, miner_page: bool = True, miner_path: str = "miner",
    hosts: Sequence[str] = (), hold: float | None = None,
) -> FastAPI:
    """Return the survey as an ASGI application.

    Parameters
    ----------
    collector : Collector or CoinCollector
        Where submissions go, by guided perturbation or by the coin; the caller closes it.
    miner_page : bool, default=True
        Whether to mount the miner's page.
    miner_path : str, default="miner"
        The name under which it is mounted. One that nobody can guess, such as
        ``collector.secret_name``, keeps it from the respondents.
    hosts : sequence of str, default=()
        The names under which it answers (the Host header); every name, where empty. On
        loopback a foreign name may have been rebound to it.
    hold : float >= 2, optional
        Minutes that what somebody invited sends waits at most, counted from the exchange of the
        invitation, and anew whenever the page is loaded: a random time from two minutes on, which
        the person may shorten. 10 where it is None. Where the survey is open there is nothing to
        wait for, and it must be None.

    Returns
    -------
    fastapi.FastAPI
        To be served at any path: ``site.mount("/survey", create_app(collector))``. It must
        run in one process.

    Raises
    ------
    ValueError
        If ``hold`` is out of its range.

    Examples
    --------
    >>> from fastapi import FastAPI
    >>> from ppdm_survey import Collector, create_app, voting_survey
    >>> site = FastAPI()
    >>> with Collector(voting_survey()) as collector:
    ...     site.mount("/survey", create_app(collector))
    """
    app = _new_app("A survey whose answers are disguised in the browser", hosts)
    if collector.key is None:
        demand(not hold, "hold must be left out where access is open", hold)
    else:
        hold = HOLD if hold is None else hold
        demand(LEAST_HOLD <= hold < math.inf, f"hold must be a finite number >= {LEAST_HOLD}", hold)
    if guided := isinstance(collector, Collector):
        clear = collector.epochs[0]["k"] == collector.survey.n_bits
        _guided(app, collector)
    else:
        clear = False
        _coin(app, collector)
    served = collector.survey.served("guided" if guided else "coin")
    # it says so where records are taken as they are, and links the miner's page where it may
    page = render("survey.html", collector.survey, ".", access=collector.access, guided=guided,
                  hold=round(60_000 * (hold or 0)), public=miner_page and miner_path == "miner",
                  clear=clear)

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    async def survey_page() -> str:
        return page

    @app.get("/api/schema", response_model=Survey)
    async def asked() -> Any:
        """Say what is asked."""
        return Response(served, media_type="application/json")

    @app.get("/api/access", response_model=messages.Access)
    async def access() -> Any:
        """Say who may answer."""
        return {"access": collector.access, "id": collector.id, "key": collector.key}

    @app.post("/api/exchange", response_model=messages.Signature, responses=_REFUSALS)
    async def exchange(message: messages.Exchange) -> Any:
        """Sign a token that is not seen, once for each invitation."""
        signature = collector.exchange(message.invitation, decode(message.blinded))
        return {"signature": encode(await asyncio.wrap_future(signature))}

    @app.get("/api/health", status_code=204, response_class=Response,
             responses=messages.problems(503))
    async def health() -> None:
        """Say whether what came last could be stored."""
        if not collector.metrics()["healthy"]:
            raise BusyError("what came last could not be stored")

    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    if miner_page:
        # a framework's own redirect names a scheme, and behind TLS the wrong one
        slash = Response(status_code=307, headers={"location": f"{miner_path}/"})
        app.get(f"/{miner_path}", include_in_schema=False)(lambda: slash)
        app.mount(f"/{miner_path}", create_miner_app(collector))
    return app


def _guided(app: FastAPI, collector: Collector) -> None:
    """Add what guided perturbation asks and is asked."""

    # what is asked most stands first: the paths are gone through in this order
    @app.get("/api/inquiry", response_model=messages.Inquiry)
    async def inquiry() -> Any:
        """Announce the epoch and its level k*; the request carries nothing."""
        # as it stands: what is asked most is not checked again
        return JSONResponse({**collector.inquire()._asdict(), "batch_size": collector.batch_size})

    @app.post("/api/ready", response_model=messages.PublishedGuidance,
              responses=messages.problems(400, 404, 409, 413, 415, 422))
    async def ready(message: messages.Ready) -> Any:
        """Hand out the guidance of the current epoch with a token for one submission."""
        guidance, token = collector.ready(message.epoch)
        return Response(guidance.message(token), media_type="application/json")

    @app.post("/api/submit", status_code=204, response_class=Response, responses=_REFUSALS)
    async def submit(message: messages.Submission) -> None:
        """Take R(t); the answer comes once it is stored."""
        stored = collector.submit(message.token, message.epoch, message.label, message.ones)
        await asyncio.wrap_future(stored)

    @app.get("/api/epochs", response_model=list[messages.Epoch])
    async def epochs() -> Any:
        """Publish the hash of each epoch's guidance."""
        return collector.epochs

    @app.get("/api/epochs/{epoch}", response_model=messages.Epoch,
             responses=messages.problems(404, 422))
    async def one_epoch(epoch: Annotated[int, Path(ge=0, le=MOST)]) -> Any:
        """Publish the hash of one epoch's guidance."""
        return collector.epochs[collector.check_epoch(epoch)]


def _coin(app: FastAPI, collector: CoinCollector) -> None:
    """Add what the coin asks and is asked."""

    @app.get("/api/channel", response_model=CoinChannel)
    async def channel() -> Any:
        """Publish what all records go through; it does not change."""
        return collector.channel

    @app.post("/api/ready", response_model=messages.Token,
              responses=messages.problems(400, 409, 413, 415, 422))
    async def ready(message: messages.Drawing) -> Any:
        """Hand out a token for one report that is drawn by this channel."""
        return {"token": collector.ready(message.channel)}

    @app.post("/api/submit", status_code=204, response_class=Response, responses=_REFUSALS)
    async def submit(message: messages.Report) -> None:
        """Take one report; the answer comes once it is stored."""
        await asyncio.wrap_future(collector.submit(message.token, message.channel, message.answers))


def create_miner_app(collector: Collector | CoinCollector) -> FastAPI:
    """Return the miner's page and its messages as an ASGI application.

    Its page takes script and style from the survey's ``static/``, one level up.

    Parameters
    ----------
    collector : Collector or CoinCollector

    Returns
    -------
    fastapi.FastAPI
    """
    app = _new_app("A survey whose answers are disguised: the miner's side")

    @app.get("/metrics", response_class=PlainTextResponse, include_in_schema=False)
    async def metrics() -> Response:
        """Give a monitor what it may keep, in Prometheus' text format."""
        lines = (f"ppdm_survey_{name} {n}\n" for name, n in collector.metrics().items())
        return Response("".join(lines), media_type="text/plain; version=0.0.4")

    guided = isinstance(collector, Collector)

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def miner_page() -> str:
        return render("miner.html" if guided else "shares.html", collector.survey, "..",
                      results=collector.results(), live=True, groups={})

    @app.get("/api/results", response_model=messages.Results if guided else messages.Shares)
    async def results() -> Any:
        """Give what the miner knows, as of the last whole epoch or batch."""
        return collector.results()

    if isinstance(collector, Collector):
        @app.get("/api/status", response_model=messages.Status)
        async def status() -> Any:
            """Say how far the collection is."""
            return collector.status()
    return app


def _new_app(title: str, hosts: Sequence[str] = ()) -> FastAPI:
    # the usual pages of documentation load scripts from another host
    app = FastAPI(title=title, version="1", docs_url=None, redoc_url=None, exception_handlers={
        SurveyError: _refused, EpochOverError: _refused, RequestValidationError: _invalid,
        HTTPException: _http})
    app.add_middleware(Guard, hosts=hosts)
    return app


def render(name: str, survey: Survey, base: str, **given: object) -> str:
    """Return a page in the survey's language; ``base`` is where ``static/`` is."""
    return TEMPLATES.get_template(name).render(
        survey=survey, base=base, say=partial(say, survey.language), **given)


def report(name: str, survey: Survey, **given: object) -> list[str]:
    """Return the lines of a text; it is no page, so nothing is escaped."""
    text = TEMPLATES.overlay(autoescape=False, trim_blocks=True).get_template(name)
    return text.render(survey=survey, **given).splitlines()


def _problem(status: int, code: str, reason: str, **headers: str) -> JSONResponse:
    return JSONResponse({"error": code, "reason": reason}, status, headers=headers)


async def _refused(_: Request, error: Exception) -> Response:
    """Say what is allowed; what came instead may be an answer, and is not repeated."""
    status, code = getattr(error, "status", 409), getattr(error, "code", "epoch_over")
    headers = {"Retry-After": "1"} if status == 503 else {}
    return _problem(status, code, str(error).partition(", got ")[0], **headers)


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    """Name the place and the rule, and never repeat what was sent."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]
                     if isinstance(part, int) or part in messages.NAMES)
    return _problem(422, "invalid", f"{place or 'the message'}: {first['msg']}")


async def _http(_: Request, error: HTTPException) -> Response:
    headers = dict(error.headers or {})
    code = {404: "not_found", 405: "not_allowed"}.get(error.status_code, "invalid")
    reason = f"{error.detail}: only {headers['Allow']}" if "Allow" in headers else error.detail
    return _problem(error.status_code, code, str(reason), **headers)
