/* The arithmetic of the survey's browser client: words filled in, the coin's draws from whole numbers and its epsilon,
   and guided perturbation's answers to bits, checks and draw of R(t) (Zhang, Wang and Zhao, 2005, sections 3 and 4.2).
   No request and no page: these pure functions stand in globalThis.ppdm, for the files beside this one, for tests and
   for pages without a server.

   What a person reads stands in ppdm.LANGUAGE.js, which the page loads before this file. */

"use strict";

(() => {
  // ------------------------------------------------------------------ words

  const TEXT = globalThis.ppdmText ?? {}; // from ppdm.LANGUAGE.js, which the page loads first

  /* The text of a key, its {placeholders} filled in; of its forms for one and many, {n} chooses. */
  function say(key, values = {}) {
    let text = key.split(".").reduce((part, name) => part?.[name], TEXT) ?? key;
    if (text.other) text = text[new Intl.PluralRules(TEXT.lang).select(values.n)] ?? text.other;
    return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  }

  /* A number as the page's language writes it. */
  const written = (x, digits) => new Intl.NumberFormat(TEXT.lang ?? "en", digits).format(x);

  /* A bound in three digits: rounded up, or it would promise too much. */
  function atMost(x) {
    const unit = 10 ** (Math.floor(Math.log10(x)) - 2);
    return written(Math.ceil(Number((x / unit).toPrecision(12))) * unit, {
      maximumSignificantDigits: 3, notation: x < 1e12 ? "standard" : "scientific" });
  }

  class Refusal extends Error {} // the survey did what an honest one does not

  const isCount = (n) => Number.isSafeInteger(n) && n >= 1;

  // ------------------------------------------------------------------ the coin

  const WHOLE = 2 ** 32; // all parts of a draw: a word of 32 bits

  const isOpen = ({ kind }) => kind === "open"; // a question whose answer is told as it is: no part of the lot and of epsilon
  const disguised = ({ columns }) => columns.filter((column) => !isOpen(column));

  /* Throw a Refusal unless the channel is one for these questions in which no answer is certain but an open one. A column says, in
     parts of 2^32, how often a person's own value is told and how often each other; of unary encoding, how often
     their bits are set. */
  function checkChannel(channel, questions) {
    const { asked, columns } = channel;
    const fits = Array.isArray(columns) && columns.length === questions.length && isCount(asked) && asked <= disguised(channel).length;
    if (!fits || !columns.every((column, j) => fitsQuestion(column, questions[j]))) throw new Refusal(say("forged.channel"));
    if (!(channel.epsilon >= epsilonOf(channel) - 1e-9)) throw new Refusal(say("forged.epsilon"));
    return channel;
  }

  function fitsQuestion({ name, kind, n_values: k, own, other }, question) {
    if (name !== question.name || k !== question.values.length || isOpen({ kind }) !== (question.open === true)) return false;
    if (isOpen({ kind })) return own === WHOLE && other === 0; // told as it is, and said to be
    if (!isCount(other) || !isCount(own) || other >= own || own >= WHOLE) return false;
    return kind === "unary" || (kind === "k-ary" && own + (k - 1) * other === WHOLE);
  }

  /* What a record spends: the epsilons of as many columns as are asked, the largest of them. */
  function epsilonOf({ asked, columns }) {
    const each = disguised({ columns }).map(({ kind, own, other }) =>
      Math.log(own / other) + (kind === "unary" ? Math.log((WHOLE - other) / (WHOLE - own)) : 0));
    return each.sort((a, b) => b - a).slice(0, asked).reduce((sum, epsilon) => sum + epsilon, 0);
  }

  /* The one draw: the index of the part in which a word falls, where the parts lie one behind the other. */
  function pick(parts, word) {
    let end = 0;
    return parts.findIndex((part) => word < (end += part));
  }

  /* What is told of a value: a value, or by unary encoding those whose bits are set. */
  function tell({ kind, n_values: k, own, other }, code, words) {
    const parts = Array.from({ length: k }, (_, h) => (h === code ? own : other));
    if (kind !== "unary") return pick(parts, words[0]);
    return parts.flatMap((part, h) => (pick([WHOLE - part, part], words[h]) ? [h] : []));
  }

  const drawsOf = ({ kind, n_values: k }) => (kind === "unary" ? k : 1);

  /* Which questions are asked: the open ones and those of the smallest words, in the survey's order. */
  function lotOf({ asked, columns }, words = randomWords(columns.length)) {
    const word = (j) => (isOpen(columns[j]) ? -1 : words[j]), rest = columns.length - disguised({ columns }).length;
    const order = columns.map((_, j) => j).sort((a, b) => word(a) - word(b) || a - b);
    return order.slice(0, asked + rest).sort((a, b) => a - b);
  }

  /* The report: what is told of each question that was asked, null of the others. */
  function reportOf({ columns }, lot, codes, draw = (column) => randomWords(drawsOf(column))) {
    if (!lot.every((j) => codes[j] >= 0)) throw new RangeError("codes"); // no report of no answer
    return columns.map((column, j) => (lot.includes(j) ? tell(column, codes[j], draw(column, j)) : null));
  }

  /* The fingerprint of a channel. */
  function hashChannel({ asked, columns }) {
    const lines = columns.map(({ name, kind, n_values: k, own, other }) => `${name} ${kind} ${k} ${own} ${other}\n`);
    return sha256(new TextEncoder().encode(`ppdm-coin-1\n${asked}\n${lines.join("")}`));
  }

  /* The fingerprint of a survey: of its channel's and of what it publishes, as it came. */
  const hashSurvey = (channel, text) => sha256(new TextEncoder().encode(`ppdm-survey-1\n${channel}\n${text}`));

  // ------------------------------------------------------------------ guided perturbation

  const TOLERANCE = 1e-6; // of the check that V'V = I

  /* The next larger double, exactly. */
  function nextUp(number) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number + 0); // -0 + 0 is 0
    view.setBigInt64(0, view.getBigInt64(0) + (number < 0 ? -1n : 1n));
    return view.getFloat64(0);
  }

  /* What a person wrote for a number: { number }, or { why } it is none, with what to say of it. One comma or one
     point is the decimal sign, whatever the language; before three digits it may be one of thousands. */
  function readNumber(text, { least, most, step }) {
    const [, sign, whole, mark, rest] = /^([-\u2212+]?)(\d*)([.,]?)(\d*)$/.exec(text.trim()) ?? [];
    const number = Number(`${sign && sign !== "+" ? "-" : ""}${whole || 0}.${rest || 0}`);
    if (!(whole || rest) || (mark && !rest) || !Number.isFinite(number)) return { why: "unreadable" };
    if (rest.length === 3) {
      return { why: "thousands", whole: `${sign}${whole}${rest}`, fraction: `${sign}${whole || 0}${mark}${rest}0` };
    }
    if (least != null && number < least) return { why: "least" };
    if (most != null && number > most) return { why: "most" };
    const steps = (number - (least ?? 0)) / step, near = Math.round(steps);
    if (step && Math.abs(steps - near) > 1e-9 * Math.max(1, Math.abs(steps))) {
      return { why: "step", near: Number(((least ?? 0) + near * step).toPrecision(12)) };
    }
    return { number };
  }

  /* The index of an answer among the question's values, or -1. A number equal to an edge lies below;
     so each edge is moved up by one double, to a cut to which the numbers above it belong. */
  function codeOf(value, question) {
    const { values, edges, optional } = question;
    if (!edges) return values.indexOf(value);
    if (optional && value === "") return values.length - 1; // the last value is "no answer"
    const beside = values.indexOf(value, edges.length + 1); // it does not apply
    if (beside >= 0) return beside;
    const number = typeof value === "string" ? readNumber(value, question).number : value;
    return Number.isFinite(number) ? edges.filter((edge) => nextUp(edge) <= number).length : -1;
  }

  /* t: one bit for each value of each attribute (Eq. 3). */
  function toBits(answers, schema) {
    return schema.attributes.flatMap((attribute) => {
      const code = codeOf(answers[attribute.name], attribute);
      if (code < 0) throw new Refusal(say("missing.answer", attribute));
      return attribute.values.map((_, h) => (h === code ? 1 : 0));
    });
  }

  /* Throw a Refusal unless V has nBits rows, the announced k <= maxLevel orthonormal columns. */
  function checkGuidance(V, { k, maxLevel, nBits }) {
    if (!isCount(k)) throw new Refusal(say("forged.k"));
    if (k > maxLevel) throw new Refusal(say("forged.level", { k, level: maxLevel }));
    if (!Array.isArray(V) || V.length !== nBits) {
      throw new Refusal(say("forged.rows", { rows: V?.length ?? 0, n: nBits }));
    }
    if (k > nBits || V.some((row) => !Array.isArray(row) || row.length !== k)) {
      throw new Refusal(say("forged.columns", { k }));
    }
    if (!V.every((row) => row.every(Number.isFinite))) throw new Refusal(say("forged.finite"));
    if (!(orthonormalGap(V) <= TOLERANCE)) throw new Refusal(say("forged.orthonormal"));
    return V;
  }

  function orthonormalGap(V) {
    let gap = 0;
    for (let a = 0; a < V[0].length; a++) {
      for (let b = 0; b <= a; b++) {
        const product = V.reduce((sum, row) => sum + row[a] * row[b], 0);
        gap = Math.max(gap, Math.abs(product - (a === b ? 1 : 0)));
      }
    }
    return gap;
  }

  /* How often one who knows V would guess each value right from R(t), with one half for chance:
     naive Bayes on all released bits, tried on drawn records. With `own` bits each answer of a record
     is the person's own with probability 1/2: people who answer much alike. The draws keep no secret. */
  function answersRead(V, sizes, { own, draws = 1000 * Math.max(8, ...sizes), random = Math.random } = {}) {
    const n = V.length, numbers = (size) => new Float64Array(size);
    const onto = V.map((row) => V.map((other) => row.reduce((sum, v, a) => sum + v * other[a], 0)));
    const people = Array.from({ length: draws }, () => {
      let first = 0;
      return sizes.map((size) => (first += size) - size + Math.floor(random() * size));
    });
    const mine = own?.flatMap((bit, j) => (bit ? [j] : [])) ?? [];
    for (const one of people) mine.forEach((j, a) => { if (random() < 0.5) one[a] = j; });

    // the chance of each released bit: over all, and over those of each answer
    const total = numbers(n), having = V.map(() => numbers(n)), count = numbers(n);
    const said = people.map((one) => {
      const p = numbers(n), ones = [];
      for (const j of one) for (let i = 0; i < n; i++) p[i] += onto[j][i];
      for (let i = 0; i < n; i++) {
        total[i] += p[i] = Math.min(1, p[i] * p[i]);
        if (random() < p[i]) ones.push(i);
      }
      for (const j of one) { count[j] += 1; for (let i = 0; i < n; i++) having[j][i] += p[i]; }
      return ones;
    });
    // what a set bit i says for the answer j; the halves keep the logarithms finite
    const base = numbers(n);
    const weight = V.map((_, i) => Float64Array.from(V, (__, j) => {
      const p = (having[j][i] + 0.5) / (count[j] + 1);
      const q = (total[i] - having[j][i] + 0.5) / (draws - count[j] + 1);
      base[j] += Math.log((1 - p) / (1 - q));
      return Math.log(p / q) - Math.log((1 - p) / (1 - q));
    }));
    const hits = numbers(n), alarms = numbers(n);
    people.forEach((one, d) => {
      const score = base.slice();
      for (const i of said[d]) for (let j = 0; j < n; j++) score[j] += weight[i][j];
      for (let j = 0; j < n; j++) if (score[j] > 0) alarms[j] += 1;
      for (const j of one) if (score[j] > 0) { hits[j] += 1; alarms[j] -= 1; }
    });
    return V.map((_, j) => // right with the answer and right without it, in equal parts
      (hits[j] / Math.max(count[j], 1) + 1 - alarms[j] / Math.max(draws - count[j], 1)) / 2);
  }

  /* Probability that each bit of R(t) is 1: min(1, (tVV')^2), Eq. 7 and 8. */
  function bitProbabilities(t, V) {
    const onto = V[0].map((_, a) => t.reduce((sum, bit, j) => sum + bit * V[j][a], 0));
    return V.map((row) => {
      const projected = row.reduce((sum, v, a) => sum + v * onto[a], 0);
      return Math.min(1, projected * projected);
    });
  }

  /* n doubles in [0, 1) with all their 53 bits random: 27 of one word, 26 of the next. */
  function uniforms(n, words = randomWords(2 * n)) {
    return Array.from({ length: n }, (_, i) =>
      ((words[2 * i] >>> 5) * 2 ** 26 + (words[2 * i + 1] >>> 6)) / 2 ** 53);
  }

  function randomWords(n) {
    const words = new Uint32Array(n);
    for (let i = 0; i < n; i += 16384) { // getRandomValues gives at most 65,536 bytes a call
      crypto.getRandomValues(words.subarray(i, i + 16384));
    }
    return words;
  }

  /* R(t): a bit is 1 where its uniform number is below its probability. */
  function draw(probabilities, numbers) {
    return probabilities.map((p, j) => (numbers[j] < p ? 1 : 0));
  }

  /* The fingerprint of an epoch's guidance: hex SHA-256 of a heading and V's doubles. */
  async function hashGuidance(epoch, V) {
    const heading = `ppdm-guidance-1\n${epoch}\n${V.length}\n${V[0].length}\n`;
    const entries = V.flat();
    const doubles = new DataView(new ArrayBuffer(8 * entries.length));
    entries.forEach((v, i) => doubles.setFloat64(8 * i, v, true));
    return sha256(await new Blob([heading, doubles]).arrayBuffer());
  }

  const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const sha256 = async (bytes) => toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

  /* From this share of right guesses on the page asks: three in four, less the error of the draws. */
  const READ = 0.74;

  globalThis.ppdm = Object.freeze({
    Refusal, READ, WHOLE, answersRead, atMost, bitProbabilities, checkChannel, checkGuidance, codeOf, disguised, draw, drawsOf, epsilonOf,
    hashChannel, hashGuidance, hashSurvey, isCount, isOpen, lotOf, randomWords, readNumber, reportOf, say, sha256, tell, toBits,
    uniforms, written,
  });
})();
