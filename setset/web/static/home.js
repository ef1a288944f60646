// Shows a new cap of twenty cards at each visit: the cap in the page under a random affine map.
import { drawCard, element } from "./cards.js";
import { digits } from "./rules.js";

export function showAnotherCap() {
  if (!("site" in document.documentElement.dataset)) return; // a server has chosen a random cap already
  const place = document.getElementById("cap"), cards = place.dataset.cards.split(" ").map(Number);
  const random = () => crypto.getRandomValues(new Uint8Array(1))[0] % 3;
  for (;;) {
    const matrix = Array.from({ length: 4 }, () => Array.from({ length: 4 }, random)), shift = Array.from({ length: 4 }, random);
    const image = (card) => matrix.reduce((sum, line, place_) => {
      const value = line.reduce((total, factor, index) => total + factor * digits(card)[index], shift[place_]) % 3;
      return sum * 3 + value;
    }, 0);
    const all = new Set(Array.from({ length: 81 }, (_, card) => image(card)));
    if (all.size < 81) continue;
    const fresh = cards.map(image).sort((a, b) => a - b);
    place.replaceChildren(element("ul", { class: "hand" }, ...fresh.map((card) => element("li", {}, drawCard(card)))));
    const look = document.getElementById("look"), [path] = look.getAttribute("href").split("?");
    look.setAttribute("href", `${path}?cards=${fresh.join(",")}`);
    return;
  }
}
