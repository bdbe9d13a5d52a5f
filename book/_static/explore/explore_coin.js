/* The tour: a crowd answers one question with a coin; what the pollster concludes, and what of you. */

"use strict";

(() => {
  const { coin, uniforms } = explore;
  const { button, canvas, choice, count, div, el, guess, inSteps, legend, mount, percent, sentence, set, slider, svg } = explorePage;
  const DOTS = 400; // at most so many people are drawn

  mount("try-it-the-coin", "coin", (place) => {
    const state = { seed: 1, piles: [[], []] }, change = inSteps(play);
    const theta = slider("coin-theta", "Theta: the coin tells the truth", coin.thetas, 3, percent, change);
    const people = slider("coin-people", "People asked", coin.people, 2, count, change);
    const share = slider("coin-share", "Share who would say yes", coin.shares, 4, percent, change);
    const you = choice("coin-you", "What your own coin made you report", ["no", "yes"], 1, change);
    const said = sentence(), own = el("p", { class: "explore-own" });
    const crowd = canvas(), scale = canvas();
    const dots = Array.from({ length: DOTS }, () => svg("circle"));
    const titles = ["they report no", "they report yes"].map((words) => svg("text", { y: 16 }, words));
    crowd.append(...titles, ...dots);

    place.stage.append(
      div("controls", theta.node, people.node, share.node),
      crowd, legend(["estimate", `told the truth (at most ${DOTS} are drawn)`], ["disguised dot-hollow", "told the opposite"], ["truth dash", "the truth, below"]),
      scale, said.node, you.node, own,
      div("row", button("New coins", () => { state.seed += 1; change(); })));

    function lay(width) {
      const step = width < 500 ? 8 : 10, columns = Math.floor(width / 2 / step) - 2;
      Object.assign(state, { width, step, columns, height: 36 + step * Math.ceil(DOTS / columns), drawn: [] });
      set(crowd, { viewBox: `0 0 ${width} ${state.height}` });
      set(scale, { viewBox: `0 0 ${width} 74` });
      dots.forEach((dot) => set(dot, { r: width < 500 ? 3 : 4 }));
      titles.forEach((title, i) => set(title, { x: width * (0.25 + i / 2) }));
      change();
    }

    function* play() {
      const n = people.value, { bits, reports } = coin.play(share.value, theta.value, uniforms(2 * n, state.seed));
      const ones = reports.filter(Boolean).length;
      const { share: found, error } = coin.estimate(ones, n, theta.value);
      const truth = bits.filter(Boolean).length / n;
      yield;
      yield* fall(bits, reports);
      drawScale(truth, ones / n, found, error);
      yield;
      said.say(`${count(ones)} of ${count(n)} report yes, ${percent(ones / n, 1)}. Undone, the estimate is ${percent(found, 1)}, ` +
        `with a standard error of ${percent(error, 1)}; of these ${count(n)}, drawn by lot, ${percent(truth, 1)} would say yes. ` +
        `For the same error without a coin ${count(n / coin.times(share.value, theta.value))} people would do.`);
      const report = you.index, after = coin.belief(share.value, theta.value, report);
      own.textContent = `You report ${report ? "yes" : "no"}. Before, a stranger held your yes for ${percent(share.value)} likely; ` +
        `now for ${percent(after, 1)}. Whatever anybody believed of you, the odds change by a factor of at most ` +
        `${ppdm.atMost(Math.exp(coin.epsilon(theta.value)))}.`;
    }

    /* A hollow dot told the opposite of what it reports. Who leaves a pile is replaced from its top, where those
       who come are laid first: few dots move, and only they are touched. */
    function* fall(bits, reports) {
      const { width, height, step, columns, drawn } = state;
      state.piles = state.piles.map((pile, side) => {
        const here = new Set([...dots.keys()].filter((i) => reports[i] === side));
        const all = pile.map((i) => (here.delete(i) ? i : -1)).concat(...here);
        const n = all.filter((i) => i >= 0).length, top = all.slice(n).filter((i) => i >= 0);
        return all.slice(0, n).map((i) => (i < 0 ? top.pop() : i));
      });
      const put = (i, role, cx, cy, display = "") => {
        const key = `${role} ${cx} ${cy}`;
        if (drawn[i] !== key) set(dots[i], { class: role, cx, cy, display });
        drawn[i] = key;
      };
      for (let i = bits.length; i < DOTS; i++) {
        put(i, "", 0, 0, "none");
        if (i % 50 === 0) yield;
      }
      for (const [side, pile] of state.piles.entries()) {
        for (const [place, i] of pile.entries()) {
          const x = side * width / 2 + 1.5 * step + (place % columns) * step, y = height - 8 - Math.floor(place / columns) * step;
          put(i, bits[i] === reports[i] ? "fill estimate" : "hollow disguised", x, y);
          if (place % 50 === 0) yield;
        }
      }
    }

    function drawScale(truth, naive, found, error) {
      const { width } = state;
      const X = (v) => 16 + Math.min(1.1, Math.max(-0.1, v) + 0.1) / 1.2 * (width - 32);
      const text = (v, y, words, rest) => svg("text", { x: X(v), y, ...rest }, words);
      const mark = (v, role, words, y) => [
        svg("line", { class: `stroke ${role}`, x1: X(v), x2: X(v), y1: 26, y2: 46 }),
        text(v, y, v > 1.1 ? `${words} →` : v < -0.1 ? `← ${words}` : words, { class: `fill ${role}` })];
      scale.replaceChildren(
        svg("path", { class: "axis", d: `M${X(0)},36H${X(1)}` }),
        text(0, 56, "0%"), text(1, 56, "100%"),
        svg("line", { class: "stroke thick estimate", x1: X(found - 2 * error), x2: X(found + 2 * error), y1: 36, y2: 36 }),
        ...mark(found, "estimate", "estimate", 12), ...mark(naive, "disguised", "counted as it came", 70),
        svg("line", { class: "stroke truth dashed", x1: X(truth), x2: X(truth), y1: 18, y2: 54 }));
    }

    guess(place, "Theta is 70%, and 40% of 424 people would say yes. How many will report yes?",
      ["about 40%", "about 46%", "about 58%"],
      1, "of those who would say yes seven in ten report it, and of the others three in ten: " +
        "0.4 × 0.7 + 0.6 × 0.3 is 46%.", lay);
  });
})();
