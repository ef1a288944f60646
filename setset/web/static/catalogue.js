// The catalogue of all classes, which the browser loads once and caches forever, and the URLs of pages.
import { fingerprint } from "./rules.js";

export const { root = "./" } = document.documentElement.dataset;
export const isSite = "site" in document.documentElement.dataset;
const GROUP = 1965150720;
const MANY = new Intl.NumberFormat("en");
export const number = (value) => MANY.format(value);
export const howMany = (count, one, many = `${one}s`) => `${count ? number(count) : "no"} ${count === 1 ? one : many}`;

export function link(path) {
  const [page, query] = path.split("?");
  return `${root}${page}${isSite && page ? "/" : ""}${query === undefined ? "" : `?${query}`}`;
}

const load = (name, read) => {
  let loading;
  return () => {
    loading ??= fetch(new URL(name, import.meta.url)).then((reply) => read(reply)).catch((error) => {
      loading = undefined; // the next call tries again
      throw error;
    });
    return loading;
  };
};
export const catalogue = load("catalogue.json", (reply) => reply.json());
const prints = load("prints.bin", async (reply) => {
  const bytes = new DataView(await reply.arrayBuffer());
  return Array.from({ length: bytes.byteLength / 4 }, (_, index) => bytes.getUint32(4 * index, true));
});

export const cardsOf = (text) => [...text].map((letter) => letter.charCodeAt(0) - 48);

// Properties of a class as one object.
export function classOf(sizes, size, at) {
  const level = sizes[size], stabilizer = level.stabilizer[at];
  return {
    class: `${size}/${at}`, number: at, cards: cardsOf(level.cards[at]), stabilizer, lists: GROUP / stabilizer,
    extensions: level.extensions[at], complete: level.extensions[at] === 0, dimension: level.dimension[at], larger: level.larger[at],
  };
}

// Finds the class of a hand without a set by its fingerprint.
export async function identify(cards) {
  const [sizes, all] = await Promise.all([catalogue(), prints()]);
  const start = sizes.slice(0, cards.length).reduce((sum, level) => sum + level.cards.length, 0);
  const found = all.slice(start, start + sizes[cards.length].cards.length).indexOf(fingerprint(cards));
  return classOf(sizes, cards.length, found);
}
