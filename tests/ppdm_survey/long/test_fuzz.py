"""Many requests to each operation, good ones and bad ones, drawn from the description."""

from itertools import chain

import numpy as np
import pytest
import schemathesis.specs.openapi.checks  # which the oldest version registers so only
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks

from ppdm_survey._store import unpack

pytestmark = pytest.mark.long(part="survey")

EXAMPLES = 150
N_BITS = 32
SETTINGS = settings(
    max_examples=EXAMPLES, derandomize=True, deadline=None, database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
)
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
OPERATIONS = {
    "": ["GET /api/schema", "GET /api/inquiry", "GET /api/epochs", "GET /api/epochs/{epoch}",
         "GET /api/access", "GET /api/health", "POST /api/exchange", "POST /api/ready",
         "POST /api/submit"],
    "/miner": ["GET /api/status", "GET /api/results"],
}


def described(site, mount):
    return schemathesis.openapi.from_url(f"{site.url}{mount}/openapi.json")


def operation(site, mount, name):
    method, _, path = name.partition(" ")
    return described(site, mount)[path][method]


def whole(value):
    """Write 1.0 as 1: to a JSON schema the two are the same integer, to the server they are not."""
    if isinstance(value, list):
        return [whole(one) for one in value]
    if isinstance(value, dict):
        return {key: whole(one) for key, one in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def test_every_operation_is_known(site):
    for mount, names in OPERATIONS.items():
        operations = [one.ok() for one in described(site, mount).get_all_operations()]
        assert {f"{one.method.upper()} {one.path}" for one in operations} == set(names)


@pytest.mark.parametrize(("mount", "name", "mode"), [
    (mount, name, mode)
    for mount, names in OPERATIONS.items()
    for name in names
    for mode in GenerationMode
    # nothing can be wrong with a request that carries nothing
    if mode is GenerationMode.POSITIVE or "{" in name or "POST" in name
])
def test_answers_are_as_described(site, mount, name, mode):
    """Tokens that are drawn at random are nobody's: nothing may change."""
    asked = operation(site, mount, name)
    before = site.state()
    seen = []

    @SETTINGS
    @given(case=asked.as_strategy(generation_mode=mode))
    def ask(case):
        if mode is GenerationMode.POSITIVE:
            case.body = whole(case.body)
            # what fits the description is refused for its token or its epoch only
            answer = case.call_and_validate(checks=[*CHECKS, checks.positive_data_acceptance])
        else:
            answer = case.call_and_validate(checks=CHECKS)
            assert 400 <= answer.status_code < 500
        seen.append(answer.status_code)

    ask()
    assert len(seen) >= (EXAMPLES if asked.body else 1)
    assert site.state() == before


def test_submissions_with_real_tokens(site):
    """What is accepted is in the store, once, as it was sent; what is not has left no trace."""
    asked = operation(site, "", "POST /api/submit")
    taken = {}
    sorted_ones = st.lists(st.integers(0, N_BITS - 1), unique=True).map(sorted)

    @SETTINGS
    @given(case=asked.as_strategy(), data=st.data())
    def submit(case, data):
        guide, token = site.collector.ready(site.collector.inquire().epoch)
        case.body = whole(case.body)
        case.body["token"] = data.draw(st.sampled_from([token, *list(taken)[-3:]]))
        case.body["epoch"] = data.draw(st.sampled_from([guide.epoch, max(0, guide.epoch - 1)]))
        if data.draw(st.booleans()):
            case.body["ones"] = data.draw(sorted_ones)
        body = {**case.body}
        before = site.state()
        status = case.call_and_validate(checks=CHECKS).status_code
        known = taken.get(body["token"])
        if known is not None:
            assert status == 204 if body == known else status in (403, 409, 422)
            assert site.state() == before
        elif status == 204:
            taken[body["token"]] = body
            *others, new = chain(*site.state()[2])
            R, y = unpack([new], N_BITS)
            assert (y[0], np.flatnonzero(R).tolist()) == (body["class"], body["ones"])
            assert others == list(chain(*before[2]))
        else:
            assert status in (403, 422)
            assert site.state() == before

    submit()
    assert len(taken) > EXAMPLES // 20
