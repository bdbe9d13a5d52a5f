/* The data provider's side of the survey, in the browser.
   Zhang, Wang and Zhao (2005), sections 3, 4.2 and 7.

   <form data-ppdm="BASE"> with one <fieldset disabled> around its controls, which are named as the
   questions in BASE/api/schema. The answers are encrypted and kept in this browser until the survey
   manages with as few directions of them as the person allows. Then R(t) is drawn once, the answers
   are deleted, and R(t) is sent. data-ppdm-poll-ms is the first pause between two inquiries, each
   further one is half as long again, up to thirty times that; after data-ppdm-poll-limit of them
   the page stops and asks the person.

   The pure functions stand in globalThis.ppdm, for tests and for pages without a server. */

"use strict";

(() => {
  // ------------------------------------------------------------------ words, for translators

  const TEXT = {
    steps: ["Locked on this device", "Waiting for a request you allow", "Disguised once", "Sent"],
    insecure:
      "This page cannot protect your answers here: the browser offers encryption only over https, " +
      "or on this very machine. Nothing can be filled in, and nothing is sent.",
    noStorage:
      "This browser lets the page keep nothing (its IndexedDB is missing or closed), so your answers " +
      "could not be kept encrypted until they are disguised. Nothing can be filled in.",
    insecureTitle: "Not on this connection",
    loading: "Asking the survey for its questions …",
    loadingTitle: "One moment",
    noSurvey: "The survey cannot be reached. The page keeps trying.",
    legend: "How much may the survey read?",
    levelHelp:
      "The survey reads answers along directions: weighted sums over all questions. Allow few, and you " +
      "may wait until it manages with so few. Your choice stays on this page; the survey never learns it.",
    levelNumber: (level, n) => `${level} of ${n} directions`,
    levelWords: (level, n) =>
      level === n ? "Everything: my answers may be sent as they are." :
      level === 1 ? "As little as possible: one weighted sum of my answers." :
      level <= n / 5 ? "A little: a few weighted sums; most detail stays with me." :
      level <= n / 2 ? "A fair part of the detail." :
      "Most of the detail.",
    missing: { choice: "Please choose an answer.", number: "Please enter a number." },
    missingCount: (n) => (n === 1 ? "One question has no answer yet." : `${n} questions have no answer yet.`),
    noAnswer: (label) => `There is no valid answer to “${label}”.`,
    locked: "Your answers are locked",
    checking: "They are encrypted on this device. Asking the survey how many directions it wants to read …",
    waiting: "Waiting: the survey asks for too much",
    asksFor: (k, level) =>
      `The survey asks for ${k} ${k === 1 ? "direction" : "directions"} at the moment, you allow ${level}. ` +
      "It may manage with fewer as more people answer. ",
    stay: "Until then your answers stay encrypted on this device. You may close this page and come back.",
    declined: "You did not want to send under this guidance. Waiting for the survey's next one. ",
    unreachable: "The survey cannot be reached",
    unreachableText: "Nothing is lost and nothing was sent. The page tries again by itself. ",
    stopped: "The page has stopped asking, so as not to ask for ever. Press “Ask now” to go on. ",
    asks: "The survey asks for",
    allows: "You allow",
    refused: "Refused",
    refusedText: (reason) => `${reason} Nothing was sent. Your answers are still encrypted on this device.`,
    warning: "These answers would be sent as they are",
    warningText:
      "What the survey asks for is within what you allow, but it singles out the answers below: they " +
      "would be sent (almost) undisguised. Send them all the same?",
    everything: "All your answers",
    whether: (label, value) => `${label}: whether it is “${value}”`,
    sending: "Disguised. Sending …",
    sendingText: "Your answers are deleted. Only their disguise, drawn once, is being sent.",
    sendLater:
      "The survey did not confirm. The page sends the same disguise again by itself; it is stored only " +
      "once. You may close this page and come back. ",
    rejected: "The survey did not take it",
    rejectedText: (reason) => `${reason} Your answers are already deleted; their disguise is still here.`,
    sent: "Sent. Thank you",
    sentText:
      "Your answers are deleted from this device, and so is their disguise now that it has arrived. " +
      "To answer again is to send a second disguise, and two tell more than one.",
    left: "All that left this page",
    leftBefore: "It was sent before this page was loaded; what it was is not kept.",
    ones: "What the survey got",
    onesHelp: "A filled mark is a 1. Chance has moved them: a question may have two marks, or none.",
    hash: (epoch) => `Fingerprint of the guidance of epoch ${epoch}, the same for everyone:`,
    broken: (reason) => `This page failed: ${reason}.`,
    forged: {
      unreadable: "The survey's answer cannot be read.",
      protocol: "The survey speaks another version of the protocol.",
      form: (name) => `The page has no question named “${name}”.`,
      questions: "The survey has changed its questions since you answered.",
      inquiry: "The survey announced something that is no epoch and no number of directions.",
      twoLevels: (epoch) =>
        `The survey announced two different numbers of directions for epoch ${epoch}: an honest one keeps to one.`,
      published: "What the survey published about this epoch does not fit what it announced.",
      twoHashes: (epoch) =>
        `The survey published two different fingerprints for the guidance of epoch ${epoch}: either it was ` +
        "begun anew, or it does not treat everyone alike.",
      epoch: "The survey sent the guidance of another epoch than it announced.",
      token: "The survey sent no token.",
      k: "The survey sent a guidance for another number of directions than it announced.",
      level: (k, level) => `The guidance reads ${k} directions, you allow ${level}.`,
      rows: (rows, n) => `The guidance has ${rows} rows, there are ${n} bits.`,
      columns: (k) => `The guidance does not have the announced ${k} columns.`,
      finite: "The guidance holds something that is no finite number.",
      orthonormal: "The guidance's columns are not orthonormal: it would read more than it says.",
      hash: "The guidance is not the one that the survey published for everyone.",
    },
    buttons: {
      level: "Use this level", go: "Ask now", again: "Try again", retry: "Send again now",
      forget: "Delete my answers", send: "Send them", decline: "Wait for another request",
      discard: "Discard", restart: "Answer again",
    },
  };

  // ------------------------------------------------------------------ mathematics

  class Refusal extends Error {} // the survey did what an honest one does not

  const TOLERANCE = 1e-6; // of the check that V'V = I, and of a leverage that counts as 1
  const isCount = (n) => Number.isSafeInteger(n) && n >= 1;
  const squares = (row) => row.reduce((sum, v) => sum + v * v, 0);

  /* The next larger double, exactly. */
  function nextUp(number) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number + 0); // -0 + 0 is 0
    view.setBigInt64(0, view.getBigInt64(0) + (number < 0 ? -1n : 1n));
    return view.getFloat64(0);
  }

  /* The index of an answer among the question's values, or -1. A number equal to an edge lies below;
     so each edge is moved up by one double, to a cut to which the numbers above it belong. */
  function codeOf(value, { values, edges }) {
    if (!edges) return values.indexOf(value);
    const number = typeof value === "string" && value.trim() ? Number(value) : value;
    return Number.isFinite(number) ? edges.filter((edge) => nextUp(edge) <= number).length : -1;
  }

  /* t: one bit for each value of each attribute (Eq. 3). */
  function toBits(answers, schema) {
    return schema.attributes.flatMap((attribute) => {
      const code = codeOf(answers[attribute.name], attribute);
      if (code < 0) throw new Refusal(TEXT.noAnswer(attribute.label));
      return attribute.values.map((_, h) => (h === code ? 1 : 0));
    });
  }

  /* Throw a Refusal unless V has nBits rows, the announced k <= maxLevel orthonormal columns. */
  function checkGuidance(V, { k, maxLevel, nBits }) {
    const lie = TEXT.forged;
    if (!isCount(k)) throw new Refusal(lie.k);
    if (k > maxLevel) throw new Refusal(lie.level(k, maxLevel));
    if (!Array.isArray(V) || V.length !== nBits) throw new Refusal(lie.rows(V?.length ?? 0, nBits));
    if (k > nBits || V.some((row) => !Array.isArray(row) || row.length !== k)) {
      throw new Refusal(lie.columns(k));
    }
    if (!V.every((row) => row.every(Number.isFinite))) throw new Refusal(lie.finite);
    if (!(orthonormalGap(V) <= TOLERANCE)) throw new Refusal(lie.orthonormal);
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

  /* Bits that V reads with certainty, whoever answers: their leverage (VV')_jj is 1. */
  function certainBits(V, tolerance = TOLERANCE) {
    return V.flatMap((row, j) => (squares(row) >= 1 - tolerance ? [j] : []));
  }

  /* Values of which a single bit of R(t) tells whether they are the answer. Each attribute adds one
     of its terms to a bit's projection; the bounds over all tuples follow from the least and largest. */
  function answersRead(V, sizes, certainty = 0.9) {
    const found = new Set();
    for (const row of V) {
      let start = 0;
      const groups = sizes.map((size) => {
        const terms = V.slice(start, start + size).map(
          (other) => row.reduce((sum, v, a) => sum + v * other[a], 0));
        return { first: (start += size) - size, terms, low: Math.min(...terms), high: Math.max(...terms) };
      });
      const total = (end) => groups.reduce((sum, group) => sum + group[end], 0);
      const [low, high] = [total("low"), total("high")];
      for (const group of groups) {
        const bounds = group.terms.map((term) => [term + low - group.low, term + high - group.high]);
        const surely = bounds.map(([a, b]) => a * b > 0 && Math.min(a * a, b * b) >= certainty);
        const hardly = bounds.map(([a, b]) => Math.max(a * a, b * b) <= 1 - certainty);
        group.terms.forEach((_, h) => {
          const rest = (list) => list.every((is, other) => is || other === h);
          if ((surely[h] && rest(hardly)) || (hardly[h] && rest(surely))) found.add(group.first + h);
        });
      }
    }
    return [...found].sort((a, b) => a - b);
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
    const bytes = await new Blob([heading, doubles]).arrayBuffer();
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // ------------------------------------------------------------------ what the browser keeps

  /* The secret as a record for the vault. Scripts can use the key, not export it;
     whoever has the disk has both. */
  async function seal(secret) {
    const key = await crypto.subtle.generateKey(
      { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(JSON.stringify(secret));
    const ciphertext = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, text);
    return { stage: "waiting", key, iv, ciphertext };
  }

  async function unseal({ key, iv, ciphertext }) {
    const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, ciphertext);
    return JSON.parse(new TextDecoder().decode(text));
  }

  function done(request) {
    return new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  }

  /* One record a survey. Each change is compare-and-swap, because another tab may be at work. */
  class Vault {
    static async open(base) {
      const request = indexedDB.open("ppdm", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("surveys");
      return Object.assign(new Vault(), { base, db: await done(request) });
    }

    read() {
      return done(this.db.transaction("surveys").objectStore("surveys").get(this.base));
    }

    /* Put `next` (nothing: delete) in the place of `old`; return it, or null if `old` is gone.
       Durability "strict": R(t) must be on the disk before it is sent, or a power cut
       in between would have it drawn, and sent, a second time. */
    async swap(old, next) {
      const change = this.db.transaction("surveys", "readwrite", { durability: "strict" });
      const finished = new Promise((resolve, reject) => {
        change.oncomplete = resolve;
        change.onabort = change.onerror = () => reject(change.error);
      });
      const store = change.objectStore("surveys");
      const now = await done(store.get(this.base));
      if (now?.id !== old?.id) return null;
      const record = next && { ...next, id: crypto.randomUUID() };
      if (record) store.put(record, this.base);
      else store.delete(this.base);
      await finished;
      return record;
    }
  }

  // ------------------------------------------------------------------ what leaves the browser

  class Unreachable extends Error {} // no answer, or a busy server: the same again, later

  class Rejected extends Error { // the survey answered: no
    constructor({ error, reason }) {
      super(reason ?? TEXT.forged.unreadable);
      this.code = error;
    }
  }

  /* The only place that makes requests; it counts them, so that the person can see them all. */
  class Line {
    constructor(base) {
      this.base = base;
      this.sent = new Map();
    }

    async ask(path, message) {
      const body = message && JSON.stringify(message);
      const what = body ? `POST ${path} ${body}` : `GET ${path}`;
      this.sent.set(what, (this.sent.get(what) ?? 0) + 1);
      const { status, text } = await this.fetch(path, body);
      if (status === 204) return null;
      if (status >= 500 || status === 408 || status === 429) throw new Unreachable();
      const answer = parse(text);
      if (status >= 400) throw new Rejected(answer);
      return answer;
    }

    async fetch(path, body) {
      try {
        const response = await fetch(new URL(path, this.base), {
          method: body ? "POST" : "GET",
          headers: body ? { "Content-Type": "application/json" } : {},
          body,
          cache: "no-store",
          credentials: "omit",
          redirect: "error",
          referrerPolicy: "no-referrer",
          signal: AbortSignal.timeout(30000),
        });
        return { status: response.status, text: await response.text() };
      } catch {
        throw new Unreachable();
      }
    }
  }

  function parse(text) {
    try {
      const answer = JSON.parse(text);
      if (answer !== null && typeof answer === "object") return answer;
    } catch { /* said below */ }
    throw new Refusal(TEXT.forged.unreadable);
  }

  // ------------------------------------------------------------------ what the person sees

  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  }

  let serial = 0; // for ids: a page may have several forms

  /* The slider for k_i. It has no name, so that no form data ever contain it. */
  class Level {
    constructor(n) {
      const id = `ppdm-level-${++serial}`;
      this.n = n;
      this.words = el("p", { class: "ppdm-level-words" });
      this.range = el("input", {
        type: "range", id, min: 1, max: n, step: 1, value: Math.max(1, Math.round(n / 5)),
        "aria-describedby": `${id}-help`,
      });
      this.node = el("div", { class: "ppdm-level" },
        el("label", { for: id }, TEXT.legend), this.range, this.words,
        el("p", { id: `${id}-help`, class: "ppdm-help" }, TEXT.levelHelp));
      this.range.addEventListener("input", () => this.say());
      this.say();
    }

    get value() { return Number(this.range.value); }
    set value(level) { this.range.value = level; this.say(); }

    say() {
      const number = TEXT.levelNumber(this.value, this.n);
      const words = TEXT.levelWords(this.value, this.n);
      this.range.setAttribute("aria-valuetext", `${number}. ${words}`);
      this.words.replaceChildren(el("strong", {}, number), " ", words);
    }
  }

  /* Two bars out of n: what the survey asks for, what the person allows. */
  class Gauge {
    constructor(n) {
      this.n = n;
      this.node = el("div", { class: "ppdm-gauge", role: "img" });
    }

    set(...values) {
      const rows = [TEXT.asks, TEXT.allows].map((label, i) => ({ label, value: values[i] }));
      this.node.ariaLabel = rows.map(({ label, value }) => `${label} ${value} / ${this.n}.`).join(" ");
      this.node.replaceChildren(...rows.flatMap(({ label, value }) => {
        const fill = el("span");
        fill.style.width = `${(100 * value) / this.n}%`;
        return [el("span", {}, label), el("span", { class: "ppdm-bar" }, fill), el("b", {}, value)];
      }));
    }
  }

  /* The marks of R(t), question by question. */
  function marks(ones, schema) {
    const list = el("ul", { class: "ppdm-marks" });
    let j = 0;
    for (const { label, labels } of schema.attributes) {
      const cells = labels.map((value) => {
        const on = ones.includes(j++);
        return el("span", { class: on ? "ppdm-on" : "ppdm-off" },
          value, el("span", { class: "ppdm-aside" }, on ? " 1" : " 0"));
      });
      list.append(el("li", {}, el("span", {}, label), el("span", { class: "ppdm-cells" }, ...cells)));
    }
    return list;
  }

  function requests(sent) {
    return el("ul", { class: "ppdm-left" }, ...Array.from(sent, ([what, times]) =>
      el("li", {}, el("code", {}, what), times > 1 ? ` × ${times}` : "")));
  }

  /* Which answers the bits give away, in the person's words. */
  function namesOf(bits, schema) {
    if (bits.length === schema.n_bits) return [TEXT.everything];
    let first = 0;
    return schema.attributes.flatMap(({ label, labels }) => {
      const read = labels.filter((_, h) => bits.includes(first + h));
      first += labels.length;
      if (read.length >= labels.length - 1) return [label]; // the last value follows from the others
      return read.map((value) => TEXT.whether(label, value));
    });
  }

  /* The panel below the form: the steps, a title, a live text, details, buttons. */
  class Panel {
    constructor(form) {
      const id = `ppdm-title-${++serial}`;
      this.steps = TEXT.steps.map((text) => el("li", {}, text));
      this.title = el("h2", { id, tabindex: "-1" });
      this.text = el("p", { role: "status", "aria-live": "polite" });
      this.detail = el("div", { class: "ppdm-detail" });
      this.buttons = el("div", { class: "ppdm-buttons" });
      this.node = el("section", { class: "ppdm-panel", "aria-labelledby": id },
        el("ol", { class: "ppdm-steps" }, ...this.steps),
        this.title, this.text, this.detail, this.buttons);
      this.node.hidden = true;
      form.after(this.node);
    }

    /* A view of the same name only changes its words, so that focus stays where it is. */
    show(view, { title, text, step = -1, detail = [], buttons = [] }) {
      this.node.hidden = false;
      this.title.textContent = title;
      if (this.text.textContent !== text) this.text.textContent = text;
      if (view === this.view) return;
      const moved = this.view !== undefined;
      this.view = this.node.dataset.view = view;
      this.steps.forEach((item, i) => {
        item.className = i < step ? "ppdm-past" : "";
        item.setAttribute("aria-current", i === step ? "step" : "false");
      });
      this.detail.replaceChildren(...detail);
      this.buttons.replaceChildren(...buttons.map((name) => this.button(name)));
      if (moved) this.title.focus();
    }

    button(name) {
      const button = el("button", { type: "button", "data-action": name }, TEXT.buttons[name]);
      button.addEventListener("click", () => {
        this.chosen = name;
        this.wake?.();
      });
      return button;
    }

    hide() {
      this.node.hidden = true;
      this.view = "form";
    }

    /* The button that was pressed, if any; a press during a request waits here. */
    take() {
      const { chosen } = this;
      this.chosen = null;
      return chosen;
    }

    /* Wait for a button, at most so long. */
    async choice(ms = Infinity) {
      if (!this.chosen) {
        await new Promise((resolve) => {
          this.wake = resolve;
          if (ms < Infinity) setTimeout(resolve, ms);
        });
      }
      return this.take();
    }
  }

  /* The person's form. */
  class Questionnaire {
    constructor(form) {
      this.form = form;
      this.controls = form.querySelector("fieldset");
      form.noValidate = true; // own messages, in TEXT's language
      form.autocomplete = "off"; // or a reload would bring the answers back
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.submitted?.();
      });
      form.addEventListener("input", ({ target }) => { // who mends an answer is no longer blamed
        const question = this.questions?.find(({ name }) => name === target.name);
        if (question && target.getAttribute("aria-invalid") === "true") this.flag(question, false);
        if (!form.querySelector("[aria-invalid=true]")) this.count?.remove();
      });
    }

    prepare(schema, level) {
      this.questions = [...schema.attributes, schema.class];
      for (const { name } of this.questions) {
        if (!this.form.elements.namedItem(name)) throw new Refusal(TEXT.forged.form(name));
      }
      this.place = el("div");
      this.form.querySelector("[type=submit]").before(this.place);
      this.level = level;
    }

    open() {
      if (!this.controls.disabled) return; // after a failure the answers still stand in it
      this.place.append(this.level.node);
      this.form.hidden = this.controls.disabled = false;
    }

    close() {
      this.form.reset();
      this.form.hidden = this.controls.disabled = true;
    }

    /* The answers by name, once the person has submitted and all of them are valid. */
    async answers() {
      for (;;) {
        await new Promise((resolve) => { this.submitted = resolve; });
        const answers = Object.fromEntries(new FormData(this.form));
        const wrong = this.questions.filter((q) => codeOf(answers[q.name], q) < 0);
        this.mark(wrong);
        if (!wrong.length) return answers;
      }
    }

    mark(wrong) {
      this.count?.remove();
      this.questions.forEach((question) => this.flag(question, wrong.includes(question)));
      if (!wrong.length) return;
      this.count = el("p", { class: "ppdm-error", role: "alert" }, TEXT.missingCount(wrong.length));
      this.place.after(this.count);
      this.form.querySelector("[aria-invalid=true]").focus();
    }

    flag({ name, edges }, invalid) {
      const id = `ppdm-error-${name}`;
      const controls = this.form.querySelectorAll(`[name="${CSS.escape(name)}"]`);
      document.getElementById(id)?.remove();
      controls.forEach((control) => {
        control.setAttribute("aria-invalid", invalid);
        control.removeAttribute("aria-describedby");
        if (invalid) control.setAttribute("aria-describedby", id);
      });
      if (!invalid) return;
      const group = controls[0].closest("fieldset"); // radios have one of their own
      (group === this.controls ? controls[0].parentElement : group).append(
        el("p", { class: "ppdm-error", id }, edges ? TEXT.missing.number : TEXT.missing.choice));
    }
  }

  // ------------------------------------------------------------------ the life of an answer

  /* A leverage this close to 1 makes the page ask. It is wider than TOLERANCE: identity columns
     turned by a hair would pass below that, and still read the answers all but surely. */
  const NEARLY_CERTAIN = 0.1;

  class Respondent {
    constructor(form) {
      const { ppdm, ppdmPollMs = 2000, ppdmPollLimit = 100 } = form.dataset;
      this.base = new URL(ppdm.endsWith("/") ? ppdm : `${ppdm}/`, document.baseURI).href;
      this.poll = { first: Number(ppdmPollMs), limit: Number(ppdmPollLimit) };
      this.tries = 0;
      this.levels = {}; // the k announced for each epoch
      this.line = new Line(this.base);
      this.form = new Questionnaire(form);
      this.panel = new Panel(form);
    }

    async start() {
      const stop = (text) => this.panel.show("insecure", { title: TEXT.insecureTitle, text });
      if (!globalThis.crypto?.subtle) return stop(TEXT.insecure);
      try {
        this.vault = await Vault.open(this.base);
      } catch {
        return stop(TEXT.noStorage);
      }
      while (!this.schema) await this.attempt(() => this.load());
      for (;;) await this.attempt(() => this.step());
    }

    /* What goes wrong is said, and the person decides; nothing is thrown away. */
    async attempt(action) {
      try {
        await action();
      } catch (error) {
        if (error instanceof Unreachable) await this.unreachable();
        else await this.refuse(error);
      }
    }

    async load() {
      this.panel.show("loading", { title: TEXT.loadingTitle, text: TEXT.loading });
      const schema = await this.line.ask("api/schema");
      if (schema.protocol !== 1) throw new Refusal(TEXT.forged.protocol);
      this.level = new Level(schema.n_bits);
      this.gauge = new Gauge(schema.n_bits);
      this.questions = JSON.stringify([schema.attributes, schema.class]);
      this.form.prepare(schema, this.level);
      this.schema = schema;
    }

    /* The record decides what comes next: after a reload, and when another tab was faster. */
    async step() {
      this.record = await this.vault.read();
      const stage = this.record?.stage ?? "empty";
      if (stage !== this.stage) this.tries = 0;
      this.stage = stage;
      if (stage !== "empty") this.form.close();
      await this[stage](this.record);
    }

    // ---- the stages of a record

    async empty(record) {
      this.panel.hide();
      this.form.open();
      const answers = await this.form.answers();
      const secret = {
        bits: toBits(answers, this.schema),
        label: codeOf(answers[this.schema.class.name], this.schema.class),
        level: this.level.value,
        questions: this.questions,
      };
      await this.vault.swap(record, { ...(await seal(secret)), hashes: record?.hashes ?? {} });
    }

    async waiting(record) {
      if (await this.act(this.panel.take())) return;
      const { level, questions } = await unseal(record); // its bits are not looked at yet
      if (questions !== this.questions) throw new Refusal(TEXT.forged.questions);
      if (this.panel.view !== "waiting") {
        this.level.value = level;
        this.panel.show("checking", {
          title: TEXT.locked, text: TEXT.checking, step: 0, buttons: ["forget"],
        });
      }
      const announced = await this.inquire();
      if (announced.k > level || announced.epoch === this.declined) {
        return this.wait(announced, level);
      }
      const guidance = await this.guidance(announced, level);
      if (guidance && (await this.confirmed(guidance))) await this.drawOnce(guidance);
    }

    async drawn(record) {
      if (this.panel.take() === "forget") return this.vault.swap(record, null);
      if (this.panel.view !== "rejected") this.showSending(TEXT.sendingText);
      const { submission, hash, hashes } = record;
      const answer = await this.line.ask("api/submit", submission);
      if (answer !== null) throw new Unreachable(); // not the survey: something in between
      this.submission = submission;
      await this.vault.swap(record, { stage: "sent", epoch: submission.epoch, hash, hashes });
    }

    async sent({ epoch, hash, hashes }) {
      this.panel.show("sent", {
        title: TEXT.sent, text: TEXT.sentText, step: 4, buttons: ["restart"],
        detail: [...this.whatLeft(), el("p", {}, TEXT.hash(epoch), " ", el("code", {}, hash))],
      });
      while ((await this.panel.choice()) !== "restart"); // a press meant for an earlier view is no wish
      this.submission = null;
      await this.vault.swap(this.record, { stage: "empty", hashes });
    }

    // ---- the steps of Algorithm 1

    async inquire() {
      const { epoch, k } = await this.line.ask("api/inquiry");
      if (!Number.isSafeInteger(epoch) || epoch < 0 || !isCount(k) || k > this.schema.n_bits) {
        throw new Refusal(TEXT.forged.inquiry);
      }
      // whoever lowers k until somebody is ready would learn the level
      if ((this.levels[epoch] ??= k) !== k) throw new Refusal(TEXT.forged.twoLevels(epoch));
      return { epoch, k };
    }

    /* V and a token, checked; nothing if the epoch ended meanwhile or another tab was faster. */
    async guidance({ epoch, k }, level) {
      const { hash } = await this.published(epoch, k);
      if (!(await this.remember(epoch, hash))) return undefined;
      let message;
      try {
        message = await this.line.ask("api/ready", { epoch });
      } catch (error) {
        if (error.code === "epoch_over") return undefined;
        throw error;
      }
      const { V, token } = message;
      if (message.epoch !== epoch) throw new Refusal(TEXT.forged.epoch);
      if (message.k !== k) throw new Refusal(TEXT.forged.k);
      if (typeof token !== "string") throw new Refusal(TEXT.forged.token);
      checkGuidance(V, { k, maxLevel: level, nBits: this.schema.n_bits });
      if (message.hash !== hash || (await hashGuidance(epoch, V)) !== hash) {
        throw new Refusal(TEXT.forged.hash);
      }
      return { epoch, V, token, hash };
    }

    async published(epoch, k) {
      const entry = await this.line.ask(`api/epochs/${epoch}`);
      if (entry.epoch !== epoch || entry.k !== k || !/^[0-9a-f]{64}$/.test(entry.hash)) {
        throw new Refusal(TEXT.forged.published);
      }
      return entry;
    }

    /* An epoch has one guidance for everyone and for ever: hold the survey to the first it named. */
    async remember(epoch, hash) {
      const { hashes } = this.record;
      if (hashes[epoch] === hash) return true;
      if (hashes[epoch]) throw new Refusal(TEXT.forged.twoHashes(epoch));
      const record = await this.vault.swap(
        this.record, { ...this.record, hashes: { ...hashes, [epoch]: hash } });
      this.record = record ?? this.record;
      return record !== null;
    }

    async confirmed({ epoch, V }) {
      const sizes = this.schema.attributes.map(({ values }) => values.length);
      const read = new Set([...certainBits(V, NEARLY_CERTAIN), ...answersRead(V, sizes)]);
      const names = namesOf([...read], this.schema);
      if (!names.length) return !this.panel.chosen; // a button pressed meanwhile comes first
      this.panel.show("warning", {
        title: TEXT.warning, text: TEXT.warningText, step: 1,
        detail: [el("ul", { class: "ppdm-names" }, ...names.map((name) => el("li", {}, name)))],
        buttons: ["send", "decline", "forget"],
      });
      const chosen = await this.panel.choice();
      if (chosen === "decline") this.declined = epoch;
      await this.act(chosen);
      return chosen === "send";
    }

    /* In one change R(t) takes the place of the answers and their key. A tab that comes too late
       drops what it drew: the swap fails. */
    async drawOnce({ epoch, V, token, hash }) {
      const { record } = this;
      const { bits, label } = await unseal(record);
      const R = draw(bitProbabilities(bits, V), uniforms(bits.length));
      const ones = R.flatMap((bit, j) => (bit ? [j] : []));
      await this.vault.swap(record, {
        stage: "drawn", submission: { token, epoch, class: label, ones }, hash, hashes: record.hashes,
      });
    }

    // ---- waiting, failing, deciding

    async wait({ epoch, k }, level) {
      this.gauge.set(k, level);
      const reason = epoch === this.declined && k <= level ? TEXT.declined : TEXT.asksFor(k, level);
      await this.pause((stopped) => this.showWaiting(TEXT.waiting, reason + stopped + TEXT.stay));
    }

    async unreachable() {
      await this.pause((stopped) => {
        if (this.stage === "drawn") this.showSending(TEXT.sendLater + stopped);
        else if (this.stage) this.showWaiting(TEXT.unreachable, TEXT.unreachableText + stopped + TEXT.stay);
        else this.panel.show("loading", { title: TEXT.loadingTitle, text: TEXT.noSurvey });
      });
    }

    /* Longer each time, up to thirty times the first; after the limit the person must ask. */
    async pause(show) {
      const stopped = ++this.tries >= this.poll.limit && this.stage !== undefined;
      show(stopped ? TEXT.stopped : "");
      const wait = this.poll.first * Math.min(30, 1.5 ** this.tries);
      const chosen = await this.panel.choice(stopped ? Infinity : wait);
      if (stopped) this.tries = 0;
      await this.act(chosen);
    }

    async refuse(error) {
      const expected = error instanceof Refusal || error instanceof Rejected;
      const reason = expected ? error.message : TEXT.broken(error.message);
      const drawn = this.stage === "drawn";
      const held = this.stage === "waiting";
      this.panel.show(drawn ? "rejected" : "refused", {
        title: drawn ? TEXT.rejected : TEXT.refused,
        text: drawn ? TEXT.rejectedText(reason) : held ? TEXT.refusedText(reason) : reason,
        step: drawn ? 2 : held ? 1 : -1,
        buttons: drawn ? ["retry", "discard"] : held ? ["again", "forget"] : ["again"],
      });
      await this.act(await this.panel.choice());
    }

    /* Do what a button says; true if the record has changed. */
    async act(chosen) {
      if (chosen === "forget" || chosen === "discard") {
        await this.vault.swap(this.record, null);
        return true;
      }
      if (chosen !== "level") return false;
      const { value } = this.level;
      const secret = { ...(await unseal(this.record)), level: value };
      await this.vault.swap(this.record, { ...(await seal(secret)), hashes: this.record.hashes });
      this.tries = 0;
      return true;
    }

    showWaiting(title, text) {
      this.panel.show("waiting", {
        title, text, step: 1, detail: [this.gauge.node, this.level.node],
        buttons: ["level", "go", "forget"],
      });
    }

    showSending(text) {
      this.panel.show("sending", { title: TEXT.sending, text, step: 2, buttons: ["retry"] });
    }

    whatLeft() {
      if (!this.submission) return [el("p", {}, TEXT.leftBefore)];
      return [
        el("h3", {}, TEXT.ones), el("p", { class: "ppdm-help" }, TEXT.onesHelp),
        marks(this.submission.ones, this.schema),
        el("h3", {}, TEXT.left), requests(this.line.sent),
      ];
    }
  }

  // ------------------------------------------------------------------ the door

  const attach = (form) => new Respondent(form).start();

  globalThis.ppdm = Object.freeze({
    TEXT, Refusal, answersRead, attach, bitProbabilities, certainBits, checkGuidance, codeOf, draw, hashGuidance,
    toBits, uniforms,
  });

  const attachAll = () => document.querySelectorAll("form[data-ppdm]").forEach(attach);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", attachAll);
  else attachAll();
})();
