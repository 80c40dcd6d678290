// The page of `pplc play`: an editor with colours, what the compiler says, and runs that draw as they go.
// All text from the model is put in as text. What the server draws comes as HTML in which it is escaped.
"use strict";

const by = id => document.getElementById(id);
const text = by("text"), lines = by("lines"), gutter = by("gutter"), data = by("data"), method = by("method");
const COMMON = ["particles", "sweeps", "chains", "burn_in", "seed"];
const TOKEN = /(;[^\n]*)|("(?:[^"\\]|\\[^])*"?)|([()[\]{}])|([^\s()[\]{}"';,]+)|\s+|[^]/g;
const NUMBER = /^[-+]?(\d+\.?\d*([eE][-+]?\d+)?|\.\d+|Inf|NaN|\d+\/\d+)$/;
let start = null, marks = [], shown = [], before = "", saved = "", running = null;

// ---------------------------------------------------------------- asking the server

const post = (path, body, more = {}) => fetch(path, {
  method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body), ...more,
});
// The text, and whether it is that of the file that the page was opened with.
const model = () => ({text: text.value, own: start.file !== null});
const ask = async (path, body) => (await post(path, body)).json();

// ---------------------------------------------------------------- colours

function tokens(source) {
  const found = [];
  for (const each of source.matchAll(TOKEN)) {
    const word = each[4];
    let kind = each[1] ? "comment" : each[2] ? "string" : each[3] ? "bracket" : "";
    if (word) {
      const known = Object.hasOwn(start.words, word) ? start.words[word] : null;
      kind = NUMBER.test(word) ? "number" : word[0] === ":" ? "keyword" : known ? known[0]
        : ["true", "false", "nil"].includes(word) ? "constant" : "name";
    }
    if (kind) found.push({kind, start: each.index, end: each.index + each[0].length, text: each[0]});
  }
  return found;
}

// For each bracket the one that belongs to it.
function pairs(found) {
  const open = [], belongs = new Map();
  for (const token of found) {
    if (token.kind !== "bracket") continue;
    if ("([{".includes(token.text)) open.push(token);
    else if (open.length) {
      const other = open.pop();
      belongs.set(other.start, token.start);
      belongs.set(token.start, other.start);
    }
  }
  return belongs;
}

function paint() {
  const source = text.value, classes = new Array(source.length), found = tokens(source);
  for (const token of found) if (token.kind !== "name") classes.fill(token.kind, token.start, token.end);
  for (const mark of marks) {
    const end = Math.min(source.length, Math.max(mark.end, mark.start + 1));
    for (let k = Math.min(mark.start, source.length - 1); k >= 0 && k < end; k++)
      classes[k] = `${classes[k] || ""} ${mark.severity}-mark`;
  }
  const caret = document.activeElement === text && text.selectionStart === text.selectionEnd ? text.selectionStart : -1;
  const belongs = pairs(found);
  for (const place of [caret - 1, caret]) {
    if (belongs.has(place)) {
      for (const k of [place, belongs.get(place)]) classes[k] = `${classes[k] || ""} pair`;
      break;
    }
  }
  const rows = source.split("\n"), worst = severities(source);
  let at = 0;
  rows.forEach((row, n) => {
    const own = classes.slice(at, at + row.length), key = row + "\u0000" + own.join("|");
    if (shown[n] !== key) {
      const line = lines.children[n] || lines.appendChild(document.createElement("div"));
      line.replaceChildren(...spans(row, own));
      shown[n] = key;
    }
    const number = gutter.children[n] || gutter.appendChild(document.createElement("div"));
    if (number.textContent !== String(n + 1)) number.textContent = n + 1;
    number.className = worst.get(n) || "";
    at += row.length + 1;
  });
  for (const part of [lines, gutter]) while (part.children.length > rows.length) part.lastChild.remove();
  shown.length = rows.length;
  hint(found, caret < 0 ? text.selectionStart : caret);
}

function spans(row, classes) {
  const parts = [];
  for (let k = 0; k < row.length;) {
    let end = k + 1;
    while (end < row.length && classes[end] === classes[k]) end++;
    const span = document.createElement("span");
    if (classes[k]) span.className = classes[k];
    span.textContent = row.slice(k, end);
    parts.push(span);
    k = end;
  }
  return parts;
}

const lineOf = (source, offset) => source.slice(0, offset).split("\n").length - 1;

function severities(source) {
  const worst = new Map();
  for (const mark of marks) {
    const line = lineOf(source, mark.start);
    if (worst.get(line) !== "error") worst.set(line, mark.severity);
  }
  return worst;
}

// What the word at the caret is, or else the form around it.
function hint(found, caret) {
  const at = found.find(token => token.start <= caret && caret <= token.end && Object.hasOwn(start.words, token.text));
  const open = [];
  found.forEach((token, k) => {
    if (token.kind !== "bracket" || token.end > caret) return;
    if ("([{".includes(token.text)) open.push(found[k + 1]); else open.pop();
  });
  const around = open.reverse().find(token => token && Object.hasOwn(start.words, token.text));
  const word = at || around, box = by("hint");
  if (!word) return box.replaceChildren();
  const [, form, says] = start.words[word.text], code = document.createElement("code");
  code.textContent = form;
  box.replaceChildren(code, says ? ` — ${says.replaceAll("`", "")}` : "");
}

// ---------------------------------------------------------------- editing

function changed() {
  const now = text.value;
  let same = 0;
  while (same < now.length && same < before.length && now[same] === before[same]) same++;
  const by_ = now.length - before.length;
  for (const mark of marks) if (mark.start >= same) { mark.start += by_; mark.end += by_; }
  before = now;
  paint();
  clearTimeout(changed.soon);
  changed.soon = setTimeout(check, 120);
  by("save").disabled = start.file !== null && now === saved;
}

// The inputs that have no value in the model: their data are asked for.
function wanted() {
  const code = tokens(text.value).filter(token => token.kind !== "comment");
  const names = code.filter((token, k) => k > 1 && code[k - 1].text === "input" && "([".includes(code[k - 2].text)
    && ")]".includes(code[k + 1]?.text)).map(token => token.text);
  by("wanted").textContent = names.length ? `for ${names.join(", ")}` : "for the inputs of the model";
  if (names.length && !data.value && by("given").dataset.of !== names.join()) by("given").open = true;
  by("given").dataset.of = names.join();
}

async function check() {
  const asked = text.value;
  const answer = await ask("check", model());
  if (asked !== text.value) return;
  marks = answer.marks;
  paint();
  wanted();
  by("problems").replaceChildren(...marks.map(problem));
  by("problems").dataset.checked = asked.length;
}

function problem(mark) {
  const item = document.createElement("li"), button = document.createElement("button"), place = document.createElement("b");
  const line = lineOf(text.value, mark.start), column = mark.start - (text.value.lastIndexOf("\n", mark.start - 1) + 1);
  place.textContent = `${line + 1}:${column + 1}`;
  button.type = "button";
  button.className = mark.severity;
  button.append(place, mark.text);
  button.addEventListener("click", () => { text.focus(); text.setSelectionRange(mark.start, Math.max(mark.end, mark.start)); paint(); });
  item.append(button);
  return item;
}

// Replaces what is selected in a way that can be undone.
function insert(what) {
  if (!document.execCommand("insertText", false, what)) {
    text.setRangeText(what, text.selectionStart, text.selectionEnd, "end");
    changed();
  }
}

function replaceAll(what) {
  if (what === text.value) return;
  text.focus();
  text.select();
  insert(what);
  text.setSelectionRange(0, 0);
  by("code").scrollTo(0, 0);
  paint();
}

// The column of a new line: two to the right of the bracket around it, or below the first element of a vector.
function indent() {
  const caret = text.selectionStart, open = [];
  for (const token of tokens(text.value)) {
    if (token.end > caret) break;
    if (token.kind === "bracket") "([{".includes(token.text) ? open.push(token) : open.pop();
  }
  if (!open.length) return "";
  const around = open.pop(), column = around.start - (text.value.lastIndexOf("\n", around.start - 1) + 1);
  const named = /^[^\s()[\]{}"';,\d]/.test(text.value.slice(around.end));
  return " ".repeat(column + (named ? 2 : 1));
}

text.addEventListener("input", changed);
document.addEventListener("selectionchange", () => { if (start && document.activeElement === text) paint(); });
text.addEventListener("keydown", event => {
  if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) {
    event.preventDefault();
    insert("\n" + indent());
  } else if (event.key === "Tab" && !event.shiftKey) {
    event.preventDefault();
    insert("  ");
  }
});

// ---------------------------------------------------------------- settings

function settings() {
  const own = start.methods[method.value.trim()];
  const names = own ? own.settings : Object.keys(start.defaults);
  by("does").textContent = own ? own.does : "composed of others, as in pgas + rw*20";
  for (const [box, wanted] of [["common", COMMON.filter(n => names.includes(n))], ["others", names.filter(n => !COMMON.includes(n))]]) {
    const there = new Map([...by(box).children].map(label => [label.dataset.name, label]));
    by(box).replaceChildren(...wanted.map(name => there.get(name) || field(name)));
    for (const label of by(box).children) {
      const usual = own && own.defaults[label.dataset.name] ? own.defaults[label.dataset.name] : start.defaults[label.dataset.name];
      label.querySelector("input").placeholder = usual === null || usual === undefined ? (label.dataset.name === "seed" ? "new" : "") : usual;
    }
  }
  by("more").hidden = !by("others").children.length;
}

function field(name) {
  const label = document.createElement("label"), input = document.createElement("input");
  label.dataset.name = name;
  input.name = name;
  input.autocomplete = "off";
  if (name === "chains") input.value = start.chains;
  label.append(name.replaceAll("_", " "), input);
  return label;
}

function chosen() {
  const found = {};
  for (const input of by("controls").querySelectorAll("label[data-name] input")) {
    const value = input.value.trim();
    if (value) found[input.name] = value === "true" ? true : value === "false" ? false : isNaN(value) ? value : Number(value);
  }
  return found;
}

// ---------------------------------------------------------------- runs

async function run() {
  if (running) running.leave.abort();
  const own = running = {leave: new AbortController(), name: null, begun: performance.now(), next: null};
  for (const box of ["wrong", "printed"]) { by(box).hidden = true; by(box).textContent = ""; }
  by("links").replaceChildren();
  by("stop").disabled = false;
  by("result").replaceChildren();
  by("result").className = "pplc moving";
  delete by("result").dataset.first;
  say("starting", 0);
  try {
    const answer = await post("run", {...model(), data: data.value, method: method.value, settings: chosen()}, {signal: own.leave.signal});
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const {value, done} = await reader.read();
      if (done || running !== own) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      for (const part of parts) if (part) told(own, JSON.parse(part));
    }
  } catch (error) {
    if (running === own && error.name !== "AbortError") wrong("the server does not answer: is pplc play still running?");
  }
  if (running === own) { running = null; by("stop").disabled = true; by("result").className = "pplc"; }
}

function told(own, message) {
  const seconds = ((performance.now() - own.begun) / 1000).toFixed(1);
  if (message.kind === "started") own.name = message.run;
  else if (message.kind === "sweeps") {
    say(`${message.done} of ${message.total} sweeps · ${seconds} s`, message.done / message.total);
    if (own.next === null) requestAnimationFrame(() => { if (own.next !== null) { draw(own.next); own.next = null; } });
    own.next = message.html;
  } else if (message.kind === "print") {
    by("printed").hidden = false;
    by("printed").append(message.text);
  } else if (message.kind === "wrong") {
    say(`ended after ${seconds} s`, 0);
    wrong(message.text);
  } else if (message.kind === "done") {
    own.next = null;
    draw(message.html);
    say(`${message.interrupted ? "stopped after" : "done:"} ${message.done} sweeps · ${seconds} s`, 1);
    by("links").replaceChildren(link("Open the report", own.name), link("Save it", own.name, "report.html"));
  }
}

function draw(html) {
  by("result").replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  if (!by("result").dataset.first) by("result").dataset.first = performance.now();
}

function link(said, name, file) {
  const found = document.createElement("a");
  found.href = `report?${encodeURIComponent(name)}`;
  found.textContent = said;
  if (file) found.download = file; else { found.target = "_blank"; found.rel = "noopener"; }
  return found;
}

function say(what, share) {
  by("said").textContent = what;
  by("bar").style.width = `${100 * share}%`;
}

function wrong(what) {
  by("wrong").textContent = what;
  by("wrong").hidden = false;
}

const stop = () => { if (running && running.name) post("stop", {run: running.name}); };

// ---------------------------------------------------------------- files

// An example is not what the file has: it is not saved there.
function of(file) {
  start.file = file;
  by("file").textContent = file || "";
  by("save").textContent = file === null ? "Download" : "Save";
  by("save").disabled = file !== null;
}

async function save() {
  if (start.file === null) {
    const found = document.createElement("a");
    found.href = URL.createObjectURL(new Blob([text.value], {type: "text/plain"}));
    found.download = "model.clj";
    found.click();
    return URL.revokeObjectURL(found.href);
  }
  const now = text.value, answer = await ask("save", model());
  if (answer.wrong) return wrong(answer.wrong);
  saved = now;
  by("save").disabled = text.value === saved;
}

by("controls").addEventListener("submit", event => { event.preventDefault(); run(); });
by("stop").addEventListener("click", stop);
by("save").addEventListener("click", save);
by("format").addEventListener("click", async () => replaceAll((await ask("format", model())).text));
method.addEventListener("input", settings);
by("examples").addEventListener("change", async event => {
  const name = event.target.value;
  if (!name) return;
  const found = await (await fetch(`example?${encodeURIComponent(name)}`)).json();
  of(null);
  data.value = "";
  replaceAll(found.text);
});
by("load").addEventListener("change", async event => { if (event.target.files[0]) data.value = await event.target.files[0].text(); });
document.addEventListener("keydown", event => {
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key === "Enter") { event.preventDefault(); run(); }
  else if (command && event.key.toLowerCase() === "s") { event.preventDefault(); save(); }
  else if (event.key === "Escape") stop();
});
window.addEventListener("beforeunload", event => { if (start && start.file !== null && text.value !== saved) event.preventDefault(); });

(async () => {
  start = await (await fetch("start")).json();
  for (const [name, about] of Object.entries(start.examples)) {
    const option = document.createElement("option");
    option.value = name;
    option.textContent = `${name.replaceAll("_", " ")}: ${about}`;
    by("examples").append(option);
  }
  for (const [name, own] of Object.entries(start.methods)) {
    const option = document.createElement("option");
    option.value = name;
    option.textContent = own.does;
    by("methods").append(option);
  }
  of(start.file);
  method.value = start.method;
  text.value = before = saved = start.text;
  settings();
  paint();
  document.body.dataset.ready = "true";
  await check();
})();
