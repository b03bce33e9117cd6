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
  node.append(...inside.flat().filter(Boolean));
  return node;
};
if (!window.DecompressionStream) return main.append("This needs Chrome 80, Firefox 113, Safari 16.4 or newer.");
const unpack = id => {
  const bytes = Uint8Array.from(atob($(id).textContent), letter => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
};
const range = n => [...Array(n).keys()], sum = values => values.reduce((a, b) => a + b, 0);
const number = n => n.toLocaleString("en"), points = (value, plus) => (plus && value > 0 ? "+" : "") + value.toFixed(2);

const report = await unpack("index");
const { names, systems, types, columns, letters, fields, nouns: [NOUN, ENTITY, ENTITIES] } = report, sides = [report.key, ...systems], isPair = systems.length > 1;
const many = (n, noun) => `${number(n)} ${n === 1 ? noun : noun === "entity" ? "entities" : noun + "s"}`;
const state = { types: new Set(), of: "all", view: -1, errors: false }; // in the address
let here = -1, doc, order, reverse = 1, most, chosen, picked, listed = [], current, wordAt;
const sign = t => make(`svg.e.${types[t].side}`, { viewBox: "0 0 12 12", "data-t": t, "aria-hidden": true }, make("path", { d: types[t].path }));
const system = s => make("span", make(`i.dot.s${s}`), systems[s]);
const named = d => names[d] || "(no name)", label = (s, e) => letters[s] + (e + 1);

// Documents.
const HEIGHT = 46, by = () => columns[$("sort").value], text = (column, d) => column.isCount ? number(column.values[d]) : points(column.values[d], column.isGap);
columns.forEach((column, c) => $("sort").append(make("option", { value: c }, column.name)));
$("sort").value = report.first;
const list = () => {
  const { values, isCount, isGap, sense } = by(), wanted = $("find").value.toLowerCase();
  order = range(names.length).filter(d => named(d).toLowerCase().includes(wanted)).sort((a, b) => sense * reverse * (values[a] - values[b]) || a - b);
  most = order.reduce((most, d) => Math.max(most, Math.abs(values[d])), isCount || isGap ? 1 : 100);
  $("rows").style.height = order.length * HEIGHT + "px";
  $("shown").replaceChildren(`${number(order.length)} of ${many(names.length, "document")}`, wanted && " · Enter searches texts");
  rows();
};
const rows = () => {
  const column = by(), first = Math.max(0, Math.floor($("list").scrollTop / HEIGHT) - 4), box = $("list");
  $("rows").replaceChildren(...order.slice(first, first + 60).map((d, n) => make("div.doc", {
    id: `d${d}`, role: "option", "aria-selected": d === here, "aria-posinset": first + n + 1, "aria-setsize": order.length,
    top: (first + n) * HEIGHT + "px", click: () => go(d),
  }, make("span", { title: named(d) }, named(d)), make("b", text(column, d)),
  make("i", column.values[d] && make(`i.s${column.isGap ? +(column.values[d] > 0) : column.system ?? 0}`, { width: `${100 * Math.abs(column.values[d]) / most}%` })))));
  if ($(`d${here}`)) box.setAttribute("aria-activedescendant", `d${here}`);
  else box.removeAttribute("aria-activedescendant");
};
const step = n => {
  if (order.length) go(order[Math.max(0, Math.min(order.length - 1, order.indexOf(here) + n))]);
};

// A document: Page.document in page.py.
const kept = new Map();
const load = async d => {
  const [c, n] = report.places[d];
  if (!kept.has(c)) kept.set(c, await unpack(`c${c}`));
  const raw = kept.get(c)[n], spans = [];
  if (kept.size > 3) kept.delete(kept.keys().next().value);
  const read = { ...raw, w: raw.kind ? raw.w.map((word, i) => word.replace("#", i)) : raw.w, v: raw.f?.map(row => row.filter(Boolean).join(" · ")) ?? raw.v };
  let start = 0;
  raw.a.forEach((gap, m) => spans.push([start += gap, start + raw.l[m]]));
  read.span = (m, s = raw.k.findIndex(labels => labels[m] >= 0)) => raw.x[s]?.[m] ?? spans[m];
  read.words = (m, s) => {
    const [first, last] = read.span(m, s);
    return read.v ? read.v[m] : last < first ? "∅" : read.w.slice(first, last + 1).join("").trim();
  };
  read.members = raw.k.map(labels => {
    const members = [];
    labels.forEach((e, m) => e >= 0 && (members[e] ??= []).push(m));
    return members;
  });
  const titles = raw.k.map(() => []);
  read.title = (s, e) => titles[s][e] ??= (() => { // see name_of in entities.py
    const texts = new Map(), of = read.members[s][e], best = of.reduce((best, m) => raw.n[m] < best ? raw.n[m] : best, "9");
    for (const m of of) if (raw.n[m] === best) {
      const name = read.words(m, s).slice(0, 60);
      texts.set(name, (texts.get(name) ?? 0) + 1);
    }
    return [...texts].reduce((a, b) => b[1] > a[1] ? b : a)[0];
  })();
  return read;
};
const prepare = doc => {
  doc.errors = [];
  doc.twin = doc.k.map(() => new Map());
  doc.wrong = doc.k.map(() => new Map());
  doc.e.forEach(([kinds, lengths, mentions], r) => {
    let first = 0;
    [...kinds].forEach((t, p) => {
      const of = mentions.slice(first, first += lengths[p]), isSpan = types[t].pair, side = types[t].side === "key" ? 0 : r + 1;
      const error = { t: +t, s: r + 1, side, m: of[+isSpan], n: isSpan ? 1 : of.length };
      doc.errors.push(error);
      if (isSpan) doc.twin[r + 1].set(of[0], of[1]).set(of[1], of[0]);
      of.forEach((m, n) => {
        const wrong = doc.wrong[isSpan && !n ? 0 : side];
        wrong.set(m, [...wrong.get(m) ?? [], { ...error, error, isFirst: isSpan || !n }]);
      });
    });
  });
  const id = (error, s) => `${error.t} ${error.m} ${s}`, ids = new Set(doc.errors.map(error => id(error, error.s)));
  for (const error of doc.errors) error.both = ids.has(id(error, 3 - error.s));
  // An entity of a response has its best partner's color.
  const hues = sides.map(() => []);
  range(doc.members[0].length).sort((a, b) => doc.members[0][b].length - doc.members[0][a].length)
    .forEach((e, rank) => hues[0][e] = doc.members[0][e].length > 1 ? (25 + rank * 137.508) % 360 : -1);
  doc.hue = (s, e) => hues[s][e] ??= hues[0][partners(s, e, 0)[0].e] ?? -2;
  return doc;
};
const others = s => s ? [0] : systems.map((_, r) => r + 1);
const partners = (s, e, other) => {
  const pieces = new Map();
  for (const m of doc.members[s][e]) {
    const twin = doc.twin[s || other].get(m), f = doc.k[other][m] >= 0 ? doc.k[other][m] : twin == null ? -1 : doc.k[other][twin];
    pieces.get(f)?.push(m) ?? pieces.set(f, [m]);
  }
  return [...pieces].map(([f, of]) => ({ e: f, of })).sort((a, b) => (a.e < 0) - (b.e < 0) || b.of.length - a.of.length);
};
const isShown = error => (!state.types.size || state.types.has(error.t)) && (state.of === "all" || (error.both ? state.of === "both" : error.s === state.of));
const wrong = (s, m) => (doc.wrong[s].get(m) ?? []).filter(part => isShown(part.error));
const tinted = (what, hue, settings, ...inside) =>
  make(what + (hue < -1 ? ".extra" : hue < 0 ? ".gray" : ""), { "--h": hue, ...settings }, ...inside);
const mention = (s, m, ...inside) => {
  const e = doc.k[s][m], parts = wrong(s, m), kinds = [...new Set(parts.map(part => part.t))], told = [label(s, e), ...kinds.map(t => types[t].name)].join(", ");
  const signed = kinds.filter(t => parts.some(part => part.t === t && part.isFirst)), shape = kinds.length ? types[kinds[0]].shape + (signed.length ? "" : ".later") : "";
  return tinted(`span.m.${shape}${picked?.has(m) ? ".on" : ""}`, doc.hue(s, e), {
    tabindex: -1, role: "group", "data-m": m, "data-s": s, title: told, "aria-label": `${doc.words(m, s)}: ${told}`,
  }, signed.map(sign), inside);
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
    top().node.append(i === wordAt ? make("mark", { tabindex: -1 }, word.trimStart()) : word.trimStart());
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
  let end = 0, skipped = [];
  const cuts = doc.s.map(length => [end, end += length]), of = sides.map(() => cuts.map(() => [])), isWrong = [], rowOf = new Int32Array(end), made = [];
  cuts.forEach(([from, to], row) => rowOf.fill(row, from, to));
  doc.k.forEach((labels, s) => labels.forEach((e, m) => {
    const [start, last] = doc.span(m, s);
    for (let row = rowOf[start]; e >= 0 && row <= rowOf[Math.max(start, last)]; row++) {
      of[s][row].push([m, start, last]);
      isWrong[row] ||= wrong(s, m).length;
    }
  }));
  const skip = () => {
    const hidden = skipped, has = (m, word) => hidden.some(row => row.has(m, word));
    skipped = [];
    if (hidden.length) made.push({ n: 1, has, make: () => {
      const open = () => node.replaceWith(...hidden.map(row => row.make())), node = make("button.skipped", { click: open }, `${many(hidden.length, doc.unit)} without errors`);
      node.has = has;
      return node;
    } });
  };
  cuts.forEach(([from, to], row) => {
    const laid = { has: (m, word) => word == null ? rowOf[doc.span(m)[0]] === row : rowOf[word] === row, make: () => make("div.row", make("span", number(row + 1)), sides.map((_, s) => sentence(s, from, to,
      [...of[s][row]].sort((a, b) => Math.max(a[1], from) - Math.max(b[1], from) || b[2] - a[2])))) };
    if (state.errors && !isWrong[row]) return skipped.push(laid);
    skip();
    made.push(laid);
  });
  skip();
  return made;
};
const bar = (pieces, other, n) => make("div.stack", { "aria-hidden": true }, pieces.map(({ e, of }) =>
  tinted("i", e < 0 ? -2 : doc.hue(other, e), { width: `${100 * of.length / n}%` })));
const entityRows = () => {
  const s = state.view;
  return doc.members[s].map((of, e) => {
    const n = of.length, pairs = others(s).map(other => [other, partners(s, e, other)]);
    const cost = sum(pairs.map(([other, pieces]) => n - sum(pieces.map(({ of }) => of.filter(m => doc.k[other][m] >= 0).length ** 2 / n))));
    return { cost, isWrong: of.some(m => wrong(s, m).length), has: m => doc.k[s][m] === e, make: () => make("div.entity",
      make("div", make("h3", button(s, e), " ", doc.title(s, e)), make("small", many(n, NOUN))),
      make("div", make("small", cost ? `${cost.toFixed(1)} lost` : "complete"), pairs.map(([other, pieces]) => bar(pieces, other, n))),
      make(doc.f ? "div.fields" : "div.values", { "--f": fields.length }, fields.map(name => make("b", name)), pairs.flatMap(([other, pieces]) => pieces.map(piece => make("div", make("small", isPair && !s && sides[other] + " ", shares(piece, s, e, other)),
        piece.of.slice(0, 20).flatMap(m => doc.f?.[m].map((text, f) => make("span", !f ? mention(s, m, text) : text === doc.f[pieces[0].of[0]][f] ? text : make("mark", text))) ?? mention(s, m, doc.words(m, s))), piece.of.length > 20 && ` +${piece.of.length - 20}`))))) };
  }).filter(row => row.isWrong || !state.errors && !state.types.size).sort((a, b) => b.cost - a.cost);
};
// 73 in r6 uncle · with 2 of k3 Florence
const shares = (piece, s, e, other) => {
  const told = (n, word, side, f, lack) => f < 0 ? [`${number(n)} ${lack ? "missing" : "extra"}`] : [`${number(n)} ${word} `, button(side, f), make("i", doc.title(side, f))];
  const rest = piece.e < 0 ? [] : partners(other, piece.e, s).filter(part => part.e !== e).slice(0, 4);
  return [told(piece.of.length, "in", other, piece.e, !s), rest.map((part, n) => [n ? ", " : " · with ", ...told(part.of.length, "of", s, part.e, s)])].flat(2);
};
const button = (s, e) => tinted("button.link", doc.hue(s, e), { click: () => pick(s, e, true) }, label(s, e));

// Rows are made in view.
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
const change = (name, value) => { state[name] = value; render(); };
const toggle = t => { if (!state.types.delete(t)) state.types.add(t); render(); };
const select = (title, options, value, act) => {
  const node = make("select", { "aria-label": title, change: () => act(node.value) }, options.map(([value, name]) => make("option", { value }, name)));
  node.value = value;
  return node;
};
const render = () => {
  const { view } = state, page = make("div." + doc.kind, { "--n": sides.length }), scores = s => columns.filter(of => of.system === s && of.metric);
  const check = make("input", { type: "checkbox", change: () => change("errors", check.checked) });
  check.checked = state.errors;
  const score = (s, of) => make("p", isPair && system(s), of.map(of => make("span", of.short + " ", make("b", text(of, here)))));
  page.append(make("div.bar", make("h2", named(here)), systems.map((_, s) => score(s, scores(s).filter(of => of.isMain))),
  make("div.tools", select("View", [...doc.w ? [[-1, "Text"]] : [], ...sides.map((side, s) => [s, `${ENTITIES} of ${side}`])], view, value => change("view", +value)),
    isPair && select("Errors of", [["all", "Errors of all"], ["both", "Errors of both"], ...systems.map((name, s) => [s + 1, `Only ${name}'s`])], state.of, value => change("of", +value || value)),
    make("label", check, " errors only")),
  view < 0 && make("div.sides", make("span"), sides.map((side, s) => s ? system(s - 1) : make("span", side)))), make("div.scores", systems.map((_, s) => score(s, scores(s).filter(of => !of.isMain)))));
  main.replaceChildren(page);
  lay(page, view < 0 ? textRows() : entityRows());
  listed = doc.errors.filter(isShown).sort((a, b) => a.m - b.m || a.s - b.s);
  current = -1;
  draw();
  paint();
};
// The map of errors.
const draw = () => {
  const length = doc.w?.length || doc.n.length, place = error => (doc.w ? doc.span(error.m, error.side)[0] : error.m) / length * 1000;
  $("map").replaceChildren(...["key", "response"].map((side, x) => make(`path.e.${side}`, { d: listed.filter(error => types[error.t].side === side).map(error => `M${x * 6} ${place(error).toFixed(1)}h6`).join("") })));
  $("map").onclick = event => {
    const y = 1000 * event.offsetY / $("map").clientHeight;
    if (listed.length) show(range(listed.length).reduce((a, b) => Math.abs(place(listed[b]) - y) < Math.abs(place(listed[a]) - y) ? b : a), true);
  };
};
const paint = push => {
  const card = make("div", { id: "card" }), from = Math.max(0, current - 400);
  save(push);
  main.classList.toggle("picked", !!chosen);
  for (const node of main.querySelectorAll(".m")) node.classList.toggle("on", !!picked?.has(+node.dataset.m));
  if (chosen) {
    const [s, e] = chosen, n = doc.members[s][e].length;
    card.append(make("h3", button(s, e), doc.title(s, e)), make("small", `${many(n, NOUN)} in ${sides[s]}`));
    for (const other of others(s)) {
      const pieces = partners(s, e, other);
      card.append(isPair && !s ? make("p", system(other - 1)) : "", bar(pieces, other, n), ...pieces.slice(0, 12).map(piece => make("p", shares(piece, s, e, other))));
    }
  }
  const count = t => columns.filter(of => of.type === t).map(of => of.values[here]), told = counts => sum(counts) ? counts.map(number).join(" / ") : "";
  $("counted").replaceChildren(many(listed.length, "error"), chosen || state.types.size ? make("button", { click: () => { state.types.clear(); clear(); render(); } }, "clear") : "");
  $("types").replaceChildren(...types.map((type, t) => make("button", { "aria-pressed": state.types.has(t), click: () => toggle(t) }, sign(t), type.name, make("b", told(count(t))))));
  $("card").replaceWith(card);
  $("errors").replaceChildren(...listed.slice(from, from + 999).map((error, n) => make("button.error", { "aria-current": from + n === current, click: () => show(from + n, true) },
    sign(error.t), make("span", doc.words(error.m)), make("b", error.n > 1 && `+${error.n - 1}`), make("small", types[error.t].name + (isPair ? ` · ${systems[error.s - 1]}` : "")))));
};
const choose = (s, e) => {
  const of = doc.members[s][e];
  chosen = [s, e];
  picked = new Set([...of, ...of.flatMap(m => doc.twin.flatMap(twin => twin.get(m) ?? []))]);
};
const pick = (s, e, isFocused) => {
  choose(s, e);
  paint(true);
  if (isFocused) focus(doc.members[s][e][0], s);
};
const clear = () => {
  chosen = picked = null;
  if (doc) paint(true);
};
const focus = (m, s, word) => {
  const found = () => word == null ? main.querySelector(`.m[data-m="${m}"][data-s="${s}"]`) ?? main.querySelector(`.m[data-m="${m}"]`) : main.querySelector("mark");
  const block = blocks.find(each => each.rows.some(row => row.has(m, word)));
  if (block) fill(block);
  if (!found()) [...main.querySelectorAll(".skipped")].find(node => node.has(m, word))?.click();
  found()?.focus({ preventScroll: true });
  found()?.scrollIntoView({ block: "center" });
};
const show = (n, push) => {
  const error = doc && listed[(n + listed.length) % listed.length];
  if (!error) return;
  current = listed.indexOf(error);
  choose(error.side, doc.k[error.side][error.m]);
  paint(push);
  focus(error.m, error.side);
  $("side").querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  $("live").textContent = `${types[error.t].name}: ${doc.words(error.m)}, ${current + 1} of ${listed.length}`;
};

// Addresses: #document/k3?t=4&e=1: place and what is shown of it; without a name, d=position.
const address = (d, part, query) => {
  const asked = new URLSearchParams(query), path = d < 0 ? "" : encodeURIComponent(names[d]).replaceAll("%2F", "/") + (part ? "/" + part : "");
  if (d >= 0 && !names[d]) asked.set("d", d);
  return "#" + path + (asked.size ? "?" + asked : "");
};
const asked = () => {
  const { types, of, view, errors } = state, sort = +$("sort").value;
  const held = { t: [...types].map(t => t + 1).join(), o: of === "all" ? "" : of, v: view + 1 && doc?.w ? view : view > 0 ? view : "", e: errors ? 1 : "", s: sort === report.first ? "" : sort, r: reverse < 0 ? 1 : "", f: $("find").value };
  return Object.entries(held).filter(([, value]) => value !== "");
};
const save = push => {
  const to = address(here, wordAt != null ? "w" + wordAt : chosen && label(...chosen), asked());
  if (here >= 0 && to !== location.hash) history[push ? "pushState" : "replaceState"](null, "", to);
};
const go = d => { location.hash = address(d, "", asked().filter(([name]) => name !== "v")); };
let turn = 0;
const route = async () => {
  const [path, query = ""] = location.hash.slice(1).split(/\?(.*)/s), held = new URLSearchParams(query), mine = ++turn;
  let name = path;
  try { name = decodeURIComponent(path); } catch {}
  let d = name ? names.indexOf(name) : -1;
  const [, base, part] = d < 0 ? /^(.*?)(?:\/([a-z]\d+))?$/s.exec(name) : [];
  if (base) d = names.indexOf(base);
  if (held.has("d")) d = +held.get("d");
  if (!(d in names)) d = -1;
  panels.forEach(id => slide(id, false));
  if (columns[held.get("s")]) $("sort").value = held.get("s");
  reverse = held.has("r") ? -1 : held.has("s") ? 1 : reverse;
  $("find").value = held.get("f") ?? $("find").value;
  document.body.classList.toggle("summary", d < 0);
  if (d < 0) {
    here = -1;
    doc = chosen = picked = null;
    return held.has("q") ? search(held.get("q"), mine) : summary(held.get("at"), name && `This report has no document “${name}”.`);
  }
  const opened = d === here ? doc : prepare(await load(d));
  if (mine !== turn) return;
  const s = letters.indexOf(part?.[0]), e = part?.slice(1) - 1, isNew = d !== here;
  [here, doc, chosen, picked] = [d, opened, null, null];
  list();
  state.types = new Set((held.get("t") ?? "").split(",").filter(t => types[t - 1]).map(t => t - 1));
  state.of = isPair && (+held.get("o") || held.get("o")) || "all";
  state.view = sides[held.get("v") ?? -1] ? +held.get("v") : doc.w ? -1 : 0;
  state.errors = held.has("e");
  wordAt = part?.[0] === "w" && doc.w ? e + 1 : null;
  if (isNew) main.scrollTop = 0;
  const isEntity = doc.members[s]?.[e];
  if (isEntity) choose(s, e);
  render();
  if (isNew) $("live").textContent = `${named(d)}, ${order.indexOf(d) + 1} of ${order.length}, ${many(listed.length, "error")}`;
  const top = order.indexOf(d) * HEIGHT, box = $("list");
  if (top < box.scrollTop || top + HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 2;
  if (isEntity) focus(isEntity[0], s);
  else if (wordAt != null) focus(-1, 0, wordAt);
  else if (held.has("t") && isNew) show(0);
};

// Search: entities, then words.
const LIMIT = 200;
const search = async (wanted, mine) => {
  const entities = [], places = [], small = wanted.toLowerCase(), told = make("p", { role: "status" }), page = make("div.page", make("h2", `“${wanted}”`), told);
  main.replaceChildren(page);
  $("find").value = "";
  list();
  for (const d of range(names.length)) {
    if (d % 50 === 49) await new Promise(done => setTimeout(done, 0, told.textContent = `${number(d)} of ${many(names.length, "document")} …`));
    const doc = await load(d), parts = doc.v ?? doc.w, whole = parts.join(doc.v ? "\n" : ""), low = whole.toLowerCase();
    if (mine !== turn) return;
    if (!low.includes(small)) continue;
    doc.members.forEach((members, s) => members.forEach((of, e) => {
      const name = doc.title(s, e), part = label(s, e);
      if (name.toLowerCase().includes(small)) entities.push({ s, n: of.length, d, part, name, about: `${part} · ${many(of.length, NOUN)} in ${sides[s]} · ` });
    }));
    for (let at = low.indexOf(small), i = 0, end = 0; at >= 0 && places.length < LIMIT; at = low.indexOf(small, at + small.length)) {
      const length = () => parts[i].length + !!doc.v;
      while (end + length() <= at + (whole[at] === " ")) { end += length(); i++; }
      const s = doc.k.findIndex(labels => labels[i] >= 0);
      places.push({ d, part: doc.v ? label(s, doc.k[s][i]) : "w" + i, about: "", name: doc.v?.[i] ?? ["…", whole.slice(Math.max(0, at - 50), at), make("mark", whole.slice(at, at + small.length)), whole.slice(at + small.length, at + 60), "…"] });
    }
  }
  told.textContent = entities.length + places.length ? "" : "Not found.";
  entities.sort((a, b) => a.s - b.s || b.n - a.n);
  for (const [hits, title] of [[entities, many(entities.length, ENTITY)], [places, (places.length < LIMIT ? "" : "The first ") + many(places.length, "place")]])
    if (hits.length) page.append(make("h3", title), ...hits.slice(0, LIMIT).map(({ d, part, name, about }) => make("p.hit", make("a", { href: address(d, part) }, name), " ", make("small", about, named(d)))));
};

const cell = of => {
  if (typeof of !== "object") return of;
  if ("type" in of) return make("span", sign(of.type), " " + types[of.type].name);
  if ("document" in of) return make("a", { href: address(of.document, of.entity, of.query) }, of.text || of.entity || named(of.document));
  if ("bar" in of) return of.bar && make(`i.meter.${of.kind}`, { width: of.bar + "%" });
  if ("at" in of) return make(`div.track.${of.kind}`, of.zero > 0 && make("u", { left: of.zero + "%" }), make("i", { left: of.low + "%", width: of.high - of.low + "%" }), make("b", { left: of.at + "%" }));
  return system(of.system);
};
const summary = (at, told) => {
  main.replaceChildren(make("div.page", told && make("p", { role: "status" }, told), make("h2", report.title),
    report.findings[0] && make("ol.findings", report.findings.map(({ text, command, address }) => make("li", address ? make("a", { href: address }, text) : text, command && make("code", command)))),
    make("div.cards", report.cards.map(([value, name]) => make("div", make("b", value), name))),
    report.tables.flatMap(({ title, heads, rows, notes, at }, n) => [...n === 1 && report.plot ? [make("h3", "Every document"), plot()] : [],
      make("h3", { "data-at": at }, title), make("table", make("thead", make("tr", heads.map(([name, kind]) => make(`${name ? "th" : "td"}.${kind}`, name)))),
        make("tbody", rows.map(row => make("tr", row.map((of, k) => make(`td.${heads[k][1]}`, cell(of))))))), notes.map(note => make("p.note", note))].flat()),
    report.notes.map(note => make("p.note", note))));
  list();
  main.scrollTop = 0;
  [...main.querySelectorAll("h3")].find(title => title.dataset.at === at)?.scrollIntoView();
};
const plot = () => {
  const { x, y, lines, label, width, height, right } = report.plot, ring = make("circle.ring", { r: 0 }), name = make("text.y", { x: right, y: 20 });
  const svg = make("svg.plot", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, lines.map(line => make(...line)),
    systems.map((_, s) => make(`path.points.s${s}`, { d: x.map((at, d) => report.plot.system[d] === s ? `M${at} ${y[d]}h0` : "").join("") })), ring, name);
  const near = event => {
    const box = svg.getBoundingClientRect(), scale = width / box.width;
    const gap = d => Math.hypot(x[d] - (event.clientX - box.left) * scale, y[d] - (event.clientY - box.top) * scale);
    return range(x.length).reduce((a, b) => gap(b) < gap(a) ? b : a);
  };
  svg.onclick = event => go(near(event));
  svg.onpointermove = event => {
    const d = near(event);
    for (const [name, value] of [["r", 7], ["cx", x[d]], ["cy", y[d]]]) ring.setAttribute(name, value);
    name.textContent = [named(d), ...report.plot.columns.map(c => text(columns[c], d))].join("  ");
  };
  return svg;
};

const panels = ["documents", "side"];
const slide = (id, isOpen) => {
  $(id).classList.toggle("open", isOpen);
  $("show-" + id).setAttribute("aria-expanded", isOpen);
};
const keys = {
  j: () => step(1), k: () => step(-1), n: () => show(current + 1), p: () => show(Math.max(current, 0) - 1), e: () => doc && change("errors", !state.errors), t: () => doc?.w && change("view", state.view < 0 ? 0 : -1),
  s: () => { location.hash = ""; main.focus(); }, "/": () => { slide("documents", true); $("find").focus(); }, "?": () => $("help").showModal(),
  Escape: () => { panels.forEach(id => slide(id, false)); clear(); },
};
const listKeys = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };
onkeydown = event => {
  const { key, target } = event, on = target.closest?.(".m")?.dataset;
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  if (target === $("find") && key === "Enter" && target.value) location.hash = "?" + new URLSearchParams({ q: target.value });
  if (/^(INPUT|SELECT)$/.test(target.tagName)) return key === "Escape" ? target.blur() : undefined;
  const act = target === $("list") && listKeys[key] ? () => step(listKeys[key]) : on && key === "Enter" ? () => pick(+on.s, doc.k[on.s][on.m])
    : doc && types[key - 1] ? () => toggle(key - 1) : keys[key];
  if (act) { event.preventDefault(); act(); }
};
main.onclick = event => {
  const on = event.target.closest("[data-m]")?.dataset;
  if (on && getSelection().isCollapsed) pick(+on.s, doc.k[on.s][on.m]);
};
for (const id of panels) $("show-" + id).onclick = () => slide(id, !$(id).classList.contains("open"));
$("find").oninput = list;
$("sort").onchange = () => { list(); save(); };
$("list").onscroll = onresize = rows;
$("reverse").onclick = () => { reverse *= -1; list(); save(); };
$("summary").onclick = keys.s;
$("keys").onclick = keys["?"];
$("skip").onclick = () => main.focus();
onhashchange = route;
let isCut;
onbeforeprint = () => { // some fifty pages at most
  isCut = doc?.w?.length > 1e4 && state.view < 0 && !state.errors;
  if (isCut) change("errors", true);
  blocks.forEach(fill);
};
onafterprint = () => isCut && change("errors", false);
list();
await route();
document.body.classList.remove("loading");
})();
