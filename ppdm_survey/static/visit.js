/* The page around a survey: what a person sees, and what the visits of all schemes have in common. Nothing here knows how an answer is disguised. The parts stand in globalThis.ppdmVisit, for the protocol's file. */

"use strict";

(() => {
  const { Refusal, codeOf, readNumber, say, uniforms, written } = globalThis.ppdm;
  const TEXT = globalThis.ppdmText;
  if (!TEXT) throw new Error("ppdmText"); // no visit begins, and the line that says so stays
  const { LEAST_HOLD, Line, Pass, Rejected, Unreachable, Vault, digest, newName, othersOf, parse, placeAt, seal, takeLink, unseal } =
    globalThis.ppdmKeep;

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
    const event = `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//ppdm//survey//\nBEGIN:VEVENT\nUID:${newName()}\n` +
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
      const moved = this.view && !(this.view === "loading" && view === "begin"); // a page that comes is read from its top
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

    /* The form takes its place, and where somebody has pressed a button, the focus. */
    hide(heading) {
      if (!["loading", "form"].includes(this.view)) heading.focus();
      [this.node.hidden, this.view] = [true, "form"];
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
      this.heading = this.controls.querySelector(":scope > legend > h2");
      this.place = el("div"); // how much is read comes before the questions
      this.heading.parentNode.after(this.place);
      this.form.hidden = true; // until it opens
      this.form.noValidate = true; // own messages, in the survey's language
      this.form.autocomplete = "off"; // or a reload would bring the answers back
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.submitted?.();
      });
      this.form.addEventListener("input", ({ target }) => { // who mends an answer is no longer blamed
        for (const one of target.options ?? []) one.defaultSelected = one.selected; // or Firefox writes the answer to the disk
        const question = this.questions?.find(({ name }) => name === target.name);
        if (question?.edges) this.readBack(question);
        if (question && target.getAttribute("aria-invalid") === "true") this.flag(question, false);
        if (!this.form.querySelector("[aria-invalid=true]")) this.count?.remove();
      });
    }

    prepare(questions, schema) {
      this.questions = this.all = questions;
      questions.forEach((question) => this.verify(question));
      STATED.filter((key) => schema[key]).forEach((key) =>
        sameText(document.querySelector(`[data-ppdm-text="${key}"]`), schema[key]));
    }

    /* The form must ask what was published, in these words and no others: the fingerprint is of that. That an answer
       is not disguised is written here, into the question's own words, for no style hides one without the other. */
    verify({ name, label, values, labels, help, edges, open }) {
      const controls = [...this.named(name)], [first] = controls;
      const box = first?.closest(".question");
      if (!box) throw new Refusal(say("forged.form", { name }));
      const asks = box.querySelector("legend, label[for]");
      sameText(asks, label);
      if (open) asks.textContent = say("page.notDisguised", { label });
      box.classList.toggle("open-question", Boolean(open));
      if (help) sameText(document.getElementById(`help-${name}`), help);
      const choices = first.options ? [...first.options].slice(1) : controls.filter(({ type }) => type !== "text");
      const from = edges ? edges.length + 1 : 0; // of a number those beside the intervals
      const wrong = choices.some(({ value }, h) => value !== values[from + h]);
      if (wrong || (!edges && choices.length !== values.length)) throw new Refusal(say("forged.form", { name }));
      choices.forEach((one, h) => sameText(one.labels?.[0] ?? one, labels[from + h]));
    }

    /* Which interval the page has read, in words. */
    readBack({ name, labels, unit, ...question }) {
      const id = `ppdm-read-${name}`, field = this.named(name)[0], { value } = field;
      const place = document.getElementById(id) ?? el("p", { class: "ppdm-read", id, role: "status", "aria-live": "polite" });
      const { number } = readNumber(value, question);
      const written = value.trim().replace(".", say("missing.point"));
      place.textContent = number === undefined ? "" : say("missing.readAs", {
        number: unit ? `${written} ${unit}` : written, interval: labels[codeOf(value, question)] });
      field.closest(".question").append(place);
    }

    named(name) { return this.controls.querySelectorAll(`[name="${CSS.escape(name)}"]`); }

    /* Only some of the questions are asked. */
    only(names) {
      for (const { name } of this.all) {
        const controls = this.named(name), asked = names.includes(name);
        controls.forEach((control) => { control.disabled = !asked; });
        controls[0].closest(".question").hidden = !asked;
      }
      this.questions = this.all.filter(({ name }) => names.includes(name));
    }

    /* Let it be filled in: what the button says, and what comes before the questions. Whoever comes to an open tab
       begins anew: a new page knows nothing of who has pressed, and asks. */
    open(button, ...before) {
      const anew = el("button", { type: "button", "data-action": "anew" }, say("begin.anew"));
      anew.addEventListener("click", () => location.reload());
      this.place.replaceChildren(el("p", {}, anew), ...before);
      this.button.textContent = button;
      this.form.hidden = this.controls.disabled = false;
    }

    close() {
      this.controls.querySelectorAll("option").forEach((one) => { one.defaultSelected = false; });
      this.form.reset();
      this.controls.querySelectorAll(".ppdm-read").forEach((one) => one.remove());
      this.form.hidden = this.controls.disabled = true;
    }

    /* The answers by name, once the person has submitted and all of them are valid. */
    async answers(ready = () => true) {
      for (;;) {
        await new Promise((resolve) => { this.submitted = resolve; });
        const answers = Object.fromEntries(this.data());
        const wrong = this.questions.filter((q) => codeOf(answers[q.name], q) < 0);
        this.mark(wrong, wrong.some(({ name }) => this.data().get(name)?.trim()));
        if (!wrong.length && ready()) return answers;
      }
    }

    mark(wrong, given) {
      this.count?.remove();
      this.questions.forEach((question) => this.flag(question, wrong.includes(question)));
      if (!wrong.length) return;
      this.count = el("p", { class: "ppdm-error", role: "alert" }, say(given ? "missing.look" : "missing.count", { n: wrong.length }));
      this.button.before(this.count);
      this.form.querySelector("[aria-invalid=true]").focus();
    }

    flag(question, invalid) {
      const { name } = question, id = `ppdm-error-${name}`;
      const controls = this.named(name);
      document.getElementById(id)?.remove();
      controls.forEach((control) => {
        const ids = (control.getAttribute("aria-describedby") ?? "").split(" ").filter((one) => one && one !== id);
        if (invalid) ids.push(id);
        control.setAttribute("aria-invalid", invalid);
        control.removeAttribute("aria-describedby");
        if (ids.length) control.setAttribute("aria-describedby", ids.join(" "));
      });
      if (!invalid) return;
      const group = controls[0].closest("fieldset"); // radios have one of their own
      (group === this.controls ? controls[0].closest(".question") : group).append(
        el("p", { class: "ppdm-error", id }, this.reason(question)));
    }

    reason(question) {
      const { edges, least, most, step } = question;
      if (!edges) return say("missing.choice");
      const { value } = this.named(question.name)[0];
      if (!value.trim()) return say("missing.number");
      const { why, ...found } = readNumber(value, question);
      const words = Object.entries({ least, most, step, ...found }).map(([key, one]) =>
        [key, typeof one === "number" ? written(one, { maximumSignificantDigits: 12 }) : one]);
      return say(`missing.${why}`, Object.fromEntries(words));
    }
  }

  /* What a survey states, beside its questions. */
  const STATED = ["title", "introduction", "operator", "purpose", "legal_basis", "rights", "minimum_age", "retention"];

  const SERVED = new Map(); // each node's text as it came: a browser may translate it before the survey has answered

  function sameText(node, text) {
    const plain = (words) => words.replace(/\s+/g, " ").trim(), shown = SERVED.get(node) ?? "";
    if (plain(shown) !== plain(text)) throw new Refusal(say("forged.text", { text: plain(shown || text) }));
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
      if (!navigator.locks) return stop(say("stop.noLocks"));
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

    /* By invitation only: the token stands before the questions open, and no touch of the form says anything. Each
       link has a pass of its own in each survey, so that nobody's is lost to another one's, or spent in the next wave. */
    async admit() {
      if (!globalThis.blindRSA) throw new Refusal(say("stop.noInvitations"));
      const code = takeLink(this.base), keys = await this.vault.keys();
      const links = (front) => keys.filter((key) => key.startsWith(front)).map((key) => key.slice(front.length));
      const passes = `${this.base}#pass#${this.place}#`, begun = links(passes), known = links(`${this.base}#${this.place}#`);
      this.who = code ? await digest(code) : begun.length === 1 ? begun[0] : known.length === 1 ? known[0] : undefined;
      // by no link of today's can what waits for another survey be sent or deleted
      this.stuck = (await this.kept()).find(({ at, answers }) => !this.who && answers && placeAt(at) !== this.place);
      if (!this.who) throw new Refusal(say("stop.uninvited"));
      if (code && begun.length && ![...begun, ...known].includes(this.who)) await this.askWhose(begun);
      const vault = this.vault.at(passes + this.who);
      this.pass = new Pass(vault, this.line, this.hold, code);
      if (!known.includes(this.who) && !this.begun) await this.begin(await vault.read() ? "again" : "text");
      if (this.begun || await vault.read()) this.left((await this.pass.get()).wait);
    }

    /* For how long it is still held: by a clock that nobody sets, and so anew from when a page has learnt of it. */
    left(wait) {
      this.due ??= performance.now() + Math.min(wait, this.hold);
      return this.due - performance.now();
    }

    /* Which survey it is: what it asks and states, and of two that do so alike, which of them. */
    async placeOf(print) {
      const { id } = await this.line.ask("api/access");
      if (!/^\w{64}$/.test(id)) throw new Refusal(say("forged.unreadable"));
      return print + id;
    }

    /* A record is kept under the survey's place; by invitation, under the link's digest, too. */
    key() { return `${this.base}#${this.place}${this.who ? `#${this.who}` : ""}`; }

    /* All that this device keeps of this address: of each survey, and each link. */
    async kept() {
      const keys = (await this.vault.keys()).filter((key) => !key.startsWith(`${this.base}#pass`));
      return Promise.all(keys.map(async (at) => ({ ...(await this.vault.read(at)), at })));
    }

    /* Of these the person's own, of other surveys: what is drawn for one, or waits, is sent to no other. */
    async others() {
      const mine = othersOf(await this.kept(), this.vault.key, this.who);
      this.stuck = mine.find(({ stage }) => ["waiting", "drawn", "going"].includes(stage));
      return mine;
    }

    async askWhose(begun) {
      this.panel.show("whose", { title: say("whose.title"), text: say("whose.text"),
        buttons: begun.length === 1 ? ["mine", "somebody"] : ["somebody"] });
      if ((await this.panel.choice()) !== "mine") return;
      [this.who] = begun;
      sessionStorage.removeItem(`ppdm ${this.base}`);
    }

    /* The consent step, once a visit: whoever sits here now may be another one. Before the first press nothing is drawn,
       kept or sent, and nothing says who takes part. */
    async begin(how = this.pass || this.record?.stage === "empty" ? "again" : "open") {
      const minutes = (ms) => Math.round(ms / 60000), before = await this.before(); // what there is to say of earlier answers
      const wait = this.hold ? ` ${say("begin.hold", { least: minutes(LEAST_HOLD), most: minutes(this.hold) })}` : "";
      const consent = document.querySelector("details.promise");
      consent.open = true;
      this.panel.show("begin", { title: say("begin.title"), text: say(`begin.${how}`) + wait,
        detail: before ? [el("p", { class: "notice" }, before)] : [], buttons: ["begin"] });
      while ((await this.panel.choice()) !== "begin");
      this.begun = true;
      consent.open = false;
    }

    /* The record decides what comes next: after a reload, and when another tab was faster. To what that one began
       nobody has agreed here. */
    async step() {
      const record = await this.vault.read();
      const goOn = this.secret || ["waiting", "drawn"].includes(record?.stage); // both tabs have these answers
      const anew = !goOn && record?.id !== this.record?.id && !this.vault.wrote.has(record?.id);
      if (anew) this.here = this.begun = this.asked = false;
      this.record = record;
      const stage = record?.stage && record.stage !== "empty" ? record.stage : this.secret ? "held" : "empty";
      if (stage !== "held") this.secret = null;
      if (anew || stage !== "empty") this.form.close();
      if (stage !== this.stage) [this.stage, this.tries] = [stage, 0];
      await this[stage](record);
    }

    /* By chance, and longer each time, up to thirty times the first; after the limit the person must ask. */
    async pause(show) {
      const stopped = ++this.tries >= this.poll.limit && ["held", "waiting", "drawn", "going"].includes(this.stage);
      show(stopped ? `${say("waiting.stopped")} ` : "");
      const wait = this.poll.first * Math.min(30, 1.5 ** this.tries) * (0.5 + uniforms(1)[0]);
      const chosen = await this.panel.choice(stopped ? Infinity : wait);
      if (stopped) this.tries = 0;
      await this.act(chosen);
    }
  }

  /* Let a scheme's visits begin, one for each form of the page, which is there: its scripts are deferred. */
  function attachAll(Scheme) {
    document.querySelectorAll("body *").forEach((node) => SERVED.set(node, node.textContent));
    document.querySelectorAll("form[data-ppdm]").forEach((form) => new Scheme(form).start());
    document.querySelector(".ppdm-unscripted")?.remove(); // it stays where a script or its texts are missing
  }

  globalThis.ppdmVisit = Object.freeze({
    Rejected, Unreachable, Visit, attachAll, digest, el, marks, newId, parse, reminder, requests, seal, unseal,
  });
})();
