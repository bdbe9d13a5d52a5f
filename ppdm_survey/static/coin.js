/* The coin in the browser: the life of one report.

   The survey publishes a channel, whole numbers that say how often each answer is told for each true one. This file
   checks it, computes from it what a report can do to anybody's odds, and shows that before anything is filled in. Which
   questions are asked is drawn here, once. One press draws the report, in the place of the answers, and sends it: they are
   never kept and never sent. That press is a promise: over reloads the same report goes to the same survey, under one
   token, until it is stored or refused. What is kept has the survey's fingerprint in its key, and what has gone from this
   device stays known when the report itself is deleted: a device is not a person. */

"use strict";

(() => {
  const { Refusal, WHOLE, atMost, checkChannel, codeOf, disguised, drawsOf, epsilonOf, hashChannel, hashSurvey, isOpen, lotOf, randomWords,
    reportOf, say, tell, written } = globalThis.ppdm;
  const { clearedOf, goneOf, spentOf } = globalThis.ppdmKeep;
  const { Rejected, Unreachable, Visit, attachAll, el, parse, requests } = globalThis.ppdmVisit;

  const HARDLY = 20; // from odds of so many to one on the page says that this is hardly a disguise

  /* A share in percent, rounded towards certainty, and never to it. */
  function percent(share) {
    const left = 100 * Math.min(share, 1 - share), digits = Math.max(1, 1 - Math.floor(Math.log10(left)));
    const down = Math.floor(left * 10 ** digits + 1e-6) / 10 ** digits;
    return written(share < 0.5 ? down : 100 - down, { maximumFractionDigits: Math.min(20, digits) });
  }

  function svg(tag, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  }

  /* A line from 0 to 100%: where somebody stood who held an answer for as likely as not, and how far a report can
     move him. */
  function picture(odds, opened) {
    const far = odds / (1 + odds), x = (share) => 10 + 280 * share;
    const line = (from, to, y, name) => svg("line", { x1: x(from), x2: x(to), y1: y, y2: y, class: name });
    const text = (share, y, words, anchor = "middle") => svg("text", { x: x(share), y, "text-anchor": anchor }, words);
    const label = say(opened ? "coin.pictureRest" : "coin.picture", { low: `${percent(1 - far)}%`, high: `${percent(far)}%` });
    return el("figure", { class: "ppdm-odds" },
      svg("svg", { viewBox: "-16 0 332 52", role: "img", "aria-label": label },
        line(0, 1, 24, "ppdm-scale"), line(1 - far, far, 24, "ppdm-reach"), svg("circle", { cx: x(0.5), cy: 24, r: 6 }),
        text(0, 48, "0%", "start"), text(0.5, 48, "50%"), text(1, 48, "100%", "end"),
        text(1 - far, 12, `${percent(1 - far)}%`), text(far, 12, `${percent(far)}%`)),
      el("figcaption", {}, label));
  }

  /* Tosses that go nowhere: what would be told of one answer, twenty times. */
  function practice({ label, labels }, column) {
    const told = el("p", { role: "status", "aria-live": "polite" });
    const button = el("button", { type: "button", "data-action": "practice" }, say("coin.practice"));
    button.addEventListener("click", () => {
      const [true_, times] = [labels.length - 1, 20];
      const tosses = Array.from({ length: times }, () => [tell(column, true_, randomWords(drawsOf(column)))].flat());
      told.replaceChildren(say("coin.tosses", {
        label, value: labels[true_], n: tosses.filter((one) => one.includes(true_)).length, times,
        told: tosses.map((one) => one.map((h) => labels[h]).join(" + ") || "–").join(" · "),
      }));
    });
    return el("div", { class: "ppdm-practice" }, button, told);
  }

  /* A report, question by question, as it is sent. */
  function shown(answers, { attributes }) {
    return el("ul", { class: "ppdm-marks" }, ...attributes.map(({ label, labels, open }, j) => {
      if (open) return el("li", {}, say("sent.class", { label, value: labels[answers[j]] }));
      const told = [answers[j]].flat();
      const cells = answers[j] === null ? [el("span", { class: "ppdm-off" }, say("coin.notAsked"))]
        : labels.map((value, h) => el("span", { class: told.includes(h) ? "ppdm-on" : "ppdm-off" },
          value, el("span", { class: "ppdm-aside" }, told.includes(h) ? " 1" : " 0")));
      return el("li", {}, el("span", {}, label), el("span", { class: "ppdm-cells" }, ...cells));
    }));
  }

  class Respondent extends Visit {
    static STEPS = ["here", "disguised", "sent"];

    async load() {
      this.panel.show("loading", { title: say("loading.title"), text: say("loading.text") });
      const { schema, ...said } = await this.identify();
      Object.assign(this, said);
      this.form.prepare(schema.attributes, schema);
      document.querySelector(".ppdm-promise").replaceChildren(...this.bound());
      if (this.invited) await this.admit();
      this.vault.key = this.key();
      this.schema = schema;
      addEventListener("beforeunload", (event) => { // a private window forgets what waits
        if (this.stage !== "going") return;
        event.preventDefault();
        event.returnValue = true; // for browsers that came before
      });
    }

    /* What the survey is now: what it asks, its channel, the fingerprint of both, and its place. */
    async identify() {
      const [schema, text] = await this.line.ask("api/schema", undefined, (text) => [parse(text), text]);
      if (schema.protocol !== 1) throw new Refusal(say("forged.protocol"));
      const channel = checkChannel(await this.line.ask("api/channel"), schema.attributes);
      const hash = await hashChannel(channel);
      if (channel.hash !== hash) throw new Refusal(say("forged.channelHash"));
      const print = await hashSurvey(hash, text);
      return { schema, channel, hash, epsilon: epsilonOf(channel), print, place: await this.placeOf(print) };
    }

    // ---- the stages of a record

    async empty(record) {
      if (this.pass && !(await this.pass.vault.read())?.token) throw new Refusal(say("stop.uninvited"));
      if (!record || !this.begun) return this.first();
      if (this.asked !== record.id) { // another tab's has another lot
        [this.asked] = [record.id, this.form.close()];
        this.form.only(record.lot.map((j) => this.schema.attributes[j].name));
        this.form.open(say("coin.submit"), ...this.lotTold(record.lot));
      }
      this.panel.hide(this.form.heading);
      const answers = await this.form.answers();
      const codes = this.schema.attributes.map((one) => codeOf(answers[one.name] ?? "", one));
      const report = reportOf(this.channel, record.lot, codes);
      const pass = await this.pass?.vault.read(); // wait, token, signer
      // in one change the report is there for ever; a tab that comes too late drops what it drew
      await this.vault.swap(record, { ...record, ...pass, stage: "going", answers: report },
        this.pass ? [[this.pass.vault.key]] : []);
    }

    /* After the consent step, and a look at what came meanwhile, the lot is drawn for this survey and kept; what was
       drawn for another one goes, unless it is a report that waits: to that the device is held. */
    async first(spent = []) {
      await this.others();
      if (this.stuck) throw new Refusal(say("forged.otherQuestions"));
      if (!this.begun) return this.begin();
      const { hash, epsilon, channel, vault, who } = this;
      return vault.swap(this.record, { stage: "empty", hash, epsilon, lot: lotOf(channel), spent },
        clearedOf(await this.kept(), vault.key, who));
    }

    async going(record) {
      if (await this.heldBack(record)) return;
      if (!this.tries) this.panel.show("sending", { title: say("sending.title"), text: say("coin.sending"), step: 1, buttons: ["retry"] });
      // since the page was loaded, or the line was cut, another survey may have come to this address
      if (!this.same && (await this.identify()).place !== this.place) throw new Refusal(say("forged.otherQuestions"));
      this.same = true;
      if (!record.token) {
        const { token } = await this.line.ask("api/ready", { channel: this.hash });
        if (typeof token !== "string" || !token) throw new Refusal(say("forged.token"));
        // it is kept before anything is sent: what is sent again is known to be the same
        await this.vault.swap(record, { ...record, token });
        return;
      }
      const { token, answers } = record;
      const answer = await this.line.ask("api/submit", { token, channel: this.hash, answers });
      if (answer !== null) throw new Unreachable(); // not the survey: something in between
      this.here = true;
      await this.vault.swap(record, { ...record, stage: "sent" });
    }

    /* Whoever sits here now may be somebody else: the report is shown on request. */
    async sent(record) {
      const { here, schema } = this;
      this.panel.show("sent", { step: 2, buttons: ["show", "erase"],
        title: say(here ? "sent.title" : "coin.before"), text: say(here ? "coin.arrived" : "coin.beforeText"),
        detail: [...(here && schema.thanks ? [el("p", {}, schema.thanks)] : []), this.prints(record)] });
      const chosen = await this.panel.choice();
      if (chosen === "erase") await this.erase(record);
      if (chosen !== "show") return;
      this.panel.detail.replaceChildren(shown(record.answers, schema), this.prints(record),
        ...(here ? [el("h3", {}, say("sent.left")), requests(this.line.sent)] : []));
    }

    /* Report and token of the record that was shown go in one change, and of no other that has come to its place. What
       was spent here stays, so that it can be said. */
    async erase(record, vault = this.vault) {
      this.here = this.begun = false;
      await vault.swap(record, goneOf(record));
    }

    gone({ spent }) {
      if (this.pass) throw new Refusal(say("stop.uninvited")); // this link's answer is given
      return this.first(spent);
    }

    // ---- what the person is told

    bound() {
      const { epsilon } = this, odds = Math.exp(epsilon), opened = this.form.all.filter(({ open }) => open), rest = opened.length > 0;
      return [el("h2", {}, say("coin.title")),
        el("p", { "data-epsilon": epsilon }, say(rest ? "coin.sentenceRest" : "coin.sentence", { odds: atMost(odds), epsilon: atMost(epsilon) })),
        ...(rest ? [el("div", { class: "notice" }, say("coin.openTells"), el("ul", {}, ...opened.map(({ label }) => el("li", {}, label))))] : []),
        picture(odds, rest),
        ...(odds >= HARDLY ? [el("p", { class: "notice" }, say("coin.hardly", { limit: HARDLY }))] : []), this.prints({})];
    }

    lotTold(lot) {
      const { channel, schema: { attributes } } = this, first = lot.find((j) => !isOpen(channel.columns[j]));
      const column = channel.columns[first], asked = attributes[first], n = channel.asked, all = disguised(channel).length;
      const help = (text) => el("p", { class: "ppdm-help" }, text);
      return [...(n < all || all === attributes.length ? [help(say(n < all ? "coin.lot" : "coin.all", { n, all }))] : []),
        help(say("coin.chance", { label: asked.label, share: percent(column.own / WHOLE) })),
        practice(asked, column), help(say("coin.press"))];
    }

    prints({ signer }) {
      return el("div", {}, el("p", {}, say("coin.print"), " ", el("code", {}, this.print)),
        ...(signer ? [el("p", {}, say("sent.signer"), " ", el("code", {}, signer))] : []));
    }

    /* What has gone from this device to this address, added up; nothing where nothing has. */
    async before() {
      const all = spentOf(await this.kept());
      if (!all.length) return "";
      const { epsilon } = this, sum = all.reduce((a, b) => a + b), total = sum + epsilon;
      const more = { epsilon: atMost(epsilon), total: atMost(total), odds: atMost(Math.exp(total)) };
      return `${say("another.sent", { n: all.length, sum: atMost(sum) })} ${say("another.total", more)}`;
    }

    /* True where the report is not to be sent yet; the person may shorten that. */
    async heldBack({ wait = 0 }) {
      const left = this.left(wait);
      if (!(left > 0)) return false;
      this.panel.show("waiting", { title: say("waiting.heldTitle"),
        text: `${say("waiting.held")} ${say("coin.kept")}`, step: 1, buttons: ["go"] });
      if ((await this.panel.choice(left)) === "go") this.due = 0;
      return true;
    }

    async unreachable() {
      this.same = false;
      await this.pause((stopped) => {
        if (!this.stage) return this.panel.show("loading", { title: say("loading.title"), text: say("loading.noSurvey") });
        return this.panel.show("waiting", { title: say("waiting.unreachable"),
          text: `${say("coin.again")} ${stopped}${say("coin.kept")}`, step: 1, buttons: ["go", "erase"] });
      });
    }

    async refuse(error) {
      const reason = error instanceof Refusal || error instanceof Rejected
        ? error.message : say("refused.broken", { reason: error.message });
      const held = this.stage === "going" || this.stuck;
      this.panel.show("refused", { title: say("refused.title"), text: reason, step: -1,
        buttons: held ? ["again", "erase"] : ["again"] });
      const chosen = await this.panel.choice();
      if (chosen === "erase") await this.erase(this.stuck ?? this.record, this.vault.at(this.stuck?.at ?? this.vault.key));
    }

    /* Of a pause: the survey may have ended, and nothing waits for ever; every other button means: now. */
    act(chosen) { return chosen === "erase" ? this.erase(this.record) : undefined; }
  }

  attachAll(Respondent);
})();
