// Updates the progress page live: the server sends new tables whenever something has changed.
import { morph } from "./morph.js";
import { showTimes } from "./times.js";
import { offerCopies } from "./copy.js";

const COLOURS = { running: "#0b5a8a", complete: "#0b6b33", problem: "#b3141f", stopped: "#7a5200" };

function showState(live) {
  const { state, done } = live.querySelector("[data-state]")?.dataset ?? {};
  const text = state === "running" && done ? `${done} running` : state ?? "";
  document.title = `${text ? `${text} - ` : ""}Progress - setset`;
  const colour = COLOURS[state] ?? "#6b2fa0";
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="${colour}"/><path d="M16 4 24 16 16 28 8 16Z" fill="#fff"/></svg>`;
  document.getElementById("icon").href = `data:image/svg+xml,${encodeURIComponent(icon)}`;
}

export function watchProgress() {
  const live = document.getElementById("live");
  const state = document.getElementById("connection");
  const listen = () => {
    const source = new EventSource(live.dataset.events);
    source.addEventListener("open", () => {
      state.textContent = "Live.";
      live.classList.remove("stale");
    });
    source.addEventListener("progress", (event) => {
      const fresh = new DOMParser().parseFromString(event.data, "text/html");
      const next = live.cloneNode(false);
      next.append(...fresh.body.childNodes);
      showTimes(next);
      morph(live, next);
      offerCopies(live);
      showState(live);
      live.dataset.keptUpdates = String(Number(live.dataset.keptUpdates ?? 0) + 1);
    });
    source.addEventListener("error", () => {
      state.textContent = "The connection is lost; trying again. What you see is as of then.";
      live.classList.add("stale");
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
    });
    window.addEventListener("pagehide", () => source.close(), { once: true });
  };
  showState(live);
  listen();
  setInterval(() => showTimes(live), 30000);
}
