// Colour palette of the cards. The browser remembers the visitor's choice.

export function choosePalette(next) {
  try {
    if (next !== undefined) localStorage.setItem("setset-palette", next);
    const chosen = localStorage.getItem("setset-palette") ?? "";
    const known = ["safe", "contrast"].includes(chosen) ? chosen : "";
    if (known) document.documentElement.dataset.palette = known;
    else delete document.documentElement.dataset.palette;
    return known;
  } catch {
    return "";
  }
}
