// Page of a class: shows the pair that excludes a card, thumbnails of neighbours, texts to copy, pictures to download.
import { name, pairs, third } from "./rules.js";
import { cardAt, cells, drawCard, drawDots, element, SHEET, svg } from "./cards.js";
import { cardsOf, catalogue, isSite } from "./catalogue.js";
import { copyButton } from "./copy.js";
import { latticeOf } from "./lattice.js";

const byId = (id) => document.getElementById(id);
const article = byId("class");
const cards = article.dataset.cards.split(" ").filter(Boolean).map(Number);

function explain(deck, because, card) {
  const why = [...pairs(cards)].filter(([a, b]) => third(a, b) === card);
  because.setAttribute("d", card < 0 ? "" : cells([card, ...why.flatMap(([a, b]) => [a, b])]));
  const told = byId("because");
  if (card < 0) told.textContent = "Outlined: the hand. Faded: would complete a set.";
  else if (cards.includes(card)) told.textContent = `${name(card)}: of the hand.`;
  else if (!why.length) told.textContent = `${name(card)}: can be added.`;
  else told.textContent = `${name(card)}: would complete a set with ${why.slice(0, 3).map(([a, b]) => `${name(a)} and ${name(b)}`).join("; with ")}${why.length > 3 ? `; and with ${why.length - 3} more pairs` : ""}.`;
}

function followPointer() {
  const deck = article.querySelector("svg.deck"), because = svg("path", { class: "because" });
  deck.append(because);
  const at = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(deck.getScreenCTM().inverse());
    explain(deck, because, cardAt(point.x, point.y));
  };
  deck.addEventListener("pointermove", at);
  deck.addEventListener("pointerdown", at);
  deck.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") explain(deck, because, -1);
  });
}

async function drawNeighbours() {
  const bare = [...article.querySelectorAll(".gallery a")].filter((each) => !each.querySelector("svg"));
  if (!bare.length) return;
  const sizes = await catalogue();
  for (const each of bare) {
    const [size, at] = each.firstChild.textContent.split("/");
    each.prepend(drawDots(cardsOf(sizes[size].cards[at])));
  }
}

function copyMenu(texts) {
  const menu = element("select", { id: "format" }, ...Object.keys(texts).map((each) => element("option", { text: each })));
  const shown = element("pre", { tabindex: "0" }), line = element("p", { class: "line" }, element("label", { for: "format", text: "As" }), menu);
  const show = () => {
    shown.textContent = texts[menu.value];
    line.replaceChildren(...[...line.children].slice(0, 2), copyButton(`Copy ${menu.value}`, () => shown.textContent, shown));
  };
  menu.value = "GAP" in texts ? "GAP" : menu.value;
  menu.addEventListener("change", show);
  show();
  return element("div", { id: "texts" }, line, shown);
}

async function offerTexts() {
  const place = byId("texts");
  const listed = [...place.querySelectorAll("dt")].map((each) => [each.textContent, each.nextElementSibling.querySelector("pre").textContent]);
  const texts = listed.length ? Object.fromEntries(listed) : (await (await fetch(byId("json").href)).json()).texts;
  place.replaceWith(copyMenu(texts));
}

// The hand as a self-contained SVG.
async function picture() {
  const sheet = new DOMParser().parseFromString(await (await fetch(SHEET)).text(), "image/svg+xml").documentElement;
  const columns = Math.min(5, cards.length), rows = Math.ceil(cards.length / columns);
  const width = columns * 184 + 14, height = rows * 118 + 14;
  const drawn = svg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height });
  drawn.append(sheet.querySelector("defs"), ...cards.map((card) => sheet.querySelector(`#c${card}`)), svg("rect", { width, height, fill: "#eef1ee" }),
    ...cards.map((card, index) => svg("use", { href: `#c${card}`, x: 14 + (index % columns) * 184, y: 14 + Math.floor(index / columns) * 118, width: 170, height: 104 })));
  const text = new XMLSerializer().serializeToString(drawn).replace(/var\(--\w+,(#\w+)\)/g, "$1");
  return { text, width, height };
}

function save(blob, kind) {
  const anchor = element("a", { href: URL.createObjectURL(blob), download: `setset-${article.dataset.class.replace("/", "-")}.${kind}` });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 1000);
}

function offerPictures() {
  const made = (label, action) => {
    const button = element("button", { type: "button", class: "second", text: label });
    button.addEventListener("click", action);
    return button;
  };
  byId("copying").after(element("p", { class: "line", id: "downloads" },
    made("SVG", async () => save(new Blob([(await picture()).text], { type: "image/svg+xml" }), "svg")),
    made("PNG", async () => {
      const { text, width, height } = await picture(), image = new Image(), canvas = element("canvas", { width: 2 * width, height: 2 * height });
      image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
      await image.decode();
      canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
      canvas.toBlob((blob) => save(blob, "png"));
    })));
}

export function helpClass() {
  followPointer();
  drawNeighbours();
  offerTexts();
  article.append(latticeOf(cards));
  if (!isSite) return;
  byId("hand").querySelectorAll("li").forEach((place, at) => place.append(drawCard(cards[at])));
  if (cards.length) offerPictures();
}
