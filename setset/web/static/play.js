// The game in the browser: keys and taps, hints that mark cards, modes of practice, a clock, records and links to share.
import { callNone, callSet, digits, findSets, isOver, name, newGame, newSeed, shuffled } from "./rules.js";
import { drawCard, element } from "./cards.js";
import { copyButton } from "./copy.js";
import { choosePalette } from "./palette.js";
import { link } from "./catalogue.js";

const LETTERS = "abcdefghijklmnopqrstu";
const COUNTS = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 };
const BOARDS = 10;
const byId = (id) => document.getElementById(id);
const clockText = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

let game, seed, mode, started, last, times, hints, ended, calls, beat, board, found, pending;

function boardOf(number) {
  const want = COUNTS[mode];
  for (let attempt = 0; ; attempt += 1) {
    const table = shuffled(BigInt(seed) * 1000n + BigInt(number * 100 + attempt % 100) + BigInt(Math.floor(attempt / 100)) * 1_000_003n).slice(0, 12);
    const sets = findSets(table).length;
    if (want ? sets === want : sets > 0) return table;
  }
}

const isBoard = () => mode === "all" || mode in COUNTS;
const modeOption = (value) => [...byId("mode").options].find((option) => option.value === value);

function begin(next, kind, replay = []) {
  [seed, mode, calls, times, hints, ended, board, found, pending] = [next, kind, [], [], 0, false, 0, [], false];
  const deck = mode === "junior"
    ? shuffled(seed, Array.from({ length: 81 }, (_, card) => card).filter((card) => digits(card)[2] === 0)) : shuffled(seed);
  game = isBoard() ? { deck: [], table: boardOf(0), score: 0, taken: [] } : newGame(deck, mode === "junior" ? 9 : 12);
  for (const call of replay) {
    const result = call === "none" ? callNone(game) : callSet(game, call.split(".").map(Number));
    game = result.game;
    calls.push(call);
    if (call !== "none" && result.right) times.push(0);
  }
  const key = `setset-started-${mode}-${seed}`;
  started = (replay.length && Number(sessionStorage.getItem(key))) || Date.now();
  sessionStorage.setItem(key, String(started));
  last = started;
  if (isOver(game) && !isBoard()) ended = Date.now();
  show();
  tell(isBoard() ? boardText() : "Choose three cards that are a set.");
}

function boardText() {
  const left = findSets(game.table).length - found.length;
  return `Board ${board + 1} of ${BOARDS}: ${left} ${left === 1 ? "set" : "sets"} to find.`;
}

function tell(text, kind = "") {
  const said = byId("said");
  said.textContent = text;
  said.className = `said ${kind}`;
  said.title = text;
}

function address(more = {}) {
  const asked = new URLSearchParams({ seed: String(seed), ...(mode === "classic" ? {} : { mode }), ...more });
  return `${location.pathname}?${asked}`;
}

// Changes the URL of the page and of its JSON. The server knows only the whole deck.
function remember(change, more) {
  history[change](null, "", address(more));
  const json = byId("json");
  if (json) Object.assign(json, { href: link("api/play") + location.search, hidden: mode !== "classic" });
}

function choice(card, index) {
  const label = element("label", { class: "choice fresh" });
  label.append(element("input", { type: "checkbox", name: "card", value: card, "data-letter": LETTERS[index] }), drawCard(card), element("kbd", { text: LETTERS[index] }));
  return label;
}

// Redraws only cards that changed, so that the others keep their focus.
function show() {
  const table = byId("cards");
  byId("score").textContent = game.taken.length;
  byId("points").textContent = game.score;
  byId("deck").textContent = game.deck.length;
  if (ended) {
    showEnd(table);
    return;
  }
  if (table.firstElementChild?.classList.contains("end")) table.replaceChildren();
  byId("buttons").hidden = false;
  game.table.forEach((card, index) => {
    const now = table.children[index];
    if (now?.querySelector("input")?.value !== String(card)) {
      const fresh = choice(card, index);
      if (now) now.replaceWith(fresh); else table.append(fresh);
    }
    const label = table.children[index];
    label.classList.remove("right", "wrong", "hinted");
    label.querySelector("input").checked = false;
  });
  while (table.children.length > game.table.length) table.lastElementChild.remove();
  byId("taken").replaceChildren(...game.taken.map((cards, index) => element("li", {}, ...cards.map((card) => drawCard(card)),
    element("small", { text: times[index] ? `${(times[index] / 1000).toFixed(1)} s` : "" }))).reverse());
}

const chosen = () => [...byId("cards").querySelectorAll("input:checked")].map((each) => Number(each.value));
const labelOf = (card) => byId("cards").querySelector(`input[value="${card}"]`)?.closest("label");

function mark(cards, kind) {
  for (const card of cards) labelOf(card)?.classList.add(kind);
}

// Marks the cards for a moment, then shows the game. Ignores calls meanwhile.
function settle(cards, kind) {
  pending = true;
  mark(cards, kind);
  setTimeout(() => {
    pending = false;
    show();
  }, kind === "right" ? 350 : 700);
}

function takeTime() {
  const now = Date.now();
  times.push(now - last);
  last = now;
}

function call(cards) {
  if (pending || ended) return;
  if (isBoard()) {
    callOnBoard(cards);
    return;
  }
  const result = callSet(game, cards);
  game = result.game;
  calls.push(cards.join("."));
  if (result.right) {
    takeTime();
    hints = 0;
    tell(`A set: ${cards.map(name).join(", ")}.`, "right");
  } else tell(`No set. ${result.reason[0].toUpperCase()}${result.reason.slice(1)}.`, "wrong-call");
  afterCall();
  settle(cards, result.right ? "right" : "wrong");
}

function callOnBoard(cards) {
  const key = [...cards].sort((a, b) => a - b).join();
  const sets = findSets(game.table).map((set) => [...set].sort((a, b) => a - b).join());
  if (!sets.includes(key) || found.includes(key)) {
    game = { ...game, score: game.score - 1 };
    tell(found.includes(key) ? "You have that one already." : "No set.", "wrong-call");
    settle(cards, "wrong");
    return;
  }
  found.push(key);
  game = { ...game, score: game.score + 1, taken: [...game.taken, cards] };
  takeTime();
  hints = 0;
  if (found.length === sets.length) {
    board += 1;
    found = [];
    if (board < BOARDS) game = { ...game, table: boardOf(board) };
    else ended = Date.now();
  }
  tell(ended ? "All boards are done." : boardText(), "right");
  settle(cards, "right");
}

function none() {
  if (pending || ended) return;
  if (isBoard()) {
    tell("There is a set on each board.", "wrong-call");
    return;
  }
  const result = callNone(game);
  game = result.game;
  calls.push("none");
  tell(result.right ? "Right, there is no set. Three more cards." : "There is a set.", result.right ? "right" : "wrong-call");
  afterCall();
  show();
}

// The URL has the whole game, so that a reload keeps it.
function afterCall() {
  if (isOver(game)) ended = Date.now();
  if (mode === "classic") remember("replaceState", { ...(beat ? { beat } : {}), calls: calls.join(",") });
}

function hint() {
  if (ended) return;
  const set = findSets(game.table).find((each) => !found.includes([...each].sort((a, b) => a - b).join()));
  hints = Math.min(hints + 1, 3);
  if (!set) tell("There is no set on the table.");
  else {
    mark(set.slice(0, hints), "hinted");
    tell(["One card of a set is marked.", "Two cards of a set are marked.", "Here is a set."][hints - 1]);
  }
}

function record(time) {
  const key = `setset-best-${mode}`;
  const best = Number(localStorage.getItem(key)) || Infinity;
  if (time < best) localStorage.setItem(key, String(time));
  return Math.min(best, time);
}

function showEnd(table) {
  byId("buttons").hidden = true;
  const time = ended - started, timed = times.filter(Boolean);
  const best = timed.length ? record(time) : 0, slowest = Math.max(0, ...timed);
  const score = game.score, link = new URL(address({ beat: String(Math.round(time / 1000)) }), location.href).href;
  const text = `SET, ${modeOption(mode).text.toLowerCase()}: ${game.taken.length} sets in ${clockText(time)}, ${score} points. Beat it: ${link}`;
  const figure = (label, value) => element("div", {}, element("b", { text: value }), label);
  const won = beat && time / 1000 < beat ? "You beat the time." : beat ? "The other was faster." : "The game is over.";
  const share = copyButton("Copy the challenge", () => text);
  const again = element("button", { type: "button", class: "second", text: "The same deck again" });
  again.addEventListener("click", () => restart(seed, mode));
  const fresh = element("button", { type: "button", class: "second", text: "A new deck" });
  fresh.addEventListener("click", () => restart(newSeed(), mode));
  table.replaceChildren(element("div", { class: "end", id: "end" }, element("h2", { text: won }),
    element("div", { class: "figures" }, figure("time", clockText(time)), figure("best", best ? clockText(best) : "-"),
      figure("slowest set", slowest ? `${(slowest / 1000).toFixed(1)} s` : "-"), figure("points", String(score)),
      figure("cards left", String(isBoard() ? 0 : game.table.length))),
    element("p", { class: "line" }, share, again, fresh)));
}

function restart(next, kind) {
  beat = 0;
  mode = kind;
  seed = next;
  byId("mode").value = kind;
  remember("pushState");
  byId("beat").textContent = "";
  begin(next, kind);
}

function tick() {
  const clock = byId("clock");
  if (clock) clock.textContent = clockText((ended || Date.now()) - started);
}

function onKey(event) {
  if (!byId("game") || event.ctrlKey || event.metaKey || event.altKey || /^(select|textarea)$/i.test(event.target.tagName)) return;
  if (event.key === "x") none();
  if (event.key === "?") hint();
  const box = byId("cards").querySelector(`input[data-letter="${CSS.escape(event.key)}"]`);
  if (!box || pending) return;
  box.checked = !box.checked;
  callIfThree();
}

function callIfThree() {
  const cards = chosen();
  if (cards.length === 3) call(cards);
}

function settings() {
  const modes = byId("mode"), palette = byId("palette");
  [modes.value, palette.value] = [mode, choosePalette()];
  modes.addEventListener("change", () => restart(newSeed(), modes.value));
  palette.addEventListener("change", () => choosePalette(palette.value));
}

const today = () => {
  const now = new Date();
  return now.getFullYear() * 10000 + (now.getMonth() + 1) * 100 + now.getDate();
};

export function helpPlayers() {
  if (!byId("game")) return;
  const asked = new URLSearchParams(location.search);
  const kind = modeOption(asked.get("mode"))?.value ?? "classic";
  const given = asked.get("seed");
  const next = /^\d{1,20}$/.test(given ?? "") ? BigInt(given) : BigInt(asked.has("daily") ? today() : newSeed());
  beat = Number(asked.get("beat")) || 0;
  byId("beat").textContent = beat ? `to beat: ${clockText(beat * 1000)}` : "";
  let replay = (asked.get("calls") ?? "").split(",").filter((each) => /^(none|\d+\.\d+\.\d+)$/.test(each));
  if (kind !== "classic") replay = [];
  byId("cards").replaceChildren();
  byId("set")?.remove();
  begin(next, kind, replay);
  remember("replaceState", { ...(beat ? { beat: String(beat) } : {}), ...(replay.length ? { calls: replay.join(",") } : {}) });
  settings();
  for (const link of document.querySelectorAll("[data-daily]")) {
    link.href = `?seed=${today()}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      restart(BigInt(today()), "classic");
    });
  }
  byId("new").addEventListener("click", (event) => {
    event.preventDefault();
    restart(BigInt(newSeed()), mode);
  });
  byId("none")?.addEventListener("click", (event) => {
    event.preventDefault();
    none();
  });
  byId("hint")?.addEventListener("click", (event) => {
    event.preventDefault();
    hint();
  });
  byId("table").addEventListener("submit", (event) => event.preventDefault());
  byId("table").addEventListener("change", callIfThree);
  document.addEventListener("keydown", onKey);
  window.addEventListener("popstate", () => location.hash || location.reload());
  setInterval(tick, 250);
  tick();
}
