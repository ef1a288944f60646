// Drawings of cards: one card, a thumbnail of 81 dots, the grid of all cards. setset/web/drawings.py draws the same.
import { name } from "./rules.js";

const SVG = "http://www.w3.org/2000/svg";
export const SHEET = new URL("cards.svg", import.meta.url).href;
const STEP = [182, 116], GAP = 16;

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export function drawCard(card, label = true) {
  const said = label ? { role: "img", "aria-label": name(card) } : { "aria-hidden": "true" };
  return svg("svg", { class: "card", viewBox: "0 0 170 104", ...said }, svg("use", { href: `${SHEET}#c${card}` }));
}

const row = (card) => Math.floor(card / 27) * 3 + (Math.floor(card / 3) % 3);
const column = (card) => (Math.floor(card / 9) % 3) * 3 + (card % 3);

export function drawDots(cards) {
  const paths = ["", "", ""];
  for (const card of cards) paths[Math.floor(card / 27)] += `M${column(card)} ${row(card)}h0`;
  return svg("svg", { class: "dots", viewBox: "-.5 -.5 9 9", "aria-hidden": "true" }, ...paths.map((d) => svg("path", { d })));
}

export function cell(card) {
  return [column(card) * STEP[0] + Math.floor(column(card) / 3) * GAP, row(card) * STEP[1] + Math.floor(row(card) / 3) * GAP];
}

export const cells = (cards) => cards.map(cell).map(([x, y]) => `M${x} ${y}h170v104h-170z`).join("");

// Card at a point of the drawn grid; -1 between cards.
export function cardAt(x, y) {
  for (let card = 0; card < 81; card += 1) {
    const [left, top] = cell(card);
    if (x >= left && x < left + 170 && y >= top && y < top + 104) return card;
  }
  return -1;
}
