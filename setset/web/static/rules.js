// The deck and the rules, equal to setset/cards.py, setset/table and setset/web/class_index.py.

const CARDS = 81;
const VALUES = [
  ["red", "green", "purple"], ["one", "two", "three"], ["solid", "striped", "open"], ["diamond", "squiggle", "oval"],
];
const FEATURES = ["colour", "count", "shading", "shape"];
const CODES = ["rgp", "123", "fhe", "dso"];

export const digits = (card) => [Math.floor(card / 27), Math.floor(card / 9) % 3, Math.floor(card / 3) % 3, card % 3];
const fromDigits = (d) => d[0] * 27 + d[1] * 9 + d[2] * 3 + d[3];
export const name = (card) => digits(card).map((value, place) => VALUES[place][value]).join(" ");
export const code = (card) => digits(card).map((value, place) => CODES[place][value]).join("");

const THIRD = Array.from({ length: CARDS }, (_, a) => Array.from({ length: CARDS }, (__, b) => {
  const p = digits(a), q = digits(b);
  return fromDigits(p.map((value, place) => (6 - value - q[place]) % 3));
}));
export const third = (a, b) => THIRD[a][b];

export function* pairs(cards) {
  for (let i = 0; i < cards.length; i += 1) for (let j = i + 1; j < cards.length; j += 1) yield [cards[i], cards[j], i, j];
}

export function findSets(cards) {
  const place = new Map(cards.map((card, index) => [card, index]));
  const sets = [];
  for (const [a, b, , j] of pairs(cards)) if ((place.get(third(a, b)) ?? -1) > j) sets.push([a, b, third(a, b)]);
  return sets;
}

function whyNoSet(cards) {
  for (let place = 0; place < 4; place += 1) {
    const values = cards.map((card) => digits(card)[place]);
    if (new Set(values).size === 2) return `${FEATURES[place]}: ${values.map((v) => VALUES[place][v]).join(", ")}`;
  }
  return "";
}

// Marks each of the 81 cards as chosen, excluded (would complete a set) or addable.
export function marks(cards) {
  const found = new Array(CARDS).fill("addable");
  for (const [a, b] of pairs(cards)) found[third(a, b)] = "excluded";
  for (const card of cards) found[card] = "chosen";
  return found;
}

// Parses a card: number, code or name. Returns -1 if it is not a card.
export function parseCard(text) {
  const word = text.trim().toLowerCase();
  if (/^\d{1,2}$/.test(word) && Number(word) < CARDS) return Number(word);
  for (let card = 0; card < CARDS; card += 1) if (code(card) === word || name(card) === word) return card;
  return -1;
}

// SplitMix64, the same as in setset/table/deck.py, so the same seed deals the same cards.
const WORD = (1n << 64n) - 1n;
function mix64(value) {
  let v = ((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  v = ((v ^ (v >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return v ^ (v >> 31n);
}

function stream(seed) {
  let state = mix64(mix64(BigInt(seed) & WORD));
  return (bound) => {
    state = (state + 0x9e3779b97f4a7c15n) & WORD;
    return Number(((mix64(state) >> 32n) * BigInt(bound)) >> 32n);
  };
}

export function shuffled(seed, cards = Array.from({ length: CARDS }, (_, card) => card)) {
  const below = stream(seed), deck = [...cards];
  for (let last = deck.length - 1; last > 0; last -= 1) {
    const other = below(last + 1);
    [deck[last], deck[other]] = [deck[other], deck[last]];
  }
  return deck;
}

export const newSeed = () => crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000_000;

// A game is {deck, table, score, taken, limit}; each call returns a new game, as in setset/table/game.py.
export function newGame(deck, table = 12) {
  return { deck: deck.slice(table), table: deck.slice(0, table), score: 0, taken: [], limit: table };
}

export function callSet(game, cards) {
  if (third(cards[0], cards[1]) !== cards[2]) return { right: false, reason: whyNoSet(cards), game: { ...game, score: game.score - 1 } };
  const gone = new Set(cards), next = { ...game, score: game.score + 1, taken: [...game.taken, cards] };
  if (game.table.length > game.limit || !game.deck.length) {
    next.table = game.table.filter((card) => !gone.has(card));
  } else {
    const fresh = game.deck.slice(0, 3);
    next.deck = game.deck.slice(3);
    next.table = game.table.map((card) => (gone.has(card) ? fresh.shift() : card)).filter((card) => card !== undefined);
  }
  return { right: true, reason: "", game: next };
}

export function callNone(game) {
  if (findSets(game.table).length) return { right: false, reason: "there is a set", game: { ...game, score: game.score - 1 } };
  return { right: true, reason: "", game: { ...game, deck: game.deck.slice(3), table: [...game.table, ...game.deck.slice(0, 3)] } };
}

export const isOver = (game) => !game.deck.length && !findSets(game.table).length;

// Fingerprint of a hand without a set, the same as in setset/web/class_index.py.
function mix(value) {
  let v = value >>> 0;
  v = Math.imul(v ^ (v >>> 16), 0x21f0aaad);
  v = Math.imul(v ^ (v >>> 15), 0x735a2d97);
  return (v ^ (v >>> 15)) >>> 0;
}

const FORMS = Array.from({ length: CARDS }, (_, card) => digits(card)).filter((form) => form.find((each) => each) === 1);
const HYPERPLANE = FORMS.map((form) => Array.from({ length: CARDS }, (_, card) => {
  const point = digits(card);
  return (form[0] * point[0] + form[1] * point[1] + form[2] * point[2] + form[3] * point[3]) % 3;
}));

export function fingerprint(cards) {
  const excluded = new Array(CARDS).fill(0);
  for (const [a, b] of pairs(cards)) excluded[third(a, b)] += 1;
  for (const card of cards) excluded[card] = 999;
  const counts = HYPERPLANE.map((plane) => {
    const found = [0, 0, 0];
    for (const card of cards) found[plane[card]] += 1;
    const [a, b] = [...found].sort((x, y) => y - x);
    return [found, a * 21 + b];
  });
  let total = 0;
  for (let card = 0; card < CARDS; card += 1) {
    let said = 0;
    counts.forEach(([found, triple], d) => { said = (said + mix(found[HYPERPLANE[d][card]] * 441 + triple)) >>> 0; });
    total = (total + mix(said + excluded[card])) >>> 0;
  }
  return total;
}
