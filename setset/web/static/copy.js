// Adds a copy button beside each text worth copying, and a button for the URL of the current view.

function offer(text, label, said, read, otherwise) {
  if (text.nextElementSibling?.dataset.keptHere !== undefined) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.textContent = label;
  button.dataset.keptHere = "";
  button.setAttribute("aria-label", said);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(read());
      button.textContent = "Copied";
    } catch {
      button.textContent = otherwise();
    }
    setTimeout(() => { button.textContent = label; }, 3000);
  });
  text.after(button);
}

export function offerCopies(within = document) {
  for (const text of within.querySelectorAll("[data-copy]")) {
    offer(text, "Copy", `Copy ${text.dataset.copy}`, () => text.textContent, () => {
      getSelection().selectAllChildren(text);
      return "Selected";
    });
  }
  for (const place of within.querySelectorAll("[data-share]")) {
    offer(place, "Share", place.dataset.share, () => location.href, () => location.href);
  }
}
