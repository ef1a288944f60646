// Updates an element to equal another. Changes only what differs, so that scroll, focus and selection are kept.

function sameKind(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id ?? "") === (b.id ?? "") && a.dataset?.key === b.dataset?.key;
}

function morphAttributes(now, next) {
  for (const { name, value } of [...next.attributes]) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  for (const { name } of [...now.attributes]) {
    const kept = name === "open" || name.startsWith("data-kept");
    if (!next.hasAttribute(name) && !kept) now.removeAttribute(name);
  }
}

export function morph(now, next) {
  if (now.isEqualNode(next)) return;
  if (now.nodeType !== Node.ELEMENT_NODE) {
    if (now.nodeValue !== next.nodeValue) now.nodeValue = next.nodeValue;
    return;
  }
  morphAttributes(now, next);
  const fresh = [...next.childNodes];
  let at = now.firstChild;
  for (const each of fresh) {
    while (at && at.dataset?.keptHere !== undefined) at = at.nextSibling;
    if (at && sameKind(at, each)) {
      morph(at, each);
      at = at.nextSibling;
    } else if (at && at.nextSibling && sameKind(at.nextSibling, each)) {
      const gone = at;
      at = at.nextSibling;
      gone.remove();
      morph(at, each);
      at = at.nextSibling;
    } else now.insertBefore(document.importNode(each, true), at);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    if (gone.dataset?.keptHere === undefined) gone.remove();
  }
}
