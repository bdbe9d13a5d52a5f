/* Chapter 30: take a seat in the House. What the guidance reads of it, and what two adversaries conclude. */

"use strict";

(() => {
  const { guidance, uniforms } = globalThis.explore;
  const { names, votes, party, seats } = globalThis.exploreMembers;
  const { button, choice, el, guess, mount, percent, sentence, slider, svg, widthOf } = globalThis.explorePage;
  const LEVELS = Array.from({ length: 17 }, (_, i) => i + 1);

  mount(["fig-guidance-votes"], "vote", "your own vote", (place) => {
    const state = { seed: 1, own: null, work: 0, drawn: 0 };
    const seat = choice("explore-vote-seat", "Take the seat of", seats.map(({ words }) => words), 0, sit);
    const level = slider("explore-vote-k", "Directions that the survey reads (k)", LEVELS, 0, (k) => `${k} of 17`, show);
    const boxes = names.map((name, j) => {
      const input = el("input", { type: "checkbox", id: `explore-vote-${j}` });
      input.addEventListener("change", () => { state.own[j] = input.checked ? 1 : 0; decompose(); });
      return { input, node: el("label", { class: "explore-toggle" }, input, name) };
    });
    const width = widthOf(place.root), cell = (width - 60) / 16;
    const grid = svg("svg", { viewBox: `0 0 ${width} 118`, "aria-hidden": "true", class: "explore-chart" });
    const said = sentence(), others = el("p", { class: "explore-own", role: "status" });
    place.stage.append(seat.node, level.node,
      el("div", { class: "explore-row" }, button("Draw R(t) anew", () => { state.seed += 1; show(); })), grid,
      el("p", { class: "explore-help" }, "A column a vote, in the order of the list below. The fuller a square, the likelier its bit is sent as 1; a dot: sent. ",
        "Purple: how likely yes is to somebody who knows the House's records and your party; a frame: your true vote."),
      said.node, others,
      el("details", {}, el("summary", {}, "Change your votes (ticked: yes)"), el("div", { class: "explore-votes" }, ...boxes.map(({ node }) => node))));

    function sit() {
      state.own = [...votes[seats[seat.index].member]];
      boxes.forEach(({ input }, j) => { input.checked = state.own[j] === 1; });
      decompose();
    }

    /* V of the House with your record in it; then, a candidate a frame, with each record you might have had. */
    function decompose() {
      const { member } = seats[seat.index], sign = party[member] ? -1 : 1, own = [...state.own];
      const rest = guidance.difference(votes, party);
      guidance.add(rest, votes[member], -sign);
      const withRecord = (record) => {
        const A = rest.map((row) => Float64Array.from(row));
        guidance.add(A, record, sign);
        return guidance.directions(A, 17);
      };
      state.V = withRecord(own);
      state.house = votes.map((row, i) => (i === member ? own : row)).filter((_, i) => party[i] === party[member]);
      state.rivals = [];
      const id = (state.work += 1);
      show();
      const next = () => {
        if (id !== state.work) return;
        const j = state.rivals.length;
        state.rivals.push(withRecord(own.map((vote, i) => (i === j ? 1 - vote : vote))));
        if (j + 1 < names.length) requestAnimationFrame(next);
        else tellOthers();
      };
      requestAnimationFrame(next);
    }

    const first = (V) => V.map((row) => row.slice(0, level.value));

    function show() {
      const V = first(state.V), bits = guidance.toBits(state.own);
      const chances = globalThis.ppdm.bitProbabilities(bits, V), R = globalThis.ppdm.draw(chances, [...uniforms(32, state.seed)]);
      const weights = guidance.posterior(R, state.house, V);
      const yes = names.map((_, j) => state.house.reduce((sum, row, i) => sum + (row[j] ? weights[i] : 0), 0));
      const before = names.map((_, j) => state.house.reduce((sum, row) => sum + row[j], 0) / state.house.length);
      const right = (list) => list.filter((p, j) => (p > 0.5 ? 1 : 0) === state.own[j]).length;
      draw(chances, R, yes);
      const alike = state.house.map((row) => row.every((vote, j) => vote === state.own[j]));
      const same = weights.reduce((sum, weight, i) => sum + (alike[i] ? weight : 0), 0);
      const prior = alike.filter(Boolean).length / alike.length;
      const id = (state.drawn += 1), start = `With k = ${level.value}, R(t) has ${R.reduce((a, b) => a + b, 0)} of 32 bits set. `;
      const steps = guidance.blind([R], V), next = () => {
        if (id !== state.drawn) return; // something else is shown by now
        const { value } = steps.next();
        if (!value) { requestAnimationFrame(next); return; }
        said.say(`${start}From it, somebody who knew nothing guesses ${right([...guidance.yes(value, 16)])} of your 16 votes right. Somebody who knows ` +
          `the House's records and your party guesses ${right(yes)}; before, ${right(before)}. Of your exact record they are now ` +
          `${percent(same, 1)} sure; before, ${percent(prior, 1)}.`);
      };
      requestAnimationFrame(next);
      if (state.rivals.length === names.length) tellOthers();
      else others.textContent = "Somebody who knows every other member's record is at work …";
    }

    function tellOthers() {
      const V = first(state.V), gaps = state.rivals.map((rival) => guidance.apart(V, first(rival)));
      others.textContent = level.value === 17
        ? "With k = 17 all is read: V is the same whatever you voted, and R(t) is your record."
        : "Somebody who knows every other member's record needs no R(t). The published V was computed from all, you among them. " +
          `With any one of your votes changed an entry of VV' would move by ${Math.min(...gaps).toFixed(5)} or more: of these 17 records only yours gives this V.`;
    }

    function draw(chances, R, yes) {
      const row = (words, y) => svg("text", { x: 44, y, "text-anchor": "end" }, words);
      const marks = names.flatMap((_, j) => {
        const x = 50 + j * cell, size = cell - 2;
        const square = (h, y) => [
          svg("rect", { x, y, width: size, height: 22, class: "fill estimate frame", "fill-opacity": chances[2 * j + h].toFixed(3) }),
          ...(R[2 * j + h] ? [svg("circle", { cx: x + size / 2, cy: y + 11, r: 4, class: "fill truth halo" })] : []),
          ...(state.own[j] === h ? [svg("rect", { x: x + 1, y: y + 1, width: size - 2, height: 20, class: "stroke truth", fill: "none" })] : [])];
        return [...square(1, 4), ...square(0, 30),
          svg("rect", { x, y: 70, width: size, height: 40, class: "frame", fill: "none" }),
          svg("rect", { x, y: 110 - 40 * yes[j], width: size, height: 40 * yes[j], class: "fill adversary" })];
      });
      grid.replaceChildren(row("yes", 20), row("no", 46), row("yes?", 94), ...marks);
    }

    guess(place, "The survey reads one direction only, k = 1: as little as possible. How many of a typical Democrat's sixteen votes does " +
      "somebody guess right from R(t) who knew nothing before?",
      ["about 8, as before", "about 12", "all 16, or nearly"],
      (i) => `${i === 2 ? "Right" : "No"}: all, or nearly. Typical records fall at k = 1, since the one direction is the line between the parties. ` +
        "Then take the odd seat, and see whom those who know the House read best.", sit);
  });
})();
