// Follows a store of runs: lists them, or keeps the report of some of them up to date.
// Whatever comes from a run is put into the page as text, never as markup.
"use strict";

(() => {
  const status = document.getElementById("live");
  const tell = (text) => {
    if (status && status.textContent !== text) status.textContent = text;
  };

  // Calls `heard` with the runs of the server whenever they change, as long as the page is looked
  // at: nobody needs news behind other windows.
  function follow(query, heard) {
    let before = "";
    const look = async () => {
      if (!document.hidden) {
        try {
          const response = await fetch("/api/runs" + query);
          const text = await response.text();
          const seen = JSON.parse(text);
          if (text !== before) {
            tell(seen.problem || "live");
            if (response.ok) heard(seen);
          }
          before = text;
        } catch {
          before = "";
          tell("the view cannot be reached; trying again");
        }
      }
      setTimeout(look, 1000);
    };
    look();
  }

  // Does `work` again and again, as often as it is asked to, but leaves the machine two thirds of
  // the time: a search may be measuring on it. What fails is done again after a pause.
  function inTurn(work) {
    let busy = false;
    let again = false;
    return async () => {
      again = true;
      if (busy) return;
      busy = true;
      while (again) {
        again = false;
        const begun = performance.now();
        let pause = 0;
        await work().catch((error) => {
          tell(`${error.message}; trying again`);
          again = true;
          pause = 2000;
        });
        pause = Math.max(pause, 2 * (performance.now() - begun));
        await new Promise((done) => setTimeout(done, pause));
      }
      busy = false;
    };
  }

  async function ask(path) {
    const response = await fetch("/api/" + path);
    const found = await response.json();
    if (!response.ok) throw new Error(found.problem);
    return found;
  }

  // Where report.js gets its data from, and what tells it of changes.
  window.maxcodeLive = (live, id) => {
    const path = "runs/" + encodeURIComponent(id);
    return {
      detail: (step) => ask(path + "/steps/" + step),
      watch: (changed) => {
        let before = live;
        const update = inTurn(async () => {
          await changed(await ask(path));
          tell("live");
        });
        follow("?run=" + encodeURIComponent(id), ({ runs: [run] }) => {
          const state = run ? run.status + " " + run.last_event : before;
          if (state !== before) update();
          before = state;
        });
      },
    };
  };

  function cell(row, text, kind = "td") {
    const made = document.createElement(kind);
    made.textContent = text;
    row.append(made);
    return made;
  }

  // What narrow windows show before each cell, where the head of the table has no room.
  const names = ["state", "speedup", "evaluations", "time", "cost", "updated", "by", "run"];

  function makeRow(run) {
    const row = document.createElement("tr");
    const task = cell(row, "");
    const link = document.createElement("a");
    link.href = "/?run=" + encodeURIComponent(run.run_id);
    task.className = "wide";
    task.append(link);
    for (const name of names) cell(row, "").dataset.name = name;
    return row;
  }

  function fillRow(row, run) {
    const texts = [run.status, run.speedup, run.evaluations, run.seconds, run.cost, run.updated,
      run.searched_by, run.run_id];
    const link = row.querySelector("a");
    link.textContent = run.task || run.run_id;
    texts.forEach((text, i) => {
      if (row.cells[i + 1].textContent !== text) row.cells[i + 1].textContent = text;
    });
    // Green is for what found something.
    row.cells[1].dataset.status = run.status === "done" && !run.speedup ? "nothing" : run.status;
    row.cells[1].title = run.reason;
  }

  function listRuns(body) {
    const rows = new Map();
    const heads = new Map(); // of groups, by what their runs have in common
    const wanted = document.getElementById("wanted");
    const grouped = document.getElementById("grouped");
    let last = null;
    const headOf = (name) => {
      if (!heads.has(name)) {
        const head = document.createElement("tr");
        const text = cell(head, "", "th");
        text.colSpan = names.length + 1;
        text.scope = "rowgroup";
        head.className = "group";
        heads.set(name, head);
      }
      return heads.get(name);
    };
    // The rows in the order in which they are shown, below the heads of their groups if any.
    const inOrder = (runs) => {
      const groups = new Map();
      for (const run of runs) {
        const name = grouped.value ? run[grouped.value] || "unknown" : "";
        groups.set(name, [...(groups.get(name) || []), rows.get(run.run_id)]);
      }
      for (const [name, head] of heads) {
        if (!grouped.value || !groups.has(name)) head.remove();
      }
      return [...groups].flatMap(([name, own]) => (grouped.value ? [headOf(name), ...own] : own));
    };
    const sift = () => {
      const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of rows.values()) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      for (const [name, head] of heads) {
        let seen = 0;
        for (let row = head.nextElementSibling; row && row.className !== "group"; row = row.nextElementSibling) {
          seen += row.hidden ? 0 : 1;
        }
        head.hidden = !seen;
        head.cells[0].textContent = `${name} (${seen})`;
      }
    };
    wanted.addEventListener("input", sift);
    const show = (seen) => {
      last = seen;
      const now = new Set(seen.runs.map((run) => run.run_id));
      for (const [id, row] of rows) {
        if (!now.has(id)) {
          row.remove();
          rows.delete(id);
        }
      }
      for (const run of seen.runs) {
        if (!rows.has(run.run_id)) rows.set(run.run_id, makeRow(run));
        fillRow(rows.get(run.run_id), run);
      }
      inOrder(seen.runs).forEach((row, i) => {
        // Moving a row would take the focus from what is in it.
        if (body.rows[i] !== row) body.insertBefore(row, body.rows[i] || null);
      });
      sift();
      const more = document.getElementById("more");
      more.hidden = seen.total <= seen.runs.length;
      more.textContent = `${seen.total - seen.runs.length} older: maxcode runs`;
      document.getElementById("none").hidden = seen.total > 0 || Boolean(seen.problem);
    };
    grouped.addEventListener("change", () => show(last));
    show(JSON.parse(document.getElementById("seen").textContent));
    follow("", show);
  }

  // The same choice of colours as report.js offers.
  function offerColours(theme) {
    const show = () => {
      if (theme.value) document.documentElement.dataset.theme = theme.value;
      else delete document.documentElement.dataset.theme;
    };
    try {
      theme.value = localStorage.getItem("theme") || "";
    } catch { /* nothing is kept, then */ }
    theme.addEventListener("change", () => {
      try {
        localStorage.setItem("theme", theme.value);
      } catch { /* nor is this */ }
      show();
    });
    show();
  }

  const body = document.getElementById("runs");
  if (body) {
    offerColours(document.getElementById("theme"));
    listRuns(body);
  }
})();
