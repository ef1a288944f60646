// Links and forms inside [data-swap] replace the content of the page instead of loading a new one.

let queue = Promise.resolve();

async function show(address, remember) {
  const reply = await fetch(address);
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  const fresh = page.getElementById("content");
  if (!fresh) {
    location.assign(address);
    return;
  }
  const focused = document.activeElement?.id;
  document.getElementById("content").replaceWith(document.adoptNode(fresh));
  document.title = page.title;
  if (remember) history.pushState(null, "", reply.url);
  document.getElementById(focused)?.focus({ preventScroll: true });
  document.getElementById("announce").textContent = fresh.dataset.summary;
  document.dispatchEvent(new CustomEvent("setset:shown"));
}

// One after the other: a second click waits, and then counts for what the first one made of the page.
export function go(find, remember = true) {
  queue = queue.then(async () => {
    const address = find();
    if (address) await show(address, remember);
  }).catch(() => {
    document.getElementById("announce").textContent = "The server does not answer.";
  });
  return queue;
}

function formAddress(form, button) {
  const data = new URLSearchParams(new FormData(form));
  if (button?.name) data.append(button.name, button.value);
  return `${form.getAttribute("action")}?${data}`;
}

export function follow() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-swap] a[href]");
    if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.getAttribute("href") === "/identify/many") return;
    event.preventDefault();
    link.focus({ preventScroll: true });
    const { id } = link;
    go(() => (id ? document.getElementById(id)?.href : link.href));
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form[data-swap]") || event.submitter?.hasAttribute("data-plain")) return;
    event.preventDefault();
    const address = formAddress(event.target, event.submitter);
    go(() => address);
  });
  window.addEventListener("popstate", () => go(() => location.href, false));
}
