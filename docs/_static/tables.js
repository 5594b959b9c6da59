// A table that is wider than its place becomes a list: a block for each row, with the names of the columns.
addEventListener("DOMContentLoaded", () => {
  const tables = [...document.querySelectorAll("table.docutils")].filter((table) => table.tHead);
  for (const table of tables) {
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    for (const row of table.tBodies[0].rows) {
      for (const cell of row.cells) cell.dataset.column = names[cell.cellIndex];
    }
  }
  const fit = () => {
    for (const table of tables) {
      table.classList.remove("stacked");
      table.classList.toggle("stacked", table.parentElement.scrollWidth > table.parentElement.clientWidth);
    }
  };
  fit();
  addEventListener("resize", fit);
});
