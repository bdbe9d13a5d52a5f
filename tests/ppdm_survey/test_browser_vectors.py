"""The browser's arithmetic against Python's, on the same numbers: R(t) bit for bit."""

import json
import math
from decimal import Decimal

import numpy as np
import pytest
from coin_site import BOUNDS
from headless import MARKS
from hidden_tilts import family

from ppdm import _validation as check
from ppdm._statistics import at_most
from ppdm.guidance import Guidance, answers_read, check_guidance, one_hot, perturb
from ppdm_survey import Attribute, guidance_hash

pytestmark = MARKS

TUPLES = 40  # a guidance


def random_tuples(rng, n_values, n):
    return one_hot(rng.integers(0, n_values, size=(n, len(n_values))), n_values)


def guides():
    """Guidances of several schemas and levels: learnt, turned, and of identity columns."""
    rng = np.random.default_rng(7)
    for n_values in ([2, 2], [2] * 16, [3, 2, 5], [4] * 6, [2, 9, 3, 2]):
        n_bits = sum(n_values)
        guidance = Guidance(n_bits).update(random_tuples(rng, n_values, 60), rng.integers(0, 2, 60))
        for k in sorted({1, 2, n_bits // 2, n_bits}):
            V = guidance.vectors(k)
            turn = np.linalg.qr(rng.normal(size=(k, k)))[0]
            columns = np.eye(n_bits)[:, rng.permutation(n_bits)[:k]]
            for one in (V, V @ turn, columns, columns @ turn):
                yield n_values, one


def test_same_disguise_for_the_same_draws(js):
    rng = np.random.default_rng(8)
    cases, expected = [], []
    for i, (n_values, V) in enumerate(guides()):
        T = random_tuples(rng, n_values, TUPLES)
        cases.append({"V": V.tolist(), "T": T.tolist(),
                      "U": np.random.default_rng(i).random(T.shape).tolist()})
        expected.append(perturb(T, V, random_state=np.random.default_rng(i)).tolist())
    assert len(cases) * TUPLES >= 1000
    got = js("(cases) => cases.map(({ V, T, U }) => "
              "T.map((t, i) => ppdm.draw(ppdm.bitProbabilities(t, V), U[i])))", cases)
    assert got == expected
    # a test in which chance decides nothing would not see a wrong comparison
    flipped = sum(np.not_equal(case["T"], R).sum() for case, R in zip(cases, got, strict=True))
    assert flipped > 1000


def test_a_draw_equal_to_the_probability_gives_zero(js):
    # probabilities 0, 1/4 and 1 exactly; draws at and beside them
    p = [0, 0, 0.25, 0.25, 0.25, 1, 1]
    u = [0, 0.5, 0.25, math.nextafter(0.25, 0), 0, 0, 1 - 2**-53]
    got = js("([p, u]) => ppdm.draw(p, u)", [p, u])
    assert got == (np.array(u) < np.array(p)).astype(int).tolist() == [0, 0, 0, 1, 1, 1, 1]


def test_the_page_rounds_a_bound_as_the_package_does(js):
    said = js("(all) => all.map((one) => ppdm.atMost(one))", BOUNDS)
    assert said == [at_most(one) for one in BOUNDS]


class Given:
    """A generator that gives the numbers it is given, in order, and keeps them for the page."""

    def __init__(self, seed):
        self.rng, self.numbers = np.random.default_rng(seed), []

    def random(self, shape):
        self.numbers.append(self.rng.random(shape))
        return self.numbers[-1]


def shares(monkeypatch, V, n_values, record, n_draws, seed):
    """Return what Python reads, and the numbers it drew."""
    given = Given(seed)
    monkeypatch.setattr(check, "random_state", lambda _: given)
    share = answers_read(V, n_values, record=record, n_draws=n_draws)
    return share, np.concatenate([drawn.ravel() for drawn in given.numbers]).tolist()


def test_same_answers_read(js, monkeypatch):
    rng = np.random.default_rng(10)
    tilts = [(n_values, V) for n_values in ([2] * 16, [3, 2, 5])
             for _, V, _ in list(family(n_values, rng))[::9]]
    seen = []
    for i, (n_values, V) in enumerate([*guides(), *tilts]):
        record = None if i % 2 else random_tuples(rng, n_values, 1)[0]
        share, numbers = shares(monkeypatch, V, n_values, record, 150, i)
        case = {"V": V.tolist(), "sizes": list(n_values), "numbers": numbers,
                "own": None if record is None else record.tolist()}
        got = js("""({ V, sizes, own, numbers }) => {
          let i = 0;
          const random = () => numbers[i++];
          const share = ppdm.answersRead(V, sizes, { own: own ?? undefined, draws: 150, random });
          return [share, i === numbers.length];
        }""", case)
        assert got[1]  # as many numbers, in the same order
        np.testing.assert_allclose(got[0], share, atol=1e-9, err_msg=str((i, n_values)))
        seen.append(share.max())
    assert min(seen) < 0.65
    assert max(seen) == 1


def test_same_number_of_draws(js):
    # enough for the attribute with the most values, and the same draws are no draws of one's own
    count = """(sizes) => {
      const V = Array.from({ length: sizes.reduce((a, b) => a + b) }, (_, j) => [j ? 0 : 1]);
      let n = 0;
      ppdm.answersRead(V, sizes, { random: () => { n += 1; return 0.5; } });
      return n / (sizes.length + V.length);
    }"""
    assert [js(count, sizes) for sizes in ([2, 2], [8, 2], [9, 2])] == [8000, 8000, 9000]


def test_same_bits_for_the_same_answers(js):
    rng = np.random.default_rng(9)
    edges = [None, [30, 50], [-1.5, 0.1, 0.1, 7], None]
    n_values = [2, 3, 5, 7]
    values = [[f"v{h}" for h in range(size)] for size in n_values]
    X = np.column_stack([
        rng.integers(0, 2, 400),
        rng.choice([29, 30, 30.5, 50, 51, 1e9], 400),
        rng.choice([-2, -1.5, -0.0, 0.1, 0.1 + 1e-16, 0.1 + 1e-15, 7, math.nextafter(7, 8)], 400),
        rng.integers(0, 7, 400),
    ])
    schema = {"attributes": [
        {"name": f"a{j}", "label": "", "values": values[j], "edges": edges[j]} for j in range(4)
    ]}
    answers = [
        {"a0": values[0][int(row[0])], "a1": repr(float(row[1])), "a2": float(row[2]),
         "a3": values[3][int(row[3])]}
        for row in X
    ]
    got = js("([answers, schema]) => answers.map((one) => ppdm.toBits(one, schema))",
              [answers, schema])
    cuts = [None if each is None else np.nextafter(each, np.inf) for each in edges]
    assert got == one_hot(X, n_values, cuts=cuts).tolist()


def test_same_interval_at_every_tie(js):
    # the edges of a survey have their ties below; Python and the page move them to cuts
    small, large = 5e-324, 1.7976931348623157e308
    edges = [-large, -1e300, -30, -1.5, -0.1, -2.3e-308, -small, -0.0, 0.0, small, 2.3e-308, 0.1,
             0.30000000000000004, 1, 30, 2**53, 1e300]
    edges = sorted([*edges, *np.random.default_rng(6).normal(size=20).tolist()])
    at = [math.nextafter(edge, to) for edge in edges for to in (-math.inf, edge, math.inf)]
    at = [x for x in at if math.isfinite(x)] + [0.0, -0.0, large]
    one = Attribute(name="a", label="A", values=[str(h) for h in range(len(edges) + 1)],
                    edges=edges)
    got = js("([at, one]) => at.map((x) => ppdm.codeOf(x, one))", [at, one.model_dump()])
    assert got == [sum(edge < x for edge in edges) for x in at]
    inner = one_hot(np.reshape(at, (-1, 1)), [one.n_values], cuts=[np.nextafter(one.edges, np.inf)])
    assert got == inner.argmax(axis=1).tolist()
    assert len(set(got)) > len(edges) - 4
    # in a form a number is text, with a point or a comma; a nought keeps it from three decimals
    for mark in ".,":
        texts = [f"{Decimal(x):f}".partition(".") for x in at]
        texts = [f"{whole}{mark}{rest or 0}{'0' * (len(rest) == 3)}" for whole, _, rest in texts]
        assert got == js("([at, one]) => at.map((x) => ppdm.codeOf(x, one))",
                          [texts, one.model_dump()])
    # nothing finite lies above the largest double, where the next one is infinite
    widest = {"values": ["low", "high"], "edges": [large]}
    assert js("([at, one]) => at.map((x) => ppdm.codeOf(x, one))",
               [[large, "Infinity", -large], widest]) == [0, -1, 0]


@pytest.mark.parametrize("bad", [
    {}, {"a": "v0"}, {"a": "v2", "b": 1}, {"a": 0, "b": 1}, {"a": None, "b": 1},
    {"a": "v0", "b": ""}, {"a": "v0", "b": " "}, {"a": "v0", "b": "x"}, {"a": "v0", "b": None},
    {"a": "v0", "b": "Infinity"}, {"a": "v0", "b": "NaN"}, {"a": "v0", "b": True},
    {"a": "v0", "b": [1]},
])
def test_no_bits_without_a_valid_answer(js, bad):
    schema = {"attributes": [
        {"name": "a", "label": "A", "values": ["v0", "v1"], "edges": None},
        {"name": "b", "label": "B", "values": ["low", "high"], "edges": [3]},
    ]}
    refused = js("""([answers, schema]) => {
      try { return ppdm.toBits(answers, schema); }
      catch (error) { return error instanceof ppdm.Refusal; } }""", [bad, schema])
    assert refused is True


def test_same_guidances_pass_the_check(js):
    V = np.linalg.qr(np.random.default_rng(3).normal(size=(6, 6)))[0][:, :3]
    wide = np.linalg.qr(np.random.default_rng(3).normal(size=(6, 6)))[0]
    skew = V.copy()
    skew[:, 1] += 1e-3 * skew[:, 0]
    broken = [V.copy() for _ in range(2)]
    broken[0][2, 1], broken[1][5, 0] = math.nan, math.inf
    cases = [
        (V, 3, 3, 6), (V, 3, 6, 6), (V, 3, 2, 6), (V, 2, 6, 6), (V, 4, 6, 6), (V, 0, 6, 6),
        (V, 3.5, 6, 6), (V, 3, 6, 5), (V, 3, 6, 7), (wide, 6, 6, 6), (wide, 7, 9, 6),
        (V * (1 + 4e-7), 3, 3, 6), (V * (1 + 6e-7), 3, 3, 6), (skew, 3, 3, 6), (2 * V, 3, 3, 6),
        (0 * V, 3, 3, 6), (1e200 * V, 3, 3, 6), (V.T, 6, 6, 3), (V[:, :1], 1, 1, 6),
        *((one, 3, 3, 6) for one in broken),
        (V[:, [0, 0, 1]], 3, 3, 6), (V[:, :0], 0, 3, 6), (V[:, :0], 3, 3, 6),
        (np.vstack([V, V[:1]]), 3, 3, 6), (V.ravel().tolist(), 3, 3, 6), ([], 1, 3, 0),
        ([row.tolist()[: 3 - (i == 2)] for i, row in enumerate(V)], 3, 3, 6),
        ([[str(v) for v in row] for row in V], 3, 3, 6), (None, 3, 3, 6),
    ]

    def accepts(V, k, max_level, n_bits):
        try:
            check_guidance(V, k, max_level, n_bits=n_bits)
        except (ValueError, TypeError):
            return False
        return True

    # NaN and infinity have no JSON; the page makes them anew
    texts = json.loads(json.dumps([
        [V.tolist() if isinstance(V, np.ndarray) else V, *rest] for V, *rest in cases
    ]).replace("NaN", '"nan"').replace("Infinity", '"inf"'))
    got = js("""(cases) => cases.map(([V, k, maxLevel, nBits]) => {
      const number = (v) => (v === "nan" ? NaN : v === "inf" ? Infinity : v);
      const each = (list, f) => (Array.isArray(list) ? list.map(f) : f(list));
      const matrix = each(V, (row) => each(row, number));
      try {
        return ppdm.checkGuidance(matrix, { k, maxLevel, nBits }) === matrix;
      } catch (error) {
        if (error instanceof ppdm.Refusal && error.message) return false;
        throw error;
      }
    })""", texts)
    assert got == [accepts(*case) for case in cases]
    assert any(got)


def test_same_hash(js):
    rng = np.random.default_rng(4)
    odd = np.array([[0.1, -5e-324], [1 / 3, 1e308], [-1e-17, 0.0]])
    cases = [(0, odd), (12, rng.normal(size=(32, 7))), (2**40, np.eye(5)),
             (3, rng.random((400, 9)))]
    got = js("(cases) => Promise.all(cases.map(([epoch, V]) => ppdm.hashGuidance(epoch, V)))",
              [(epoch, V.tolist()) for epoch, V in cases])
    assert got == [guidance_hash(epoch, V) for epoch, V in cases]


def test_uniforms_have_53_bits(js):
    rng = np.random.default_rng(5)
    words = [0, 0, 2**32 - 1, 2**32 - 1, 31, 63, 32, 64, *rng.integers(0, 2**32, 400).tolist()]
    got = js("(words) => ppdm.uniforms(words.length / 2, Uint32Array.from(words))", words)
    pairs = zip(words[::2], words[1::2], strict=True)
    assert got == [((a >> 5) * 67108864 + (b >> 6)) / 9007199254740992 for a, b in pairs]
    assert got[:4] == [0.0, 1 - 2**-53, 0.0, (2**26 + 1) / 2**53]


def test_uniforms_come_from_the_system(js):
    # more than one call of getRandomValues gives; a part left at zero would show
    got = np.array(js("() => ppdm.uniforms(20000)"))
    assert got.shape == (20000,)
    assert len(np.unique(got)) == 20000
    assert got.min() > 0
    assert got.max() < 1
    # each tenth has 2000 +- 42 (one standard deviation): seven of them, once in 10^11 runs
    assert np.abs(np.bincount((10 * got).astype(int), minlength=10) - 2000).max() < 7 * 42.5


def test_exported_names_cannot_be_replaced(js):
    assert js("() => Object.isFrozen(ppdm)")
