// Caches visited pages and static files, so that the site works offline. Reloads pages when online, but not static files.
const CACHE = "setset-{{ cache }}";
const KEPT = {{ kept|tojson }};

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(KEPT)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith("setset-") && name !== CACHE).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

async function answer(request) {
  const cache = await caches.open(CACHE), known = await cache.match(request, { ignoreSearch: true });
  if (known && request.url.includes("/static/")) return known;
  try {
    const reply = await fetch(request);
    if (reply.ok) cache.put(request, reply.clone());
    return reply;
  } catch (error) {
    if (known) return known;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && new URL(event.request.url).origin === location.origin) event.respondWith(answer(event.request));
});
