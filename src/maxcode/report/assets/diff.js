/* Differences between two steps, found here from the code of both, so that any two can be compared.

   maxcodeDiff({ step, detail, run, other }) -> { element, show() }

   The best step is compared with the baseline at first, any other with its parent.

   `detail` is that of `step`, `other(number)` gives that of another step, or null where the page has
   none. Code comes as HTML that Pygments made, in which every line stands for itself. */
window.maxcodeDiff = (() => {
  "use strict";

  const CONTEXT = 3;  // unchanged lines around a change
  const MOST_EDITS = 1000;  // beyond it, all lines between the first and the last change are changed
  const MOST_ROWS = 5000;

  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  /* -- what differs --------------------------------------------------------------------------- */

  const linesOf = (html) => {
    if (!html) return [];
    const holder = element("div");
    holder.innerHTML = html;  // by Pygments, which escaped what it was given
    const [marked, text] = [html, holder.textContent].map((all) => all.replace(/\n$/, "").split("\n"));
    return text.map((line, place) => ({ text: line, html: marked[place] }));
  };

  /* Pairs of places of equal lines, by Myers' O(ND) algorithm (1986). */
  const matches = (before, after) => {
    let start = 0, endBefore = before.length, endAfter = after.length;
    while (start < endBefore && start < endAfter && before[start].text === after[start].text) start++;
    while (endBefore > start && endAfter > start && before[endBefore - 1].text === after[endAfter - 1].text) {
      endBefore--;
      endAfter--;
    }
    const found = [];
    for (let place = 0; place < start; place++) found.push([place, place]);
    found.push(...middle(before.slice(start, endBefore), after.slice(start, endAfter))
      .map(([x, y]) => [x + start, y + start]));
    for (let x = endBefore, y = endAfter; x < before.length; x++, y++) found.push([x, y]);
    return found;
  };
  const middle = (before, after) => {
    const [n, m] = [before.length, after.length], most = Math.min(n + m, MOST_EDITS);
    const reached = new Int32Array(2 * most + 3), zero = most + 1, trace = [];
    const down = (from, d, k) => k === -d || (k !== d && from[zero + k - 1] < from[zero + k + 1]);
    for (let d = 0; d <= most; d++) {
      trace.push(reached.slice());
      for (let k = -d; k <= d; k += 2) {
        let x = down(reached, d, k) ? reached[zero + k + 1] : reached[zero + k - 1] + 1;
        while (x < n && x - k < m && before[x].text === after[x - k].text) x++;
        reached[zero + k] = x;
        if (x >= n && x - k >= m) return walked();
      }
    }
    return [];

    function walked() {
      const found = [];
      for (let d = trace.length - 1, x = n, y = m; d >= 0; d--) {
        const k = x - y, from = down(trace[d], d, k) ? k + 1 : k - 1, back = trace[d][zero + from];
        const [backX, backY] = d ? [back, back - from] : [0, 0];
        while (x > backX && y > backY) found.push([--x, --y]);
        [x, y] = [backX, backY];
      }
      return found.reverse();
    }
  };

  /* All lines of a file in order: { old, now }, places in either; one of them is null in a change. */
  const aligned = (before, after) => {
    const rows = [];
    let x = 0, y = 0;
    for (const [nextX, nextY] of [...matches(before, after), [before.length, after.length]]) {
      while (x < nextX) rows.push({ old: x++, now: null });
      while (y < nextY) rows.push({ old: null, now: y++ });
      if (x < before.length || y < after.length) rows.push({ old: x++, now: y++ });
    }
    return rows;
  };

  const same = (row) => row.old !== null && row.now !== null;

  /* Pieces with some lines around each change. */
  const hunks = (rows) => {
    const shown = new Set();
    rows.forEach((row, place) => {
      if (same(row)) return;
      for (let near = place - CONTEXT; near <= place + CONTEXT; near++) if (rows[near]) shown.add(near);
    });
    const found = [];
    for (const place of [...shown].sort((a, b) => a - b)) {
      if (!shown.has(place - 1)) found.push([]);
      found.at(-1).push(rows[place]);
    }
    return found;
  };

  /* Changed lines beside what took their place. */
  const paired = (rows) => {
    const found = [];
    let gone = [], come = [];
    const flush = () => {
      for (let place = 0; place < Math.max(gone.length, come.length); place++) {
        found.push({ old: gone[place]?.old ?? null, now: come[place]?.now ?? null });
      }
      gone = [];
      come = [];
    };
    for (const row of rows) {
      if (same(row)) { flush(); found.push(row); } else (row.now === null ? gone : come).push(row);
    }
    flush();
    return found;
  };

  /* -- what it looks like --------------------------------------------------------------------- */

  const number = (place) => element("td", { className: "line", textContent: place === null ? "" : place + 1 });
  const sign = (text) => element("td", { className: "sign", textContent: text });
  const code = (lines, place) => element("td", { className: "code", innerHTML: place === null ? "" : lines[place].html });

  const unifiedRow = ({ old, now }, before, after) => {
    const kind = now === null ? "gone" : old === null ? "come" : "same";
    return element("tr", { className: kind }, number(old), number(now),
      sign({ gone: "-", come: "+", same: "" }[kind]), now === null ? code(before, old) : code(after, now));
  };
  const splitRow = ({ old, now }, before, after, changed) => {
    const side = (place, lines, kind, mark) => {
      const shown = changed && place !== null;
      const cells = [number(place), sign(shown ? mark : ""), code(lines, place)];
      for (const cell of cells) cell.classList.add(place === null ? "void" : shown ? kind : "same");
      return cells;
    };
    return element("tr", {}, ...side(old, before, "gone", "-"), ...side(now, after, "come", "+"));
  };

  /* What a change is worth, where it begins; each is said once. */
  const worthOf = (worths, path, row, said) => {
    const within = ([begin, end], place) => place !== null && place + 1 >= begin && place + 1 <= end;
    const found = worths.find((one) => one.path === path && !said.has(one)
      && (within(one.now, row.now) || within(one.old, row.old)));
    if (found) said.add(found);
    return found?.worth;
  };

  const table = (path, before, after, split, worths) => {
    const body = element("tbody"), width = split ? 6 : 4, said = new Set();
    const wide = (text, name) => {
      const cell = element("td", { textContent: text, colSpan: width });
      body.append(element("tr", { className: name }, cell));
    };
    const pieces = hunks(aligned(before, after));
    let left = MOST_ROWS;
    for (const piece of pieces) {
      const old = piece.find((row) => row.old !== null)?.old ?? 0, now = piece.find((row) => row.now !== null)?.now ?? 0;
      if (left > 0) wide(old === now ? `line ${now + 1}` : `lines ${old + 1} and ${now + 1}`, "gap");
      for (const row of split ? paired(piece) : piece) {
        if (left-- <= 0) continue;
        const worth = !changed(row, before, after) ? null : worthOf(worths, path, row, said);
        if (worth) wide(worth, "worth");
        body.append(split ? splitRow(row, before, after, changed(row, before, after)) : unifiedRow(row, before, after));
      }
    }
    if (left < 0) wide(`${-left} more lines are not shown here`, "gap");
    const columns = (split ? ["line", "sign", "code", "line", "sign", "code"] : ["line", "line", "sign", "code"])
      .map((name) => element("col", { className: name }));
    const made = element("table", { className: `diff ${split ? "split" : "unified"}` },
      element("colgroup", {}, ...columns), body);
    return pieces.length ? element("section", {}, element("h4", { textContent: path }), made) : null;
  };
  const changed = ({ old, now }, before, after) =>
    old === null || now === null || before[old].text !== after[now].text;

  const tables = (before, after, split, worths) => {
    const files = [before, after].map((list) => new Map(list.map(({ path, html }) => [path, html])));
    const paths = [...new Set([...files[0].keys(), ...files[1].keys()])].sort();
    return paths.filter((path) => files[0].get(path) !== files[1].get(path))
      .map((path) => table(path, linesOf(files[0].get(path)), linesOf(files[1].get(path)), split, worths))
      .filter(Boolean);
  };

  /* -- the choice of what is compared, and how ------------------------------------------------ */

  const narrow = matchMedia("(max-width: 700px)");
  const kept = { get: () => { try { return localStorage.getItem("diff") ?? ""; } catch { return ""; } },
    set: (value) => { try { localStorage.setItem("diff", value); } catch { /* not kept, then */ } } };
  let from = null, split = kept.get() === "split", redraw = () => {};
  narrow.addEventListener("change", () => redraw());

  const make = ({ step, detail, run, other }) => {
    const known = { parent: step.parent, baseline: 0, best: run.best };
    const names = Object.keys(known).filter((name) => known[name] !== null && known[name] !== undefined && known[name] !== step.id
      && (name === "parent" || known[name] !== step.parent));
    const usual = step.id === run.best ? "baseline" : "parent";
    const chosen = () => (typeof from === "number" && from !== step.id ? from
      : known[[from, usual].find((name) => names.includes(name)) ?? "parent"]);
    const last = run.steps.length - 1;
    const field = element("input", { type: "number", min: 0, max: last, ariaLabel: "Number of the step to compare with" });
    const buttons = names.map((name) => element("button", { type: "button", textContent: `${known[name] ? name : "baseline"} #${known[name]}`,
      onclick: () => { from = name; draw(); } }));
    const ways = ["unified", "side by side"].map((name) => element("button", { type: "button", textContent: name,
      onclick: () => { split = name !== "unified"; kept.set(split ? "split" : ""); draw(); } }));
    const views = element("span", { className: "views" }, ...ways);
    const holder = element("div"), said = element("p", { className: "note", role: "status" });
    field.addEventListener("change", () => {
      const given = field.valueAsNumber;
      if (Number.isInteger(given) && given >= 0 && given <= last && given !== step.id) from = given;
      draw();
    });
    let drawn = 0;
    const draw = async () => {
      const mine = ++drawn, place = chosen();
      field.value = place;
      buttons.forEach((button, at) => { button.ariaPressed = known[names[at]] === place; });
      ways.forEach((button, at) => { button.ariaPressed = split === Boolean(at); });
      views.hidden = narrow.matches;
      said.textContent = "";
      try {
        const found = await other(place);
        if (drawn === mine) fill(found, place);
      } catch (error) {
        if (drawn !== mine) return;
        holder.replaceChildren();
        said.textContent = `Step #${place} cannot be shown: ${error.message}`;
      }
    };
    const fill = (found, place) => {
      const worths = place === 0 && step.id === run.best ? run.worths : [];
      if (found === null) return instead(place);
      const made = found.code.length ? tables(found.code, detail.code, split && !narrow.matches, worths) : [];
      holder.replaceChildren(...made);
      if (made.length) return;
      said.textContent = !found.code.length ? `Step #${place} has no program.`
        : found.digest === detail.digest ? `Step #${place} is the same program.`
          : "They differ only in what cannot be seen, such as the end of the last line.";
    };
    /* The page has no code of the other step, but perhaps the difference. */
    const instead = (place) => {
      const html = detail.diffs[place === step.parent ? "parent" : place === 0 ? "baseline" : ""];
      const diff = element("pre", { className: "code", innerHTML: html ?? "" });  // by Pygments
      holder.replaceChildren(...(html ? [diff] : []));
      if (!html) said.textContent = `This page has no code of step #${place}; maxcode show ${run.address} --diff ${place} ${step.id} prints the difference.`;
    };
    const controls = element("div", { className: "controls" },
      element("label", {}, "From step ", field), ...buttons, element("span", { textContent: `to #${step.id}` }), views);
    const show = () => {
      redraw = () => { if (holder.isConnected) draw(); };
      return draw();
    };
    return { element: element("div", { className: "compared" }, controls, said, holder), show };
  };
  return make;
})();
