/* The page around a survey: what the browser keeps, what leaves it, invitations, and what a person sees.
   Nothing here knows how an answer is disguised. The parts stand in globalThis.ppdmVisit, for the protocol's file. */

"use strict";

(() => {
  const { Refusal, codeOf, say, sha256, uniforms } = globalThis.ppdm;
  const TEXT = globalThis.ppdmText;
  if (!TEXT) throw new Error("ppdmText"); // no visit begins, and the line that says so stays

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

  let serial = 0;
  const newId = (name) => `ppdm-${name}-${++serial}`; // a page may have several forms

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

  /* The panel below the form: the steps, a title, a live text, details, buttons. */
  class Panel {
    constructor(form, steps) {
      const id = newId("title");
      this.steps = steps.map((step) => el("li", {}, say(`steps.${step}`)));
      this.disguised = this.steps[steps.indexOf("disguised")];
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
      this.disguised.textContent = say(open ? "steps.open" : "steps.disguised");
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

    prepare(questions) {
      this.questions = questions;
      for (const { name } of this.questions) {
        if (!this.named(name).length) throw new Refusal(say("forged.form", { name }));
      }
      this.place = el("div"); // how much is read comes before the questions
      const legend = this.controls.querySelector(":scope > legend");
      this.controls.insertBefore(this.place, legend ? legend.nextSibling : this.controls.firstChild);
    }

    named(name) { return this.controls.querySelectorAll(`[name="${CSS.escape(name)}"]`); }

    /* Only some of the questions are asked. */
    only(names) {
      for (const { name } of this.questions) {
        const controls = this.named(name), asked = names.includes(name);
        controls.forEach((control) => { control.disabled = !asked; });
        controls[0].closest(".question").hidden = !asked;
      }
      this.questions = this.questions.filter(({ name }) => names.includes(name));
    }

    /* Let it be filled in: what the button says, and what comes before the questions. */
    open(button, ...before) {
      this.place.replaceChildren(...before);
      this.button.textContent = button;
      this.form.hidden = this.controls.disabled = false;
    }

    close() {
      this.form.reset();
      this.form.hidden = this.controls.disabled = true;
    }

    /* The answers by name, once the person has submitted and all of them are valid. */
    async answers(ready = () => true) {
      for (;;) {
        await new Promise((resolve) => { this.submitted = resolve; });
        const answers = Object.fromEntries(this.data());
        const wrong = this.questions.filter((q) => codeOf(answers[q.name], q) < 0);
        this.mark(wrong);
        if (!wrong.length && ready()) return answers;
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

  // ------------------------------------------------------------------ a visit

  /* What the life of an answer has in common, whatever disguises it. A scheme says how it loads, which stages its
     record has (a method each), and what its buttons do. */
  class Visit {
    constructor(form) {
      const { ppdm, ppdmPollMs = 2000, ppdmPollLimit = 100, ppdmInvited, ppdmHoldMs = 0 } = unnamed(form).dataset;
      this.base = new URL(ppdm.endsWith("/") ? ppdm : `${ppdm}/`, document.baseURI).href;
      this.poll = { first: Number(ppdmPollMs), limit: Number(ppdmPollLimit) };
      this.tries = 0;
      [this.invited, this.hold] = [ppdmInvited !== undefined, Number(ppdmHoldMs)];
      this.line = new Line(this.base);
      this.form = new Questionnaire(form);
      this.panel = new Panel(unnamed(form), new.target.STEPS);
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

    /* Longer each time, up to thirty times the first; after the limit the person must ask. */
    async pause(show) {
      const stopped = ++this.tries >= this.poll.limit && ["held", "waiting", "drawn", "going"].includes(this.stage);
      show(stopped ? `${say("waiting.stopped")} ` : "");
      const wait = this.poll.first * Math.min(30, 1.5 ** this.tries);
      const chosen = await this.panel.choice(stopped ? Infinity : wait);
      if (stopped) this.tries = 0;
      await this.act(chosen);
    }
  }

  /* Let a scheme's visits begin, one for each form of the page. */
  function attachAll(Scheme) {
    const begin = () => {
      document.querySelectorAll("form[data-ppdm]").forEach((form) => new Scheme(form).start());
      document.querySelector(".ppdm-unscripted")?.remove(); // it stays where a script or its texts are missing
    };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
    else begin();
  }

  globalThis.ppdmVisit = Object.freeze({
    Rejected, Unreachable, Visit, attachAll, el, marks, newId, reminder, requests, seal, unseal,
  });
})();
