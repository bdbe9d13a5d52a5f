/* Guided perturbation in the browser: the life of one answer. Zhang, Wang and Zhao (2005), sections 3, 4.2 and 7.

   <form data-ppdm="BASE"> with one <fieldset disabled> around its controls, which are named as the
   questions in BASE/api/schema. The answers stay in the page's memory while the survey is asked what
   it wants to read. Where that is more than the person allows they are encrypted and kept in this
   browser until it is not. R(t) is drawn once, the answers are deleted, and R(t) is sent: only that
   is ever stored of somebody who need not wait. data-ppdm-poll-ms is the first pause between two inquiries, each
   further one is half as long again, up to thirty times that; after data-ppdm-poll-limit of them
   the page stops and asks the person. */

"use strict";

(() => {
  const { Refusal, READ, answersRead, bitProbabilities, checkGuidance, codeOf, draw, hashGuidance, hashSurvey, isCount, say, toBits, uniforms } =
    globalThis.ppdm;
  const { Rejected, Unreachable, Visit, attachAll, el, marks, newId, parse, reminder, requests, seal, unseal } = globalThis.ppdmVisit;

  /* The slider for k_i. It has no name, so that no form data ever contain it. It ends below n: whoever
     sends everything chooses that by a button. */
  class Level {
    constructor(n) {
      const id = newId("level");
      this.n = n;
      this.words = el("p", { class: "ppdm-level-words" });
      this.range = el("input", {
        type: "range", id, min: 1, max: n - 1, step: 1, value: 1,
        "aria-describedby": `${id}-help`,
      });
      this.node = el("div", { class: "ppdm-level" },
        el("label", { for: id }, say("level.legend")), this.range, this.words,
        el("p", { id: `${id}-help`, class: "ppdm-help" }, say("level.help")));
      for (const touch of ["input", "click", "keyup"]) this.range.addEventListener(touch, (event) => this.choose(event));
      this.words.textContent = say("level.choose"); // none is chosen for the person
      this.range.setAttribute("aria-valuetext", say("level.choose"));
    }

    get value() { return Number(this.range.value); }
    set value(level) { this.range.value = level; this.choose({}); }

    choose({ key }) {
      if (key === "Tab") return;
      this.chosen = true;
      this.range.removeAttribute("aria-invalid");
      this.say();
    }

    /* Say whether a level was chosen, and lead the person to the slider where none was. */
    demand() {
      if (this.chosen) return true;
      this.range.setAttribute("aria-invalid", true);
      this.range.focus();
      return false;
    }

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

  // ------------------------------------------------------------------ the life of an answer

  class Respondent extends Visit {
    static STEPS = ["here", "waiting", "disguised", "sent"];
    levels = {}; // the k announced for each epoch

    async load() {
      this.panel.show("loading", { title: say("loading.title"), text: say("loading.text") });
      const [schema, text] = await this.line.ask("api/schema", undefined, (text) => [parse(text), text]);
      if (schema.protocol !== 1) throw new Refusal(say("forged.protocol"));
      this.level = new Level(schema.n_bits);
      this.gauge = new Gauge(schema.n_bits);
      this.questions = JSON.stringify([schema.attributes, schema.class]);
      this.place = await this.placeOf(await hashSurvey("", text));
      this.form.prepare([...schema.attributes, { ...schema.class, open: true }], schema);
      if (this.invited) await this.admit();
      this.vault.key = this.key();
      this.schema = schema;
    }

    // ---- the stages of a record

    async empty(record) {
      if (this.form.controls.disabled) { // after a failure the answers still stand in it
        if (!this.begun && !(await this.first())) return;
        const { k } = await this.inquire();
        const open = k === this.schema.n_bits && (await this.sendsOpenly());
        this.form.open(say(open ? "page.submitOpen" : "page.submit"), open
          ? el("p", { class: "notice" }, el("strong", {}, say("level.all")), " ", say("level.back")) : this.level.node);
        this.open = open;
      }
      this.panel.hide(this.form.heading);
      const answers = await this.form.answers(() => this.open || this.level.demand());
      this.here = true;
      this.secret = {
        bits: toBits(answers, this.schema),
        label: codeOf(answers[this.schema.class.name], this.schema.class),
        level: this.open ? this.schema.n_bits : this.level.value,
        questions: this.questions,
      };
    }

    /* No survey goes on with what another one at this address has begun; nor without the consent step. */
    async first() {
      await this.others();
      if (this.stuck) throw new Refusal(say("forged.questions"));
      return this.begun || this.begin();
    }

    async before() {
      return (await this.others()).some(({ stage, gone }) => gone || stage === "sent") ? say("another.guided") : "";
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
      await this.vault.swap(this.record, { stage: "empty", hashes, gone: true });
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
      const left = this.left((await this.pass.get()).wait);
      if (!(left > 0)) return false;
      if (this.secret) return (await this.keep(), true);
      this.showWaiting(say("waiting.heldTitle"), `${say("waiting.held")} ${say("waiting.stay")}`);
      const chosen = await this.panel.choice(left);
      if (chosen === "go") this.due = 0;
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

    answers() { return this.secret ?? unseal(this.record, this.vault.key); }

    /* From the memory of the page to the disk: only where the person has to wait. */
    async keep(change) {
      await this.vault.swap(this.record, async () => ({
        ...(await seal({ ...(await this.answers()), ...change }, this.vault.key)), hashes: this.record?.hashes ?? {},
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

    async refuse(error) {
      const expected = error instanceof Refusal || error instanceof Rejected;
      const reason = expected ? error.message : say("refused.broken", { reason: error.message });
      const { stage } = this.stuck ?? this, how = { drawn: "rejectedText", held: "held", waiting: "text" }[stage];
      const drawn = stage === "drawn";
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
        await this.vault.at(this.stuck?.at ?? this.vault.key).swap(this.stuck ?? this.record, null);
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

  attachAll(Respondent);
})();
