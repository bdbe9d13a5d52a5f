/* Chapter 41: a table is published in one of four ways, and the paper's five measures judge it. */

"use strict";

(() => {
  const { measures, uniforms } = explore;
  const { button, chart, choice, div, el, guess, mount, sentence } = explorePage;
  const { names, rows } = exploreWomen;
  const GLUCOSE = names.indexOf("glucose");
  const WAYS = { // what is published, and how it is read back
    shuffled: ["the rows in another order", "all ten records stand in the table as they are"],
    flipped: ["1000 − x for each value x", "whoever subtracts from 1000 reads all ten records"],
    doubled: ["2x for each value x", "whoever halves reads all ten records"],
    nowhere: ["numbers from nowhere", "no record can be read from it"],
  };

  mount("try-it-a-table", "release", (place) => {
    const state = { seed: 1, width: 300 };
    const way = choice("release-way", "Published", measures.releases.map((name) => WAYS[name][0]), 0, show);
    const figures = el("dl", { class: "explore-figures" }), holder = el("div"), said = sentence();
    place.stage.append(way.node, figures, holder,
      el("p", { class: "explore-help" }, "Lines: the ten women, from the rank of her glucose in the data to the rank of what is published in her row."),
      said.node, div("row", button("Draw anew", () => { state.seed += 1; show(); })));

    function show() {
      const name = measures.releases[way.index], published = measures.release(name, rows, uniforms(rows.length * names.length, state.seed));
      const found = measures.of(rows, published), hidden = measures.private(found);
      figures.replaceChildren(...measures.names.flatMap((measure, i) => [el("dt", {}, measure),
        el("dd", {}, `${found[i].toFixed(2)}: ${hidden[i] ? "more private" : "as in the data"}`)]));
      const plot = chart({ width: state.width, height: 240, x: [-0.1, 1.1], y: [0.5, 10.5], xTicks: [0, 1], yTicks: [1, 5, 10],
        xText: (v) => (v ? "published" : "data"), xLabel: "", yLabel: "rank of glucose" });
      const [from, to] = [rows, published].map((table) => measures.ranks(table.map((row) => row[GLUCOSE])));
      from.forEach((rank, i) => plot.path([[0, rank + 1], [1, to[i] + 1]], "stroke estimate"));
      holder.replaceChildren(plot.node);
      const raised = measures.names.filter((_, i) => hidden[i]), [what, read] = WAYS[name];
      said.say(`Published: ${what}. ${raised.length === 5 ? "All five measures call" : raised.length === 1 ? `Only ${raised[0]} calls`
        : `${raised.slice(0, -1).join(", ")} and ${raised.at(-1)} call`} this more private than the data themselves, and ${read}.`);
    }

    guess(place, "Publish the ten women's records, all eight attributes, in another order. Which of the five measures call this " +
      "more private than the data as they are?",
      ["none", "VD, RP and RK", "all five"],
      1, "VD, RP and RK compare row with row, and a row is another woman's now. CP and CK compare the means of the columns, which do " +
        "not depend on the order.", (width) => { state.width = width; show(); });
  });
})();
