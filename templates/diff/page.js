/* global document */
// Search and filters of the page that `mcpgen diff --html` writes. Without it, all changes are shown.
const bar = document.querySelector(".bar");
const search = document.querySelector("#search");
const shown = document.querySelector("#shown");
const empty = document.querySelector("#empty");
const changes = [...document.querySelectorAll("[data-change]")].map((node) => ({
  node,
  card: node.closest("article"),
  breaks: node.dataset.breaks.split(" "),
  by: node.dataset.by.split(" "),
  text: `${node.closest("article").dataset.name} ${node.querySelector(".what").textContent} ${[
    ...node.querySelectorAll(":scope > .types, :scope > .note"),
  ]
    .map((item) => item.textContent)
    .join(" ")}`.toLowerCase(),
}));
const cards = [...document.querySelectorAll("article")];
const sections = [...document.querySelectorAll("section[data-section]")];
const chosen = { breaks: "all", by: "any" };

function matches(change, words) {
  const { breaks, by } = chosen;
  if (breaks === "breaking" && change.breaks.includes("none")) return false;
  if (!["all", "breaking"].includes(breaks) && !change.breaks.includes(breaks))
    return false;
  if (by !== "any" && !change.by.includes(by)) return false;
  return words.every((word) => change.text.includes(word));
}

function update() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  const open = new Set();
  for (const change of changes) {
    const fits = matches(change, words);
    change.node.hidden = !fits;
    if (!fits) continue;
    count += 1;
    open.add(change.card);
  }
  for (const card of cards) card.hidden = !open.has(card);
  for (const section of sections) {
    const left = section.querySelectorAll("article:not([hidden])").length;
    section.hidden = left === 0;
    section.querySelector(".count").textContent = String(left);
  }
  const isFiltered = count < changes.length;
  for (const node of document.querySelectorAll("[data-unfiltered]"))
    node.hidden = isFiltered;
  empty.hidden = count > 0;
  shown.textContent = isFiltered
    ? `${count} of ${changes.length} changes`
    : `${count} changes`;
}

for (const group of document.querySelectorAll("[data-choice]")) {
  group.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button === null) return;
    chosen[group.dataset.choice] = button.value;
    for (const other of group.querySelectorAll("button")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
    update();
  });
}

search.addEventListener("input", update);
document.addEventListener("keydown", (event) => {
  const isTyping = event.target === search;
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    search.focus();
    search.select();
  }
  if (event.key === "Escape" && isTyping) {
    search.value = "";
    update();
  }
});

bar.hidden = false;
update();
