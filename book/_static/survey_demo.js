/* The page on which a reader disguises a record: ppdm.js does the arithmetic and explore.js the
   adversary's, this file shows it.
   Nothing is requested and nothing is kept. */

"use strict";

(() => {
  const { schema, V, typical } = globalThis.surveyGuidance;
  const { attributes } = schema;
  const { finish, guidance: adversary } = globalThis.explore;
  const root = document.getElementById("survey-demo");
  const draws = []; // all R(t) of the present answers and level

  function el(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  }

  const guidance = () => V.map((row) => row.slice(0, Number(level.value)));
  const answers = () => Object.fromEntries(new FormData(form));
  const number = (p) => p.toFixed(2);

  // ---- what somebody concludes who knows V, saw the draws, and knew nothing before

  /* P(yes) of each question, and how many bits about the whole record have been learnt. */
  function belief(rows) {
    const weights = finish(adversary.blind(rows, guidance()));
    const left = weights.reduce((sum, w) => (w ? sum - w * Math.log2(w) : sum), 0);
    return { yes: [...adversary.yes(weights, attributes.length)], learnt: attributes.length - left };
  }

  // ---- the page

  function bar(name) {
    const fill = el("span"), text = el("b", name);
    return {
      nodes: [el("span", { class: "demo-bar", "aria-hidden": "true" }, fill), text],
      set(p) {
        fill.style.width = `${100 * (p ?? 0)}%`;
        text.textContent = p === undefined ? "–" : number(p);
      },
    };
  }

  function question({ name, label, values, labels }, checked, first) {
    const choices = values.map((value, h) => el("label", {},
      el("input", { type: "radio", name, value, ...(h === checked ? { checked: "" } : {}) }), labels[h]));
    const bits = first === undefined ? [] : values.map((_, h) => {
      const p = bar({ "data-bit": first + h }), mark = el("span", { class: "demo-mark", "data-mark": first + h });
      return { p, mark, node: el("div", { class: "demo-bit" }, el("span", {}, labels[h]), ...p.nodes, mark) };
    });
    const yes = first === undefined ? undefined : bar({ "data-yes": name });
    const node = el("fieldset", { class: "demo-vote" }, el("legend", {}, label), el("div", { class: "demo-choices" }, ...choices),
      el("div", { class: "demo-bits" }, ...bits.map((bit) => bit.node)));
    if (yes) node.append(el("div", { class: "demo-belief" }, el("span", {}, "they believe: yes"), ...yes.nodes));
    return { node, bits, yes };
  }

  const level = el("input", { type: "range", id: "demo-k", min: 1, max: V[0].length, value: 2 });
  const levelText = el("output", { for: "demo-k" });
  const votes = attributes.map((attribute, a) => question(attribute, typical[0][a], 2 * a));
  const party = question(schema.class, 0);
  party.node.classList.add("demo-party");
  const button = (text, id) => el("button", { type: "button", id }, text);
  const fills = [button("Most Democrats", "demo-fill-0"), button("Most Republicans", "demo-fill-1"), button("At random", "demo-fill-2")];
  const drawing = button("Draw R(t)", "demo-draw");
  const sent = el("pre", { id: "demo-sent", tabindex: "0" });
  const said = el("p", { id: "demo-said", role: "status" });
  const warned = el("p", { id: "demo-warned", role: "status" });
  const form = el("form", { autocomplete: "off" },
    el("div", { class: "demo-row" }, el("span", {}, "Fill in like:"), ...fills),
    el("div", { class: "demo-panel" },
      el("div", { class: "demo-level" }, el("label", { for: "demo-k" }, "Directions that the survey reads (k)"), level, levelText),
      warned, el("div", { class: "demo-row" }, drawing, said)),
    el("div", { class: "demo-votes" }, ...votes.map((vote) => vote.node), party.node),
    el("p", {}, "What would be sent:"), sent);

  function showProbabilities() {
    draws.length = 0;
    const Vk = guidance(), sizes = schema.attributes.map(({ values }) => values.length);
    const { answersRead, bitProbabilities, READ, toBits } = globalThis.ppdm;
    const own = toBits(answers(), schema), P = bitProbabilities(own, Vk);
    const [anybody, alike] = [undefined, own].map((bits) => answersRead(Vk, sizes, { own: bits }));
    const shares = votes.map((_, a) => Math.max(anybody[2 * a], alike[2 * a]));
    const read = shares.filter((share) => share >= READ).length;
    votes.forEach((vote, a) => vote.bits.forEach((bit, h) => bit.p.set(P[2 * a + h])));
    levelText.textContent = `${level.value} of ${V[0].length} that there are`;
    const all = Vk[0].length === V[0].length;
    warned.textContent = all ? "With so many directions everything is read: R(t) is your record."
      : read ? `Votes that would be guessed right of more than ${Math.floor(100 * READ)} in 100 who answer so: ${read}. ` +
        "A real client would warn you." : "";
    showDraws();
  }

  function showDraws() {
    const last = draws.at(-1), what = draws.length ? belief(draws) : undefined;
    votes.forEach((vote, a) => {
      vote.bits.forEach((bit, h) => {
        const on = last?.[2 * a + h];
        bit.mark.textContent = on === undefined ? "" : on ? "● 1" : "○ 0";
        bit.mark.classList.toggle("demo-on", on === 1);
      });
      vote.yes.set(what?.yes[a]);
    });
    drawing.textContent = draws.length ? "Draw again (an experiment)" : "Draw R(t)";
    sent.textContent = last ? message(last) : "nothing yet";
    said.textContent = what ? summary(what) : "";
  }

  function message(row) {
    const label = schema.class.values.indexOf(answers()[schema.class.name]);
    const ones = row.flatMap((bit, j) => (bit ? [j] : []));
    return JSON.stringify({ token: "…", epoch: 4, class: label, ones });
  }

  function summary({ yes, learnt }) {
    const own = globalThis.ppdm.toBits(answers(), schema);
    const right = yes.filter((p, a) => (p > 0.5) === (own[2 * a + 1] === 1)).length;
    const times = draws.length === 1 ? "From one draw" : `From ${draws.length} draws`;
    return `${times} they have learnt ${learnt.toFixed(1)} of ${attributes.length} bits about your record, ` +
      `and their best guess is right in ${right} of ${attributes.length} votes.` +
      (draws.length > 1 ? " A real client draws once and forgets your answers: each further draw would tell more." : "");
  }

  function fill(votesOf) {
    attributes.forEach(({ name, values }, a) => {
      form.querySelector(`[name="${name}"][value="${values[votesOf(a)]}"]`).checked = true;
    });
    showProbabilities();
  }

  form.addEventListener("input", showProbabilities);
  form.addEventListener("submit", (event) => event.preventDefault());
  drawing.addEventListener("click", () => {
    const P = globalThis.ppdm.bitProbabilities(globalThis.ppdm.toBits(answers(), schema), guidance());
    draws.push(globalThis.ppdm.draw(P, globalThis.ppdm.uniforms(P.length)));
    showDraws();
  });
  fills.forEach((node, which) => node.addEventListener("click", () => {
    const coins = globalThis.ppdm.uniforms(attributes.length);
    fill((a) => (which < 2 ? typical[which][a] : Math.round(coins[a])));
  }));
  root.replaceChildren(form);
  showProbabilities();
})();
