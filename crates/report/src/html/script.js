"use strict";
(() => {
  // Sort any table by a click on a head: by number where cells have one, else by text.
  for (const table of document.querySelectorAll("table.sort")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.tabIndex = 0;
      const sort = () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const body = table.tBodies[0];
        const key = (row) => {
          const cell = row.cells[column];
          return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
        };
        const numeric = head.classList.contains("n");
        const value = (row) => {
          const found = key(row);
          if (!numeric) return String(found);
          const number = typeof found === "number" ? found : parseFloat(found);
          return Number.isNaN(number) ? Infinity : number;
        };
        const order = new Intl.Collator("en", { numeric: true }).compare;
        const rows = [...body.rows].map((row) => [value(row), row]);
        rows.sort(([a], [b]) => {
          if (!numeric) return up ? order(a, b) : order(b, a);
          // What has no value comes last either way.
          if (a === b) return 0;
          if (a === Infinity || b === Infinity) return a === Infinity ? 1 : -1;
          return up ? a - b : b - a;
        });
        body.append(...rows.map(([, row]) => row));
      };
      head.addEventListener("click", sort);
      head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
    });
  }

  const rows = [...document.querySelectorAll("#list tbody tr")];
  const filters = [...document.querySelectorAll("[data-filter]")];
  const count = document.getElementById("count");
  const apply = () => {
    let shown = 0;
    for (const row of rows) {
      const fits = filters.every(({ value, dataset: { filter } }) => value === "" ||
        (filter === "text" ? row.textContent.toLowerCase().includes(value.toLowerCase()) : row.dataset[filter] === value));
      row.hidden = !fits;
      if (fits) shown += 1;
    }
    count.textContent = `${shown} of ${rows.length} episodes`;
  };
  for (const filter of filters) filter.addEventListener("input", apply);
  document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
  apply();

  // All trajectories of an episode beside each other.
  const viewer = document.getElementById("viewer");
  document.getElementById("list").addEventListener("click", ({ target }) => {
    const button = target.closest("button[data-t]");
    if (!button) return;
    const own = button.closest("tr");
    const text = (row, column) => row.cells[column].textContent;
    const goal = own.dataset.category ? `: go to ${own.dataset.category}` : "";
    viewer.querySelector("h3").textContent = `Episode ${text(own, 1)} in ${own.dataset.scene}${goal}`;
    const panels = viewer.querySelector(".panels");
    panels.replaceChildren();
    const same = rows.filter((row) => row.dataset.id === own.dataset.id && row.querySelector("button[data-t]"));
    same.sort((a, b) => Number(a.dataset.run) - Number(b.dataset.run));
    for (const row of same) {
      const panel = document.createElement("div");
      panel.className = "panel";
      panel.append(document.getElementById(`t${row.querySelector("button").dataset.t}`).content.cloneNode(true));
      const words = document.createElement("p");
      words.append(row.querySelector(".swatch").cloneNode(true), `${text(row, 0)}: ${row.dataset.class}`);
      panel.append(words);
      panels.append(panel);
    }
    viewer.showModal();
  });
})();
