"use strict";
(async () => {
const $ = id => document.getElementById(id), main = $("main");
const make = (what, settings, ...inside) => {
  if (settings?.constructor !== Object) return make(what, {}, settings, ...inside);
  const [tag, ...classes] = what.split("."), isDrawn = /^(svg|path|circle|text)$/.test(tag);
  const node = document.createElementNS(`http://www.w3.org/${isDrawn ? "2000/svg" : "1999/xhtml"}`, tag);
  node.setAttribute("class", classes.join(" "));
  for (const [name, value] of Object.entries(settings)) {
    if (typeof value === "function") node["on" + name] = value;
    else if (/^(--.*|left|top|width)$/.test(name)) node.style.setProperty(name, value);
    else node.setAttribute(name, value);
  }
  node.append(...inside.flat().filter(child => child != null));
  return node;
};
const unpack = id => {
  const bytes = Uint8Array.from(atob($(id).textContent), letter => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
};
const many = (n, noun) => `${n.toLocaleString("en")} ${n === 1 ? noun : noun + "s"}`;
const points = (value, plus) => (plus && value > 0 ? "+" : "") + value.toFixed(2);
const range = n => [...Array(n).keys()];
const sum = values => values.reduce((a, b) => a + b, 0);

const about = await unpack("index");
const { names, systems, types, columns } = about, sides = [about.key, ...systems], two = systems.length > 1;
const state = { types: new Set(), only: "all" };
let here, order, sense = 1, most, chosen, picked, listed, at;
const sign = t => make(`b.e.${types[t].side}`, { "aria-hidden": true }, types[t].sign);
const system = s => make("span", make(`i.dot.s${s}`), systems[s]);

// The list of documents: rows in view.
const HEIGHT = 46, by = () => columns[$("sort").value], text = (column, d) => column.isCount ? column.values[d] : points(column.values[d], column.isGap);
columns.forEach((column, c) => $("sort").append(make("option", { value: c }, column.name)));
$("sort").value = about.first;
const list = () => {
  const { values, isCount, isGap } = by(), wanted = $("find").value.toLowerCase(), sign = isCount ? -isCount * sense : sense;
  order = range(names.length).filter(d => names[d].toLowerCase().includes(wanted)).sort((a, b) => sign * (values[a] - values[b]) || a - b);
  most = order.reduce((most, d) => Math.max(most, Math.abs(values[d])), isCount || isGap ? 1 : 100);
  $("rows").style.height = order.length * HEIGHT + "px";
  $("shown").textContent = `${order.length.toLocaleString("en")} of ${many(names.length, "document")}`;
  rows();
};
const rows = () => {
  const column = by(), first = Math.max(0, Math.floor($("list").scrollTop / HEIGHT) - 4);
  $("rows").replaceChildren(...order.slice(first, first + 60).map((d, n) => make("div.doc", {
    id: `d${d}`, role: "option", "aria-selected": d === here, "aria-posinset": first + n + 1, "aria-setsize": order.length,
    top: (first + n) * HEIGHT + "px", click: () => go(d),
  }, make("span", { title: names[d] }, names[d]), make("b", text(column, d)),
  make("i", make(`i.s${+(column.values[d] < 0)}`, { width: `${100 * Math.abs(column.values[d]) / most}%` })))));
  $("list").setAttribute("aria-activedescendant", `d${here}`);
};
const step = n => {
  const place = order.indexOf(here);
  if (order.length) go(order[place < 0 ? 0 : Math.min(order.length - 1, Math.max(0, place + n))]);
};

// A document.
const kept = new Map();
let doc;
const prepare = async d => {
  const [c, n] = about.places[d];
  if (!kept.has(c)) kept.set(c, await unpack(`c${c}`));
  if (kept.size > 3) kept.delete(kept.keys().next().value);
  const raw = kept.get(c)[n];
  doc = { ...raw, errors: [] };
  if (doc.kind) doc.w = doc.w.map((word, i) => word.replace("#", i));
  let at = 0;
  const spans = raw.a.map((gap, m) => [at += gap, at + raw.l[m]]);
  doc.span = (m, s = raw.k.findIndex(labels => labels[m] >= 0)) => raw.x[s]?.[m] ?? spans[m];
  doc.members = raw.k.map(labels => {
    const members = [];
    labels.forEach((e, m) => e >= 0 && (members[e] ??= []).push(m));
    return members;
  });
  doc.twin = raw.k.map(() => new Map());
  doc.signs = raw.k.map(() => new Map());
  raw.e.forEach(([kinds, lengths, mentions], r) => {
    let first = 0;
    [...kinds].forEach((t, p) => {
      const of = mentions.slice(first, first += lengths[p]), isSpan = types[t].pair, side = types[t].side === "key" ? 0 : r + 1;
      const error = { t: +t, s: r + 1, side, m: isSpan ? of[1] : of[0], n: isSpan ? 1 : of.length };
      doc.errors.push(error);
      if (isSpan) doc.twin[r + 1].set(of[0], of[1]).set(of[1], of[0]);
      of.forEach((m, n) => {
        const signs = doc.signs[isSpan && !n ? 0 : side];
        signs.set(m, [...signs.get(m) ?? [], error]);
      });
    });
  });
  const id = (error, s) => `${error.t} ${error.m} ${s}`, ids = new Set(doc.errors.map(error => id(error, error.s)));
  for (const error of doc.errors) error.both = ids.has(id(error, 3 - error.s));
  // An entity of a response has the colour of its best partner.
  const hues = sides.map(() => []);
  range(doc.members[0].length).sort((a, b) => doc.members[0][b].length - doc.members[0][a].length)
    .forEach((e, rank) => hues[0][e] = doc.members[0][e].length > 1 ? (25 + rank * 137.508) % 360 : -1);
  doc.hue = (s, e) => hues[s][e] ??= hues[0][partners(s, e, 0)[0].e] ?? -2;
};
const others = s => s ? [0] : systems.map((_, r) => r + 1), label = (s, e) => "krs"[s] + (e + 1);
const partners = (s, e, other) => {
  const pieces = new Map();
  for (const m of doc.members[s][e]) {
    const twin = doc.twin[s || other].get(m), f = doc.k[other][m] >= 0 ? doc.k[other][m] : twin == null ? -1 : doc.k[other][twin];
    pieces.get(f)?.push(m) ?? pieces.set(f, [m]);
  }
  return [...pieces].map(([f, of]) => ({ e: f, of })).sort((a, b) => (a.e < 0) - (b.e < 0) || b.of.length - a.of.length);
};
const words = (m, s) => {
  const [start, end] = doc.span(m, s);
  return doc.v ? doc.v[m] : end < start ? "∅" : doc.w.slice(start, end + 1).join("").trim();
};
const title = (s, e) => {
  const weights = new Map();
  for (const text of doc.members[s][e].map(m => words(m, s).slice(0, 60))) weights.set(text, (weights.get(text) ?? 0) + Math.min(16, text.length) ** 2);
  return [...weights].reduce((a, b) => b[1] > a[1] ? b : a)[0];
};
const isShown = error => (!state.types.size || state.types.has(error.t)) && (state.only === "all" || (error.both ? state.only === "both" : error.s === state.only));

const wrong = (s, m) => (doc.signs[s].get(m) ?? []).filter(isShown);
const tinted = (what, hue, settings, ...inside) =>
  make(what + (hue < -1 ? ".extra" : hue < 0 ? ".grey" : ""), { "--h": hue, ...settings }, ...inside);
const mention = (s, m, ...inside) => {
  const e = doc.k[s][m], kinds = [...new Set(wrong(s, m).map(error => error.t))], told = [label(s, e), ...kinds.map(t => types[t].name)].join(", ");
  return tinted(`span.m.${types[kinds[0]]?.shape ?? ""}${picked?.has(m) ? ".on" : ""}`, doc.hue(s, e), {
    tabindex: -1, role: "group", "data-m": m, "data-s": s, title: told, "aria-label": `${words(m, s)}: ${told}`,
  }, kinds.map(sign), inside);
};
const sentence = (s, from, to, mentions) => {
  const box = make("div.s", { dir: "auto", "data-side": sides[s] }), stack = [{ node: box, end: Infinity, d: 0 }], top = () => stack.at(-1);
  const open = (m, end) => {
    const node = mention(s, m);
    top().node.append(node);
    stack.push({ node, end, m, d: 0 });
  };
  const close = isWhole => {
    const { node, m, d } = stack.pop();
    node.style.setProperty("--d", Math.min(d, 4));
    if (isWhole) node.append(make("span.n", label(s, doc.k[s][m])));
    top().d = Math.max(top().d, d + 1);
    if (d > 1) box.classList.add("deep");
  };
  for (let i = from; i < to; i++) {
    const word = doc.w[i];
    if (i > from && word[0] === " ") top().node.append(" ");
    while (mentions[0]?.[1] <= i) {
      const [m, , end] = mentions.shift();
      open(m, end);
      if (end < i) { top().node.append("∅"); close(true); top().node.append(" "); } // an empty node
    }
    top().node.append(word.trimStart());
    while (stack.some(each => each.end <= i)) { // of mentions that cross, one is cut
      const cut = [];
      while (top().end > i) { cut.unshift(top()); close(); }
      close(true);
      for (const each of cut) open(each.m, each.end);
    }
  }
  while (stack.length > 1) close();
  return box;
};
const textRows = () => {
  let at = 0, skipped = 0;
  const cuts = doc.s.map(length => [at, at += length]), of = sides.map(() => cuts.map(() => [])), isWrong = [], rowOf = new Int32Array(at), made = [];
  cuts.forEach(([from, to], row) => rowOf.fill(row, from, to));
  doc.k.forEach((labels, s) => labels.forEach((e, m) => {
    const [start, end] = doc.span(m, s);
    for (let row = rowOf[start]; e >= 0 && row <= rowOf[Math.max(start, end)]; row++) {
      of[s][row].push([m, start, end]);
      isWrong[row] ||= wrong(s, m).length;
    }
  }));
  const skip = n => {
    skipped = 0;
    if (n) made.push({ make: () => make("p.skipped", `${many(n, doc.unit)} without errors`) });
  };
  cuts.forEach(([from, to], row) => {
    if (state.errors && !isWrong[row]) return skipped++;
    skip(skipped);
    made.push({ has: m => rowOf[doc.span(m)[0]] === row, make: () => make("div.row", make("span", row + 1), sides.map((_, s) => sentence(s, from, to,
      of[s][row].sort((a, b) => Math.max(a[1], from) - Math.max(b[1], from) || b[2] - a[2])))) });
  });
  skip(skipped);
  return made;
};
const bar = (pieces, other, n) => make("div.stack", { "aria-hidden": true }, pieces.map(({ e, of }) =>
  tinted("i", e < 0 ? -2 : doc.hue(other, e), { width: `${100 * of.length / n}%` })));
const entityRows = () => {
  const s = state.view;
  return doc.members[s].map((of, e) => {
    const n = of.length, each = others(s).map(other => [other, partners(s, e, other)]);
    const cost = sum(each.map(([other, pieces]) => n - sum(pieces.map(({ of }) => of.filter(m => doc.k[other][m] >= 0).length ** 2 / n))));
    return { cost, isWrong: of.some(m => wrong(s, m).length), has: m => doc.k[s][m] === e, make: () => make("div.entity",
      make("div", make("h4", button(s, e), " ", title(s, e)), make("small", many(n, "mention"))),
      make("div", make("small", cost ? `${cost.toFixed(1)} lost` : "complete"), each.map(([other, pieces]) => bar(pieces, other, n))),
      make("div.values", each.flatMap(([other, pieces]) => pieces.map(piece => make("div", make("small", shares(piece, s, other)),
        piece.of.slice(0, 20).map(m => mention(s, m, words(m, s))), piece.of.length > 20 ? ` +${piece.of.length - 20}` : null))))) };
  }).filter(row => row.isWrong || !state.errors && !state.types.size).sort((a, b) => b.cost - a.cost);
};
const shares = ({ e, of }, s, other) => {
  const more = e < 0 ? 0 : doc.members[other][e].length - of.length;
  return e < 0 ? `${of.length} ${s ? "extra" : "missing"}` : `${label(other, e)}: ${of.length}${more ? `, and ${more} of others` : ""}`;
};
const button = (s, e) => tinted("button.link", doc.hue(s, e), { click: () => pick(s, e, true) }, label(s, e));

// Rows are made when they come into view.
let watcher, blocks = [];
const fill = block => {
  if (block.isFull) return;
  block.isFull = true;
  block.node.style.minHeight = "";
  block.node.append(...block.rows.map(row => row.make()));
};
const lay = (page, rows) => {
  watcher?.disconnect();
  watcher = new IntersectionObserver(seen => seen.forEach(each => each.isIntersecting && fill(blocks[each.target.dataset.b])), { root: main, rootMargin: "900px" });
  blocks = range(Math.ceil(rows.length / 40)).map(b => ({ node: make("div", { "data-b": b }), rows: rows.slice(40 * b, 40 * b + 40) }));
  for (const { node, rows } of blocks) {
    node.style.minHeight = rows.length * 60 + "px";
    page.append(node);
    watcher.observe(node);
  }
  if (blocks.length) fill(blocks[0]);
};
const chip = (isPressed, click, ...inside) => make("button", { "aria-pressed": isPressed, click }, ...inside);
const change = (name, value) => { state[name] = value; render(); };
const only = t => { if (!state.types.delete(t)) state.types.add(t); render(); };
const render = () => {
  const { view } = state, page = make("div." + doc.kind, { "--n": sides.length });
  page.append(make("div.bar", make("h2", names[here]),
    systems.map((_, s) => make("p", two ? system(s) : null, columns.filter(of => of.system === s && !of.isCount).map(of => make("span", of.short + " ", make("b", text(of, here)))))),
    make("div.chips", { role: "group", "aria-label": "Filters" },
      ["text", ...sides.map(side => `entities of ${side}`)].map((name, v) => v || doc.w ? chip(view === v - 1, () => change("view", v - 1), name) : null),
      chip(!!state.errors, () => change("errors", !state.errors), "errors only"),
      types.flatMap((type, t) => {
        const counts = columns.filter(of => of.type === t).map(of => of.values[here]);
        return sum(counts) ? chip(state.types.has(t), () => only(t), sign(t), ` ${type.name} ${counts.join(" / ")}`) : [];
      }),
      two ? [["all", "all"], ["both", "in both"], ...systems.map((name, s) => [s + 1, `only ${name}`])].map(([value, name]) => chip(state.only === value, () => change("only", value), name)) : []),
    view < 0 ? make("div.sides", make("span"), sides.map(side => make("span", side))) : null));
  main.replaceChildren(page);
  lay(page, view < 0 ? textRows() : entityRows());
  listed = doc.errors.filter(isShown).sort((a, b) => a.m - b.m || a.s - b.s);
  at = -1;
  paint();
};
const paint = () => {
  const card = make("div.card"), from = Math.max(0, at - 400);
  history.replaceState(null, "", address(here, chosen && label(...chosen)));
  main.classList.toggle("picked", !!chosen);
  for (const node of main.querySelectorAll(".m")) node.classList.toggle("on", !!picked?.has(+node.dataset.m));
  if (chosen) {
    const [s, e] = chosen, n = doc.members[s][e].length;
    card.append(make("h3", button(s, e), title(s, e)), make("small", `${many(n, "mention")} in ${sides[s]}`));
    for (const other of others(s)) {
      const pieces = partners(s, e, other);
      card.append(bar(pieces, other, n), ...pieces.slice(0, 12).map(piece => piece.e < 0 ? make("p", shares(piece, s, other))
        : make("p", button(other, piece.e), shares(piece, s, other).replace(/^\w+:/, ""), " ",
          partners(other, piece.e, s).filter(each => each.e >= 0 && each.e !== e).slice(0, 4).map(each => button(s, each.e)))));
    }
  }
  $("side").replaceChildren(make("p.tabs", many(listed.length, "error"), chosen ? make("button", { click: clear }, "Show all") : null), chosen ? card : "",
    make("div.errors", listed.slice(from, from + 999).map((error, n) => make("button.error", { "aria-current": from + n === at, click: () => show(from + n) },
      sign(error.t), make("span", words(error.m)), make("b", error.n > 1 ? `+${error.n - 1}` : ""), make("small", types[error.t].name + (two ? ` · ${systems[error.s - 1]}` : ""))))));
};
const pick = (s, e, isFocused) => {
  const of = doc.members[s][e];
  chosen = [s, e];
  picked = new Set([...of, ...of.flatMap(m => doc.twin.flatMap(twin => twin.get(m) ?? []))]);
  paint();
  if (isFocused) focus(of[0], s);
};
const clear = () => {
  chosen = picked = null;
  if (doc) paint();
};
const focus = (m, s) => {
  const block = blocks.find(each => each.rows.some(row => row.has?.(m)));
  if (block) fill(block);
  const at = `.m[data-m="${m}"]`, node = main.querySelector(`${at}[data-s="${s}"]`) ?? main.querySelector(at);
  node?.focus({ preventScroll: true });
  node?.scrollIntoView({ block: "center" });
};
const show = n => {
  const error = doc && listed[(n + listed.length) % listed.length];
  if (!error) return;
  at = listed.indexOf(error);
  pick(error.side, doc.k[error.side][error.m]);
  focus(error.m, error.side);
  $("side").querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  $("live").textContent = `${types[error.t].name}: ${words(error.m)}, ${at + 1} of ${listed.length}`;
};

// Addresses: #document and #document/k3.
const address = (d, part) => "#" + encodeURIComponent(names[d]).replaceAll("%2F", "/") + (part ? "/" + part : "");
const go = d => { location.hash = address(d); };
const route = async () => {
  let part, name = location.hash.slice(1);
  try { name = decodeURIComponent(name); } catch { /* not one of ours */ }
  let d = names.indexOf(name);
  if (d < 0 && (part = /^(.*)\/([krs])(\d+)$/s.exec(name))) d = names.indexOf(part[1]);
  panels.forEach(id => slide(id, false));
  document.body.classList.toggle("summary", d < 0);
  if (d < 0) return summary();
  if (d !== here) {
    await prepare(d);
    here = d;
    chosen = picked = null;
    state.view = doc.w ? -1 : 0;
    render();
    main.scrollTop = 0;
    $("live").textContent = `${names[d]}, ${order.indexOf(d) + 1} of ${order.length}, ${many(listed.length, "error")}`;
  }
  const top = order.indexOf(d) * HEIGHT, box = $("list"), s = part ? "krs".indexOf(part[2]) : 0;
  if (top < box.scrollTop || top + HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  rows();
  if (part && doc.members[s]?.[part[3] - 1]) pick(s, part[3] - 1, true);
  else clear();
};

// The summary.
const cell = of => {
  if (typeof of !== "object") return of;
  if ("type" in of) return make("span", sign(of.type), " " + types[of.type].name);
  if ("document" in of) return make("a", { href: address(of.document, of.entity) }, of.entity ?? names[of.document]);
  if ("bar" in of) return make(`i.meter.${of.kind}`, { width: of.bar + "%" });
  if ("at" in of) return make(`div.track.s${of.system}`, make("i", { left: of.low + "%", width: of.high - of.low + "%" }), make("b", { left: of.at + "%" }));
  return system(of.system);
};
const summary = () => {
  here = doc = chosen = picked = null;
  main.replaceChildren(make("div.page", make("h2", about.title), make("div.cards", about.cards.map(([value, name]) => make("div", make("b", value), name))),
    about.tables.flatMap(({ title, heads, rows, notes }, n) => [...n === 1 && about.plot ? [make("h3", "Every document"), plot()] : [],
      make("h3", title), make("table", make("thead", make("tr", heads.map(([name, kind]) => make(`th.${kind}`, { scope: "col" }, name)))),
        make("tbody", rows.map(row => make("tr", row.map((of, k) => make(`td.${heads[k][1]}`, cell(of))))))), notes.map(note => make("p.note", note))].flat()),
    about.notes.map(note => make("p.note", note))));
  main.scrollTop = 0;
  $("side").replaceChildren();
  rows();
};
const plot = () => {
  const { x, y, lines, label } = about.plot, ring = make("circle.ring", { r: 7, cx: -9 }), name = make("text.y", { x: 924, y: 20 });
  const svg = make("svg", { viewBox: "0 0 940 380", role: "img", "aria-label": label }, lines.map(line => make(...line)),
    make("path.points", { d: x.map((at, d) => `M${at} ${y[d]}h0`).join("") }), ring, name);
  const near = event => {
    const box = svg.getBoundingClientRect(), scale = 940 / box.width;
    const gap = d => Math.hypot(x[d] - (event.clientX - box.left) * scale, y[d] - (event.clientY - box.top) * scale);
    return range(x.length).reduce((a, b) => gap(b) < gap(a) ? b : a);
  };
  svg.onclick = event => go(near(event));
  svg.onpointermove = event => {
    const d = near(event);
    ring.setAttribute("cx", x[d]);
    ring.setAttribute("cy", y[d]);
    name.textContent = [names[d], ...about.plot.columns.map(c => text(columns[c], d))].join("  ");
  };
  return svg;
};

// Keys and panels.
const panels = ["documents", "side"];
const slide = (id, isOpen) => {
  $(id).classList.toggle("open", isOpen);
  $("show-" + id).setAttribute("aria-expanded", isOpen);
};
const keys = {
  j: () => step(1), k: () => step(-1), n: () => show(at + 1), p: () => show(Math.max(at, 0) - 1), e: () => doc && change("errors", !state.errors), t: () => doc?.w && change("view", state.view < 0 ? 0 : -1),
  s: () => { location.hash = ""; main.focus(); }, "/": () => { slide("documents", true); $("find").focus(); }, "?": () => $("help").showModal(),
  Escape: () => { panels.forEach(id => slide(id, false)); clear(); },
};
const listKeys = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };
onkeydown = event => {
  const { key, target } = event, at = target.closest?.(".m")?.dataset;
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  if (/^(INPUT|SELECT)$/.test(target.tagName)) return key === "Escape" ? target.blur() : undefined;
  const act = target === $("list") && listKeys[key] ? () => step(listKeys[key]) : at && key === "Enter" ? () => pick(+at.s, doc.k[at.s][at.m])
    : doc && types[key - 1] ? () => only(key - 1) : keys[key];
  if (act) { event.preventDefault(); act(); }
};
main.onclick = event => {
  const at = event.target.closest(".m")?.dataset;
  if (at && getSelection().isCollapsed) pick(+at.s, doc.k[at.s][at.m]);
};
for (const id of panels) $("show-" + id).onclick = () => slide(id, !$(id).classList.contains("open"));
$("find").oninput = $("sort").onchange = list;
$("list").onscroll = onresize = rows;
$("reverse").onclick = () => { sense *= -1; list(); };
$("summary").onclick = keys.s;
$("keys").onclick = keys["?"];
$("skip").onclick = () => main.focus();
onhashchange = route;
onbeforeprint = () => blocks.forEach(fill);
list();
await route();
document.body.classList.remove("loading");
})();
