// Shows times in the visitor's time zone, with their age, and the expected end of a run.

const ago = (seconds) => {
  if (seconds < 60) return "just now";
  for (const [unit, length] of [["min", 60], ["h", 3600], ["d", 86400]]) {
    const count = Math.floor(seconds / length);
    if (count < { min: 60, h: 24, d: Infinity }[unit]) return `${count} ${unit} ago`;
  }
  return "";
};

const pad = (value) => String(value).padStart(2, "0");
const clock = (date) => `${pad(date.getHours())}:${pad(date.getMinutes())}`;
const day = (date) => `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;

export function showTimes(within = document) {
  const now = new Date();
  for (const each of within.querySelectorAll("time[datetime]")) {
    const date = new Date(each.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const when = day(date) === day(now) ? clock(date) : `${day(date)} ${clock(date)}`;
    each.textContent = `${when}, ${ago((now - date) / 1000)}`;
    each.title = date.toString();
  }
  for (const each of within.querySelectorAll("[data-left]")) {
    const end = new Date(now.getTime() + 1000 * Number(each.dataset.left));
    each.textContent = `${each.dataset.before ?? ", about "}${day(end) === day(now) ? "" : `${day(end)} `}${clock(end)}`;
  }
}
