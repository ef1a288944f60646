// The game: a third card calls the three, keys choose cards, and there is a clock. The server knows the rules.

function chosen(table) {
  return table.querySelectorAll("input[type=checkbox]:checked");
}

function callIfThree(table) {
  if (chosen(table).length === 3) table.requestSubmit(table.querySelector("button[value=set]"));
}

function tick() {
  const clock = document.getElementById("clock");
  if (!clock || "over" in clock.dataset) return;
  const key = `started-${clock.dataset.seed}`;
  const started = Number(sessionStorage.getItem(key)) || Date.now();
  sessionStorage.setItem(key, String(started));
  const seconds = Math.floor((Date.now() - started) / 1000);
  clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function onKey(event) {
  const table = document.getElementById("table");
  if (!table || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "x") document.getElementById("none")?.click();
  if (event.key === "?") document.getElementById("hint")?.click();
  const box = [...table.querySelectorAll("input[data-letter]")].find((each) => each.dataset.letter === event.key);
  if (!box || box.disabled) return;
  box.checked = !box.checked;
  callIfThree(table);
}

export function helpPlayers() {
  if (!document.getElementById("table")) return;
  document.addEventListener("change", (event) => {
    const table = event.target.closest?.("#table");
    if (table) callIfThree(table);
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("setset:shown", tick);
  setInterval(tick, 500);
  tick();
}
