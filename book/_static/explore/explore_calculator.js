/* Which scheme, and when none: a survey in seven numbers, and the answer in sentences. */

"use strict";

(() => {
  const { calculator } = explore, { atMost } = ppdm;
  const { button, choice, count, div, el, mount, set } = explorePage;
  const CONFIDENCES = [90, 95, 99];
  const FIELDS = [ // name, label, least, most, whole, number in one unit
    ["n", "People who will answer", 1, 1e9, true, 1],
    ["share", "Share that you expect, in percent", 0.01, 99.99, false, 100],
    ["questions", "Questions in the survey", 1, 1000, true, 1],
    ["values", "Answers to choose from (2 is yes or no)", 2, 10000, true, 1],
    ["epsilon", "Epsilon of all answers of a person", 0.01, 100, false, 1],
    ["margin", "Margin that you want, in points (±)", 0.001, 50, false, 100],
  ];
  const SURVEYS = [ // of the recipes, in the fields' order
    ["nurses", [1200, 10, 1, 2, 2, 3]], ["forty questions", [5000, 50, 40, 2, 2, 5]],
    ["sites", [2000000, 0.7, 1, 1000, 1, 0.3]], ["150 people", [150, 1, 1, 2, 1, 1]],
  ];
  const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 }).format;
  const points = (share) => `± ${short(100 * share)} ${short(100 * share) === "1" ? "point" : "points"}`;
  const percent = (share) => `${short(100 * share)}%`;
  const many = (n) => (n < 1e12 ? count(n) : `over 10^${Math.floor(Math.log10(n))}`);
  const persons = (n) => (n === 1 ? "one person" : `${many(n)} people`);
  const likely = (p) => (p < 1e-5 ? "almost 0%" : p > 0.9995 ? "almost 100%" : percent(p));

  /* What the report is, and of which answers. */
  function way({ values, questions }, { scheme, asked, p, q }) {
    const some = asked < questions ? `answers ${count(asked)} of the ${count(questions)} questions, drawn by lot,`
      : questions > 1 ? `answers all ${count(questions)} questions` : "answers";
    const theta = `theta ${p < 0.9995 ? p.toFixed(3) : "over 0.999"}`;
    if (scheme === "unary") return `${some} by unary encoding: a bit for each answer, which is 1 for her own with probability 0.5, for each other with ${short(q)}.`;
    if (scheme === "hadamard") return `${some} by Hadamard response: one number, which supports her own answer with probability ${short(p)} and each other with 0.5.`;
    return `${some} ${values === 2 ? "with a coin that" : "by k-ary response, which"} tells the truth with ${theta}.`;
  }

  function why(survey, plan) {
    const { n, margin, epsilon } = survey, withN = `with ${persons(n)}`;
    if (plan.clearMargin > margin) {
      return `None: even answers in the clear are off by up to ${points(plan.clearMargin)} ${withN}. ` +
        `For ${points(margin)} it takes ${persons(plan.clearPeople)} in the clear, and ${many(plan.people)} at epsilon ${short(epsilon)}.`;
    }
    const other = Number.isNaN(plan.epsilon) ? `No epsilon does it ${withN}.` : `An epsilon of ${atMost(plan.epsilon)} would do ${withN}.`;
    return `None at epsilon ${short(epsilon)}: for ${points(margin)} it takes ${persons(plan.people)}. ${other}`;
  }

  /* The answer: a verdict, then sentences. */
  function says(survey) {
    const plan = calculator.plan(survey), { n, share, margin, confidence, values } = survey;
    const [have, yes, no] = values === 2 ? ["mean yes", "a reported yes", "a reported no"]
      : ["have an answer", "a report of it", plan.scheme === "kary" ? "another one" : "one without it"];
    const good = plan.margin <= margin * (1 + 1e-9), rare = Math.min(share, 1 - share);
    return [
      good ? `Yes. Each person ${way(survey, plan)}` : why(survey, plan),
      ...(good ? [] : [`Nearest comes this: each person ${way(survey, plan)}`]),
      `With ${persons(n)}: ${points(plan.margin)} around a share of ${percent(share)}, ${confidence} times in 100. In the clear it would be ${points(plan.clearMargin)}.`,
      ...(good ? [`For ${points(margin)}: ${persons(plan.people)}, or an epsilon of ${short(plan.epsilon)} with ${persons(n)}.`] : []),
      ...(plan.margin < rare ? [] : [`So wide a margin cannot tell ${percent(share)} from ${share <= 0.5 ? "nobody" : "everybody"}.`]),
      `A person is ${percent(share)} likely to ${have}; after ${yes} ${likely(plan.after[0])}, after ${no} ${likely(plan.after[1])}. ` +
        `At worst her whole report multiplies somebody's odds by ${atMost(plan.odds)}.`,
    ];
  }

  mount("calculator-place", "calculator", ({ root, stage }) => {
    let timer;
    const said = div("said"), odds = el("output", { for: "explore-calculator-epsilon" });
    set(said, { role: "status" });
    const inputs = FIELDS.map(([name, , min, max, whole]) => el("input", {
      id: `explore-calculator-${name}`, type: "number", min, max, step: whole ? 1 : "any", inputmode: whole ? "numeric" : "decimal",
    }));
    const confidence = choice("calculator-confidence", "Confidence", CONFIDENCES.map((level) => `${level}%`), 1, change);
    inputs.forEach((input) => input.addEventListener("input", change));

    /* What is wrong with a field, in words, or nothing. */
    function wrong([, label, min, max, whole], { validity, value }) {
      if (value !== "" && validity.valid) return "";
      return `${label}: ${whole ? "a whole number" : "a number"} from ${short(min)} to ${short(max)}.`;
    }

    function show() {
      const faults = FIELDS.map((field, i) => wrong(field, inputs[i]));
      inputs.forEach((input, i) => input.setAttribute("aria-invalid", faults[i] !== ""));
      const survey = Object.fromEntries(FIELDS.map(([name, , , , , unit], i) => [name, inputs[i].value / unit]));
      odds.textContent = faults[4] ? "" : `her odds change by a factor of ${atMost(Math.exp(survey.epsilon))} at most`;
      const faulty = faults.filter(Boolean);
      const lines = faulty.length ? faulty : says({ ...survey, confidence: CONFIDENCES[confidence.index] });
      said.replaceChildren(...lines.map((line, i) => el("p", {}, i || faulty.length ? line : el("b", {}, line))));
    }

    /* It waits a moment, so that a number is not read out at every digit. */
    function change() {
      clearTimeout(timer);
      timer = setTimeout(show, 150);
    }

    function fill(numbers) {
      inputs.forEach((input, i) => { input.value = numbers[i]; });
      show();
    }

    const field = ([, label], i) => div("field", el("label", { for: inputs[i].id }, label), inputs[i],
      ...(inputs[i].id.endsWith("epsilon") ? [odds] : []));
    stage.append(
      div("row", "Fill in:", ...SURVEYS.map(([words, numbers]) => button(words, () => fill(numbers)))),
      div("controls", ...FIELDS.map(field), confidence.node), said);
    root.append(stage);
    fill(SURVEYS[0][1]);
  });
})();
