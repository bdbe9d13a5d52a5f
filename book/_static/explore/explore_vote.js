/* Chapter 30: take a seat in the House. What the guidance reads of it, and what two adversaries conclude. */

"use strict";

(() => {
  const { guidance, uniforms } = explore;
  const { names, votes, party, right, seats } = exploreMembers;
  const { button, canvas, choice, div, el, guess, inSteps, mount, percent, sentence, slider, svg, toggle } = explorePage;

  mount("try-it-your-own-vote", "vote", (place) => {
    const state = { seed: 1 }, begin = inSteps(conclude);
    const seat = choice("vote-seat", "Take the seat of", seats.map(({ words }) => words), 0, sit);
    const level = slider("vote-k", "Directions that the survey reads (k)", names.map((_, i) => i + 1).concat(17), 0, (k) => `${k} of 17`, show);
    const boxes = names.map((name, j) => toggle(`explore-vote-${j}`, name, () => { state.own[j] = Number(boxes[j].on); anew(); }));
    const grid = canvas({ "aria-hidden": "false", role: "group", "aria-label": "Your votes, a column each" });
    const said = sentence(), others = el("p", { class: "explore-own", role: "status" });
    place.stage.append(seat.node, level.node,
      div("row", button("Draw R(t) anew", () => { state.seed += 1; show(); })), grid,
      el("p", { class: "explore-help" }, "A column a vote. The fuller a square, the likelier its bit is sent as 1; a dot: sent. ",
        "Purple: how likely yes is to somebody who knows the House's records and your party; a frame: your true vote."),
      said.node, others,
      el("details", {}, el("summary", {}, "Change your votes (ticked: yes)"), div("votes", ...boxes.map(({ node }) => node))));

    function sit() {
      state.own = [...votes[seats[seat.index].member]];
      boxes.forEach((box, j) => { box.on = state.own[j]; });
      anew();
    }

    function anew() {
      const { member } = seats[seat.index];
      Object.assign(state, { V: null, rivals: [] });
      state.house = votes.map((row, i) => (i === member ? [...state.own] : row)).filter((_, i) => party[i] === party[member]);
      show();
    }

    function show() {
      if (state.rivals.length < names.length) others.textContent = "Somebody who knows every other member's record is at work …";
      begin();
    }

    /* V of the House with this record in your seat. */
    function* withRecord(record) {
      const { member } = seats[seat.index], sign = party[member] ? -1 : 1;
      const A = (state.all ??= guidance.difference(votes, party)).map((row) => row.slice());
      guidance.add(A, votes[member], -sign);
      guidance.add(A, record, sign);
      return yield* guidance.directions(A, 17);
    }

    /* What is sent; what those conclude who know the House, or nothing; then all records you might have had. */
    function* conclude() {
      const { own, house } = state, first = (rows) => rows.map((row) => row.slice(0, level.value));
      const V = first(state.V ??= yield* withRecord(own));
      const chances = ppdm.bitProbabilities(guidance.toBits(own), V);
      const R = ppdm.draw(chances, uniforms(32, state.seed));
      yield;
      const weights = yield* guidance.posterior(R, house, V);
      yield;
      const chance = (belief, holds) => house.reduce((sum, row, i) => sum + (holds(row) ? belief[i] : 0), 0);
      const votesOf = (belief) => names.map((_, j) => chance(belief, (row) => row[j]));
      const exactly = (belief) => percent(chance(belief, (row) => row.every((vote, j) => vote === own[j])), 1);
      const before = house.map(() => 1 / house.length), yes = votesOf(weights);
      yield* draw(chances, R, yes);
      const all = yield* guidance.blind([R], V);
      yield;
      const alone = guidance.yes(all, 16);
      yield;
      said.say(`With k = ${level.value}, R(t) has ${R.reduce((a, b) => a + b, 0)} of 32 bits set. From it, somebody who knew nothing guesses ` +
        `${right(alone, own)} of your 16 votes right. Somebody who knows the House's records and your party guesses ${right(yes, own)}; before, ${right(votesOf(before), own)}. Of your exact record they are now ` +
        `${exactly(weights)} sure; before, ${exactly(before)}.`);
      const { rivals } = state, gaps = [];
      for (let j = rivals.length; j < names.length; j++) rivals.push(yield* withRecord(own.map((vote, i) => (i === j ? 1 - vote : vote))));
      for (const rival of rivals) { gaps.push(guidance.apart(V, first(rival))); yield; }
      others.textContent = level.value === 17
        ? "With k = 17 all is read: V is the same whatever you voted, and R(t) is your record."
        : "Somebody who knows every other member's record needs no R(t). The published V was computed from all, you among them. " +
          `With any one of your votes changed an entry of VV' would move by ${Math.min(...gaps).toFixed(5)} or more: of these 17 records only yours gives this V.`;
    }

    function lay(width) {
      state.width = width;
      (state.own ? show : sit)();
    }

    function* draw(chances, R, yes) {
      const { own, width } = state, cell = (width - 60) / 16, size = cell - 2;
      const row = (words, y) => svg("text", { x: 44, y, class: "end" }, words);
      const columns = [];
      for (const [j, name] of names.entries()) {
        yield;
        const x = 50 + j * cell, middle = x + size / 2;
        const rect = (y, height, role, rest) => svg("rect", { x, y, width: size, height, class: role, ...rest });
        const square = (h, y) => [
          rect(y, 22, "fill estimate frame", { "fill-opacity": chances[2 * j + h].toFixed(3) }),
          ...(R[2 * j + h] ? [svg("circle", { cx: middle, cy: y + 11, r: 4, class: "fill truth halo" })] : []),
          ...(own[j] === h ? [rect(y + 1, 20, "stroke truth", { fill: "none" })] : [])];
        const sent = ["no", "yes"].filter((_, h) => R[2 * j + h]).join(" and ") || "nothing";
        columns.push(svg("g", { role: "img" },
          svg("title", {}, `${name}: you voted ${own[j] ? "yes" : "no"}; sent: ${sent}; yes is ${percent(yes[j])} likely`),
          ...square(1, 4), ...square(0, 30), rect(70, 40, "frame", { fill: "none" }), rect(110 - 40 * yes[j], 40 * yes[j], "fill adversary"),
          svg("text", { transform: `translate(${middle + 4} 116) rotate(-90)`, class: "end" }, name)));
      }
      grid.setAttribute("viewBox", `0 0 ${width} 330`);
      grid.replaceChildren(row("yes", 20), row("no", 46), row("yes?", 94), ...columns);
    }

    guess(place, "The survey reads one direction only, k = 1: as little as possible. How many of a typical Democrat's sixteen votes does " +
      "somebody guess right from R(t) who knew nothing before?",
      ["about 8, as before", "about 12", "all 16, or nearly"],
      2, "all, or nearly. Typical records fall at k = 1, since the one direction is the line between the parties. " +
        "Then take the odd seat, and see whom those who know the House read best.", lay);
  });
})();
