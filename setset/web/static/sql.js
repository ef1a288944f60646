// Ctrl-Enter sends the query.

export function helpQuery() {
  document.getElementById("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.form.requestSubmit();
  });
}
