// Colour palette of the cards. The browser remembers the visitor's choice.

export const PALETTES = { "": "Classic", safe: "For colour-blind people", contrast: "High contrast" };

export function choosePalette(next) {
  try {
    if (next !== undefined) localStorage.setItem("setset-palette", next);
    const chosen = localStorage.getItem("setset-palette") ?? "";
    const known = chosen in PALETTES ? chosen : "";
    if (known) document.documentElement.dataset.palette = known;
    else delete document.documentElement.dataset.palette;
    return known;
  } catch {
    return "";
  }
}
