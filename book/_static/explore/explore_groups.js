/* Chapters 21 and 51: votes that share a coin. One's own epsilon stays, the record's does not. */

"use strict";

(() => {
  const { finish, groups, uniforms } = explore;
  const { names, votes, party, right, shares, seats } = exploreMembers;
  const { button, choice, div, el, guess, inSteps, mount, percent, sentence, slider, sorting } = explorePage;
  const BOXES = ["Coin A", "Coin B", "Coin C", "Coin D", "A coin each"];
  const OWN = BOXES.length - 1; // whoever lies here has a coin of its own
  const READ = 0.9; // so sure the adversary must be to call a vote read

  mount("try-it-groups-of-votes", "groups", (place) => {
    const state = { box: names.map(() => 0), seed: 1 }, change = inSteps(answer);
    const seat = choice("groups-seat", "Who answers", seats.map(({ words }) => words), 1, change);
    const theta = slider("groups-theta", "Theta: each coin tells the truth", groups.thetas, 3, percent, change);
    const asked = slider("groups-asked", "Votes that one person is asked, at random", [16, 8, 4, 2, 1], 0,
      (s) => (s === 16 ? "all 16" : `${s} of 16, a coin each`), change);
    const said = sentence(), moved = el("p", { class: "explore-hidden", role: "status" });
    const { chips, boxes, put, node } = sorting(names, BOXES, (j) => (asked.value < 16 ? undefined : state.box[j]), move);
    const deal = (words, boxOf) => button(words, () => { state.box = names.map(boxOf); change(); });
    const dealing = div("row",
      deal("One coin for all", () => 0), deal("Two groups", (_, j) => j % 2), deal("Four groups", (_, j) => j % 4),
      deal("A coin each", () => OWN));
    const figures = el("dl", { class: "explore-figures" });

    place.stage.append(seat.node, div("controls", theta.node, asked.node), dealing,
      el("p", { class: "explore-help" }, "Drag a vote to another coin, tap it for the next coin, or press an arrow key. ",
        "A tick or cross is what is reported; a filled vote is what the adversary now takes for sure, rightly or not."),
      node, figures, said.node, moved,
      div("row", button("New coins", () => { state.seed += 1; change(); })));

    function move(j, b) {
      state.box[j] = b;
      moved.textContent = `${names[j]} is now with: ${BOXES[b]}.`;
      finish(answer());
      change();
    }

    /* The columns that share a coin; a vote that nobody asked for is in none. */
    function coinsOf(draws) {
      if (asked.value < 16) {
        const order = [...names.keys()].sort((a, b) => draws[32 + a] - draws[32 + b]);
        return order.slice(0, asked.value).map((j) => [j]);
      }
      const shared = BOXES.slice(0, OWN).map((_, b) => names.flatMap((_, j) => (state.box[j] === b ? [j] : [])));
      return [...shared.filter((columns) => columns.length), ...names.flatMap((_, j) => (state.box[j] === OWN ? [[j]] : []))];
    }

    function* answer() {
      const { member } = seats[seat.index], own = votes[member], expected = shares[party[member]];
      const draws = uniforms(48, state.seed), coins = coinsOf(draws);
      const belief = names.map((_, j) => ({ yes: expected[j], reported: null }));
      boxes.forEach(({ told }) => { told.textContent = ""; });
      for (const columns of coins) {
        const truthful = draws[columns[0]] < theta.value;
        const released = columns.map((j) => (truthful ? own[j] : 1 - own[j]));
        const told = groups.told(released, columns.map((j) => expected[j]), theta.value);
        columns.forEach((j, i) => { belief[j] = { yes: released[i] ? told : 1 - told, reported: released[i] }; });
        if (columns.length > 1) {
          boxes[state.box[columns[0]]].told.textContent = `To the adversary this coin told the truth with ${percent(told, 1)}.`;
        }
      }
      const read = []; // whether rightly
      for (const [j, each] of chips.entries()) {
        yield;
        const { yes, reported } = belief[j], sure = Math.max(yes, 1 - yes) >= READ && reported !== null;
        const rightly = (yes > 0.5 ? 1 : 0) === own[j];
        if (sure) read.push(rightly);
        const b = asked.value < 16 ? OWN : state.box[j];
        each.mark.textContent = reported === null ? " not asked" : reported ? " ✓" : " ✗";
        each.node.classList.toggle("explore-read", sure);
        each.node.setAttribute("aria-label", `${names[j]}, ${BOXES[b]}, ${
          reported === null ? "not asked" : `reported ${reported ? "yes" : "no"}`}${
          sure ? `, read as ${yes > 0.5 ? "yes" : "no"}, ${rightly ? "rightly" : "wrongly"}` : ""}`);
        put(j, b);
      }
      yield;
      tell(coins, right(belief.map(({ yes }) => yes), own), right(expected, own), read);
    }

    function tell(coins, now, before, read) {
      const bit = groups.own(theta.value), record = groups.record(coins.map((columns) => columns.length), theta.value);
      const wrong = read.filter((rightly) => !rightly).length;
      const shown = record === Infinity ? "infinite" : record.toFixed(record < 10 ? 3 : 2);
      figures.replaceChildren(...[["one vote, seen alone: epsilon", bit.toFixed(3)], ["the whole record: epsilon", shown],
        ["votes guessed right without the reports", `${before} of 16`], ["and with them", `${now} of 16`]]
        .flatMap(([words, value]) => [el("dt", {}, words), el("dd", {}, value)]));
      said.say(`Epsilon of one vote seen alone is ${bit.toFixed(3)}, that of the record is ${shown}. ` +
        `Somebody who knows the party guesses ${now} of 16 votes right, ${before} without the reports, and is at least ` +
        `${percent(READ)} sure of ${read.length} after them${wrong ? `, and wrong about ${wrong} of these` : ""}. ` + (record === Infinity
        ? "The record's is infinite because votes that share a coin arrive all as they are or all reversed."
        : coins.length < 16 ? "Fewer questions, less told: the record's epsilon is the sum over those that were asked."
          : "With a coin each it is the sum over sixteen coins: finite, and large."));
    }

    guess(place, "Sixteen votes share one coin that tells the truth seven times in ten. Of one vote alone, the odds change by a factor of " +
      "at most 7/3: epsilon is 0.847. And of the whole record?",
      ["0.847 as well", "sixteen times as much, 13.56", "no finite epsilon"],
      2, "no finite epsilon. What arrives is the record or its exact opposite, so every other record is ruled out.",
      change);
  });
})();
