/* The arithmetic of the explorables: what `ppdm` computes, once more, for pages without a kernel.
   Pure functions in globalThis.explore; tests compare them with Python at every stop of every slider. */

"use strict";

(() => {
  // ---- chance

  /* A repeatable source of uniform numbers in [0, 1) with 32 bits each (mulberry32). */
  function generator(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  /* The first n numbers of a seed. They are kept until another seed is asked for: no slider draws them again. */
  const kept = { length: 0, numbers: new Float64Array(200000) };
  function uniforms(n, seed) {
    if (seed !== kept.seed) Object.assign(kept, { seed, length: 0, next: generator(seed) });
    while (kept.length < n) kept.numbers[kept.length++] = kept.next();
    return kept.numbers.subarray(0, n);
  }

  /* What a generator returns: work that a page does in steps, done at once. */
  function finish(work) {
    let step;
    do step = work.next(); while (!step.done);
    return step.value;
  }

  /* Go through the places of a long list; the caller may breathe after so many. */
  function* each(list, act, many = 4096) {
    for (let i = 0; i < list.length; i++) {
      act(i);
      if ((i + 1) % many === 0) yield;
    }
  }

  // ---- the coin (Warner)

  const coin = {
    thetas: [0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99],
    people: [50, 100, 424, 1000, 5000],
    shares: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95],

    /* The true bit and the report of each person, from two uniform numbers each. */
    play(share, theta, draws) {
      const bits = Array.from({ length: draws.length / 2 }, (_, i) => (draws[2 * i] < share ? 1 : 0));
      return { bits, reports: bits.map((bit, i) => (draws[2 * i + 1] < theta ? bit : 1 - bit)) };
    },

    /* Warner's estimate from the count of reported ones, and its standard error. */
    estimate(ones, n, theta) {
      const r = ones / n;
      return {
        share: (r - (1 - theta)) / (2 * theta - 1),
        error: Math.sqrt((r * (1 - r)) / (n - 1)) / Math.abs(2 * theta - 1),
      };
    },

    epsilon: (theta) => Math.abs(Math.log(theta / (1 - theta))),

    /* P(yes) to somebody who knows the share of yes and sees the report. */
    belief(share, theta, report) {
      const yes = share * (report ? theta : 1 - theta);
      return yes / (yes + (1 - share) * (report ? 1 - theta : theta));
    },

    /* How many must be asked with the coin for each one who is asked without it. */
    times(share, theta) {
      const r = share * theta + (1 - share) * (1 - theta);
      return (r * (1 - r)) / ((2 * theta - 1) ** 2 * share * (1 - share));
    },
  };

  // ---- the calculator: one survey, its scheme, its margin

  const calculator = {
    quantiles: { 90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004 },
    most: 20, // epsilon of one answer: beyond, a coin is certain to a float

    /* How often a report names an answer, of those who have it and of others, at e an answer. */
    chances: {
      kary(values, e) {
        const lie = 1 / (values - 1 + Math.exp(e));
        return [1 - (values - 1) * lie, lie];
      },
      unary: (_, e) => [1 / 2, 1 / (1 + Math.exp(e))],
      hadamard: (_, e) => [1 / (1 + Math.exp(-e)), 1 / 2],
    },

    /* The standard error of a share from one person, each being asked so many of the questions. */
    error(scheme, { questions, values, share, epsilon }, asked) {
      const [p, q] = this.chances[scheme](values, Math.min(epsilon / asked, this.most));
      const r = share * p + (1 - share) * q;
      return Math.sqrt((r * (1 - r) * questions) / asked) / (p - q);
    },

    /* How many to ask for the least error, and that error. */
    best(scheme, survey) {
      let asked = 1, one = Infinity;
      for (let s = 1; s <= survey.questions; s++) {
        const error = this.error(scheme, survey, s);
        if (error < one) [asked, one] = [s, error];
      }
      return { scheme, asked, one };
    },

    /* The smallest epsilon whose margin is the one wished; NaN where none is. */
    leastEpsilon(scheme, survey, one) {
      let low = Math.log(1e-6), high = Math.log(this.most * survey.questions);
      const short = (log) => this.best(scheme, { ...survey, epsilon: Math.exp(log) }).one > one;
      if (short(high)) return NaN;
      for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (short(middle)) low = middle;
        else high = middle;
      }
      return Math.exp(high);
    },

    /* What `ppdm.compare.choose_scheme` says of n people who trust nobody. A number of people that is whole but
       for rounding is whole. */
    plan(survey) {
      const { n, values, share, epsilon, confidence, margin } = survey, z = this.quantiles[confidence];
      const schemes = values === 2 ? ["kary"] : ["kary", "unary", "hadamard"];
      const { scheme, asked, one } = schemes.map((each) => this.best(each, survey))
        .reduce((best, other) => (other.one < best.one ? other : best));
      const e = Math.min(epsilon / asked, this.most), [p, q] = this.chances[scheme](values, e);
      const r = share * p + (1 - share) * q, clear = Math.sqrt(share * (1 - share));
      const needed = (error) => Math.max(1, Math.ceil(((z * error) / margin) ** 2 * (1 - 1e-12)));
      return {
        scheme, asked, p, q, odds: Math.exp(e * asked),
        margin: (z * one) / Math.sqrt(n), people: needed(one),
        clearMargin: (z * clear) / Math.sqrt(n), clearPeople: needed(clear),
        epsilon: this.leastEpsilon(scheme, survey, (margin / z) * Math.sqrt(n)),
        after: [(share * p) / r, (share * (1 - p)) / (1 - r)],
      };
    },
  };

  // ---- reconstruction (AS00 3)

  /* P(Z > t) of a standard normal, t >= 0: a series of positive terms, or a continued fraction. */
  function upperTail(t) {
    const x = t / Math.SQRT2;
    if (x < 2.5) {
      let term = x, sum = x;
      for (let k = 1; term > 1e-18 * sum; k++) sum += term *= (2 * x * x) / (2 * k + 1);
      return 0.5 - (sum * Math.exp(-x * x)) / Math.sqrt(Math.PI);
    }
    let fraction = x;
    for (let k = 80; k > 0; k--) fraction = x + k / 2 / fraction;
    return Math.exp(-x * x) / fraction / 2 / Math.sqrt(Math.PI);
  }

  /* E[max(Y - t, 0)] at scale one, half-width of a 95% interval, reach, and a draw from u, v. */
  const NOISES = {
    uniform: {
      excess: (t) => Math.max(1 - t, 0) ** 2 / 4, half: 0.95, reach: 1, draw: (u) => 2 * u - 1,
    },
    gaussian: {
      excess: (t) => Math.max(Math.exp(-t * t / 2) / Math.sqrt(2 * Math.PI) - t * upperTail(t), 0),
      half: 1.959963984540054, reach: 5,
      draw: (u, v) => Math.sqrt(-2 * Math.log1p(-u)) * Math.cos(2 * Math.PI * v),
    },
  };

  const SHAPES = {
    plateau: { draw: (u) => 0.25 + u / 2, below: (x) => Math.min(1, Math.max(0, 2 * x - 0.5)) },
    triangles: {
      draw(u, v) {
        const x = u < 0.5 ? Math.sqrt(u / 2) / 2 : 0.5 - Math.sqrt((1 - u) / 2) / 2;
        return x + (v < 0.5 ? 0 : 0.5);
      },
      below: (x) => (x < 0.5 ? triangle(x) : 1 + triangle(x - 0.5)) / 2,
    },
  };
  const triangle = (x) => (x < 0.25 ? 8 * x * x : 1 - 8 * (0.5 - x) ** 2);

  const reconstruction = {
    shapes: ["plateau", "triangles"],
    noises: ["uniform", "gaussian"],
    privacies: [0.25, 0.5, 1, 1.5, 2],
    people: [200, 1000, 10000, 50000],
    steps: [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000],
    m: 20,
    limit: 0.01 * 30.14352720564616, // the paper's 1% of the 95% quantile of chi-square, 19 degrees

    /* How the values lie, from one share to the next. */
    truth(shape) {
      const below = Array.from({ length: this.m + 1 }, (_, i) => SHAPES[shape].below(i / this.m));
      return below.slice(1).map((share, i) => share - below[i]);
    },

    scale: (noise, privacy) => privacy / (2 * NOISES[noise].half),

    /* Cells of the intervals' width, as far beyond [0, 1] as the noise reaches. */
    added(noise, privacy) {
      return Math.ceil(NOISES[noise].reach * this.scale(noise, privacy) * this.m - 1e-9);
    },

    /* P[cell | interval], a row a cell: only the distance between the two counts. */
    channel(noise, privacy) {
      const { m } = this, scale = this.scale(noise, privacy), added = this.added(noise, privacy), cells = m + 2 * added;
      const excess = Array.from({ length: m + added + 2 }, (_, i) => m * scale * NOISES[noise].excess(i / m / scale));
      const spill = (i) => excess[Math.abs(i)] ?? 0; // none from infinity
      return Array.from({ length: cells }, (_, s) => Float64Array.from({ length: m }, (_, q) => {
        const at = s - added - q, a = s ? at : -Infinity, b = s < cells - 1 ? at + 1 : Infinity;
        const covered = Math.max(Math.min(b, 1) - Math.max(a, 0), 0); // of [0, 1], by a cell [a, b] in widths
        const lower = spill(a - 1) - spill(a), upper = spill(b - 1) - spill(b);
        return Math.max(covered - (upper - lower), 0);
      }));
    },

    /* How many reports fall into each cell; four uniform numbers a person. */
    counts(shape, noise, privacy, draws) {
      const { m } = this, scale = this.scale(noise, privacy), added = this.added(noise, privacy);
      const counts = new Float64Array(m + 2 * added);
      for (let i = 0; i < draws.length; i += 4) {
        const x = SHAPES[shape].draw(draws[i], draws[i + 1]);
        const w = x + scale * NOISES[noise].draw(draws[i + 2], draws[i + 3]);
        counts[Math.min(Math.max(Math.floor(w * m) + added, 0), counts.length - 1)] += 1;
      }
      return counts;
    },

    start() { return new Float64Array(this.m).fill(1 / this.m); },

    /* What an estimate would have released. */
    mixed: (channel, p) => Float64Array.from(channel, (row) => dot(row, p)),

    /* One step: each report goes back to the intervals by Bayes' rule, and the shares are averaged.
       Smoothing then mixes each share with its neighbours, 1 to 2 to 1; an end stands in for the one it lacks. */
    step(channel, counts, p, smooth = false) {
      const n = counts.reduce((sum, count) => sum + count, 0);
      const mixed = this.mixed(channel, p), next = new Float64Array(p.length);
      for (let s = 0; s < counts.length; s++) {
        const weight = counts[s] ? counts[s] / n / mixed[s] : 0;
        for (let q = 0; q < p.length; q++) next[q] += weight * channel[s][q];
      }
      for (let q = 0; q < p.length; q++) next[q] *= p[q];
      return smooth ? this.smoothed(next) : next;
    },

    smoothed: (p) => p.map((share, q) => ((p[q - 1] ?? share) + 2 * share + (p[q + 1] ?? share)) / 4),

    /* n times the sum of (p' - p)^2 / p: the paper stops when it falls below the limit. */
    moved: (before, after, n) => n * before.reduce(
      (sum, share, q) => sum + (after[q] - share) ** 2 / Math.max(share, Number.MIN_VALUE), 0),

    logLikelihood(channel, counts, p) {
      return this.mixed(channel, p).reduce((sum, share, s) => (counts[s] ? sum + counts[s] * Math.log(share) : sum), 0);
    },

    distance: (p, q) => p.reduce((sum, share, i) => sum + Math.abs(share - q[i]), 0) / 2,
  };

  // ---- groups of answers (DZ03, ZCM04)

  const groups = {
    thetas: [0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9],

    own: coin.epsilon,

    /* Of any two records. A group of two or more releases its answers or all their opposites, so
       two records that are neither alike nor opposite there cannot release the same. */
    record(sizes, theta) {
      return sizes.some((size) => size > 1) ? Infinity : sizes.length * this.own(theta);
    },

    /* P(the coin told the truth) for the released bits of one group; `yes` is what the adversary
       expects of each vote, taken as independent. */
    told(released, yes, theta) {
      const chance = (bits) => bits.reduce((p, bit, j) => p * (bit ? yes[j] : 1 - yes[j]), 1);
      const truth = theta * chance(released);
      return truth / (truth + (1 - theta) * chance(released.map((bit) => 1 - bit)));
    },
  };

  // ---- dealing (AS00 4.1)

  /* The places of a list, from its smallest value to its largest, equal ones in their own order. */
  const ordered = (values) => [...values.keys()].sort((a, b) => values[a] - values[b]);
  const ranks = (values) => ordered(ordered(values)); // the ordinal rank of each, from 0

  const dealing = {
    intervals: ["young", "middle", "old"],
    cuts: [40, 60],

    /* The interval of each value, taken at its word; a value on a cut belongs above it. */
    at(values) { return values.map((value) => this.cuts.filter((cut) => value >= cut).length); },

    /* How many lie in each interval. */
    counts(at) { return this.intervals.map((_, b) => at.filter((interval) => interval === b).length); },

    /* Deal values to intervals: the smallest to the first, as many as it holds, and so on. */
    deal(values, counts) {
      const dealt = counts.flatMap((count, b) => Array(count).fill(b));
      return ranks(values).map((rank) => dealt[rank]);
    },

    /* Deal each part by its own counts; `parts` says whose part is whose. One part for all is Global. */
    dealParts(values, parts, truth) {
      const at = [];
      for (const part of new Set(parts)) {
        const members = [...parts.keys()].filter((i) => parts[i] === part);
        const dealt = this.deal(members.map((i) => values[i]), this.counts(members.map((i) => truth[i])));
        members.forEach((i, rank) => { at[i] = dealt[rank]; });
      }
      return at;
    },

    /* What the cut below an interval gains in gini index, for two classes. */
    gain(at, classes, cut) {
      const weighted = (members) => members.length * (1 - [0, 1].reduce(
        (sum, c) => sum + (members.filter((i) => classes[i] === c).length / members.length) ** 2, 0));
      const sides = [true, false].map((left) => [...at.keys()].filter((i) => (at[i] < cut) === left));
      const split = sides.filter((side) => side.length).reduce((sum, side) => sum + weighted(side), 0);
      return (weighted([...at.keys()]) - split) / at.length;
    },
  };

  // ---- the five measures (LX14 3.4)

  const measures = {
    names: ["VD", "RP", "RK", "CP", "CK"],
    releases: ["shuffled", "flipped", "doubled", "nowhere"],

    /* What is published of a table: an array of rows, and uniform numbers, one a value. */
    release(name, table, draws) {
      const cells = (act) => table.map((row, i) => row.map((x, j) => act(x, draws[i * row.length + j])));
      return {
        shuffled: () => ordered(Array.from(table, (_, i) => draws[i])).map((i) => table[i]),
        flipped: () => cells((x) => 1000 - x),
        doubled: () => cells((x) => 2 * x),
        nowhere: () => cells((_, u) => u),
      }[name]();
    },

    ranks,

    /* VD, RP, RK, CP, CK of a published table. */
    of(table, published) {
      const columns = (rows) => rows[0].map((_, j) => rows.map((row) => row[j])), mean = (list) => sum(list) / list.length;
      const gaps = (a, b) => { const [r, s] = [a, b].map(ranks); return r.map((rank, i) => Math.abs(rank - s[i])); };
      const norm = (list) => Math.sqrt(sum(list.map((x) => x * x))), kept = (moves) => mean(moves.map((move) => Number(!move)));
      const [A, MA] = [table, published].map(columns), [clear, other] = [A, MA].map((each) => each.flat());
      const moved = A.flatMap((column, j) => gaps(column, MA[j])), means = gaps(A.map(mean), MA.map(mean));
      return [norm(clear.map((x, i) => x - other[i])) / norm(clear), mean(moved), kept(moved), mean(means), kept(means)];
    },

    /* Whether a value is read as more private than those that the data themselves have: 0, 0, 1, 0, 1. */
    private: (values) => values.map((value, i) => (i === 2 || i === 4 ? value < 1 : value > 0)),
  };

  const sum = (list) => list.reduce((total, x) => total + x, 0);

  // ---- guidance (ZWZ05 4)

  const guidance = {
    toBits: (votes) => votes.flatMap((vote) => [1 - vote, vote]),

    /* A* = A0* - A1*: pairs of bits that are both 1, counted in class 0, less those in class 1. */
    difference(records, party) {
      const n = 2 * records[0].length, A = Array.from({ length: n }, () => new Float64Array(n));
      records.forEach((votes, i) => this.add(A, votes, party[i] ? -1 : 1));
      return A;
    },

    add(A, votes, sign) {
      const ones = votes.map((vote, j) => 2 * j + vote);
      for (const a of ones) for (const b of ones) A[a][b] += sign;
    },

    /* Eigenvalues and vectors (rows) of a symmetric matrix, by Jacobi's rotations; largest first. Like those
       below in steps, between which the caller may breathe. */
    *eigen(matrix) {
      const A = matrix.map((row) => Float64Array.from(row)), n = A.length;
      const W = A.map((_, i) => new Float64Array(n).fill(1, i, i + 1));
      for (let sweep = 0; sweep < 30; sweep++) {
        let off = 0;
        for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) off += A[i][j] ** 2;
        if (off < 1e-22) break;
        for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) rotate(A, W, i, j);
        yield;
      }
      const order = A.map((row, i) => [row[i], W[i]]).sort(([a], [b]) => Math.abs(b) - Math.abs(a));
      return { values: order.map(([value]) => value), vectors: order.map(([, vector]) => vector) };
    },

    /* V_k: a row a bit, a column a direction. */
    *directions(A, k) {
      const { vectors } = yield* this.eigen(A);
      return A.map((_, j) => Array.from({ length: k }, (_, a) => vectors[a][j]));
    },

    /* How far apart two guidances are: the largest difference of an entry of VV'. */
    apart(V, other) {
      let most = 0;
      for (let i = 0; i < V.length; i++) {
        for (let j = 0; j <= i; j++) most = Math.max(most, Math.abs(dot(V[i], V[j]) - dot(other[i], other[j])));
      }
      return most;
    },

    /* P[candidate | R] of somebody who holds each candidate as likely as any other. */
    *posterior(R, candidates, V) {
      const seen = new Map(), logs = []; // many people vote alike
      for (const votes of candidates) {
        const key = votes.join("");
        if (!seen.has(key)) seen.set(key, logChance(R, ppdm.bitProbabilities(this.toBits(votes), V)));
        if (logs.push(seen.get(key)) % 16 === 0) yield;
      }
      return yield* normalised(logs);
    },

    /* Bayes' weights of all 2^n records to somebody who held them for equally likely and saw these
       releases of one. Record s says yes where its bit is set. The records come in Gray's order, each one
       vote from the last. */
    *blind(releases, V) {
      const n = V.length / 2, M = V.map((row) => V.map((other) => dot(row, other)));
      const at = M.map((_, j) => M.reduce((sum, row, i) => sum + (i % 2 ? 0 : row[j]), 0));
      const ones = at.map((_, j) => releases.reduce((sum, R) => sum + R[j], 0));
      const logs = new Float64Array(2 ** n);
      let record = 0;
      yield* each(logs, (i) => {
        if (i) {
          const a = Math.log2(i & -i), sign = (record ^= 1 << a) & (1 << a) ? 1 : -1;
          for (let j = 0; j < at.length; j++) at[j] += sign * (M[2 * a + 1][j] - M[2 * a][j]);
        }
        for (let j = 0; j < at.length; j++) {
          const p = Math.min(1, at[j] * at[j]), zeros = releases.length - ones[j];
          if (ones[j]) logs[record] += ones[j] * Math.log(p);
          if (zeros) logs[record] += zeros * Math.log1p(-p);
        }
      }, 256);
      return yield* normalised(logs);
    },

    /* P(yes) of each of n votes, from the weights of all records: the half with the last vote yes is added up,
       and laid upon the other half. */
    yes(weights, n) {
      const folded = weights.slice(), yes = new Float64Array(n);
      for (let a = n - 1; a >= 0; a--) {
        for (let s = 0, half = 1 << a; s < half; s++) {
          yes[a] += folded[half + s];
          folded[s] += folded[half + s];
        }
      }
      return yes;
    },
  };

  function dot(one, other) {
    let sum = 0;
    for (let a = 0; a < one.length; a++) sum += one[a] * other[a];
    return sum;
  }

  function rotate(A, W, i, j) {
    if (Math.abs(A[i][j]) < 1e-300) return;
    const tau = (A[i][i] - A[j][j]) / (2 * A[i][j]);
    const t = (tau < 0 ? -1 : 1) / (Math.abs(tau) + Math.hypot(tau, 1));
    const c = 1 / Math.hypot(t, 1), s = t * c;
    const turn = (I, a, J, b) => {
      const x = I[a], y = J[b];
      I[a] = c * x + s * y;
      J[b] = c * y - s * x;
    };
    for (let a = 0; a < A.length; a++) {
      turn(A[i], a, A[j], a);
      turn(W[i], a, W[j], a);
    }
    for (const row of A) turn(row, i, row, j);
  }

  /* Weights from their logarithms, laid where these were. */
  function* normalised(w) {
    let most = -Infinity, sum = 0;
    yield* each(w, (i) => { most = Math.max(most, w[i]); });
    yield* each(w, (i) => { sum += w[i] = Math.exp(w[i] - most); });
    yield* each(w, (i) => { w[i] /= sum; });
    return w;
  }

  function logChance(R, chances) {
    return chances.reduce((sum, chance, j) => {
      const p = Math.round(chance * 1e12) / 1e12; // what is certain but for rounding is certain
      return sum + Math.log(R[j] ? p : 1 - p);
    }, 0);
  }

  globalThis.explore = Object.freeze({ uniforms, finish, coin, calculator, reconstruction, groups, dealing, measures, guidance, upperTail });
})();
