// The page on progress follows the run: the server sends its tables whenever something has changed.

export function watchProgress() {
  const live = document.getElementById("live");
  if (!live) return;
  const state = document.getElementById("connection");
  const listen = () => {
    const source = new EventSource(live.dataset.events);
    source.addEventListener("open", () => { state.textContent = "Live."; });
    source.addEventListener("progress", (event) => {
      const fresh = new DOMParser().parseFromString(event.data, "text/html");
      live.replaceChildren(...fresh.body.childNodes);
    });
    source.addEventListener("error", () => {
      state.textContent = "The connection is lost; trying again.";
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
    });
    window.addEventListener("pagehide", () => source.close(), { once: true });
  };
  listen();
}
