/* The miner's page: what the data miner knows, drawn from one JSON object, api/results.

   ppdmMiner.render(root, results) draws everything: it depends on the results and on the
   width of `root`, and on nothing else. Below it stands the polling. Plots are SVG without
   inline styles (the page's policy forbids them); classes are coloured in miner.css. */
(() => {
  "use strict";

  // --- small tools ---------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";

  const fill = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const html = (tag, attributes = {}, ...children) =>
    fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS(SVG, tag), attributes, children);
  const line = (x1, y1, x2, y2, name) => svg("line", { x1, y1, x2, y2, class: name });
  const text = (x, y, words, name = "", anchor = "start") =>
    svg("text", { x, y, class: name, "text-anchor": anchor }, String(words));

  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
  const percent = (share) => `${Math.round(100 * share)}%`;
  const interpolate = (low, high, from, to) => (v) =>
    from + ((v - low) / (high - low || 1)) * (to - from);

  /** Whole numbers from 0 to `high`, about `n` of them, in steps of 1, 2 or 5 times 10^i. */
  function ticks(high, n) {
    const raw = Math.max(1, high / n);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * [1, 2, 5, 10].find((m) => m * power >= raw);
    return Array.from({ length: Math.floor(high / step) + 1 }, (_, i) => i * step);
  }

  const pen = document.createElement("canvas").getContext("2d");
  const widthOf = (words) => {
    pen.font = "600 13px system-ui, sans-serif"; // the widest that is used
    return pen.measureText(words).width;
  };

  /** Words cut to a width in pixels. */
  function shorten(words, room) {
    if (widthOf(words) <= room) return words;
    let end = words.length;
    while (end > 1 && widthOf(`${words.slice(0, end)}…`) > room) end -= 1;
    return `${words.slice(0, end).trimEnd()}…`;
  }

  const canvas = (width, height, label) =>
    svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height,
      role: "img", "aria-label": label });

  function table(caption, head, rows) {
    const cell = (tag, scope) => (words) => html(tag, scope ? { scope } : {}, String(words));
    return html("table", {},
      html("caption", {}, caption),
      html("thead", {}, html("tr", {}, ...head.map(cell("th", "col")))),
      html("tbody", {}, ...rows.map(([first, ...others]) =>
        html("tr", {}, cell("th", "row")(first), ...others.map(cell("td"))))));
  }

  /** Axes with ticks and their names; returns the scales. `y` is read upwards. */
  function axes(plot, width, height, x, y) {
    const box = { left: 44, right: width - 14, top: 26, bottom: height - 42 };
    const at = {
      x: interpolate(...x.range, box.left, box.right),
      y: interpolate(...y.range, box.bottom, box.top),
    };
    for (const v of y.ticks) {
      plot.append(line(box.left, at.y(v), box.right, at.y(v), "grid"),
        text(box.left - 6, at.y(v) + 4, y.format ? y.format(v) : v, "tick", "end"));
    }
    for (const v of x.ticks) {
      plot.append(line(at.x(v), box.bottom, at.x(v), box.bottom + 4, "axis"),
        text(at.x(v), box.bottom + 18, v, "tick", "middle"));
    }
    plot.append(line(box.left, box.bottom, box.right, box.bottom, "axis"),
      text(box.right, height - 6, x.name, "name", "end"), text(4, 14, y.name, "name"));
    return { ...at, ...box };
  }

  // --- what the results say ------------------------------------------------------------

  const labelsOf = (question) => question.labels ?? question.values;

  /** One entry a bit: which attribute, which value. */
  const bitsOf = (results) => results.attributes.flatMap((attribute, j) =>
    labelsOf(attribute).map((value) => ({ j, attribute: attribute.label, value })));

  /** Each bit's log ratio between the classes with its standard error, strongest first.
      An estimated share p of m set bits has a log whose variance is about (1 - p) / (p m). */
  function strengths(results) {
    const { bit_count: counts, log_odds: odds } = results.classifier;
    const bits = bitsOf(results);
    const perAttribute = counts.map((of) => results.attributes.map((attribute, j) =>
      sum(bits.map((bit, i) => (bit.j === j ? of[i] + 1 : 0)))));
    return bits.map((bit, i) => ({
      ...bit,
      odds: odds[i],
      error: Math.sqrt(sum(counts.map((of, c) => 1 / (of[i] + 1) - 1 / perAttribute[c][bit.j]))),
      counts: counts.map((of) => of[i]),
    })).sort((a, b) => Math.abs(b.odds) - Math.abs(a.odds));
  }

  const times = (odds) => {
    const ratio = Math.exp(Math.abs(odds));
    return `${ratio >= 9.5 ? Math.round(ratio) : ratio.toFixed(1)}×`;
  };

  const favours = (results, odds) => labelsOf(results.class)[odds > 0 ? 1 : 0];

  // --- the plots: each returns { words, figure, data } ---------------------------------

  function collection(results) {
    const { batch_size: size, epoch, k, n_bits: nBits, n_received: n } = results;
    const tile = (name, value) =>
      html("div", {}, html("dt", {}, name), html("dd", {}, String(value)));
    return {
      words: [
        html("dl", { class: "tiles" }, tile("Tuples of whole epochs", n),
          tile("Current epoch", epoch), tile(`k*, of ${nBits}`, k)),
        html("p", n ? {} : { class: "empty" },
          `${n ? `Epoch ${epoch} is under way` : "No epoch is complete yet"}. ${whoIsAsked(results)} ` +
          `When it has ${count(size, "tuple")}, k* and the guidance V are computed anew, and this ` +
          "page changes. Until then nothing here does, so that nobody can see when a person answers."),
      ],
      data: table("The collection", ["What", "Number"], [
        ["Tuples of whole epochs", n], ["Current epoch", epoch], ["Tuples of an epoch", size],
        ["k*", k], ["Bits of a tuple", nBits], ["mu", results.mu]]),
    };
  }

  const whoIsAsked = ({ k, n_bits: nBits, epoch }) => (k === nBits
    ? `It is not known yet which directions matter, so epoch ${epoch} asks for all ${nBits} bits: ` +
      "only people who accept every level can answer."
    : `It asks for ${count(k, "direction")} of ${nBits}: whoever accepts that level can answer.`);

  function levels(results, width) {
    const { history, n_received: n, n_bits: nBits, k } = results;
    const steps = history.map((entry) => `${entry.k} from ${entry.n_received}`).slice(-12);
    const plot = canvas(width, 260, "k* over the tuples received, the latest epochs: " +
      `${steps.join(", ")}; now ${k} at ${n}.`);
    const end = Math.max(n, results.batch_size);
    const powers = Array.from({ length: Math.floor(Math.log2(nBits)) + 1 }, (_, i) => i);
    const at = axes(plot, width, 260,
      { range: [0, end], ticks: ticks(end, width < 500 ? 4 : 8), name: "tuples received" },
      { range: [0, Math.log2(nBits)], ticks: powers, name: "k*, each line twice the one below",
        format: (v) => 2 ** v });
    const height = (level) => at.y(Math.log2(level));
    let path = "";
    history.forEach((entry, i) => {
      const until = i + 1 < history.length ? history[i + 1].n_received : n;
      path += `${i ? "V" : `M${at.x(entry.n_received)} `}${height(entry.k)}H${at.x(until)}`;
    });
    plot.append(svg("path", { d: path, class: "curve" }));
    if (history.length * 14 < width) {
      plot.append(...history.map((entry) =>
        svg("circle", { cx: at.x(entry.n_received), cy: height(entry.k), r: 4, class: "point" })));
    }
    const right = at.x(n) > width / 2;
    plot.append(text(at.x(n) + (right ? 0 : 8), height(k) + (k > nBits / 2 ? 22 : -10),
      `now ${k}`, "mark", right ? "end" : "start"));
    return {
      words: [html("p", {}, `k* is how many directions of the ${nBits} bits the miner asks for. ` +
        "Who finds it too high waits. It may rise as well as fall: at the beginning of each " +
        "epoch it is computed from all tuples before.")],
      figure: plot,
      data: table("k* of each epoch", ["Epoch", "Tuples before it", "k*"],
        history.map((entry) => [entry.epoch, entry.n_received, entry.k])),
    };
  }

  function classifier(results, width) {
    if (!results.classifier) {
      return { words: [html("p", { class: "empty" }, "The classifier is learnt when the first " +
        `epoch is complete, of ${count(results.batch_size, "tuple")}.`)] };
    }
    const rows = strengths(results);
    const [zero, one] = labelsOf(results.class);
    const { class_count: n } = results.classifier;
    const shown = rows.slice(0, 40);
    return {
      words: [
        html("p", {}, `Naive Bayes, learnt from ${count(sum(n), "tuple")} of whole epochs: ` +
          `${n[0]} ${zero}, ${n[1]} ${one}. ${howMany(results)} A bar says how many times as frequent the ` +
          "bit of an answer is in one class as in the other. The thin line is two standard " +
          "errors to each side: where it crosses the middle, the bar may be chance."),
        ...(shown.length < rows.length
          ? [html("p", {}, `The ${shown.length} strongest of ${rows.length} are drawn.`)] : [])],
      figure: divergingBars(results, shown, width),
      data: table("Each answer, strongest first. The log odds are log P(bit | " +
        `${one}) - log P(bit | ${zero})`,
        ["Answer", "Log odds", "Standard error", `Bits set, ${zero}`, `Bits set, ${one}`],
        rows.map((row) => [`${row.attribute}: ${row.value}`, row.odds.toFixed(2),
          row.error.toFixed(2), ...row.counts])),
    };
  }

  /* Tuples of epochs that asked for everything came as the records they are. */
  function howMany(results) {
    const { history, n_bits: nBits, classifier: { n_tuples: n } } = results;
    const clear = sum(history.slice(0, -1).map(({ k, n_received: before }, i) =>
      (k === nBits ? history[i + 1].n_received - before : 0)));
    return clear ? `${clear} of them are undisguised, ${n - clear} disguised.` : "All are disguised.";
  }

  function divergingBars(results, rows, width) {
    const narrow = width < 620;
    const [zero, one] = labelsOf(results.class);
    const step = narrow ? 40 : 24, top = 46, height = top + rows.length * step + 44;
    const left = narrow ? 8 : Math.min(360, 0.42 * width), right = width - 12;
    const reach = Math.max(...rows.map((row) => Math.abs(row.odds)), Math.log(2)) * 1.15;
    const x = interpolate(-reach, reach, left, right);
    const strongest = rows.slice(0, 3).map((row) =>
      `${row.attribute}: ${row.value}, ${times(row.odds)} as frequent, ${favours(results, row.odds)}`);
    const plot = canvas(width, height, `Strongest of ${rows.length} answers: ${strongest.join("; ")}.`);
    const bottom = top + rows.length * step;
    const apart = reach > Math.log(2) * (narrow ? 2.4 : 4.4) ? Math.log(4) : Math.log(2);
    for (let i = -Math.floor(reach / apart); i * apart <= reach; i += 1) {
      plot.append(line(x(i * apart), top, x(i * apart), bottom, i ? "grid" : "axis"),
        text(x(i * apart), bottom + 18, `${Math.round(Math.exp(Math.abs(i * apart)))}×`,
          "tick", "middle"));
    }
    plot.append(text((left + right) / 2, bottom + 38, "times as frequent", "name", "middle"),
      text(x(0) - 10, 18, `◀ ${shorten(zero, x(0) - left - 30)}`, "class0", "end"),
      text(x(0) + 10, 18, `${shorten(one, right - x(0) - 30)} ▶`, "class1"));
    rows.forEach((row, i) => {
      const y = top + i * step + (narrow ? 20 : 3), to = x(row.odds);
      const middle = y + 8, clip = (v) => Math.min(right, Math.max(left, v));
      const value = shorten(row.value, (narrow ? width : left) / 2 - 18);
      const question = shorten(row.attribute, (narrow ? width : left) - 30 - widthOf(value));
      const name = text(narrow ? left : left - 8, narrow ? y - 5 : y + 13, `${question}: ${value}`,
        "label", narrow ? "start" : "end");
      name.append(svg("title", {}, `${row.attribute}: ${row.value}`));
      plot.append(name, svg("rect", { x: Math.min(to, x(0)), y, width: Math.abs(to - x(0)), height: 16,
        class: row.odds > 0 ? "fill1" : "fill0" }),
      line(clip(x(row.odds - 2 * row.error)), middle, clip(x(row.odds + 2 * row.error)), middle, "error"));
    });
    return plot;
  }

  function accuracy(results, width) {
    const rows = results.accuracy;
    const caution = html("p", { class: "caution" }, html("strong", {}, "An estimate on disguised data. "),
      "Each epoch's R(t) is classified by what was learnt from the epochs before it. How well " +
      "people's true answers would be classified is not measured here.");
    if (!rows.length) {
      return { words: [caution,
        html("p", { class: "empty" }, "The first estimate comes when epoch 1 is complete.")] };
    }
    const total = ["n_tuples", "correct", "majority"].map((name) =>
      sum(rows.map((row) => row[name])));
    const shares = rows.slice(-8).map((row) => `epoch ${row.epoch} ` +
      `${percent(row.correct / row.n_tuples)}, majority ${percent(row.majority / row.n_tuples)}`);
    return {
      words: [caution, html("p", {}, `Over ${count(rows.length, "epoch")}, ${total[1]} of ${total[0]} ` +
        `tuples (${percent(total[1] / total[0])}) were put into the right class; always naming the ` +
        `larger class would have been right for ${percent(total[2] / total[0])}.`)],
      figure: accuracyPlot(rows, width, `Estimated accuracy: ${shares.join("; ")}.`),
      data: table("Each epoch's R(t), classified by what was learnt from the epochs before it",
        ["Epoch", "Tuples", "Right", "Larger class"],
        rows.map((row) => [row.epoch, row.n_tuples, row.correct, row.majority])),
    };
  }

  /** An interval for a share that covers it about 95 times of 100 (Agresti and Coull). */
  function interval(part, n) {
    const share = (part + 2) / (n + 4);
    const error = 2 * Math.sqrt((share * (1 - share)) / (n + 4));
    return [Math.max(0, share - error), Math.min(1, share + error)];
  }

  function accuracyPlot(rows, width, label) {
    const plot = canvas(width, width > 560 ? 300 : 322, label);
    const last = rows.at(-1).epoch;
    const at = axes(plot, width, 270,
      { range: [0.5, last + 0.5], name: "epoch",
        ticks: ticks(last, width < 500 ? 6 : 12).filter((v) => v > 0) },
      { range: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1], format: percent,
        name: "share of tuples put into the right class" });
    const half = Math.min(26, (at.x(1) - at.x(0)) * 0.35);
    const points = rows.map((row) => [at.x(row.epoch), row.correct / row.n_tuples, row]);
    const dots = points.map(([x, share]) => `${x},${at.y(share)}`).join(" ");
    plot.append(svg("polyline", { points: dots, class: "thin" }));
    for (const [x, share, row] of points) {
      const [low, high] = interval(row.correct, row.n_tuples);
      const majority = at.y(row.majority / row.n_tuples);
      plot.append(line(x - half, majority, x + half, majority, "majority"));
      if (half > 3) plot.append(line(x, at.y(low), x, at.y(high), "whisker"));
      plot.append(svg("circle", { cx: x, cy: at.y(share), r: half > 3 ? 5 : 3, class: "point" }));
    }
    const wide = width > 560 ? [290, 0] : [0, 22];
    plot.append(svg("circle", { cx: 24, cy: 288, r: 5, class: "point" }),
      text(44, 292, "naive Bayes, 95% interval", "label"),
      line(12 + wide[0], 288 + wide[1], 36 + wide[0], 288 + wide[1], "majority"),
      text(44 + wide[0], 292 + wide[1], "always the larger class", "label"));
    return plot;
  }

  function hashes(results) {
    const rows = results.history.map((entry) => html("tr", {},
      html("th", { scope: "row" }, String(entry.epoch)), html("td", {}, String(entry.k)),
      html("td", {}, html("code", { class: "hash", title: entry.hash }, entry.hash))));
    return { words: [
      html("p", {}, "The hash of each epoch's guidance V is open to all: people can compare " +
        "with each other whether they were asked the same. A click selects a whole one."),
      html("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The hashes" },
        html("table", { class: "hashes" },
          html("caption", {}, "SHA-256 of V, epoch by epoch"),
          html("thead", {}, html("tr", {}, ...["Epoch", "k*", "Hash"].map((words) =>
            html("th", { scope: "col" }, words)))),
          html("tbody", {}, ...rows)))] };
  }

  const PARTS = [
    ["collection", "The collection", collection, ["n_received", "epoch", "k", "batch_size"]],
    ["levels", "How much is asked for", levels, ["n_received", "history"]],
    ["classifier", "What tells the classes apart", classifier, ["classifier", "batch_size"]],
    ["accuracy", "How well it does", accuracy, ["accuracy"]],
    ["hashes", "What each epoch was asked", hashes, ["history"]],
  ];

  /** Draw the results into `root`. A part that has not changed is left alone, so that an
      open table stays open and a selection stays selected. */
  function render(root, results) {
    for (const [id, title, draw, depends] of PARTS) {
      let section = root.querySelector(`#${id}`);
      if (!section) {
        section = html("section", { id, "aria-labelledby": `${id}-title` },
          html("h2", { id: `${id}-title` }, title), html("div", { class: "words" }),
          html("figure", { hidden: "" }),
          html("details", { hidden: "" }, html("summary", {}, "The numbers"),
            html("div", { class: "scroll", tabindex: "0", role: "region",
              "aria-label": `${title}: the numbers` })));
        root.append(section);
      }
      const width = Math.max(220, section.querySelector(".words").clientWidth);
      const state = JSON.stringify([width, results.title, ...depends.map((name) => results[name])]);
      if (section.ppdmState === state) continue;
      section.ppdmState = state;
      const { words, figure, data } = draw(results, width);
      const details = section.querySelector("details");
      section.querySelector(".words").replaceChildren(...words);
      section.querySelector("figure").replaceChildren(...(figure ? [figure] : []));
      section.querySelector("figure").hidden = !figure;
      details.hidden = !data;
      details.querySelector(".scroll").replaceChildren(...(data ? [data] : []));
    }
  }

  globalThis.ppdmMiner = Object.freeze({ render });

  // --- polling -------------------------------------------------------------------------

  const EVERY = 1000, HIDDEN = 15000, SLOWEST = 30000, PATIENCE = 10000;

  function start(root, status) {
    let failures = 0, timer = 0, busy = false, latest = null;
    const say = (words, bad) => {
      if (status.textContent !== words) status.textContent = words;
      status.classList.toggle("bad", bad);
    };
    const draw = () => latest && render(root, latest);

    async function ask() {
      try {
        const response = await fetch("api/results",
          { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
        if (!response.ok) throw new Error(`it answered ${response.status}`);
        latest = await response.json();
        failures = 0;
        say("Live: this page follows the collection.", false);
      } catch (error) {
        failures += 1;
        const why = error.message.startsWith("it answered") ? ` (${error.message})` : "";
        say(`The server is not reachable${why}. ` +
          `${latest ? "What you see is the last that it said. " : ""}Trying again …`, true);
      }
    }

    async function poll() {
      if (busy) return;
      busy = true;
      clearTimeout(timer);
      await ask();
      busy = false;
      const pause = Math.min(EVERY * 2 ** failures, SLOWEST);
      timer = setTimeout(poll, document.hidden ? Math.max(pause, HIDDEN) : pause);
      draw();
    }

    document.addEventListener("visibilitychange", () => document.hidden || poll());
    new ResizeObserver(draw).observe(root);
    poll();
  }

  const root = document.querySelector("[data-ppdm-miner]");
  if (root) start(root, document.getElementById("status"));
})();
