/* Chapter 12: twelve reported ages, dealt to three intervals. The counts come out right, the persons need not. */

"use strict";

(() => {
  const { dealing } = explore;
  const { choice, count, el, guess, mount, percent, sentence, sorting, toggle } = explorePage;
  const GROUPS = ["B", "A"], BY_HAND = 3;

  mount("try-it-twelve-ages", "ages", (place) => {
    // in the order of their reports
    const order = [...exploreAges.reports.keys()].sort((a, b) => exploreAges.reports[a] - exploreAges.reports[b]);
    const [ages, reports, group] = ["ages", "reports", "group"].map((key) => order.map((i) => exploreAges[key][i]));
    const truth = dealing.at(ages), ways = [
      dealing.at(reports), dealing.dealParts(reports, reports.map(() => 0), truth), dealing.dealParts(reports, group, truth),
    ];
    const state = { at: ways[0] };
    const way = choice("ages-way", "Dealt", ["at their word", "by Global", "by ByClass", "by your own hand"], 0, () => {
      state.at = [...(ways[way.index] ?? state.at)];
      show();
    });
    const drawer = toggle("explore-ages-drawer", "Open the drawer with the true ages", show);
    const said = sentence(), moved = el("p", { class: "explore-hidden", role: "status" });
    const names = reports.map((report, i) => `${GROUPS[group[i]]} ${count(report)}`);
    const { chips, boxes, put, node } = sorting(names, dealing.intervals, (i) => state.at[i], (i, b) => {
      state.at = state.at.map((interval, j) => (j === i ? b : interval));
      way.index = BY_HAND;
      moved.textContent = `${names[i]} is now ${dealing.intervals[b]}.`;
      show();
    });
    place.stage.append(way.node, el("p", { class: "explore-help" },
      "A letter is the group, the number the report. Drag one to another interval, tap it for the next interval, or press an arrow key. ",
      "Below each interval: how many of each group lie there, and how many should."), node, said.node, moved, drawer.node);

    const countsOf = (at, c) => dealing.counts(at.filter((_, i) => group[i] === c));

    function show() {
      const { at } = state, gains = [at, truth].map((each) => dealing.gain(each, group, 1).toFixed(2));
      for (const [i, { node: chip, mark }] of chips.entries()) {
        const right = at[i] === truth[i], opened = drawer.on ? ` (${Math.floor(ages[i])}) ${right ? "✓" : "✗"}` : "";
        put(i, at[i]);
        mark.textContent = opened;
        chip.setAttribute("aria-label", `${names[i]}${opened}, Group ${GROUPS[group[i]]}, ${dealing.intervals[at[i]]}${
          drawer.on ? `, ${right ? "rightly" : "wrongly"}` : ""}`);
      }
      const wrong = [1, 0].filter((c) => String(countsOf(at, c)) !== String(countsOf(truth, c)));
      boxes.forEach(({ told }, b) => {
        told.textContent = [1, 0].map((c) => `Group ${GROUPS[c]}: ${countsOf(at, c)[b]}, should be ${countsOf(truth, c)[b]}`).join("; ");
      });
      said.say((wrong.length ? `The counts of Group ${wrong.map((c) => GROUPS[c]).join(" and of Group ")} are wrong. `
        : "Each group has the right count in each interval. ") +
        `A cut at 40 seems to gain ${gains[0]}; by the true ages it gains ${gains[1]}. ` + (drawer.on
        ? `${at.filter((b, i) => b === truth[i]).length} of the twelve lie in their own interval.`
        : "Who lies in her own interval, only the drawer knows."));
    }

    const { byclass, reported } = exploreAges.right;
    guess(place, "The bank takes each of its 10,000 reported ages at its word, and has so many customers in their own interval (young, " +
      "middle, old). Then ByClass deals the reports by its reconstructed counts. How many are in their own interval now?",
      ["many more", "about as many", "many fewer"],
      1, `about as many: ${percent(byclass)} by ByClass, ${percent(reported)} at their word. Dealing keeps the order of the reports, and cannot know ` +
        "whose noise was large. It puts the counts right, and the tree asks for nothing else. Below are the first twelve customers.", show);
  });
})();
