// A button beside each text that people copy, and one for the address of what is shown.

function offer(place, label, name, read, otherwise) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.setAttribute("aria-label", name);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(read());
      button.textContent = "Copied";
    } catch {
      button.textContent = otherwise();
    }
  });
  place.after(button);
}

export function offerCopies() {
  for (const text of document.querySelectorAll("[data-copy]")) {
    offer(text, "Copy", `Copy ${text.dataset.copy}`, () => text.textContent, () => {
      getSelection().selectAllChildren(text);
      return "Selected";
    });
  }
  for (const place of document.querySelectorAll("[data-share]")) {
    offer(place, "Share", place.dataset.share, () => location.href, () => location.href);
  }
}

export function keepOfferingCopies() {
  offerCopies();
  document.addEventListener("setset:shown", offerCopies);
}
