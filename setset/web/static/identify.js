// Identifies hands in the browser. Taps and arrow keys choose cards at once. A server, if any, adds rank and map.
import { findSets, marks, name, newSeed, parseCard, shuffled } from "./rules.js";
import { drawCard, element } from "./cards.js";
import { howMany, identify, isSite, link, number } from "./catalogue.js";

const byId = (id) => document.getElementById(id);
let cards = [], turn = 0;

function read() {
  const words = (new URLSearchParams(location.search).get("cards") ?? "").split(/[,\s]+/).filter(Boolean);
  return words.map(parseCard);
}

function address() {
  return cards.length ? `?cards=${cards.join(",")}` : location.pathname;
}

function change(next) {
  cards = next;
  history.pushState(null, "", address());
  show();
}

function toggle(card) {
  change(cards.includes(card) ? cards.filter((each) => each !== card) : [...cards, card]);
}

function showBoard(sets) {
  const found = marks(cards), rings = new Map();
  sets.forEach((set, index) => set.forEach((card) => rings.set(card, rings.get(card) ?? index % 8)));
  for (let card = 0; card < 81; card += 1) {
    const cell = byId(`c${card}`), mark = rings.has(card) ? "in-set" : found[card];
    cell.className = mark + (rings.has(card) ? ` r${rings.get(card)}` : "");
    cell.setAttribute("aria-label", `${name(card)}, ${mark}`);
  }
}

const facts = (pairs) => element("dl", {}, ...pairs.flatMap(([term, text, kind]) => [element("dt", { text: term }), element("dd", { text, class: kind ?? false })]));

async function showAnswer(sets) {
  turn += 1;
  const mine = turn, answer = byId("answer"), details = byId("details");
  if (!cards.length) {
    answer.replaceChildren(element("h2", { text: "Tap three cards" }), element("p", { text: "Are they a set? Continue while there is none: each faded card would complete a set." }));
    details.replaceChildren();
    return "no cards";
  }
  if (sets.length) {
    answer.replaceChildren(element("h2", { text: `${howMany(sets.length, "set")} among ${howMany(cards.length, "card")}` }));
    details.replaceChildren(element("ul", { class: "sets" }, ...sets.slice(0, 200).map((set, index) => element("li", { class: `r${index % 8}` }, ...set.map((card) => drawCard(card))))));
    return `${howMany(cards.length, "card")}, ${howMany(sets.length, "set")}`;
  }
  const one = await identify(cards).catch(() => null);
  if (mine !== turn) return null;
  if (!one) {
    answer.replaceChildren(element("h2", { text: "No set" }), element("p", { text: "The server does not answer, so the class is missing. Add or remove a card to try again." }));
    details.replaceChildren();
    return "no sets, the server does not answer";
  }
  const title = element("h2", { text: "No set: class " });
  title.append(element("a", { href: link(`classes/${one.class}`), text: one.class }));
  const more = one.complete ? "Complete: no card can be added."
    : `${howMany(one.extensions, "card")} can be added; it can still become ${howMany(one.larger, "larger hand")}.`;
  answer.replaceChildren(title, element("p", { text: more }));
  const addable = marks(cards).flatMap((mark, card) => (mark === "addable" ? [card] : []));
  const pairs = [["Cards", [...cards].sort((a, b) => a - b).join(" "), "cards"], ["Symmetries (stabilizer)", `${number(one.stabilizer)} of the 1,965,150,720`],
    ["Lists in the class", number(one.lists)], ["Can be added", addable.join(" ") || "none", "cards"], ["Canonical form", one.cards.join(" "), "cards"]];
  details.replaceChildren(facts(pairs));
  if (!isSite) addRank(mine);
  return `${howMany(cards.length, "card")}, no sets, class ${one.class}`;
}

async function addRank(mine) {
  try {
    const { list } = await (await fetch(`${link("api/identify")}?cards=${cards.join(",")}`)).json();
    if (mine !== turn || !list) return;
    byId("details").append(facts([["Rank", `${number(list.rank)} of all of this size, ${number(list.rank_in_class)} of its class, from 0`], ["Map to it", list.map_text]]));
  } catch {
    byId("details").append(element("p", { class: "quiet", text: "The server does not answer, so rank and map are missing." }));
  }
}

async function show() {
  const sets = findSets(cards);
  showBoard(sets);
  byId("cards").value = cards.join(",");
  byId("wrong")?.remove();
  const addable = marks(cards).includes("addable");
  for (const [id, usable] of [["undo", cards.length], ["clear", cards.length], ["complete", !sets.length && addable]]) byId(id).hidden = !usable;
  const json = byId("json");
  if (json) json.href = `${link("api/identify")}${cards.length ? `?cards=${cards.join(",")}` : ""}`;
  const said = await showAnswer(sets);
  if (said) byId("announce").textContent = said;
}

function complete() {
  const next = [...cards];
  for (;;) {
    const addable = marks(next).flatMap((mark, card) => (mark === "addable" ? [card] : []));
    if (!addable.length) break;
    next.push(addable[newSeed() % addable.length]);
  }
  change(next);
}

function moveFocus(event) {
  const cells = [...byId("board").querySelectorAll("a")], at = cells.indexOf(document.activeElement);
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -9, ArrowDown: 9, Home: -at, End: 80 - at }[event.key];
  if (at < 0) return;
  if (event.key === " ") {
    event.preventDefault();
    document.activeElement.click();
  }
  if (step === undefined || !cells[at + step]) return;
  event.preventDefault();
  cells[at].tabIndex = -1;
  cells[at + step].tabIndex = 0;
  cells[at + step].focus();
}

export function helpIdentify() {
  const given = read();
  if (byId("wrong") && !isSite) return; // the server has shown the error already
  cards = given.filter((card, index) => card >= 0 && given.indexOf(card) === index);
  const on = (id, action) => byId(id).addEventListener("click", (event) => {
    event.preventDefault();
    action();
  });
  on("deal", () => change(shuffled(newSeed()).slice(0, 12)));
  on("undo", () => change(cards.slice(0, -1)));
  on("clear", () => change([]));
  on("complete", complete);
  [...byId("board").querySelectorAll("a")].forEach((cell, index) => {
    cell.tabIndex = index ? -1 : 0;
    cell.setAttribute("role", "button");
    cell.addEventListener("click", (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      toggle(Number(cell.id.slice(1)));
    });
  });
  byId("board").addEventListener("keydown", moveFocus);
  byId("typed").addEventListener("submit", (event) => {
    const words = byId("cards").value.split(/[,\s]+/).filter(Boolean), next = words.map(parseCard);
    const wrong = words.find((word, index) => next[index] < 0 || next.indexOf(next[index]) !== index);
    if (wrong !== undefined && !isSite) return; // the server parses names of several words
    event.preventDefault();
    if (wrong === undefined) change(next);
    else {
      byId("wrong")?.remove();
      byId("typed").append(element("p", { class: "wrong", id: "wrong", role: "alert", text: `Not a card, or there twice: ${wrong} (give 0 to 80, or codes such as r1fd)` }));
    }
  });
  window.addEventListener("popstate", () => {
    cards = read().filter((card) => card >= 0);
    show();
  });
  if (isSite) show(); // a server has shown the hand already
}
