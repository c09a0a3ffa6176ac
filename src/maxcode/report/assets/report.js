/* The page of a report. Data comes from one place, `source`:

   detail(step)   -> what report/details.py calls detail
   watch(changed) -> calls changed(run) when the run has gone on; only of a live view

   In a file it is embedded; a live view sets data-live on <body> and gives window.maxcodeLive.
   What others wrote is only ever put in as text. HTML that is put in was made and escaped by us. */
(() => {
  "use strict";

  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  /* -- where data comes from ------------------------------------------------------------------ */

  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };

  // Steps and their critics name prompts by their place: see Chunk in page.py.
  const completed = ({ prompts, steps }) => {
    const whole = (one) => one && { ...one, prompt: prompts[one.prompt] };
    return steps.map((step) => ({ ...whole(step), critic: whole(step.critic) }));
  };

  const embedded = () => {
    const read = new Map();
    const unpacked = (chunk) => {
      if (!read.has(chunk)) read.set(chunk, unpack(chunk.textContent).then(JSON.parse).then(completed));
      return read.get(chunk);
    };
    return {
      detail: async (step) => {
        const chunk = all("script.chunk").find(({ dataset: one }) => step >= +one.first && step <= +one.last);
        const steps = chunk ? await unpacked(chunk) : [];
        return steps.find(({ id }) => id === step) ?? null;
      },
    };
  };

  const data = JSON.parse(find("#data").textContent);
  const live = document.body.dataset.live;
  const source = live === undefined ? embedded() : window.maxcodeLive(live, data.id);

  /* -- colours -------------------------------------------------------------------------------- */

  const theme = find("#theme");
  const stored = { get: () => { try { return localStorage.getItem("theme") ?? ""; } catch { return ""; } },
    set: (value) => { try { localStorage.setItem("theme", value); } catch { /* not kept, then */ } } };
  const setTheme = (name) => {
    theme.value = name;
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
  };
  setTheme(stored.get());
  const tint = (name) => {
    const probe = element("span", { style: `color: var(--${name})` });
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return colour;
  };

  /* -- figures -------------------------------------------------------------------------------- */

  let drawing;  // the library, once it is asked for
  const library = () => drawing ??= (async () => {
    const script = document.createElement("script");
    if (live === undefined) {
      script.textContent = await unpack(find("#plotly").textContent);
      document.head.append(script);
    } else {
      script.src = "assets/plotly.min.js";
      await new Promise((done, failed) => {
        Object.assign(script, { onload: done, onerror: failed });
        document.head.append(script);
      });
    }
    return window.Plotly;
  })();

  const themed = (layout, narrow) => {
    const [text, grid, back] = [tint("text"), tint("line"), tint("card")];
    const axis = (given) => ({ automargin: true, ...given, gridcolor: grid, linecolor: grid, zerolinecolor: grid, fixedrange: narrow });
    return {
      hovermode: "closest", margin: { l: 60, r: 16, t: 34, b: 48 },
      legend: { orientation: "h", y: 1, yanchor: "bottom", x: 0 },
      ...layout,
      font: { color: text, size: narrow ? 11 : 12, family: "system-ui, sans-serif" },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      hoverlabel: { bgcolor: back, bordercolor: grid, font: { color: text } },
      xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis),
    };
  };
  const CONFIG = {
    responsive: true, displaylogo: false, scrollZoom: false, showSendToCloud: false,
    modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d"],
  };

  const figureOf = (holder) => {
    const name = holder.dataset.figure;
    return run.figures[name === "curve" ? `curve-${axisOf(holder)}` : name];
  };
  const axisOf = (holder) => find("input:checked", holder)?.value ?? "evaluations";

  /* Drawing thousands of points takes a while: what else has changed is painted before. */
  const shownFirst = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

  const draw = async (holder) => {
    const figure = figureOf(holder), plot = find(".plot", holder);
    holder.hidden = !figure;
    if (!figure) return;
    holder.style.setProperty("--height", `${figure.layout.height}px`);
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", figure.summary);
    if (holder.dataset.near) changed.delete(holder);
    else return void changed.add(holder);
    const plotly = await library();
    await shownFirst();
    const layout = themed(figure.layout, innerWidth < 700);
    layout.uirevision = axisOf(holder);  // where the reader has zoomed to stays
    if (holder.dataset.figure === "tree") layout.annotations = marks();
    const fresh = !plot.classList.contains("js-plotly-plot");
    await plotly.react(plot, figure.data, layout, CONFIG);
    if (fresh && holder.dataset.figure === "tree") {
      plot.on("plotly_click", ({ points: [point] }) => {
        if (point.customdata !== undefined) open(point.customdata);
      });
    }
  };
  const drawAll = () => Promise.all(all("[data-figure]").map(draw));
  /* Figures are drawn when they come into view, and again when they do after they have changed. */
  const changed = new Set();
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) delete target.dataset.near;
      else target.dataset.near = true;
      if (isIntersecting && changed.has(target)) draw(target);
    }
  }, { rootMargin: "300px" });

  /* Where the open step lies in the tree. */
  const marks = () => {
    const tree = run.figures.tree, own = tree?.layout.annotations ?? [];
    for (const trace of opened === null || !tree ? [] : tree.data) {
      const place = trace.customdata?.indexOf(opened) ?? -1;
      if (place < 0) continue;
      const y = trace.y[place];
      return [...own, { x: trace.x[place], y: tree.layout.yaxis.type === "log" ? Math.log10(y) : y,
        text: `#${opened}`, showarrow: true, arrowhead: 2, ax: 0, ay: -26,
        arrowcolor: tint("text"), bgcolor: tint("card"), bordercolor: tint("text"), borderpad: 2 }];
    }
    return own;
  };

  const offerAxes = (figures) => {
    const inputs = all(".switch input");
    for (const input of inputs) input.parentElement.hidden = !(`curve-${input.value}` in figures);
    const offered = inputs.filter((input) => !input.parentElement.hidden);
    if (!offered.some((input) => input.checked) && offered.length) offered[0].checked = true;
  };

  /* -- the list of steps ---------------------------------------------------------------------- */

  const ROWS = 100;
  let run = data, steps = [], shown = [], opened = null, active = null, first = 0;
  const body = find("#steps tbody");
  const [filter, order, search] = ["#filter", "#order", "#find"].map((name) => find(name));
  const speedup = (value) => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)}x`;
  const words = (status) => status.replaceAll("_", " ");

  /* Confirmed, else by comparisons, else when it was judged; null if that failed. */
  const speedupOf = (step) => step.confirmed ?? step.compared;

  const wanted = {
    all: () => true, path: (step) => step.on_path,
    ok: (step) => step.status === "ok", failed: (step) => step.status !== "ok",
  };
  const choose = () => {
    const text = search.value.trim().toLowerCase();
    shown = steps.filter((step) => wanted[filter.value](step)
      && (!text || `#${step.id} ${step.summary} ${step.tags} ${words(step.status)}`.toLowerCase().includes(text)));
    if (order.value === "reward") shown.sort((a, b) => (speedupOf(b) ?? 0) - (speedupOf(a) ?? 0) || a.id - b.id);
  };

  const row = (step, place) => {
    const cell = (text, name = "") => element("td", { className: name, textContent: text });
    const value = speedupOf(step);
    const made = element("tr", { tabIndex: step.id === active ? 0 : -1 },
      cell(`#${step.id}`, "number"),
      cell(step.parent === null ? "" : `#${step.parent}`, "number wide"),
      cell(value === null ? "" : speedup(value), step.confirmed === null ? "number" : "number sure"),
      cell(step.estimate === null ? "" : speedup(step.estimate), "number estimate"),
      cell(words(step.status) + (step.duplicate_of === null ? "" : `, as #${step.duplicate_of}`), `status ${step.status}`),
      cell(step.summary, "summary"));
    made.dataset.step = step.id;
    made.classList.toggle("path", step.on_path);
    made.classList.toggle("best", step.best);
    made.setAttribute("aria-selected", step.id === opened);
    made.setAttribute("aria-rowindex", place + 2);
    return made;
  };

  const list = () => {
    first = Math.max(0, Math.min(first, Math.floor((shown.length - 1) / ROWS) * ROWS));
    const page = shown.slice(first, first + ROWS);
    if (!page.some((step) => step.id === active)) active = page[0]?.id ?? null;
    const focused = body.contains(document.activeElement);
    body.replaceChildren(...page.map((step, place) => row(step, first + place)));
    if (focused) find(`[data-step="${active}"]`, body)?.focus({ preventScroll: true });
    find("#steps").setAttribute("aria-rowcount", shown.length + 1);
    find("#steps").classList.toggle("estimated", steps.some((step) => step.estimate !== null));
    find("#where").textContent = shown.length
      ? `${first + 1} to ${first + page.length} of ${shown.length}` : "no step";
    find("#back").disabled = first === 0;
    find("#next").disabled = first + ROWS >= shown.length;
  };

  /* Make a step the one that the keyboard is at, on whatever page it is. */
  const go = (place, focus = true) => {
    if (!shown.length) return;
    const step = shown[Math.max(0, Math.min(place, shown.length - 1))];
    active = step.id;
    const begin = Math.floor(shown.indexOf(step) / ROWS) * ROWS;
    if (begin === first && body.children.length) {
      for (const one of body.children) one.tabIndex = one.dataset.step == active ? 0 : -1;
    } else {
      first = begin;
      list();
    }
    const target = find(`[data-step="${active}"]`, body);
    if (focus) target.focus({ preventScroll: true });
    reveal(target);
  };
  const reveal = (target) => {
    const box = target.closest(".scroll"), head = find("thead", box).offsetHeight;
    if (target.offsetTop - head < box.scrollTop) box.scrollTop = target.offsetTop - head;
    const bottom = target.offsetTop + target.offsetHeight;
    if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight;
  };

  body.addEventListener("keydown", (event) => {
    const at = shown.findIndex((step) => step.id === active);
    const places = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1,
      PageDown: at + 10, PageUp: at - 10 };
    if (event.key in places) go(places[event.key]);
    else if (event.key === "Enter" || event.key === " ") open(active, true);
    else return;
    event.preventDefault();
  });
  body.addEventListener("click", ({ target }) => {
    const found = target.closest("tr");
    if (found) open(+found.dataset.step);
  });
  for (const control of [filter, order, search]) {
    control.addEventListener("input", () => { first = 0; choose(); list(); });
  }
  for (const [name, move] of [["#back", -ROWS], ["#next", ROWS]]) {
    find(name).addEventListener("click", () => { first += move; active = null; list(); });
  }

  /* -- one step ------------------------------------------------------------------------------- */

  let tab = "diff";
  const tabs = find("#tabs"), panel = find("#panel");

  const text = (content) => element("pre", { className: "text", textContent: content });
  const titled = (title, ...children) =>
    element("section", {}, element("h4", { textContent: title }), ...children);
  const markup = (html, numbered) => {
    const code = element("pre", { className: "code" });
    code.innerHTML = html;  // by Pygments, which escaped what it was given
    const lines = element("div", { className: "lines" }, code);
    if (numbered) {
      const count = code.textContent.replace(/\n$/, "").split("\n").length;
      const numbers = Array.from({ length: count }, (_, line) => line + 1).join("\n");
      lines.prepend(element("pre", { className: "gutter", textContent: numbers, ariaHidden: "true" }));
    }
    return lines;
  };
  const headed = (...names) => element("table", {}, element("thead", {}, element("tr", {},
    ...names.map((name) => element("th", { textContent: name, scope: "col" })))));
  const rival = (against) => against === "baseline" ? "baseline" : `reference ${against.slice(0, 8)}`;
  const cells = (...values) => element("tr", {}, ...values.map((value) => element("td", { textContent: value })));
  const byTest = ({ by_test: tests, against }) => {
    const table = headed("test", rival(against), "candidate", "speedup"), rows = element("tbody");
    for (const { test, unit, candidate, reference, ratio } of tests ?? []) {
      rows.append(cells(test, quantity(reference, unit), quantity(candidate, unit), interval(ratio)));
    }
    table.append(rows);
    return rows.children.length ? titled("By test", element("div", { className: "scroll-x" }, table)) : null;
  };
  const quantity = (value, unit) => unit !== "s" ? `${+value.toPrecision(4)} ${unit}`
    : value < 1e-3 ? `${+(1e6 * value).toPrecision(3)} us` : value < 1 ? `${+(1e3 * value).toPrecision(3)} ms` : `${+value.toPrecision(3)} s`;
  const samples = ({ measurements, against }) => {
    const table = headed("meter", "of", "median", "samples"), rows = element("tbody");
    for (const [side, measured] of Object.entries(measurements)) {
      for (const { meter, unit, samples: values } of measured) {
        const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
        const median = sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        rows.append(cells(meter, side === "reference" ? rival(against) : side, `${+median.toPrecision(4)} ${unit}`,
          values.map((value) => +value.toPrecision(4)).join("  ")));
      }
    }
    table.append(rows);
    return rows.children.length ? element("div", { className: "scroll-x" }, table) : null;
  };
  const used = (call) => {
    const names = { input: "tokens in", cached: "from the cache", written: "to the cache", output: "tokens out", thinking: "of them thinking" };
    const told = Object.entries(names).filter(([key]) => call[key]).map(([key, name]) => `${call[key].toLocaleString("en")} ${name}`);
    const price = call.reused ? "paid for by an earlier run" : call.dollars === null ? "price unknown" : `$${call.dollars.toFixed(4)}`;
    return `${call.model}: ${[...told, price, call.seconds < 1 ? `${Math.round(1000 * call.seconds)} ms` : `${call.seconds.toFixed(1)} s`].join(", ")}`;
  };
  const asked = ({ prompt, answer, call }, key) => [
    ...(call ? [element("p", { className: "note", textContent: used(call) })] : []),
    text(key === "prompt" ? prompt : answer),
  ];

  const content = (detail, step) => {
    const critic = detail.critic;
    const compared = step.parent !== null && detail.code.length
      ? window.maxcodeDiff({ step, detail, run, other: (number) => source.detail(number) }) : null;
    return {
      code: ["Code", detail.code.map(({ path, html }) => detail.code.length > 1 ? titled(path, markup(html, true)) : markup(html, true))],
      diff: ["Diff", compared ? [compared.element] : [], compared?.show],
      feedback: ["Feedback", [detail.feedback && text(detail.feedback),
        detail.details && detail.details !== detail.feedback && titled("details, for people only", text(detail.details))].filter(Boolean)],
      critique: ["Critique", [detail.critique && text(detail.critique), detail.profile && titled("profile", text(detail.profile)),
        critic && titled("prompt of the critic", ...asked(critic, "prompt")),
        critic && titled("its answer", text(critic.answer))].filter(Boolean)],
      prompt: ["Prompt", detail.prompt ? asked(detail, "prompt") : []],
      answer: ["Answer", detail.answer ? asked(detail, "answer") : []],
      samples: ["Samples", [byTest(detail), samples(detail)].filter(Boolean)],
    };
  };

  const showTab = async (name, contents, focus, place = 0) => {
    tab = name;
    for (const one of tabs.children) {
      const chosen = one.dataset.tab === name;
      one.setAttribute("aria-selected", chosen);
      one.tabIndex = chosen ? 0 : -1;
      if (chosen && focus) one.focus();
    }
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    const [, parts, later] = contents[name];
    panel.replaceChildren(...parts);
    panel.scrollTop = place;
    await later?.();
    if (place && tab === name) panel.scrollTop = place;
  };

  const interval = ({ speedup: value, low, high, level }) =>
    `${speedup(value)}, between ${speedup(low)} and ${speedup(high)} (${+(100 * level).toFixed(2)} %)`;

  const tell = (step, detail, again) => {
    find("#detail-title").textContent = `#${step.id} ${detail.summary || step.summary}`;
    const facts = {
      outcome: words(detail.status),
      "confirmed against the baseline": detail.confirmed && interval(detail.confirmed),
      "when it was judged": step.id && detail.score && interval(detail.score),
      "estimate": detail.estimate && speedup(detail.estimate),
      "made from": step.parent !== null && `#${step.parent}`,
      "same as": step.duplicate_of !== null && `#${step.duplicate_of}`,
      tags: detail.tags.join(", "),
      tokens: detail.cost.tokens && detail.cost.tokens.toLocaleString("en"),
      price: detail.cost.tokens && (!detail.cost.unpriced ? `$${detail.cost.dollars.toFixed(4)}`
        : detail.cost.dollars ? `$${detail.cost.dollars.toFixed(4)} and more` : "unknown"),
    };
    find("#detail-facts").replaceChildren(...Object.entries(facts).filter(([, value]) => value).map(([name, value]) =>
      element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: value }))));
    const contents = content(detail, step);
    const full = Object.keys(contents).filter((name) => contents[name][1].length);
    const within = tabs.contains(document.activeElement);  // then it stays there
    const before = again && find("[aria-selected=true]", tabs)?.dataset.tab;
    tabs.replaceChildren(...full.map((name) => {
      const made = element("button", { type: "button", id: `tab-${name}`, textContent: contents[name][0],
        onclick: () => showTab(name, contents) });
      made.dataset.tab = name;
      made.setAttribute("role", "tab");
      made.setAttribute("aria-controls", "panel");
      return made;
    }));
    tabs.onkeydown = ({ key }) => {
      const move = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (move) showTab(full[(full.indexOf(tab) + move + full.length) % full.length], contents, true);
    };
    const liked = [before, tab, "diff", "code", "feedback"].find((name) => full.includes(name)) ?? full[0];
    const kept = tab;
    if (liked) showTab(liked, contents, within, again ? panel.scrollTop : 0); else panel.replaceChildren();
    tab = full.includes(kept) ? liked : kept;  // the next step may have it again
  };

  const open = async (number, focus = false) => {
    const step = steps[number];
    if (!step) return;
    opened = active = number;
    for (const one of body.children) one.setAttribute("aria-selected", +one.dataset.step === opened);
    const place = shown.indexOf(step);
    if (place >= 0) go(place, false);
    mark();
    const mine = looks + 1;
    try {
      await look(step);
    } catch (error) {
      if (looks === mine) blank(`#${number} ${step.summary}`, `This step cannot be shown: ${error.message}`);
    }
    if (focus && looks === mine) find("#detail-title").focus();
  };
  /* Show what there is of a step, unless another is asked for meanwhile, or it is shown already. */
  let looks = 0, seen = {};
  const look = async (step) => {
    const mine = looks += 1;
    const detail = await source.detail(step.id);
    if (looks !== mine) return;
    if (detail === null) return void blank(`#${step.id} ${step.summary}`, run.left_out);
    const text = JSON.stringify([step, detail]), same = seen.step === step.id;
    if (!same || text !== seen.text) tell(step, detail, same);
    seen = { step: step.id, text };
  };
  const blank = (title, said = "") => {
    seen = {};
    find("#detail-title").textContent = title;
    find("#detail-facts").replaceChildren();
    tabs.replaceChildren();
    panel.removeAttribute("aria-labelledby");
    panel.replaceChildren(...(said ? [element("p", { className: "note warn", textContent: said })] : []));
  };
  const mark = async () => {
    const plot = find("[data-figure=tree] .plot");
    if (plot.classList.contains("js-plotly-plot")) (await library()).relayout(plot, { annotations: marks() });
  };

  /* -- the whole ------------------------------------------------------------------------------ */

  const fill = (parts) => {
    for (const [name, html] of Object.entries(parts)) {
      const part = find(`[data-part="${name}"]`);
      const unfolded = find("details[open]", part) !== null;
      part.innerHTML = html;  // by jinja2, which escaped what it was given
      if (unfolded) find("details", part).open = true;
    }
  };

  const show = async (found, again = false) => {
    run = found;
    steps = run.steps.map((values) => Object.fromEntries(run.columns.map((name, place) => [name, values[place]])));
    if (again) fill(run.parts);
    find("#left-out").textContent = run.left_out;
    find("#left-out").hidden = !run.left_out;
    offerAxes(run.figures);
    choose();
    list();
    drawAll();
    find(".search").hidden = !steps.length;
    if (!steps.length) {
      looks += 1;  // what was asked for is not wanted any more
      return void blank("No step is open");
    }
    if (opened in steps) return look(steps[opened]);  // it may have a critique by now
    return open(run.best ?? 0);
  };
  document.addEventListener("click", ({ target }) => {
    if (target.matches("button.copy")) copy(target);
  });
  const copy = async (button) => {
    const name = button.dataset.copy, label = button.textContent;
    const text = name === "patch" ? run.patch : find(`#${name}`).textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = element("textarea", { value: text });
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    button.textContent = "Copied";
    button.disabled = true;
    setTimeout(() => Object.assign(button, { textContent: label, disabled: false }), 2000);
  };
  document.addEventListener("change", ({ target }) => {
    const holder = target.matches(".switch input") && target.closest("[data-figure]");
    if (holder) draw(holder);
  });
  theme.addEventListener("change", () => { stored.set(theme.value); setTheme(theme.value); drawAll(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());

  show(data);
  all("[data-figure]").forEach((holder) => near.observe(holder));
  source.watch?.((found) => show(found, true));
  document.documentElement.dataset.ready = "true";
})();
