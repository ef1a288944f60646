// Buttons that copy: beside each text worth copying, and for the URL of the current view.
import { element } from "./cards.js";

// Button that copies the result of `read`. Where a browser forbids that, selects the text: `shown`, or put in place of the button.
export function copyButton(label, read, shown, attributes = {}) {
  const button = element("button", { type: "button", text: label, ...attributes });
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(read());
      button.textContent = "Copied";
    } catch {
      const text = shown ?? element("code", { text: read() });
      if (shown) button.textContent = "Selected";
      else button.replaceWith(text);
      getSelection().selectAllChildren(text);
    }
    setTimeout(() => { button.textContent = label; }, 3000);
  });
  return button;
}

function offer(text, ...button) {
  if (text.nextElementSibling?.dataset.keptHere === undefined) text.after(copyButton(...button));
}

export function offerCopies(within = document) {
  const attributes = (said) => ({ class: "second", "data-kept-here": true, "aria-label": said });
  for (const text of within.querySelectorAll("[data-copy]")) offer(text, "Copy", () => text.textContent, text, attributes(`Copy ${text.dataset.copy}`));
  for (const place of within.querySelectorAll("[data-share]")) offer(place, "Share", () => location.href, null, attributes(place.dataset.share));
}
