/* The tour: a crowd answers one question with a coin; what the pollster concludes, and what of you. */

"use strict";

(() => {
  const { coin, uniforms } = explore;
  const { button, canvas, choice, count, el, guess, legend, mount, percent, sentence, slider, svg } = explorePage;
  const DOTS = 400; // at most so many people are drawn

  mount(["fig-tour-evenings"], "coin", "the coin", (place) => {
    const state = { seed: 1, drawn: [] };
    const theta = slider("explore-coin-theta", "Theta: the coin tells the truth", coin.thetas, 3, percent, change);
    const people = slider("explore-coin-people", "People asked", coin.people, 2, count, change);
    const share = slider("explore-coin-share", "Share who would say yes", coin.shares, 4, percent, change);
    const you = choice("explore-coin-you", "What your own coin made you report", ["no", "yes"], 1, change);
    const said = sentence(), own = el("p", { class: "explore-own" });
    const crowd = canvas(), scale = canvas();
    const dots = Array.from({ length: DOTS }, () => svg("circle"));
    const titles = ["they report no", "they report yes"].map((words) => svg("text", { y: 16 }, words));
    crowd.append(...titles, ...dots);

    place.stage.append(
      el("div", { class: "explore-controls" }, theta.node, people.node, share.node),
      crowd, legend(["estimate", `told the truth (at most ${DOTS} are drawn)`], ["disguised dot-hollow", "told the opposite"], ["truth dash", "the truth, below"]),
      scale, said.node, you.node, own,
      el("div", { class: "explore-row" }, button("New coins", () => { state.seed += 1; change(); })));

    function lay(width) {
      Object.assign(state, { width, height: width < 500 ? 300 : 250, drawn: [] });
      crowd.setAttribute("viewBox", `0 0 ${width} ${state.height}`);
      scale.setAttribute("viewBox", `0 0 ${width} 74`);
      dots.forEach((dot) => dot.setAttribute("r", width < 500 ? 3 : 4));
      titles.forEach((title, i) => title.setAttribute("x", width * (0.25 + i / 2)));
      change();
    }

    function change() {
      const n = people.value, draws = uniforms(2 * n, state.seed);
      const { bits, reports } = coin.play(share.value, theta.value, draws.subarray(0, n), draws.subarray(n));
      const ones = reports.reduce((sum, r) => sum + r, 0);
      const { share: found, error } = coin.estimate(ones, n, theta.value);
      const truth = bits.reduce((sum, b) => sum + b, 0) / n;
      fall(bits, reports);
      drawScale(truth, ones / n, found, error);
      said.say(`${count(ones)} of ${count(n)} report yes, ${percent(ones / n, 1)}. Undone, the estimate is ${percent(found, 1)}, ` +
        `with a standard error of ${percent(error, 1)}; of these ${count(n)}, drawn by lot, ${percent(truth, 1)} would say yes. ` +
        `For the same error without a coin ${count(n / coin.times(share.value, theta.value))} people would do.`);
      const report = you.index, after = coin.belief(share.value, theta.value, report);
      own.textContent = `You report ${report ? "yes" : "no"}. Before, a stranger held your yes for ${percent(share.value)} likely; ` +
        `now for ${percent(after, 1)}. Epsilon is ${coin.epsilon(theta.value).toFixed(3)}: whatever anybody believed of you, the ` +
        `odds change by a factor of at most ${Math.exp(coin.epsilon(theta.value)).toFixed(2)}.`;
    }

    /* Each coin falls to the side that is reported; a hollow dot told the opposite. Only a dot that is not
       yet drawn like that is touched. */
    function fall(bits, reports) {
      const { width, height, drawn } = state, filled = [0, 0];
      const step = width < 500 ? 8 : 10, columns = Math.floor(width / 2 / step) - 2;
      dots.forEach((dot, i) => {
        const side = reports[i], place = filled[side]++;
        const x = side * width / 2 + step + (place % columns) * step + step / 2;
        const y = height - 8 - Math.floor(place / columns) * step;
        const role = bits[i] === reports[i] ? "fill estimate" : "hollow disguised";
        const style = i < bits.length ? `transform: translate(${x.toFixed(1)}px, ${y}px)` : "display: none";
        if (drawn[i] === role + style) return;
        drawn[i] = role + style;
        dot.setAttribute("class", role);
        dot.setAttribute("style", style);
      });
    }

    function drawScale(truth, naive, found, error) {
      const { width } = state;
      const X = (v) => 16 + Math.min(1.1, Math.max(-0.1, v) + 0.1) / 1.2 * (width - 32);
      const text = (v, y, words, rest) => svg("text", { x: X(v), y, ...rest }, words);
      const mark = (v, role, words, y) => [
        svg("line", { class: `stroke ${role}`, x1: X(v), x2: X(v), y1: 26, y2: 46 }),
        text(v, y, words, { class: `fill ${role}` })];
      scale.replaceChildren(
        svg("path", { class: "axis", d: `M${X(0)},36H${X(1)}` }),
        text(0, 56, "0%"), text(1, 56, "100%"),
        svg("line", { class: "stroke thick estimate", x1: X(found - 2 * error), x2: X(found + 2 * error), y1: 36, y2: 36 }),
        ...mark(found, "estimate", "estimate", 12), ...mark(naive, "disguised", "counted as it came", 70),
        svg("line", { class: "stroke truth dashed", x1: X(truth), x2: X(truth), y1: 18, y2: 54 }));
    }

    guess(place, "Theta is 70%, and 40% of 424 people would say yes. How many will report yes?",
      ["about 40%", "about 46%", "about 58%"],
      (i) => `${i === 1 ? "Right" : "Not quite"}: of those who would say yes seven in ten report it, and of the others three in ten: ` +
        "0.4 × 0.7 + 0.6 × 0.3 is 46%.", lay);
  });
})();
