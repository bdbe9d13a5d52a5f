/* Chapter 11: the iteration, step by step, on reports that were drawn in this page. */

"use strict";

(() => {
  const { reconstruction: R, uniforms } = globalThis.explore;
  const { button, chart, choice, count, el, guess, legend, mount, percent, sentence, slider, toggle, widthOf } = globalThis.explorePage;
  const SHAPES = ["a plateau", "two triangles"], NOISES = ["uniform", "Gaussian"];
  const SLICE = 8; // milliseconds of steps between two frames

  mount(["fig-reconstruction-steps"], "reconstruction", "the reconstruction, step by step", (place) => {
    const state = { seed: 1, kept: [], stop: null, run: 0 };
    const shape = choice("explore-shape", "What is true", SHAPES, 0, anew);
    const noise = choice("explore-noise", "Noise", NOISES, 1, anew);
    const privacy = slider("explore-privacy", "Privacy at 95%", R.privacies, 1, (p) => `${percent(p)} of the range`, anew);
    const people = slider("explore-n", "People", R.people, 1, count, anew);
    const at = slider("explore-step", "Step of the iteration", R.steps, 0, (i) => `step ${count(i)}`, show);
    const smooth = toggle("explore-smooth", "Smooth after each step", false, anew);
    const toStop = button("Go to the paper's stop", () => { at.index = nearest(state.stop ?? R.steps.at(-1)); show(); });
    const said = sentence();
    const width = widthOf(place.root), narrow = width < 500;
    const ticks = narrow ? [0, 0.5, 1] : [-0.5, 0, 0.5, 1, 1.5];
    const main = chart({ width, height: narrow ? 240 : 260, x: [-0.6, 1.6], y: [0, 0.16], xTicks: ticks, yTicks: [0, 0.05, 0.1, 0.15],
      xLabel: "value", yLabel: "share", yText: (v) => v.toFixed(2) });
    const logs = R.steps.map((step) => Math.log10(step + 1));
    const beside = (yLabel, y, yTicks, yText) => chart({ width: narrow ? width : width / 2 - 6, height: 170, x: [0, logs.at(-1)], y, yTicks,
      xTicks: [0, 10, 100, 1000].map((v) => Math.log10(v + 1)), xText: (v) => count(10 ** v - 1), xLabel: "steps", yLabel, yText });
    const distance = beside("distance", [0, 0.6], [0, 0.2, 0.4, 0.6], (v) => v.toFixed(1));
    const likelihood = beside("likelihood", [0, 1], [], String);

    place.stage.append(
      el("div", { class: "explore-controls" }, shape.node, noise.node, privacy.node, people.node), at.node,
      el("div", { class: "explore-row" }, toStop, smooth.node, button("New draws", () => { state.seed += 1; anew(); })),
      main.node, legend(["quiet area", "truth"], ["disguised dash", "reports"], ["estimate", "estimate"]),
      el("div", { class: "explore-pair" }, distance.node, likelihood.node), said.node);

    const nearest = (step) => R.steps.reduce((best, s, i) => (Math.abs(s - step) < Math.abs(R.steps[best] - step) ? i : best), 0);

    /* New settings: count once, then iterate in slices, so that the page stays quick. */
    function anew() {
      const [form, kind] = [R.shapes[shape.index], R.noises[noise.index]];
      const run = { id: (state.run += 1), p: R.start(), step: 0, smooth: smooth.on };
      Object.assign(state, {
        form, kind, truth: R.truth(form), channel: R.channel(kind, privacy.value), added: R.added(kind, privacy.value),
        counts: R.counts(form, kind, privacy.value, uniforms(4 * people.value, state.seed)), kept: [], stop: null,
      });
      keep(run);
      slice(run);
    }

    function slice(run) {
      if (run.id !== state.run) return; // the settings have changed meanwhile
      const until = performance.now() + SLICE;
      while (run.step < R.steps.at(-1) && performance.now() < until) {
        const next = R.step(state.channel, state.counts, run.p, run.smooth);
        run.step += 1;
        if (state.stop === null && R.moved(run.p, next, people.value) < R.limit) state.stop = run.step;
        run.p = next;
        if (R.steps.includes(run.step)) keep(run);
      }
      show();
      if (run.step < R.steps.at(-1)) requestAnimationFrame(() => slice(run));
    }

    function keep({ p }) {
      state.kept.push({ p, far: R.distance(p, state.truth), fit: R.logLikelihood(state.channel, state.counts, p) });
    }

    function show() {
      const { kept, truth, counts, added, stop } = state;
      const here = Math.min(at.index, kept.length - 1), { p, far } = kept[here];
      const n = people.value, middle = (q) => (q + 0.5) / R.m;
      main.clear();
      main.bars(Array.from(truth), 0, 1 / R.m, "quiet area");
      const cells = Array.from(counts, (c, s) => [middle(s - added), Math.min(c / n, 0.155)]);
      main.path(cells.filter(([x], s) => s > 0 && s < counts.length - 1 && x > -0.6 && x < 1.6), "stroke disguised dash");
      main.path(Array.from(p, (share, q) => [middle(q), Math.min(share, 0.158)]), "stroke estimate thick");
      curve(distance, kept.map((each) => Math.min(each.far, 0.6)), here);
      const fits = kept.map((each) => each.fit), low = fits[0], high = Math.max(...fits);
      curve(likelihood, fits.map((fit) => (high > low ? 0.05 + 0.9 * (fit - low) / (high - low) : 0.05)), here);
      const best = kept.reduce((least, each, i) => (each.far < kept[least].far ? i : least), 0);
      const stopped = stop === null ? "The paper's rule has not stopped yet."
        : `The paper's rule stops after ${count(stop)} ${stop === 1 ? "step" : "steps"}.`;
      said.say(`After ${count(R.steps[here])} steps the estimate is ${far.toFixed(2)} from the truth. ${stopped} ` +
        `The best of the marked steps is ${count(R.steps[best])}, at ${kept[best].far.toFixed(2)}; ` +
        (R.steps[here] > 2 * R.steps[best] && far > kept[best].far + 0.02
          ? "since then the fit to the reports has improved and the estimate has got worse: it fits their chance."
          : smooth.on ? "smoothed, it settles, and the likelihood may even fall."
            : "the likelihood only ever rises, the distance need not fall."));
    }

    function curve(plot, values, here) {
      plot.clear();
      plot.path(values.map((v, i) => [logs[i], v]), "stroke estimate");
      if (state.stop !== null) plot.path([[Math.log10(state.stop + 1), 0], [Math.log10(state.stop + 1), 1e3]].map(([x, y]) => [x, Math.min(y, plot === distance ? 0.6 : 1)]), "stroke disguised dash");
      plot.path([[logs[here], 0], [logs[here], values[here]]], "stroke truth thick");
    }

    guess(place, "1,000 people, Gaussian noise. The iteration goes on to 2,000 steps, far past the paper's stop. " +
      "The likelihood rises with every step. Does the estimate come nearer to the truth?",
      ["it does, more and more", "it does, then stays", "it does, then moves away"],
      (i) => `${i === 2 ? "Right" : "It does not"}: it comes nearer, then moves away. Push the step to the right and watch.`, anew);
  });
})();
