/* SPDX-License-Identifier: Apache-2.0 */
/* Tables sort by a click on a column's head: numbers by their value, the greatest first at the second click. What
 * has no value stays at the end. Without scripts the heads are plain text. */
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    if (body.rows.length < 2) {
        continue;
    }
    heads.forEach((head, column) => {
        if (head.classList.contains("plain")) {
            return;
        }
        const button = document.createElement("button");
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
            const down = head.getAttribute("aria-sort") === "ascending";
            heads.forEach((other) => other.removeAttribute("aria-sort"));
            head.setAttribute("aria-sort", down ? "descending" : "ascending");
            const rows = [...body.rows].map((row) => {
                const cell = row.cells[column];
                const text = cell.dataset.v ?? cell.textContent.trim();
                return {row, text, empty: text === "" || text === "–", value: Number(text)};
            });
            const numeric = rows.every((r) => r.empty || !Number.isNaN(r.value));
            rows.sort((a, b) => {
                if (a.empty || b.empty) {
                    return a.empty - b.empty;
                }
                const order = numeric ? a.value - b.value : a.text.localeCompare(b.text, "en", {numeric: true});
                return down ? -order : order;
            });
            body.append(...rows.map((r) => r.row));
        });
    });
}
