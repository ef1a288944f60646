// Gallery of classes. The browser has the whole catalogue, so filters apply at once.
import { catalogue, classOf, howMany, isSite, link, number } from "./catalogue.js";
import { drawDots, element } from "./cards.js";

const byId = (id) => document.getElementById(id);
const COLUMNS = ["structure", "orbits", "extension_orbits", "dimension", "in_hyperplane", "excluded", "game_classes"];
const FACETS = ["complete", "stabilizer", "extensions", ...COLUMNS];
const STEP = 60;
let classes = [], shown = STEP;
const headers = () => document.querySelectorAll("[data-sort]");

function wanted() {
  const form = new FormData(byId("filters"));
  return Object.fromEntries([...form].filter(([, value]) => value && value !== "any"));
}

const text = (one, key) => (key === "complete" ? (one.complete ? "yes" : "no") : String(one[key]));

const label = (key, value) => (key === "complete" || key === "structure" ? value : number(value));

// All values of each property: the server lists only those that fit the filters of the URL. Keeps a choice made meanwhile.
function fillFacets() {
  const query = new URLSearchParams(location.search), order = new Intl.Collator("en", { numeric: true }).compare;
  for (const key of FACETS) {
    const values = [...new Set(classes.map((one) => text(one, key)))].sort(order), now = byId(key).value || query.get(key);
    byId(key).replaceChildren(...["", ...values].map((value) => element("option", { value, text: value || "any", selected: value === now })));
  }
}

function meets(one, asked, without) {
  return FACETS.every((key) => key === without || asked[key] === undefined || text(one, key) === asked[key])
    && !(one.lists < Number(asked.least ?? 0)) && !(one.lists > Number(asked.most ?? Infinity));
}

function showFacets(asked) {
  for (const key of FACETS) {
    const select = byId(key), counts = new Map();
    for (const one of classes) if (meets(one, asked, key)) counts.set(text(one, key), (counts.get(text(one, key)) ?? 0) + 1);
    for (const option of [...select.options].slice(1)) {
      const { value } = option;
      option.textContent = `${label(key, value)} (${number(counts.get(value) ?? 0)})`;
      option.disabled = !counts.has(value) && !option.selected;
    }
  }
}

function tile(one) {
  const about = element("small", { text: howMany(one.stabilizer, "symmetry", "symmetries") });
  about.append(element("br"), one.complete ? "complete" : `${one.extensions} addable`);
  return element("li", {}, element("a", { href: link(`classes/${one.class}`) }, drawDots(one.cards), element("b", { text: one.class }), about));
}

function show() {
  const asked = wanted(), found = classes.filter((one) => meets(one, asked));
  const { sort: key = "number", order = "ascending" } = asked, sign = order === "descending" ? -1 : 1;
  for (const header of headers()) {
    const isCurrent = header.dataset.sort === key;
    header.setAttribute("aria-current", isCurrent);
    header.dataset.order = isCurrent ? order : "";
  }
  found.sort((a, b) => sign * (a[key] - b[key]) || a.number - b.number);
  byId("found").textContent = howMany(found.length, "class", "classes");
  byId("shown").replaceChildren(...found.slice(0, shown).map(tile));
  byId("more").hidden = found.length <= shown;
  showFacets(asked);
  const query = new URLSearchParams(asked).toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
  const json = byId("json");
  if (json && !isSite) json.href = link(`api/classes/${byId("gallery").dataset.size}${query ? `?${query}` : ""}`);
  byId("announce").textContent = byId("found").textContent;
}

export async function helpBrowse() {
  const form = byId("filters");
  const { classList } = byId("filtering"); // a phone shows the form at once only if the URL has filters
  if (innerWidth < 640 && !classList.contains("ready")) byId("filtering").open = false;
  classList.add("ready");
  if (document.getElementById("wrong")) return;
  const size = Number(byId("gallery").dataset.size), sizes = await catalogue();
  const properties = (at) => Object.fromEntries(COLUMNS.map((key) => [key, sizes[size][key][at]]));
  classes = sizes[size].cards.map((_, at) => ({ ...classOf(sizes, size, at), ...properties(at) }));
  fillFacets();
  for (const [key, value] of new URLSearchParams(location.search)) if (form.elements[key] && !FACETS.includes(key)) form.elements[key].value = value;
  byId("pages")?.remove();
  const more = element("button", { type: "button", class: "second", id: "more", text: "Show more" });
  more.addEventListener("click", () => {
    shown += STEP * 5;
    show();
  });
  byId("gallery").append(more);
  const restart = () => {
    shown = STEP;
    show();
  };
  form.addEventListener("input", restart);
  form.addEventListener("submit", (event) => {
    if (event.submitter?.hasAttribute("data-plain")) return;
    event.preventDefault();
    restart();
  });
  const sortBy = (header, key, order) => header.addEventListener("click", (event) => {
    event.preventDefault();
    form.elements.order.value = order ?? (header.dataset.order === "ascending" ? "descending" : "");
    form.elements.sort.value = key;
    restart();
  });
  for (const header of headers()) sortBy(header, header.dataset.sort);
  sortBy(byId("symmetric"), "stabilizer", "descending");
  byId("surprise").addEventListener("click", (event) => {
    event.preventDefault();
    location.assign(link(`classes/${classes[Math.floor(Math.random() * classes.length)].class}`));
  });
  show();
}
