/* Chapter 11: the iteration, step by step, on reports that were drawn in this page. */

"use strict";

(() => {
  const { reconstruction: R, uniforms } = explore;
  const { button, chart, choice, count, div, el, guess, inSteps, legend, mount, percent, sentence, slider, svg, toggle } = explorePage;
  const PART = 500; // so many people are counted at a time
  const SHARES = [[0, 0.05, 0.1, 0.15], [0, 0.1, 0.2, 0.3], [0, 0.2, 0.4, 0.6], [0, 0.25, 0.5, 0.75, 1]]; // ticks; the first that hold all

  mount("try-it-the-reconstruction", "reconstruction", (place) => {
    const state = { seed: 1, kept: [], stop: null }, anew = inSteps(iterate);
    const shape = choice("shape", "What is true", ["a plateau", "two triangles"], 0, anew);
    const noise = choice("noise", "Noise", ["uniform", "Gaussian"], 1, anew);
    const privacy = slider("privacy", "Privacy at 95%", R.privacies, 1, (p) => `${percent(p)} of the range`, anew);
    const people = slider("n", "People", R.people, 1, count, anew);
    const at = slider("step", "Step of the iteration", R.steps, 0, (i) => `step ${count(i)}`, show);
    const smooth = toggle("explore-smooth", "Smooth after each step", anew);
    const toStop = button("Go to the paper's stop", () => { at.index = nearest(state.stop ?? R.steps.at(-1)); show(); });
    const said = sentence();
    const logs = R.steps.map((step) => Math.log10(step + 1));
    const above = el("div"), below = div("pair");
    let main, distance, likelihood;

    place.stage.append(
      div("controls", shape.node, noise.node, privacy.node, people.node), at.node,
      div("row", toStop, smooth.node, button("New draws", () => { state.seed += 1; anew(); })),
      above, legend(["quiet area", "truth"], ["disguised dash", "reports (arrow: so many lie beyond); below: the paper's stop"], ["estimate", "estimate"],
        ["truth", "below: this step"]),
      below, said.node);

    /* As high as the largest share that is shown. */
    function framed(most) {
      const { width } = state, narrow = width < 500, yTicks = SHARES.find((ticks) => ticks.at(-1) + 0.01 >= most);
      const top = yTicks.at(-1) + 0.01;
      if (main?.top === top) return main.clear();
      main = chart({ width, height: narrow ? 240 : 260, x: [-0.6, 1.6], y: [0, top], xTicks: narrow ? [0, 0.5, 1] : [-0.5, 0, 0.5, 1, 1.5],
        yTicks, xLabel: "value", yLabel: "share", yText: (v) => v.toFixed(2) });
      above.replaceChildren(main.node);
    }

    function lay(width) {
      Object.assign(state, { width });
      const narrow = width < 500, half = narrow ? width : width / 2 - 6;
      const beside = (yLabel, y, yTicks, yText) => chart({ width: half, height: 170, x: [0, logs.at(-1)], y, yTicks,
        xTicks: [0, 10, 100, 1000].map((v) => Math.log10(v + 1)), xText: (v) => count(10 ** v - 1), xLabel: "steps", yLabel, yText });
      main = undefined;
      framed(0);
      distance = beside("distance", [0, 1], [0, 0.25, 0.5, 0.75, 1], (v) => v.toFixed(2));
      likelihood = beside("likelihood", [0, 1], []);
      below.replaceChildren(distance.node, likelihood.node);
      (state.kept.length ? show : anew)();
    }

    const least = (list) => list.indexOf(Math.min(...list));
    const nearest = (step) => least(R.steps.map((s) => Math.abs(s - step)));

    /* New settings: count once, then iterate, in steps. What was shown stays until there is something new. */
    function* iterate() {
      const form = R.shapes[shape.index], kind = R.noises[noise.index], width = privacy.value, n = people.value;
      const truth = R.truth(form), channel = R.channel(kind, width), counts = new Float64Array(channel.length), kept = [];
      for (let i = 0; i < n; i += PART) {
        yield;
        const draws = uniforms(4 * Math.min(n, i + PART), state.seed).subarray(4 * i);
        R.counts(form, kind, width, draws).forEach((c, s) => { counts[s] += c; });
      }
      Object.assign(state, { n, truth, counts, kept, stop: null, added: R.added(kind, width) });
      for (let p = R.start(), step = 0; ; step++) {
        if (R.steps.includes(step)) {
          kept.push({ p, far: R.distance(p, truth), fit: R.logLikelihood(channel, counts, p) });
          yield;
          yield show();
        }
        if (step === R.steps.at(-1)) return;
        const next = R.step(channel, counts, p, smooth.on);
        if (state.stop === null && R.moved(p, next, n) < R.limit) state.stop = step + 1;
        p = next;
        yield;
      }
    }

    function show() {
      const { kept, truth, counts, added, stop, n } = state;
      if (!kept.length) return; // still counting
      const here = Math.min(at.index, kept.length - 1), { p, far } = kept[here];
      const middle = (q) => (q + 0.5) / R.m;
      const cells = Array.from(counts, (c, s) => [middle(s - added), c / n]), seen = cells.filter(([x]) => x > -0.6 && x < 1.6);
      framed(Math.max(...p, ...truth, ...seen.map(([, share]) => share)));
      main.path(truth.flatMap((share, q) => [[q, 0], [q, share], [q + 1, share], [q + 1, 0]].map(([x, y]) => [x / R.m, y])), "quiet area");
      main.path(seen, "stroke disguised dash");
      beyond(cells.filter(([x]) => x <= -0.6), -0.48, (share) => `← ${share}`);
      beyond(cells.filter(([x]) => x >= 1.6), 1.48, (share) => `${share} →`);
      main.path(Array.from(p, (share, q) => [middle(q), share]), "stroke estimate thick");
      curve(distance, kept.map((each) => each.far), here);
      const fits = kept.map((each) => each.fit), low = fits[0], high = Math.max(...fits);
      curve(likelihood, fits.map((fit) => (high > low ? 0.05 + 0.9 * (fit - low) / (high - low) : 0.05)), here);
      const best = least(kept.map((each) => each.far));
      const stopped = stop === null ? "The paper's rule has not stopped yet."
        : `The paper's rule stops at step ${count(stop)}; near it the distance is ${kept[nearest(stop)]?.far.toFixed(2)}.`;
      said.say(`At step ${count(R.steps[here])} the estimate is ${far.toFixed(2)} from the truth. ${stopped} ` +
        `The best of the marked steps is ${count(R.steps[best])}, at ${kept[best].far.toFixed(2)}; ` +
        (R.steps[here] > 2 * R.steps[best] && far > kept[best].far + 0.01
          ? "since then the fit to the reports has improved and the estimate has got worse: it fits their chance."
          : smooth.on ? "smoothed, it settles, and the likelihood may even fall."
            : "the likelihood only ever rises, the distance need not fall."));
    }

    /* How many reports lie where the chart has ended. */
    function beyond(cells, x, say) {
      const share = cells.reduce((all, [, each]) => all + each, 0);
      if (share) main.inside.append(svg("text", { x: main.X(x), y: main.Y(0) - 8, class: "fill disguised" }, say(percent(share, 1))));
    }

    function curve(plot, values, here) {
      plot.clear();
      plot.path(values.map((v, i) => [logs[i], v]), "stroke estimate");
      if (state.stop !== null) plot.path([0, plot.top].map((y) => [Math.log10(state.stop + 1), y]), "stroke disguised dash");
      plot.path([[logs[here], 0], [logs[here], values[here]]], "stroke truth thick");
    }

    guess(place, "1,000 people, Gaussian noise. The iteration goes on to 2,000 steps, far past the paper's stop. " +
      "The likelihood rises with every step. Does the estimate come nearer to the truth?",
      ["it does, more and more", "it does, then stays", "it does, then moves away"],
      2, "it comes nearer, then moves away. Push the step to the right and watch.", lay);
  });
})();
