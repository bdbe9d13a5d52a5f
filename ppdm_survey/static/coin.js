/* The coin in the browser: the life of one report.

   The survey publishes a channel, whole numbers that say how often each answer is told for each true one. This file
   checks it, computes from it what a report can do to anybody's odds, and shows that before anything is filled in. It
   holds the survey to the channel of the first visit. Which questions are asked is drawn here, once. The report is drawn
   once, when the form is sent off, and takes the place of the answers: they are never kept and never sent. The report is
   kept and shown; a reload and a second visit send the same one, under the same token. */

"use strict";

(() => {
  const { Refusal, WHOLE, checkChannel, codeOf, drawsOf, epsilonOf, hashChannel, lotOf, randomWords, reportOf, say, tell } =
    globalThis.ppdm;
  const { Rejected, Unreachable, Visit, attachAll, el, requests } = globalThis.ppdmVisit;

  const HARDLY = 100; // from odds of so many to one on the page says that this is hardly a disguise

  const number = (x) => new Intl.NumberFormat(document.documentElement.lang, { maximumSignificantDigits: 3 }).format(x);

  function svg(tag, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  }

  /* A line from 0 to 100%: where somebody stood who held an answer for as likely as not, and how far a report can
     move him. */
  function picture(odds) {
    const far = odds / (1 + odds), x = (share) => 10 + 280 * share;
    const line = (from, to, y, name) => svg("line", { x1: x(from), x2: x(to), y1: y, y2: y, class: name });
    const text = (share, y, words, anchor = "middle") => svg("text", { x: x(share), y, "text-anchor": anchor }, words);
    const percent = (share) => `${number(100 * share)}%`;
    const label = say("coin.picture", { low: percent(1 - far), high: percent(far) });
    return el("figure", { class: "ppdm-odds" },
      svg("svg", { viewBox: "-16 0 332 52", role: "img", "aria-label": label },
        line(0, 1, 24, "ppdm-scale"), line(1 - far, far, 24, "ppdm-reach"), svg("circle", { cx: x(0.5), cy: 24, r: 6 }),
        text(0, 48, "0%", "start"), text(0.5, 48, "50%"), text(1, 48, "100%", "end"),
        text(1 - far, 12, percent(1 - far)), text(far, 12, percent(far))),
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
    return el("ul", { class: "ppdm-marks" }, ...attributes.map(({ label, labels }, j) => {
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
      const schema = await this.line.ask("api/schema");
      if (schema.protocol !== 1) throw new Refusal(say("forged.protocol"));
      this.channel = checkChannel(await this.line.ask("api/channel"), schema.attributes);
      this.hash = await hashChannel(this.channel);
      if (this.channel.hash !== this.hash) throw new Refusal(say("forged.channelHash"));
      this.questions = JSON.stringify(schema.attributes);
      if (this.invited) await this.admit();
      this.lot = (await this.first()).lot;
      this.form.prepare(schema.attributes);
      this.form.only(this.lot.map((j) => schema.attributes[j].name));
      this.schema = schema;
    }

    /* What the first visit met, channel and lot: every later one is held to it. */
    async first() {
      const { hash, questions, channel } = this;
      const kept = (await this.vault.read()) ?? await this.vault.swap(undefined, {
        stage: "empty", hash, questions, lot: lotOf(channel) }) ?? await this.vault.read(); // another tab's
      if (kept.hash !== hash) throw new Refusal(say("forged.otherChannel"));
      if (kept.questions !== questions) throw new Refusal(say("forged.questions"));
      return kept;
    }

    // ---- the stages of a record

    async empty(record) {
      if (this.form.controls.disabled) this.form.open(say("coin.submit"), this.promise());
      this.panel.hide();
      const answers = await this.form.answers();
      const codes = this.schema.attributes.map((one) => codeOf(answers[one.name] ?? "", one));
      const report = reportOf(this.channel, this.lot, codes);
      // in one change the report is there for ever; a tab that comes too late drops what it drew
      await this.vault.swap(record, { ...record, stage: "drawn", answers: report });
    }

    async drawn(record) {
      this.panel.show("review", {
        title: say("coin.review"), text: say("coin.reviewText"), step: 1, buttons: ["sendReport"],
        detail: [shown(record.answers, this.schema), this.print()],
      });
      if ((await this.panel.choice()) !== "sendReport") return;
      // the token is kept before anything is sent: what is sent again is known to be the same
      const { token = (await this.line.ask("api/ready", { channel: this.hash })).token, signer } = (await this.pass?.get()) ?? {};
      if (typeof token !== "string" || !token) throw new Refusal(say("forged.token"));
      await this.vault.swap(record, { ...record, stage: "going", token, signer });
    }

    async going(record) {
      if (this.pass && (await this.heldBack())) return;
      this.panel.show("sending", { title: say("sending.title"), text: say("coin.sending"), step: 1, buttons: ["retry"] });
      await this.deliver(record);
      await this.vault.swap(record, { ...record, stage: "sent" });
    }

    async sent(record) {
      const { answers, signer } = record;
      this.panel.show("sent", {
        title: say("sent.title"), text: say("coin.sent"), step: 2, buttons: ["retry"],
        detail: [shown(answers, this.schema), this.print(),
          ...(signer ? [el("p", {}, say("sent.signer"), " ", el("code", {}, signer))] : []),
          el("h3", {}, say("sent.left")), requests(this.line.sent)],
      });
      if ((await this.panel.choice()) !== "retry") return;
      this.panel.view = undefined; // the list of what left is drawn anew
      await this.deliver(record);
    }

    async deliver({ token, answers }) {
      const answer = await this.line.ask("api/submit", { token, channel: this.hash, answers });
      if (answer !== null) throw new Unreachable(); // not the survey: something in between
    }

    // ---- what the person is told

    promise() {
      const { channel, schema, lot } = this;
      const epsilon = epsilonOf(channel), odds = Math.exp(epsilon);
      const column = channel.columns[lot[0]], asked = schema.attributes[lot[0]];
      return el("div", { class: "ppdm-promise" },
        el("h2", {}, say("coin.title")),
        el("p", { "data-epsilon": epsilon }, say("coin.sentence", { odds: number(odds), epsilon: number(epsilon) })),
        picture(odds),
        ...(odds >= HARDLY ? [el("p", { class: "notice" }, say("coin.hardly"))] : []),
        el("p", { class: "ppdm-help" }, say("coin.lot", { n: lot.length, all: schema.attributes.length })),
        el("p", { class: "ppdm-help" }, say("coin.chance", { label: asked.label, share: number((100 * column.own) / WHOLE) })),
        practice(asked, column));
    }

    print() { return el("p", {}, say("coin.print"), " ", el("code", {}, this.hash)); }

    /* True where the report is not to be sent yet; the person may shorten that. */
    async heldBack() {
      const left = Math.min((await this.pass.get()).until - Date.now(), this.pass.hold);
      if (!(left > 0)) return false;
      this.panel.show("waiting", { title: say("waiting.heldTitle"), text: `${say("waiting.held")} ${say("coin.kept")}`,
        step: 1, buttons: ["go"] });
      if ((await this.panel.choice(left)) === "go") this.pass.hold = 0;
      return true;
    }

    async unreachable() {
      await this.pause((stopped) => {
        if (!this.stage) return this.panel.show("loading", { title: say("loading.title"), text: say("loading.noSurvey") });
        return this.panel.show("waiting", { title: say("waiting.unreachable"),
          text: `${say("coin.again")} ${stopped}${say("coin.kept")}`, step: 1, buttons: ["go"] });
      });
    }

    async refuse(error) {
      const reason = error instanceof Refusal || error instanceof Rejected
        ? error.message : say("refused.broken", { reason: error.message });
      this.panel.show("refused", { title: say("refused.title"), text: reason, step: -1, buttons: ["again"] });
      await this.panel.choice();
    }

    act() { /* every button of a pause means: now */ }
  }

  attachAll(Respondent);
})();
