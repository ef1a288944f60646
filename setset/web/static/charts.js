// Tooltips for charts: inlines the SVG into the page, so that each mark shows its numbers at the pointer.
import { svg } from "./cards.js";

const NUMBER = new Intl.NumberFormat("en", { maximumSignificantDigits: 15 }), ROUNDED = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

function spell(value) {
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(value)) return value;
  return (value.includes(".") ? ROUNDED : NUMBER).format(Number(value));
}

async function answerPointer(image) {
  const reply = await fetch(image.src);
  if (!reply.ok) return;
  const drawn = new DOMParser().parseFromString(await reply.text(), "image/svg+xml").documentElement;
  for (const mark of drawn.querySelectorAll("[aria-label][aria-roledescription]")) {
    const facts = mark.getAttribute("aria-label").split("; ").map((fact) => fact.split(/: (?=[^:]*$|\d\d:\d\d)/));
    const isMark = !/axis|legend|title|header|line|container/.test(mark.getAttribute("aria-roledescription"));
    if (isMark) mark.append(svg("title", {}, facts.filter(([key]) => key !== "part").map(([key, value]) => `${key}: ${spell(value ?? "")}`).join("\n")));
  }
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", image.alt);
  image.replaceWith(document.importNode(drawn, true));
}

export function helpCharts(images) {
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      answerPointer(target);
    }
  });
  for (const image of images) seen.observe(image);
}
