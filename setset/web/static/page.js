// Entry point of all pages: makes them faster to use. With a server, every page also works without scripts.
import { choosePalette } from "./palette.js";
import { showTimes } from "./times.js";
import { watchProgress } from "./live.js";
import { offerCopies } from "./copy.js";

choosePalette();
offerCopies();
showTimes();
for (const here of document.querySelectorAll("nav [aria-current], .tabs [aria-current]")) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 90;
const has = (id) => document.getElementById(id);
if (has("live")) watchProgress();
if (has("game")) import("./play.js").then((page) => page.helpPlayers());
if (has("board")) import("./identify.js").then((page) => page.helpIdentify());
if (has("gallery")) import("./gallery.js").then((page) => page.helpBrowse());
if (has("class")) import("./class.js").then((page) => page.helpClass());
if (has("cap")) import("./home.js").then((page) => page.showAnotherCap());
if (has("query")) import("./sql.js").then((page) => page.helpQuery());
const charts = document.querySelectorAll("figure.chart img");
if (charts.length) import("./charts.js").then((page) => page.helpCharts(charts));
if ("site" in document.documentElement.dataset && "serviceWorker" in navigator && location.protocol === "https:") {
  navigator.serviceWorker.register(`${document.documentElement.dataset.root}worker.js`);
}
