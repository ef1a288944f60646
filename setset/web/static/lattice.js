// The 81 cards as a lattice of 3 x 3 x 3 x 3 points that rotates in four dimensions.
import { digits, name, pairs, third } from "./rules.js";
import { element } from "./cards.js";

const POINTS = Array.from({ length: 81 }, (_, card) => digits(card).map((value) => value - 1));
const EDGES = POINTS.flatMap((point, card) => point.flatMap((value, axis) => (value < 1 ? [[card, card + 3 ** (3 - axis)]] : [])));
const FORMS = POINTS.map((_, card) => digits(card)).filter((form) => form.find(Boolean) === 1);
const NAMES = ["colour", "count", "shading", "shape"];
const spell = (form) => form.map((factor, axis) => factor && `${factor > 1 ? `${factor} ` : ""}${NAMES[axis]}`).filter(Boolean).join(" + ");
const PLANES = [[0, 3, 1], [1, 2, 0.7], [0, 2, 0.45]];
const SIZE = 1000;
const HELP = "Point at a card: the sets through it and the hand light up.";

// Projects the points, rotated by an angle in all planes, to x, y and scale on the canvas.
function project(angle) {
  return POINTS.map((point) => {
    const at = [...point];
    for (const [first, second, speed] of PLANES) {
      const cos = Math.cos(angle * speed + 0.4), sin = Math.sin(angle * speed + 0.4), [a, b] = [at[first], at[second]];
      [at[first], at[second]] = [a * cos - b * sin, a * sin + b * cos];
    }
    const near = 4 / (5 - at[3]), scale = near * 5 / (6 - at[2] * near);
    return [SIZE / 2 + at[0] * scale * 300, SIZE / 2 + at[1] * scale * 300, scale];
  });
}

// Lines through a card: with each other card of the hand if the card is in the hand, else with each pair that excludes it.
function linesThrough(card, cards) {
  if (cards.includes(card)) return cards.filter((other) => other !== card).map((other) => [card, other, third(card, other)]);
  return [...pairs(cards)].filter(([a, b]) => third(a, b) === card).map(([a, b]) => [a, card, b]);
}

function draw(canvas, cards, { angle, card, form, value }) {
  const paint = canvas.getContext("2d"), style = getComputedStyle(canvas), at = project(angle);
  const colour = (key) => style.getPropertyValue(`--${key}`);
  const inside = (each) => value < 0 || digits(each).reduce((sum, digit, axis) => sum + digit * form[axis], 0) % 3 === value;
  const join = (chain, width, ink) => {
    paint.beginPath();
    for (const each of chain) paint.lineTo(at[each][0], at[each][1]);
    Object.assign(paint, { lineWidth: width, strokeStyle: ink });
    paint.stroke();
  };
  paint.clearRect(0, 0, SIZE, SIZE);
  for (const edge of EDGES) if (edge.every(inside)) join(edge, 1.5, colour("edge"));
  const lines = card < 0 ? [] : linesThrough(card, cards), lit = new Set([card, ...lines.flat()]);
  for (const line of lines) join(line, 6, colour("set"));
  for (const each of [...POINTS.keys()].sort((a, b) => at[a][2] - at[b][2])) {
    const [x, y, scale] = at[each], held = cards.includes(each);
    paint.globalAlpha = inside(each) ? 1 : 0.15;
    paint.beginPath();
    paint.arc(x, y, (held ? 20 : 8) * scale, 0, 7);
    paint.fillStyle = held ? colour(["dot-red", "dot-green", "dot-purple"][digits(each)[0]]) : colour("quiet");
    paint.fill();
    if (lit.has(each)) {
      Object.assign(paint, { lineWidth: 5, strokeStyle: colour("set") });
      paint.stroke();
    }
  }
  paint.globalAlpha = 1;
  return at;
}

// Section with the lattice of a hand. It does not rotate off screen, in print, or if the visitor prefers reduced motion.
export function latticeOf(cards) {
  const canvas = element("canvas", { class: "lattice", width: SIZE, height: SIZE, role: "img", "aria-label": `The 81 cards as points in four dimensions, ${cards.length} of them in the hand` });
  const view = { angle: 0, card: -1, form: FORMS[0], value: -1 };
  const told = element("p", { class: "quiet", text: HELP });
  const direction = element("select", {}, ...FORMS.map((form) => element("option", { text: spell(form) })));
  const slider = element("input", { type: "range", min: -1, max: 2, value: -1 }), shown = element("output", { text: "all" });
  const button = element("button", { type: "button", class: "second" });
  let turns = !matchMedia("(prefers-reduced-motion: reduce)").matches, seen = false, before = 0, at;
  const redraw = () => { at = draw(canvas, cards, view); };
  const frame = (now) => {
    if (!seen || !turns || !canvas.isConnected) return;
    view.angle += Math.min(now - before, 50) / 4000;
    before = now;
    redraw();
    requestAnimationFrame(frame);
  };
  const setTurning = (value) => {
    turns = value;
    button.textContent = turns ? "Stop" : "Turn";
    requestAnimationFrame(frame);
  };
  const light = (card) => {
    const lines = linesThrough(card, cards).length;
    if (card < 0) told.textContent = HELP;
    else told.textContent = `${name(card)}: ${cards.includes(card) ? "of the hand" : lines ? `completes a set with ${lines} ${lines === 1 ? "pair" : "pairs"}` : "can be added"}.`;
    view.card = card;
    redraw();
  };
  const point = (event) => {
    const box = canvas.getBoundingClientRect(), x = (event.clientX - box.left) * SIZE / box.width, y = (event.clientY - box.top) * SIZE / box.height;
    const [away, card] = at.map(([left, top], each) => [Math.hypot(left - x, top - y), each]).reduce((best, each) => (each[0] < best[0] ? each : best));
    light(away < 30 ? card : -1);
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  canvas.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && light(-1));
  button.addEventListener("click", () => setTurning(!turns));
  const slice = () => {
    Object.assign(view, { form: FORMS[direction.selectedIndex], value: Number(slider.value) });
    shown.textContent = view.value < 0 ? "all" : `${direction.value} = ${view.value}`;
    redraw();
  };
  direction.addEventListener("change", slice);
  slider.addEventListener("input", slice);
  new IntersectionObserver(([entry]) => { // called at once: the canvas has its colours only now that it is in the page
    seen = entry.isIntersecting;
    redraw();
    requestAnimationFrame(frame);
  }).observe(canvas);
  for (const media of ["print", "(prefers-color-scheme: dark)"]) matchMedia(media).addEventListener("change", redraw);
  setTurning(turns);
  const controls = element("p", { class: "line" }, button, element("label", { text: "Direction " }, direction), element("label", { text: "Hyperplane " }, slider, shown));
  return element("section", { id: "lattice" }, element("h2", { text: "In four dimensions" }), element("div", { class: "beside" }, canvas, element("div", {}, controls, told)));
}
