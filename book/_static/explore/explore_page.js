/* What all explorables are made of: a section below the chapter's figure, a guess before the picture,
   sliders, a chart, and one sentence that says in words what the picture shows. */

"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const SLICE = 4; // milliseconds of work a frame

  function set(node, attributes, children = []) {
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    node.append(...children);
    return node;
  }

  const el = (tag, attributes = {}, ...children) => set(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) => set(document.createElementNS(SVG, tag), attributes, children);

  const div = (name, ...children) => el("div", { class: `explore-${name}` }, ...children);

  /* Where charts are drawn. What it shows is said in the sentence, so it is hidden from whoever listens. */
  const canvas = (attributes = {}) => svg("svg", { "aria-hidden": "true", class: "explore-chart", ...attributes });

  /* Put an explorable at the end of the section of this id, whose heading and text lead to it; or in the
     place of a line for whoever has no scripts. */
  function mount(id, name, build) {
    document.addEventListener("DOMContentLoaded", () => {
      const place = document.getElementById(id);
      if (!place) return;
      const heading = place.closest("section").querySelector("h2, h3").firstChild.textContent;
      const root = el("section", { class: "explore", id: `explore-${name}`, "aria-label": heading }), stage = div("stage");
      if (place.matches("section")) place.append(root);
      else place.replaceWith(root);
      build({ root, stage, name });
    });
  }

  /* Ask before anything is shown. `answers` are the choices, of which the one at `right` holds, and `why` says why.
     Then `reveal(width)` draws, and again whenever the section has become wider or narrower. */
  function guess({ root, stage, name }, question, answers, right, why, reveal) {
    const verdict = el("p", { class: "explore-verdict", role: "status" });
    const buttons = answers.map((answer, i) => button(answer, () => {
      buttons.forEach((other, j) => set(other, { "aria-pressed": i === j }));
      verdict.textContent = `${i === right ? "Right" : "No"}: ${why}`;
      verdict.classList.toggle("explore-wrong", i !== right);
      if (!stage.hidden) return;
      stage.hidden = false;
      follow(root, reveal);
    }));
    stage.hidden = true;
    root.append(el("div", { class: "explore-guess", role: "group", "aria-labelledby": `explore-${name}-guess` },
      el("p", { id: `explore-${name}-guess` }, el("b", {}, "First a guess. "), question),
      div("row", ...buttons)), verdict, stage);
  }

  /* Phones get a chart of their own shape, in which the same type can be read. */
  function follow(root, draw) {
    let width = 0;
    const fit = () => {
      const now = Math.min(680, Math.max(300, root.clientWidth - 24));
      if (root.clientWidth && now !== width) draw(width = now);
    };
    fit();
    new ResizeObserver(() => requestAnimationFrame(fit)).observe(root);
  }

  /* Do a generator's work in slices of some milliseconds a frame: the page stays quick. Begun anew, it leaves the rest. */
  function inSteps(steps) {
    let current;
    return () => {
      const work = current = steps();
      const slice = () => {
        const until = performance.now() + SLICE;
        while (work === current && !work.next().done) {
          if (performance.now() > until) return requestAnimationFrame(slice);
        }
      };
      requestAnimationFrame(slice);
    };
  }

  /* A slider over given stops; `say` turns a stop into words. */
  function slider(name, label, stops, at, say, change) {
    const id = `explore-${name}`;
    const input = el("input", { type: "range", id, min: 0, max: stops.length - 1, step: 1, value: at });
    const output = el("output", { for: id });
    const show = () => {
      output.textContent = say(stops[input.value]);
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => { show(); change(); });
    show();
    return {
      node: div("slider", el("label", { for: id }, label), input, output),
      get value() { return stops[input.value]; },
      set index(i) { input.value = i; show(); },
      get index() { return Number(input.value); },
    };
  }

  /* A choice of few words, as radio buttons. */
  function choice(name, legend, words, at, change) {
    const inputs = words.map(() => el("input", { type: "radio", name: `explore-${name}` }));
    const node = el("fieldset", { class: "explore-choice" }, el("legend", {}, legend),
      ...inputs.map((input, i) => el("label", {}, input, words[i])));
    inputs[at].checked = true;
    node.addEventListener("change", change);
    return {
      node,
      get index() { return inputs.findIndex((input) => input.checked); },
      set index(i) { inputs[i].checked = true; },
    };
  }

  function toggle(id, label, change) {
    const input = el("input", { type: "checkbox", id });
    input.addEventListener("change", change);
    return {
      node: el("label", { class: "explore-toggle" }, input, label),
      get on() { return input.checked; },
      set on(on) { input.checked = on; },
    };
  }

  function button(label, action) {
    const node = el("button", { type: "button" }, label);
    node.addEventListener("press", action);
    return node;
  }

  /* Chips in boxes, in their own order. One is dragged to another box, moved by arrow keys, or on to the next box by a tap.
     `at` says where a chip lies, or nothing where none may be moved; `move` is asked to lay it elsewhere. */
  function sorting(names, boxNames, at, move) {
    const chips = names.map((name, j) => {
      const mark = el("span", { class: "explore-mark" }), last = boxNames.length - 1;
      const node = el("button", { type: "button", class: "explore-chip", draggable: "true" }, name, mark);
      const to = (b) => { move(j, b); node.focus(); }; // it has been put elsewhere
      node.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
        if (!by || at(j) === undefined) return;
        event.preventDefault();
        to(Math.min(last, Math.max(0, at(j) + by)));
      });
      node.addEventListener("press", () => { if (at(j) !== undefined) to(at(j) < last ? at(j) + 1 : 0); });
      node.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", String(j)));
      return { node, mark };
    });
    const boxes = boxNames.map((name, b) => {
      const list = div("chips"), told = el("p", { class: "explore-help" });
      const node = el("div", { class: "explore-box", role: "group", "aria-label": name }, el("p", {}, el("b", {}, name)), list, told);
      node.addEventListener("dragover", (event) => event.preventDefault());
      node.addEventListener("drop", (event) => {
        event.preventDefault();
        const j = Number(event.dataTransfer.getData("text/plain"));
        if (chips[j] && at(j) !== undefined) move(j, b);
      });
      return { node, list, told };
    });
    const put = (j, b) => {
      const { list } = boxes[b], { node } = chips[j];
      if (node.parentNode === list) return;
      list.insertBefore(node, chips.slice(j + 1).find((other) => other.node.parentNode === list)?.node ?? null);
    };
    return { chips, boxes, put, node: div("boxes", ...boxes.map(({ node }) => node)) };
  }

  /* The theme searches the whole page a dozen times at a click. It hears of none in here, unless a menu is open; who waits
     for one hears "press". What a click does by itself it still does. */
  let menus;
  addEventListener("click", (event) => {
    const { target } = event;
    if (!target.closest?.(".explore")) return;
    menus ??= [...document.querySelectorAll(".dropdown-menu")];
    if (!menus.some((menu) => menu.matches(".show"))) event.stopPropagation();
    target.dispatchEvent(new Event("press", { bubbles: true }));
  }, true);

  /* The sentence; it waits a moment, so that a moving slider is not read out at every stop. */
  function sentence() {
    const node = el("p", { class: "explore-said", role: "status" });
    let timer;
    return {
      node,
      say(text) {
        clearTimeout(timer);
        timer = setTimeout(() => { node.textContent = text; }, 150);
      },
    };
  }

  /* A chart with axes in units of the data; its inside is drawn anew by `clear`. */
  function chart({ width, height, x, y, xTicks, yTicks, xLabel, yLabel, xText = String, yText = String }) {
    const left = 52, top = 10, right = width - 10, bottom = height - 42;
    const X = (v) => left + ((v - x[0]) / (x[1] - x[0])) * (right - left);
    const Y = (v) => bottom - ((v - y[0]) / (y[1] - y[0])) * (bottom - top);
    const inside = svg("g");
    const node = canvas({ viewBox: `0 0 ${width} ${height}` });
    node.append(
      svg("path", { class: "axis", d: `M${left},${top}V${bottom}H${right}` }),
      ...xTicks.map((v) => svg("text", { x: X(v), y: bottom + 17 }, xText(v))),
      ...yTicks.map((v) => svg("text", { x: left - 6, y: Y(v) + 4, class: "end" }, yText(v))),
      svg("text", { x: (left + right) / 2, y: height - 6 }, xLabel),
      svg("text", { x: 12, y: bottom / 2, transform: `rotate(-90 12 ${bottom / 2})` }, yLabel),
      inside);
    const path = (points, role) => inside.append(svg("path", {
      class: role, fill: "none", d: points.map(([a, b], i) => `${i ? "L" : "M"}${X(a).toFixed(1)},${Y(b).toFixed(1)}`).join(""),
    }));
    return { node, inside, X, Y, path, top: y[1], clear: () => inside.replaceChildren() };
  }

  const legend = (...entries) => el("p", { class: "explore-legend", "aria-hidden": "true" },
    ...entries.map(([role, words]) => el("span", { class: `key ${role}` }, words)));

  const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;
  const { format } = new Intl.NumberFormat("en");
  const count = (n) => format(Math.round(n));

  globalThis.explorePage = Object.freeze({
    button, canvas, chart, choice, count, div, el, guess, inSteps, legend, mount, percent, sentence, set, slider, sorting, svg, toggle,
  });
})();
