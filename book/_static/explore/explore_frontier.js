/* Chapter 52: the stored comparison, by data set, scale and trust. */

"use strict";

(() => {
  const { columns, sets } = exploreFrontier;
  const { chart, choice, div, el, guess, inSteps, mount, percent, svg } = explorePage;
  const DATA = [["voting", "Voting"], ["wisconsin", "Wisconsin"], ["adult_midrange", "Adult, midrange"], ["adult_median", "Adult, medians"],
    ["pima", "Pima"], ["f2", "F2"]];
  const SCALES = [["pool", "I/H, pool"], ["product", "I/H, product"], ["attack", "attack's gain"], ["epsilon", "epsilon of the record (each step ten times)"]];
  const TRUST = [["nobody", "nobody"], ["curator", "a curator"]];
  const LINES = { clear: "truth", "larger class": "quiet", volunteers: "adversary", "tree on clear records": "other" };
  const CHAPTERS = [ // the first that fits
    [/trees/, "14_trees_that_remember"], [/Square/, "13_successors"], [/asked/, "22_ask_some"], [/private/, "42_private_generator"], [/noise/, "10_value_distortion"],
    [/group/, "21_groups_of_answers"], [/guided/, "30_guided_perturbation"], [/SVD|invented/, "40_sample_generation"],
    [/coin|k-ary|unary/, "20_one_coin_per_record"], [/./, "52_one_frontier"],
  ];
  const ROLES = ["estimate", "other", "quiet", "adversary", "truth", "disguised"];
  const INFINITE = 1000; // where no finite epsilon is drawn: one step behind a hundred

  mount("try-it-the-frontier", "frontier", (place) => {
    const change = inSteps(redraw), words = (list) => list.map(([, text]) => text);
    const data = choice("data", "Data set", words(DATA), 0, change);
    const scale = choice("scale", "Told, measured by", words(SCALES), 0, change);
    const trust = choice("trust", "Whom providers trust", words(TRUST), 0, change);
    const point = el("select", { id: "explore-point" });
    const told = el("p", { class: "explore-said", role: "status" });
    const keys = el("p", { class: "explore-legend" }), holder = el("div");
    point.addEventListener("change", tell);
    place.stage.append(div("controls", data.node, scale.node, trust.node), holder, keys,
      el("p", {}, el("label", { for: "explore-point" }, "A point: "), point), told);
    let shown = [], width;

    const rowsOf = () => sets[DATA[data.index][0]].map((row) => Object.fromEntries(columns.map((name, i) => [name, row[i]])));

    /* In steps; what is shown stays until the last. */
    function* redraw() {
      const [key, name] = SCALES[scale.index], rows = rowsOf(), log = key === "epsilon";
      const points = rows.filter((row) => !(row.scheme in LINES) && row.trust === TRUST[trust.index][0] && row[key] !== null);
      const x = (row) => (log ? Math.log10(Math.max(row[key] === "inf" ? INFINITE : row[key], 0.01)) : row[key]);
      const low = Math.floor(10 * Math.min(...rows.map((row) => row.accuracy - row.sd))) / 10;
      const end = Math.log10(INFINITE), range = log ? [-1.2, end + 0.1] : [-0.03, 1.05];
      const plot = chart({ width, height: 330, x: range, y: [low, 1],
        xTicks: log ? [-1, 0, 1, 2, end] : [0, 0.25, 0.5, 0.75, 1], yTicks: Array.from({ length: Math.round(11 - 10 * low) }, (_, i) => low + i / 10),
        xText: (v) => (!log ? v : v === end ? "∞" : 10 ** v), yText: percent, xLabel: name, yLabel: "accuracy" });
      const entry = (role, sign, scheme) => el("span", { class: `key ${role}` }, `${sign} ${scheme}`);
      const lines = rows.filter(({ scheme }) => scheme in LINES).map(({ scheme, accuracy }) => {
        const role = LINES[scheme], clear = scheme === "clear";
        plot.path(range.map((end) => [end, accuracy]), `stroke thin ${role}${clear ? "" : " dash"}`);
        return entry(role, clear ? "—" : "- -", scheme);
      });
      const schemes = [...new Set(points.map(({ scheme }) => scheme))], options = [];
      for (const [s, scheme] of schemes.entries()) {
        yield;
        const own = points.filter((row) => row.scheme === scheme);
        options.push(el("optgroup", { label: scheme },
          ...own.map((row) => el("option", { value: points.indexOf(row) }, `${scheme}, ${setting(row)}`))));
        curve(plot, own.sort((a, b) => x(a) - x(b)), x, s);
      }
      keys.replaceChildren(...schemes.map((scheme, s) => entry(ROLES[s % 6], SIGNS[s % 9], scheme)), ...lines);
      yield;
      shown = points;
      holder.replaceChildren(plot.node);
      point.replaceChildren(...options);
      yield;
      tell();
    }

    const SIGNS = ["●", "■", "▲", "◆", "▼", "○", "□", "△", "◇"];

    function curve(plot, rows, x, s) {
      const role = ROLES[s % 6];
      plot.path(rows.map((row) => [x(row), row.accuracy]), `stroke thin ${role}`);
      rows.forEach((row) => {
        plot.path([[x(row), row.accuracy - row.sd], [x(row), row.accuracy + row.sd]], `stroke ${role}`);
        const mark = svg("text", { x: plot.X(x(row)), y: plot.Y(row.accuracy) + 5, class: `fill mark ${role}` }, SIGNS[s % 9]);
        mark.addEventListener("press", () => { point.value = shown.indexOf(row); tell(); });
        plot.inside.append(mark);
      });
    }

    function setting({ scheme, setting: value }) {
      if (/guided/.test(scheme)) return `k = ${value}`;
      if (/SSVD/.test(scheme)) return `sparsity ${value}`;
      if (/BSVD/.test(scheme)) return `rank ${value}`;
      if (/noise/.test(scheme)) return `privacy ${percent(value)} of the range`;
      if (/unary|Square/.test(scheme)) return `epsilon ${value} an attribute`;
      if (/central|asked|private/.test(scheme)) return `epsilon ${value} a record`;
      return /invented/.test(scheme) ? "as many as there are" : `theta ${value}`;
    }

    function tell() {
      const row = shown[point.value];
      if (!row) { told.textContent = "No scheme of this kind has a number on this scale."; return; }
      const rows = rowsOf(), of = (scheme) => percent(rows.find((each) => each.scheme === scheme).accuracy, 1);
      const [, page] = CHAPTERS.find(([pattern]) => pattern.test(row.scheme));
      const [key, name] = SCALES[scale.index], value = row[key] === "inf" ? "infinite" : row[key];
      const tree = /trees/.test(row.scheme) ? `a tree on clear data ${of("tree on clear records")}, ` : "";
      told.replaceChildren(`${row.scheme}, ${setting(row)}: ${percent(row.accuracy, 1)} right (sd ${percent(row.sd, 1)} over ${row.n} seeds), ` +
        `${name} ${value}. Clear data give ${of("clear")}, ${tree}fifty volunteers ${of("volunteers")}, ` +
        `the larger class ${of("larger class")}. `, el("a", { href: `${page}.html` }, `Chapter ${page.replaceAll("_", " ")}`));
    }

    guess(place, "On Voting, who trusts nobody can have a coin for each vote, or guidance with few directions. Which has the higher accuracy where little is told?",
      ["guidance", "the coin", "no difference"],
      1, "on Voting the coin is ahead wherever both have a point, and guidance with k = 1 falls below the larger class. On F2 guidance with k = 2 is a little ahead.", (now) => { width = now; change(); });
  });
})();
