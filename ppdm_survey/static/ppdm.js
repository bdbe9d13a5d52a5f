/* The data provider's side of the survey, in the browser.
   Zhang, Wang and Zhao (2005), sections 3, 4.2 and 7.

   <form data-ppdm="BASE"> with one <fieldset disabled> around its controls, which are named as the
   questions in BASE/api/schema. The answers stay in the page's memory while the survey is asked what
   it wants to read. Where that is more than the person allows they are encrypted and kept in this
   browser until it is not. R(t) is drawn once, the answers are deleted, and R(t) is sent: only that
   is ever stored of somebody who need not wait. data-ppdm-poll-ms is the first pause between two inquiries, each
   further one is half as long again, up to thirty times that; after data-ppdm-poll-limit of them
   the page stops and asks the person.

   What a person reads stands in ppdm.LANGUAGE.js, which the page loads before this file.

   The pure functions stand in globalThis.ppdm, for tests and for pages without a server. */

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

  // ------------------------------------------------------------------ mathematics

  class Refusal extends Error {} // the survey did what an honest one does not

  const TOLERANCE = 1e-6; // of the check that V'V = I
  const isCount = (n) => Number.isSafeInteger(n) && n >= 1;

  /* The next larger double, exactly. */
  function nextUp(number) {
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, number + 0); // -0 + 0 is 0
    view.setBigInt64(0, view.getBigInt64(0) + (number < 0 ? -1n : 1n));
    return view.getFloat64(0);
  }

  /* The index of an answer among the question's values, or -1. A number equal to an edge lies below;
     so each edge is moved up by one double, to a cut to which the numbers above it belong. */
  function codeOf(value, { values, edges, optional }) {
    if (!edges) return values.indexOf(value);
    if (optional && value === "") return values.length - 1; // the last value is "no answer"
    const number = typeof value === "string" && value.trim() ? Number(value) : value;
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

  // ------------------------------------------------------------------ what the browser keeps

  /* The secret as a record for the vault. Scripts can use the key, not export it;
     whoever has the disk has both. */
  async function seal(secret, base) {
    const key = await crypto.subtle.generateKey(
      { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const text = new TextEncoder().encode(JSON.stringify(secret));
    const ciphertext = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, text);
    return { stage: "waiting", key, iv, ...(await toFile(ciphertext, base)) };
  }

  async function unseal({ key, iv, file, ciphertext }, base) {
    const sealed = ciphertext ?? (await (await (await folder(base)).getFileHandle(file)).getFile()).arrayBuffer();
    const text = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, key, await sealed);
    return JSON.parse(new TextDecoder().decode(text));
  }

  const folder = async (base) => (await navigator.storage.getDirectory())
    .getDirectoryHandle(encodeURIComponent(base), { create: true });

  /* A ciphertext lies in a file of its own: what is deleted there is gone from the browser's folder, while
     its database's log keeps it as long as it likes. A browser without such files has it in the record. */
  async function toFile(ciphertext, base) {
    try {
      const file = crypto.randomUUID();
      const handle = await (await folder(base)).getFileHandle(file, { create: true });
      await new Blob([ciphertext]).stream().pipeTo(await handle.createWritable());
      return { file };
    } catch { return { ciphertext }; }
  }

  async function dropFiles(base, but) {
    try {
      const all = await folder(base);
      for await (const name of all.keys()) if (name !== but) await all.removeEntry(name);
    } catch { /* there are no such files */ }
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

    read() { return done(this.db.transaction("surveys").objectStore("surveys").get(this.base)); }

    /* Put `next`, or what it makes (nothing: delete), in the place of `old`; return it, or null if `old` is
       gone. One tab at a time. Durability "strict": R(t) must be on the disk before it is sent, or a power
       cut in between would have it drawn, and sent, a second time. */
    swap(old, next) {
      return navigator.locks.request(`ppdm ${this.base}`, async () => {
        if ((await this.read())?.id !== old?.id) return null;
        const made = typeof next === "function" ? await next() : next;
        const record = made ? { ...made, id: crypto.randomUUID() } : null;
        const change = this.db.transaction("surveys", "readwrite", { durability: "strict" });
        const store = change.objectStore("surveys");
        const written = new Promise((resolve, reject) => {
          change.oncomplete = resolve;
          change.onabort = change.onerror = () => reject(change.error);
          if (record) store.put(record, this.base);
          else store.delete(this.base);
        });
        await dropFiles(this.base, await written.then(() => record?.file, () => old?.file));
        await written;
        return record;
      });
    }
  }

  // ------------------------------------------------------------------ what leaves the browser

  class Unreachable extends Error {} // no answer, or a busy server: the same again, later

  class Rejected extends Error { // the survey answered: no
    constructor({ error, reason }) {
      super(typeof TEXT.rejected?.[error] === "string" ? say(`rejected.${error}`) : reason ?? say("forged.unreadable"));
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
    throw new Refusal(say("forged.unreadable"));
  }

  // ------------------------------------------------------------------ invitations

  const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (c) => ({ "+": "-", "/": "_" })[c] ?? "");
  const toBytes = (text) => Uint8Array.from(atob(text.replace(/[-_]/g, (c) => (c === "-" ? "+" : "/"))), (c) => c.charCodeAt(0));
  const thumbprint = ({ e, n }) => sha256(new TextEncoder().encode(JSON.stringify({ e, kty: "RSA", n }))); // RFC 7638
  const keyOf = (jwk) => crypto.subtle.importKey("jwk", jwk, { name: "RSA-PSS", hash: "SHA-384" }, true, ["verify"]);

  /* The invitation, behind the # of the page's address, buys the signature of a random token that the survey does
     not see (RFC 9474, vendor/blindrsa.js). What is asked is kept first, or a lost answer would cost the invitation. */
  class Pass {
    static async open(base, line, hold) {
      const suite = globalThis.blindRSA.RSABSSA.SHA384.PSS.Deterministic();
      return Object.assign(new Pass(), { vault: await Vault.open(`${base}#pass`), line, hold, suite });
    }

    /* What is kept comes first: another # in the address must not cost a token that was exchanged for. */
    async code() { return (await this.vault.read())?.code || location.hash.slice(1); }

    get() { return (this.asked ??= this.exchange().finally(() => { this.asked = null; })); } // once at a time
    async exchange() {
      const record = (await this.vault.read()) ?? (await this.put(undefined, await this.blind(await this.code())));
      if (record.token) return record;
      const { code: invitation, jwk, nonce, blinded, inverse } = record;
      const answer = await this.line.ask("api/exchange", { invitation, blinded: toText(blinded) }).catch(async (error) => {
        if (error instanceof Rejected) await this.vault.swap(record, null); // a wrong link shall not stick
        throw error;
      });
      const signed = await this.suite.finalize(await keyOf(jwk), nonce, toBytes(answer.signature), inverse)
        .catch(() => { throw new Refusal(say("forged.signature")); });
      const until = Date.now() + uniforms(1)[0] * this.hold; // or the time of the exchange would tell whose it is
      return this.put(record, { code: invitation, until, token: toText([...nonce, ...signed]), signer: await thumbprint(jwk) });
    }

    async put(old, next) { return (await this.vault.swap(old, next)) ?? this.vault.read(); } // another tab's

    async blind(code) {
      if (!code) throw new Refusal(say("stop.uninvited"));
      const { key: jwk } = await this.line.ask("api/access");
      if (jwk?.e !== "AQAB" || jwk.n?.length !== 342) throw new Refusal(say("forged.key")); // RSA, 2048 bits
      const nonce = crypto.getRandomValues(new Uint8Array(16));
      const { blindedMsg: blinded, inv: inverse } = await this.suite.blind(await keyOf(jwk), nonce);
      return { code, jwk, nonce, blinded, inverse };
    }
  }

  // ------------------------------------------------------------------ what the person sees

  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  }

  let serial = 0; // for ids: a page may have several forms

  /* The slider for k_i. It has no name, so that no form data ever contain it. It ends below n: whoever
     sends everything chooses that by a button. */
  class Level {
    constructor(n) {
      const id = `ppdm-level-${++serial}`;
      this.n = n;
      this.words = el("p", { class: "ppdm-level-words" });
      this.range = el("input", {
        type: "range", id, min: 1, max: n - 1, step: 1, value: Math.min(2, n - 1),
        "aria-describedby": `${id}-help`,
      });
      this.node = el("div", { class: "ppdm-level" },
        el("label", { for: id }, say("level.legend")), this.range, this.words,
        el("p", { id: `${id}-help`, class: "ppdm-help" }, say("level.help")));
      this.range.addEventListener("input", () => this.say());
      this.say();
    }

    get value() { return Number(this.range.value); }
    set value(level) { this.range.value = level; this.say(); }

    say() {
      const number = say("level.number", { level: this.value, n: this.n });
      const words = this.meaning();
      this.range.setAttribute("aria-valuetext", `${number}. ${words}`);
      this.words.replaceChildren(el("strong", {}, number), " ", words);
    }

    meaning() {
      if (this.value === 1) return say("level.least");
      const share = this.value / this.n; // of 32: up to 2, 4 and 8; chapter 32 has the shares
      if (share <= 1 / 8) return say(share <= 1 / 16 ? "level.little" : "level.some");
      return say(share <= 1 / 4 ? "level.fair" : "level.most");
    }
  }

  /* Two bars out of n: what the survey asks for, what the person allows. */
  class Gauge {
    constructor(n) {
      this.n = n;
      this.node = el("div", { class: "ppdm-gauge", role: "img" });
    }

    set(...values) {
      const rows = [say("waiting.asks"), say("waiting.allows")].map((label, i) => ({ label, value: values[i] }));
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

  /* Which answers are read, and how often of a hundred times, in the person's words. */
  function namesOf(share, schema) {
    if (Math.min(...share) >= 0.995) return [say("warning.everything")];
    let first = 0;
    return schema.attributes.flatMap(({ label, labels }) => {
      const shares = share.slice(first, first += labels.length);
      const line = (name, most) => say("warning.share", { name, n: Math.floor(100 * most + 1e-6) });
      const [least, most] = [Math.min(...shares), Math.max(...shares)];
      if (least >= READ && most - least < 0.1) return [line(label, most)];
      return labels.flatMap((value, h) =>
        (shares[h] < READ ? [] : [line(say("warning.whether", { label, value }), shares[h])]));
    });
  }

  /* A way to come back without leaving an address: a calendar file, made in this page, for tomorrow. */
  function reminder() {
    const stamp = (day) => new Date(Date.now() + day * 864e5).toISOString().replace(/[-:]|\.\d+/g, "");
    const title = document.title.replace(/[\\;,]/g, "\\$&");
    const event = `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//ppdm//survey//\nBEGIN:VEVENT\nUID:${crypto.randomUUID()}\n` +
      `DTSTAMP:${stamp(0)}\nDTSTART:${stamp(1)}\nSUMMARY:${title}\nURL:${location.href.split("#")[0]}\nEND:VEVENT\nEND:VCALENDAR\n`;
    const href = `data:text/calendar;charset=utf-8,${encodeURIComponent(event.replace(/\n/g, "\r\n"))}`;
    return el("p", { class: "ppdm-help" },
      el("a", { href, download: "survey.ics" }, say("waiting.remind")), " ", say("waiting.remindHelp"));
  }

  const STEPS = ["here", "waiting", "disguised", "sent"];

  /* The panel below the form: the steps, a title, a live text, details, buttons. */
  class Panel {
    constructor(form) {
      const id = `ppdm-title-${++serial}`;
      this.steps = STEPS.map((step) => el("li", {}, say(`steps.${step}`)));
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
    show(view, { title, text, step = -1, open = false, detail = [], buttons = [] }) {
      this.node.hidden = false;
      this.steps[2].textContent = say(open ? "steps.open" : "steps.disguised");
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
      const button = el("button", { type: "button", "data-action": name }, say(`buttons.${name}`));
      button.addEventListener("click", () => { this.chosen = name; this.wake?.(); });
      return button;
    }

    hide() { this.node.hidden = true; this.view = "form"; }

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

  /* A form whose controls may be named like its own properties, such as "reset" or "after". */
  const unnamed = (form) => new Proxy(form, {
    get(_, key) {
      const value = Reflect.get(HTMLFormElement.prototype, key, form);
      return typeof value === "function" ? value.bind(form) : value;
    },
    set: (_, key, value) => Reflect.set(HTMLFormElement.prototype, key, value, form),
  });

  /* The person's form. */
  class Questionnaire {
    constructor(form) {
      this.data = () => new FormData(form);
      this.form = unnamed(form);
      this.controls = this.form.querySelector("fieldset");
      this.button = this.form.querySelector("[type=submit]");
      this.form.noValidate = true; // own messages, in the survey's language
      this.form.autocomplete = "off"; // or a reload would bring the answers back
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.submitted?.();
      });
      this.form.addEventListener("input", ({ target }) => { // who mends an answer is no longer blamed
        const question = this.questions?.find(({ name }) => name === target.name);
        if (question && target.getAttribute("aria-invalid") === "true") this.flag(question, false);
        if (!this.form.querySelector("[aria-invalid=true]")) this.count?.remove();
      });
    }

    prepare(schema, level) {
      this.questions = [...schema.attributes, schema.class];
      for (const { name } of this.questions) {
        if (!this.named(name).length) throw new Refusal(say("forged.form", { name }));
      }
      this.level = level;
      this.place = el("div"); // how much may be read comes before the questions
      const legend = this.controls.querySelector(":scope > legend");
      this.controls.insertBefore(this.place, legend ? legend.nextSibling : this.controls.firstChild);
    }

    named(name) { return this.controls.querySelectorAll(`[name="${CSS.escape(name)}"]`); }

    open(asTheyAre) {
      this.place.replaceChildren(asTheyAre
        ? el("p", { class: "notice" }, el("strong", {}, say("level.all")), " ", say("level.back"))
        : this.level.node);
      this.button.textContent = say(asTheyAre ? "page.submitOpen" : "page.submit");
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
        const answers = Object.fromEntries(this.data());
        const wrong = this.questions.filter((q) => codeOf(answers[q.name], q) < 0);
        this.mark(wrong);
        if (!wrong.length) return answers;
      }
    }

    mark(wrong) {
      this.count?.remove();
      this.questions.forEach((question) => this.flag(question, wrong.includes(question)));
      if (!wrong.length) return;
      this.count = el("p", { class: "ppdm-error", role: "alert" }, say("missing.count", { n: wrong.length }));
      this.button.before(this.count);
      this.form.querySelector("[aria-invalid=true]").focus();
    }

    flag({ name, edges }, invalid) {
      const id = `ppdm-error-${name}`;
      const controls = this.named(name);
      document.getElementById(id)?.remove();
      controls.forEach((control) => {
        control.setAttribute("aria-invalid", invalid);
        control.removeAttribute("aria-describedby");
        if (invalid) control.setAttribute("aria-describedby", id);
      });
      if (!invalid) return;
      const group = controls[0].closest("fieldset"); // radios have one of their own
      (group === this.controls ? controls[0].parentElement : group).append(
        el("p", { class: "ppdm-error", id }, say(edges ? "missing.number" : "missing.choice")));
    }
  }

  // ------------------------------------------------------------------ the life of an answer

  /* From this share of right guesses on the page asks: three in four, less the error of the draws. */
  const READ = 0.74;

  class Respondent {
    constructor(form) {
      const { ppdm, ppdmPollMs = 2000, ppdmPollLimit = 100, ppdmInvited, ppdmHoldMs = 0 } = unnamed(form).dataset;
      this.base = new URL(ppdm.endsWith("/") ? ppdm : `${ppdm}/`, document.baseURI).href;
      this.poll = { first: Number(ppdmPollMs), limit: Number(ppdmPollLimit) };
      this.tries = 0;
      this.levels = {}; // the k announced for each epoch
      [this.invited, this.hold] = [ppdmInvited !== undefined, Number(ppdmHoldMs)];
      this.line = new Line(this.base);
      this.form = new Questionnaire(form);
      this.panel = new Panel(unnamed(form));
      this.secret = null; // the answers, while they are in this page's memory alone
    }

    async start() {
      const stop = (text) => this.panel.show("insecure", { title: say("stop.title"), text });
      if (!globalThis.crypto?.subtle) return stop(say("stop.insecure"));
      try {
        this.vault = await Vault.open(this.base);
      } catch {
        return stop(say("stop.noStorage"));
      }
      while (!this.schema) await this.attempt(() => this.load());
      for (;;) await this.attempt(() => this.step());
    }

    /* What goes wrong is said, and the person decides; nothing is thrown away. What goes wrong because another
       tab was faster is of no account: its record decides. */
    async attempt(action) {
      try {
        await action();
      } catch (error) {
        const now = await this.vault.read().catch(() => this.record);
        if (this.stage && now?.id !== this.record?.id) return;
        if (error instanceof Unreachable) await this.unreachable();
        else await this.refuse(error);
      }
    }

    async load() {
      this.panel.show("loading", { title: say("loading.title"), text: say("loading.text") });
      const schema = await this.line.ask("api/schema");
      if (schema.protocol !== 1) throw new Refusal(say("forged.protocol"));
      this.level = new Level(schema.n_bits);
      this.gauge = new Gauge(schema.n_bits);
      this.questions = JSON.stringify([schema.attributes, schema.class]);
      if (this.invited) await this.admit();
      this.form.prepare(schema, this.level);
      this.schema = schema;
    }

    /* By invitation only: it is exchanged when the person begins to answer, minutes before R(t) is sent. */
    async admit() {
      if (!globalThis.blindRSA) throw new Refusal(say("stop.noInvitations"));
      this.pass = await Pass.open(this.base, this.line, this.hold);
      if (!(await this.pass.code()) && !(await this.vault.read())) throw new Refusal(say("stop.uninvited"));
      const said = (error) => error instanceof Unreachable || // then the same is asked again later
        this.panel.show("refused", { title: say("refused.title"), text: error.message });
      this.form.form.addEventListener("input", () => this.pass.get().catch(said), { once: true });
    }

    /* The record decides what comes next: after a reload, and when another tab was faster. */
    async step() {
      this.record = await this.vault.read();
      let stage = this.record?.stage ?? "empty";
      if (stage !== "empty") this.secret = null;
      else if (this.secret) stage = "held";
      if (stage !== this.stage) this.tries = 0;
      this.stage = stage;
      if (stage !== "empty") this.form.close();
      await this[stage](this.record);
    }

    // ---- the stages of a record

    async empty() {
      if (this.form.controls.disabled) { // after a failure the answers still stand in it
        const { k } = await this.inquire();
        const open = k === this.schema.n_bits && (await this.sendsOpenly());
        this.form.open(open);
        this.open = open;
      }
      this.panel.hide();
      const answers = await this.form.answers();
      this.here = true;
      this.secret = {
        bits: toBits(answers, this.schema),
        label: codeOf(answers[this.schema.class.name], this.schema.class),
        level: this.open ? this.schema.n_bits : this.level.value,
        questions: this.questions,
      };
    }

    /* Before anything is filled in: the survey would take the answers as they are. Wait, or let it? */
    async sendsOpenly() {
      this.form.close();
      this.panel.show("start", {
        title: say("start.title"), text: say("start.text"), detail: [reminder()],
        buttons: ["later", "open"],
      });
      return (await this.panel.choice()) === "open";
    }

    held() { return this.pursue(this.secret); }

    async waiting() { return this.pursue(await this.answers()); }

    async pursue({ level, questions }) {
      if (await this.act(this.panel.take())) return;
      if (questions !== this.questions) throw new Refusal(say("forged.questions"));
      if (this.panel.view !== "waiting") {
        this.level.value = level;
        this.panel.show("checking", {
          title: say("checking.title"), text: say(this.secret ? "checking.held" : "checking.stored"),
          step: 0, buttons: ["forget"],
        });
      }
      if (this.pass && (await this.heldBack())) return;
      const announced = await this.inquire();
      if (announced.k > level || announced.epoch === this.declined) {
        return this.wait(announced, level);
      }
      if (!this.here && !(await this.cameBack(announced))) return;
      const guidance = await this.guidance(announced, level);
      if (guidance && (await this.confirmed(guidance))) await this.drawOnce(guidance);
    }

    async drawn(record) {
      if (this.panel.take() === "forget") return this.vault.swap(record, null);
      const { submission, hash, hashes, open, waited, signer } = record;
      if (record.questions !== this.questions) throw new Refusal(say("forged.questions"));
      if (this.panel.view !== "rejected") this.showSending(say(open ? "sending.open" : "sending.text"));
      const answer = await this.line.ask("api/submit", submission);
      if (answer !== null) throw new Unreachable(); // not the survey: something in between
      const { epoch } = (this.submission = submission);
      await this.vault.swap(record, { stage: "sent", epoch, hash, hashes, open, waited, signer });
      await this.pass?.vault.swap(await this.pass.vault.read(), null);
    }

    async sent({ epoch, hash, hashes, open, waited, signer }) {
      const print = (name, value) => el("p", {}, say(`sent.${name}`, { epoch }), " ", el("code", {}, value));
      this.panel.show("sent", {
        title: say("sent.title"), step: 4, open, buttons: ["restart"],
        text: `${open ? say("sent.open") : say(waited ? "sent.waited" : "sent.direct")} ${say("sent.again")}`,
        detail: [...this.whatLeft(), print("hash", hash), ...(signer ? [print("signer", signer)] : [])],
      });
      while ((await this.panel.choice()) !== "restart"); // a press meant for an earlier view is no wish
      this.submission = null;
      await this.vault.swap(this.record, { stage: "empty", hashes });
    }

    // ---- the steps of Algorithm 1

    async inquire() {
      const { epoch, k, batch_size } = await this.line.ask("api/inquiry");
      if (!Number.isSafeInteger(epoch) || epoch < 0 || !isCount(k) || k > this.schema.n_bits) {
        throw new Refusal(say("forged.inquiry"));
      }
      // whoever lowers k until somebody is ready would learn the level
      if ((this.levels[epoch] ??= k) !== k) throw new Refusal(say("forged.twoLevels", { epoch }));
      return { epoch, k, batch_size };
    }

    /* V and a token, checked; nothing if the epoch ended meanwhile or another tab was faster. */
    async guidance({ epoch, k }, level) {
      const { token: own, signer } = (await this.pass?.get()) ?? {};
      const { hash } = await this.published(epoch, k);
      if (!(await this.remember(epoch, hash))) return undefined;
      let message;
      try {
        message = await this.line.ask("api/ready", { epoch });
      } catch (error) {
        if (error.code === "epoch_over") return undefined;
        throw error;
      }
      const { V, token = own } = own ? { V: message.V } : message; // one of the survey's could be a mark
      if (message.epoch !== epoch) throw new Refusal(say("forged.epoch"));
      if (message.k !== k) throw new Refusal(say("forged.k"));
      if (typeof token !== "string" || !token) throw new Refusal(say("forged.token"));
      checkGuidance(V, { k, maxLevel: level, nBits: this.schema.n_bits });
      if (message.hash !== hash || (await hashGuidance(epoch, V)) !== hash) {
        throw new Refusal(say("forged.hash"));
      }
      return { epoch, V, token, hash, signer };
    }

    async published(epoch, k) {
      const entry = await this.line.ask(`api/epochs/${epoch}`);
      if (entry.epoch !== epoch || entry.k !== k || !/^[0-9a-f]{64}$/.test(entry.hash)) {
        throw new Refusal(say("forged.published"));
      }
      return entry;
    }

    /* An epoch has one guidance for everyone and for ever: hold the survey to the first it named. */
    async remember(epoch, hash) {
      const hashes = this.record?.hashes ?? {};
      if (hashes[epoch] === hash) return true;
      if (hashes[epoch]) throw new Refusal(say("forged.twoHashes", { epoch }));
      const record = await this.vault.swap(
        this.record, { stage: "empty", ...this.record, hashes: { ...hashes, [epoch]: hash } });
      this.record = record ?? this.record;
      return record !== null;
    }

    /* Answers that an earlier page has kept are never sent without a click on this one. */
    async cameBack({ epoch }) {
      this.panel.show("back", { title: say("back.title"), text: say("back.text"), step: 1,
        buttons: ["resume", "decline", "forget"] }); // not "send": two clicks must not skip the warning
      return (this.here = await this.sends(epoch, "resume"));
    }

    async sends(epoch, yes = "send") {
      const chosen = await this.panel.choice();
      if (chosen === "decline") this.declined = epoch;
      await this.act(chosen);
      return chosen === yes;
    }

    async confirmed({ epoch, V }) {
      const sizes = this.schema.attributes.map(({ values }) => values.length);
      const { bits } = await this.answers();
      const [anybody, alike] = [undefined, bits].map((own) => answersRead(V, sizes, { own }));
      const names = namesOf(anybody.map((share, j) => Math.max(share, alike[j])), this.schema);
      if (!names.length) return !this.panel.chosen; // a button pressed meanwhile comes first
      const open = V[0].length === bits.length;
      this.panel.show("warning", {
        title: say("warning.title"), text: say(open ? "warning.open" : "warning.text"), step: 1, open,
        detail: [el("ul", { class: "ppdm-names" }, ...names.map((name) => el("li", {}, name)))],
        buttons: ["decline", "send", "forget"], // the first is the one that stands out
      });
      return this.sends(epoch);
    }

    /* In one change R(t) takes the place of the answers and their key. A tab that comes too late
       drops what it drew: the swap fails. */
    async drawOnce({ epoch, V, token, hash, signer }) {
      const { record, secret } = this;
      await this.vault.swap(record, async () => {
        const { bits, label, questions } = await this.answers();
        const R = draw(bitProbabilities(bits, V), uniforms(bits.length));
        const ones = R.flatMap((bit, j) => (bit ? [j] : []));
        return {
          stage: "drawn", submission: { token, epoch, class: label, ones }, hash, hashes: record.hashes,
          open: V[0].length === bits.length, waited: !secret, questions, signer,
        };
      });
    }

    // ---- waiting, failing, deciding

    /* True where R(t) is not to be drawn yet; the person may shorten that. */
    async heldBack() {
      const left = Math.min((await this.pass.get()).until - Date.now(), this.pass.hold);
      if (!(left > 0)) return false;
      if (this.secret) return (await this.keep(), true);
      this.showWaiting(say("waiting.heldTitle"), `${say("waiting.held")} ${say("waiting.stay")}`);
      const chosen = await this.panel.choice(left);
      if (chosen === "go") this.pass.hold = 0;
      await this.act(chosen);
      return true;
    }

    async wait({ epoch, k, batch_size: n }, level) {
      if (this.secret) return this.keep();
      this.gauge.set(k, level);
      const reason = epoch === this.declined && k <= level
        ? say("waiting.declined") : say("waiting.asksFor", { n: k, level });
      const next = isCount(n) ? ` ${say("waiting.next", { n })}` : "";
      await this.pause((stopped) => this.showWaiting(
        say("waiting.title"), `${reason}${next} ${stopped}${say("waiting.stay")}`));
    }

    answers() { return this.secret ?? unseal(this.record, this.base); }

    /* From the memory of the page to the disk: only where the person has to wait. */
    async keep(change) {
      await this.vault.swap(this.record, async () => ({
        ...(await seal({ ...(await this.answers()), ...change }, this.base)), hashes: this.record?.hashes ?? {},
      }));
    }

    async unreachable() {
      const stay = say(this.secret ? "waiting.stayHere" : "waiting.stay");
      await this.pause((stopped) => {
        if (this.stage === "drawn") this.showSending(`${say("sending.later")} ${stopped}`);
        else if (this.stage === "waiting" || this.stage === "held") this.showWaiting(
          say("waiting.unreachable"), `${say("waiting.unreachableText")} ${stopped}${stay}`);
        else this.panel.show("loading", { title: say("loading.title"), text: say("loading.noSurvey") });
      });
    }

    /* Longer each time, up to thirty times the first; after the limit the person must ask. */
    async pause(show) {
      const stopped = ++this.tries >= this.poll.limit && ["held", "waiting", "drawn"].includes(this.stage);
      show(stopped ? `${say("waiting.stopped")} ` : "");
      const wait = this.poll.first * Math.min(30, 1.5 ** this.tries);
      const chosen = await this.panel.choice(stopped ? Infinity : wait);
      if (stopped) this.tries = 0;
      await this.act(chosen);
    }

    async refuse(error) {
      const expected = error instanceof Refusal || error instanceof Rejected;
      const reason = expected ? error.message : say("refused.broken", { reason: error.message });
      const how = { drawn: "rejectedText", held: "held", waiting: "text" }[this.stage];
      const drawn = this.stage === "drawn";
      this.panel.show(drawn ? "rejected" : "refused", {
        title: say(drawn ? "refused.rejected" : "refused.title"),
        text: how ? say(`refused.${how}`, { reason }) : reason,
        step: drawn ? 2 : how ? 1 : -1,
        buttons: drawn ? ["retry", "discard"] : how ? ["again", "forget"] : ["again"],
      });
      await this.act(await this.panel.choice());
    }

    /* Do what a button says; true if the record has changed. */
    async act(chosen) {
      if (chosen === "forget" || chosen === "discard") {
        this.secret = null;
        await this.vault.swap(this.record, null);
        return true;
      }
      if (chosen !== "level") return false;
      const { value } = this.level;
      this.tries = 0;
      if (this.secret) this.secret.level = value;
      else await this.keep({ level: value });
      return true;
    }

    showWaiting(title, text) {
      this.panel.show("waiting", {
        title, text, step: 1, detail: [this.gauge.node, this.level.node, reminder()],
        buttons: ["level", "go", "forget"],
      });
    }

    showSending(text) {
      const { open } = this.record;
      const title = say(open ? "sending.titleOpen" : "sending.title");
      this.panel.show("sending", { title, text, step: 2, open, buttons: ["retry"] });
    }

    whatLeft({ label, labels } = this.schema.class) {
      if (!this.submission) return [el("p", {}, say("sent.before"))];
      return [
        el("h3", {}, say("sent.ones")),
        el("p", { class: "ppdm-help" }, say(this.record.open ? "sent.onesOpen" : "sent.onesHelp")),
        marks(this.submission.ones, this.schema),
        el("p", {}, say("sent.class", { label, value: labels[this.submission.class] })),
        el("h3", {}, say("sent.left")), requests(this.line.sent),
      ];
    }
  }

  // ------------------------------------------------------------------ the door

  const attach = (form) => new Respondent(form).start();

  globalThis.ppdm = Object.freeze({
    Refusal, READ, answersRead, attach, bitProbabilities, checkGuidance, codeOf, draw, hashGuidance, say,
    toBits, uniforms,
  });

  const attachAll = () => {
    document.querySelectorAll("form[data-ppdm]").forEach(attach);
    document.querySelector(".ppdm-unscripted")?.remove(); // it stays where this script or its texts are missing
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", attachAll);
  else attachAll();
})();
