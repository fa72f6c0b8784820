/* global document, history, localStorage, location, matchMedia, navigator, requestAnimationFrame, ResizeObserver, setTimeout, window */
// The diagram of the page that `mcpgen inspect --html` writes. Text of a conversation becomes text nodes only.

const data = JSON.parse(document.querySelector("#data").textContent);
const byId = (id) => document.getElementById(id);
const frames = byId("frames");
const canvas = byId("canvas");
const ruler = byId("ruler");
const panel = byId("panel");
const search = byId("search");
const isPhone = matchMedia("(max-width: 52rem)");

// --- Text

const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{Surrogate}/gu;

/** Text in which nothing is invisible or changes the direction of what follows. */
function visible(text) {
  return String(text).replace(HIDDEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) =>
        `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

const number = (value) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
const plural = (value, one, many = `${one}s`) =>
  `${number(value)} ${value === 1 ? one : many}`;

function duration(milliseconds) {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 100_000) return `${(milliseconds / 1000).toFixed(2)} s`;
  const minutes = Math.floor(milliseconds / 60_000);
  return `${number(minutes)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
}

function clock(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 100) return `${seconds.toFixed(3)} s`;
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;
}

/** Text of a rule, in which code is between backticks. */
function withCode(text) {
  return text
    .split("`")
    .map((part, index) => (index % 2 === 0 ? part : element("code", "", part)));
}

/** An element with children; strings become text. */
function element(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className !== "") node.className = className;
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

function button(label, onClick, className = "") {
  const node = element("button", className, label);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

const SEVERITIES = ["violation", "deviation", "advice"];
/** What became of requests without a response. */
const OUTCOMES = [
  ["unanswered", "Without response"],
  ["cancelled", "Cancelled"],
];
const SYMBOLS = { violation: "✕", deviation: "▲", advice: "i" };

// --- Conversations

const MAX_TRACKS = 4;

/** A conversation with everything that is derived from its entries once. */
function readConversation(conversation) {
  const rows = conversation.entries.map((entry, index) =>
    readRow(entry, index),
  );
  const indexOf = new Map(rows.map((row) => [row.entry.frame, row.index]));
  // Each request by its entry and id, since a batch has several.
  const calls = new Map();
  const tokens = new Map();
  for (const row of rows) {
    for (const [at, message] of row.entry.messages.entries()) {
      const raw = rawMessage(row.entry, at);
      if (message.kind === "request") {
        const call = { row, message, close: undefined, cancel: undefined };
        calls.set(`${row.entry.frame} ${JSON.stringify(message.id)}`, call);
        row.calls.push(call);
        const token = raw?.params?._meta?.progressToken;
        if (token !== undefined)
          tokens.set(`${row.entry.from} ${JSON.stringify(token)}`, call);
      }
      if (message.method === "notifications/progress") {
        const asker = row.entry.from === "client" ? "server" : "client";
        const token = JSON.stringify(raw?.params?.progressToken);
        const call = tokens.get(`${asker} ${token}`);
        if (call !== undefined) row.about.push(call);
      }
      if (message.request === undefined) continue;
      const asked = rows[indexOf.get(message.request)];
      const call = findCall(calls, asked, message, raw);
      if (call === undefined) continue;
      row.about.push(call);
      if (message.kind === "notification") {
        call.cancel ??= row;
        row.cancels = asked;
      } else call.close ??= row;
    }
  }
  const spans = { client: [], server: [] };
  for (const call of calls.values()) {
    const last = call.close ?? call.cancel;
    if (last === undefined) call.row.unanswered += 1;
    if (call.cancel !== undefined) call.row.cancelled += 1;
    // Who answers is active from the request to the response.
    const answerer = call.row.entry.from === "client" ? "server" : "client";
    spans[answerer].push({
      call,
      first: call.row.index,
      last: last?.index ?? call.row.index,
    });
  }
  const tracks = {
    client: placeSpans(spans.client, rows.length),
    server: placeSpans(spans.server, rows.length),
  };
  const withFindings = rows.filter((row) => row.entry.findings.length > 0);
  return { ...conversation, rows, indexOf, tracks, withFindings };
}

function findCall(calls, asked, message, raw) {
  if (asked === undefined) return undefined;
  const id =
    message.kind === "notification" ? raw?.params?.requestId : message.id;
  return (
    calls.get(`${asked.entry.frame} ${JSON.stringify(id)}`) ??
    (asked.calls.length === 1 ? asked.calls[0] : undefined)
  );
}

function rawMessage({ content }, at) {
  if (content.kind !== "frame") return undefined;
  const { frame } = content;
  return Array.isArray(frame) ? frame[at] : frame;
}

/** For each track, the span at each row; undefined where it is free. */
function placeSpans(spans, length) {
  const tracks = [];
  const free = [];
  for (const span of spans) {
    let at = free.findIndex((end) => end < span.first);
    if (at === -1) at = free.length;
    if (at >= MAX_TRACKS) continue;
    tracks[at] ??= new Array(length);
    tracks[at].fill(span, span.first, span.last + 1);
    free[at] = span.last;
  }
  return tracks;
}

function readRow(entry, index) {
  const kinds = new Set(entry.messages.map(({ kind }) => kind));
  if (kinds.size === 0 || kinds.has("invalid")) kinds.add("other");
  const worst = SEVERITIES.find((severity) =>
    entry.findings.some((finding) => finding.severity === severity),
  );
  return {
    index,
    entry,
    kinds,
    worst,
    calls: [],
    about: [],
    unanswered: 0,
    cancelled: 0,
    cancels: undefined,
    text: undefined,
  };
}

/** What a row is, in a few words: what is emphasized, and what is not. */
function labelOf({ entry }) {
  const { messages, content, http, end } = entry;
  if (messages.length > 1) {
    const names = messages.map((message) => message.method ?? message.kind);
    return {
      prefix: `batch of ${messages.length}`,
      name: [...new Set(names)].join(", "),
    };
  }
  const [message] = messages;
  if (message !== undefined) {
    const { kind, method, target, id, code } = message;
    const parts = { name: method ?? "", target, id };
    if (kind === "result") return { ...parts, prefix: "result" };
    if (kind === "error") return { ...parts, prefix: `error ${code ?? ""}` };
    if (kind === "invalid") return { ...parts, prefix: "invalid message" };
    return { ...parts, prefix: "" };
  }
  if (content.kind === "text")
    return { prefix: "not JSON", name: content.text.slice(0, 200) };
  if (content.kind === "bytes") return { prefix: "not UTF-8", name: "bytes" };
  if (content.kind === "omitted")
    return { prefix: "not recorded", name: `${number(content.bytes)} bytes` };
  if (content.kind === "frame")
    return {
      prefix: "JSON",
      name: JSON.stringify(content.frame).slice(0, 200),
    };
  if (end !== undefined) return { prefix: "end", name: endText(entry) };
  if (http !== undefined) return { prefix: "HTTP", name: httpText(http) };
  return { prefix: "", name: "empty" };
}

function endText({ from, end }) {
  if (end.signal !== undefined) return `${from} ended by ${end.signal}`;
  if (end.code !== undefined) return `${from} exited with code ${end.code}`;
  return from === "client" ? "client closed the input" : "server ended";
}

function httpText(part) {
  if (part.kind === "request") return `${part.method} ${part.path}`;
  if (part.kind === "response") return `status ${part.status}`;
  if (part.kind === "end")
    return part.isComplete ? "end of response" : "connection broken";
  return part.event === undefined ? "event" : `event ${part.event}`;
}

function httpBadge(part) {
  const what =
    part.kind === "request"
      ? part.method
      : part.kind === "response"
        ? String(part.status)
        : part.kind === "event"
          ? "SSE"
          : "end";
  return `${what} ·${part.exchange}`;
}

/** The text that the search looks at. */
function searchText(row) {
  if (row.text === undefined) {
    const { entry } = row;
    const { prefix, name, target } = labelOf(row);
    const findings = entry.findings.map(
      ({ rule, severity, message }) => `${rule} ${severity} ${message}`,
    );
    const content = JSON.stringify(entry.content);
    const http = entry.http === undefined ? "" : JSON.stringify(entry.http);
    row.text = [`#${entry.frame}`, prefix, name, target ?? "", http, content]
      .concat(findings)
      .join(" ")
      .toLowerCase();
  }
  return row.text;
}

// --- State

const filter = {
  words: [],
  kinds: new Set(["request", "result", "error", "notification", "other"]),
  method: "",
  findings: "",
};
const ALL_KINDS = filter.kinds.size;
let conversation;
let shownRows = [];
let offsets = new Float64Array(1);
let positionOf = new Map();
let selected;
let related = new Set();
let scale = "order";
const cache = new Map();

const rowHeight = () => (isPhone.matches ? 52 : 44);
const MAX_GAP = 200;

/** The space before a frame on the time scale: the logarithm of the pause. */
function gapOf(pause) {
  if (scale === "order" || !(pause > 1)) return 0;
  return Math.min(MAX_GAP, Math.round(16 * Math.log2(1 + pause / 20)));
}

function matches(row) {
  const { words, kinds, method, findings } = filter;
  if (kinds.size < ALL_KINDS && ![...row.kinds].some((kind) => kinds.has(kind)))
    return false;
  if (
    method !== "" &&
    !row.entry.messages.some((message) => message.method === method)
  )
    return false;
  if (findings !== "" && !matchesFindings(row, findings)) return false;
  return (
    words.length === 0 || words.every((word) => searchText(row).includes(word))
  );
}

/** Whether a row has what was chosen: findings, or no response, or a cancellation. */
function matchesFindings(row, wanted) {
  const found = row.entry.findings;
  if (wanted === "any") return found.length > 0;
  if (wanted === "unanswered" || wanted === "cancelled") return row[wanted] > 0;
  return found.some(
    ({ severity, rule }) => severity === wanted || `rule ${rule}` === wanted,
  );
}

function applyFilter() {
  shownRows = conversation.rows.filter(matches);
  positionOf = new Map(shownRows.map((row, position) => [row.index, position]));
  place();
  const total = conversation.rows.length;
  const count =
    shownRows.length < total
      ? `${number(shownRows.length)} of ${plural(total, "frame")}`
      : plural(total, "frame");
  byId("shown").textContent =
    conversation.leftOut > 0
      ? `${count}, ${number(conversation.leftOut)} left out`
      : count;
  byId("empty").hidden = shownRows.length > 0;
  byId("empty").textContent =
    total === 0
      ? "This conversation has no frames."
      : "No frame matches. Clear the search or choose another filter.";
  drawRuler();
  updateSteps();
}

function place() {
  const height = rowHeight();
  offsets = new Float64Array(shownRows.length + 1);
  let before;
  for (const [position, { entry }] of shownRows.entries()) {
    const gap = before === undefined ? 0 : gapOf(entry.time - before);
    offsets[position + 1] = offsets[position] + gap + height;
    before = entry.time ?? before;
  }
  canvas.style.height = `${offsets[shownRows.length]}px`;
  redraw();
}

// --- Diagram

/** The last position whose row begins at or before an offset. */
function positionAt(offset) {
  let low = 0;
  let high = shownRows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

const OVERSCAN = 6;

function draw() {
  if (shownRows.length === 0) {
    for (const node of cache.values()) node.remove();
    cache.clear();
    return;
  }
  const { scrollTop, clientHeight } = frames;
  const first = Math.max(0, positionAt(scrollTop) - OVERSCAN);
  const last = Math.min(
    shownRows.length - 1,
    positionAt(scrollTop + clientHeight) + OVERSCAN,
  );
  const keep = new Set();
  for (let position = first; position <= last; position += 1)
    keep.add(shownRows[position].index);
  // The selected row is the active descendant, which must exist.
  const selectedPosition =
    selected === undefined ? undefined : positionOf.get(selected.index);
  if (selectedPosition !== undefined) keep.add(selected.index);
  for (const [index, node] of cache) {
    if (keep.has(index)) continue;
    node.remove();
    cache.delete(index);
  }
  for (const index of keep) {
    if (cache.has(index)) continue;
    const node = drawRow(positionOf.get(index));
    cache.set(index, node);
    canvas.append(node);
  }
  if (selectedPosition === undefined)
    frames.removeAttribute("aria-activedescendant");
  else
    frames.setAttribute(
      "aria-activedescendant",
      `frame-${selected.entry.frame}`,
    );
}

function redraw() {
  for (const node of cache.values()) node.remove();
  cache.clear();
  draw();
}

let isScheduled = false;
function scheduleDraw() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    draw();
  });
}

function drawRow(position) {
  const row = shownRows[position];
  const { entry } = row;
  const height = offsets[position + 1] - offsets[position];
  const gap = height - rowHeight();
  const classes = ["row", `from-${entry.from}`, ...shapeOf(row)];
  if (row === selected) classes.push("selected");
  else if (related.has(row)) classes.push("related");
  if (row.worst !== undefined) classes.push(`has-${row.worst}`);
  const node = element("div", classes.join(" "));
  node.id = `frame-${entry.frame}`;
  node.setAttribute("role", "option");
  node.setAttribute("aria-selected", String(row === selected));
  node.setAttribute("aria-posinset", String(position + 1));
  node.setAttribute("aria-setsize", String(shownRows.length));
  node.setAttribute("aria-label", spokenText(row));
  node.style.transform = `translateY(${offsets[position]}px)`;
  node.style.height = `${height}px`;
  node.style.paddingTop = `${gap}px`;
  node.dataset.index = String(row.index);
  const meta = element(
    "div",
    "meta",
    element("span", "number", `#${entry.frame}`),
  );
  if (entry.time !== undefined)
    meta.append(element("span", "clock", clock(entry.time)));
  node.append(meta, drawLane(row, position, gap));
  return node;
}

/** Classes that say how the arrow looks: not by its color alone. */
function shapeOf({ entry, kinds }) {
  if (entry.messages.length === 0)
    return entry.content.kind === "none" ? ["plain"] : ["other"];
  const kind = ["error", "result", "request", "notification"].find((name) =>
    kinds.has(name),
  );
  return [kinds.has("invalid") ? "other" : (kind ?? "other")];
}

function drawLane(row, position, gap) {
  const lane = element("div", "lane");
  for (const side of ["client", "server"]) {
    for (const [at, track] of conversation.tracks[side].entries()) {
      const span = track?.[row.index];
      if (span !== undefined)
        lane.append(drawBar(span, row, position, side, at, gap));
    }
  }
  if (gap >= 20) {
    const before = shownRows[position - 1].entry.time;
    const pause = element(
      "span",
      "pause",
      `+${duration(row.entry.time - before)}`,
    );
    pause.style.height = `${gap}px`;
    pause.style.top = `-${gap}px`;
    lane.append(pause);
  }
  lane.append(
    element("div", "line", drawLabel(row), drawTags(row)),
    element("div", "arrow"),
  );
  return lane;
}

/** The part of an activation bar that is in a row. */
function drawBar(span, row, position, side, at, gap) {
  const { call, first, last } = span;
  const classes = ["active", side];
  if (call.close === undefined)
    classes.push(call.cancel === undefined ? "open" : "cancelled");
  else if (call.close.kinds.has("error")) classes.push("failed");
  if (
    related.has(call.row) &&
    selected !== undefined &&
    isAbout(selected, call)
  )
    classes.push("chosen");
  const node = element("div", classes.join(" "));
  // From arrow to arrow. A row that is filtered out may be the first or the last one.
  if (row.index > first) node.style.top = `-${gap}px`;
  else node.classList.add("first");
  if (row.index >= last) node.classList.add("last");
  node.style[side === "client" ? "left" : "right"] = `${at * 5}px`;
  return node;
}

const isAbout = (row, call) =>
  row.calls.includes(call) || row.about.includes(call);

function drawLabel(row) {
  const { prefix, name, target, id } = labelOf(row);
  const label = element("span", "label");
  if (prefix !== "")
    label.append(element("span", "prefix", visible(prefix)), " ");
  label.append(element("b", "", visible(name)));
  if (target !== undefined)
    label.append(" ", element("span", "target", visible(target)));
  if (id !== undefined)
    label.append(
      " ",
      element("span", "id", `id ${visible(JSON.stringify(id))}`),
    );
  return label;
}

function drawTags(row) {
  const { entry } = row;
  const tags = element("span", "tags");
  const add = (className, text, title) => {
    const tag = element("span", `tag ${className}`, text);
    if (title !== undefined) tag.title = title;
    tags.append(tag);
  };
  for (const severity of SEVERITIES) {
    const found = entry.findings.filter((item) => item.severity === severity);
    if (found.length === 0) continue;
    const extra = found.length > 1 ? ` ${found.length}` : "";
    add(
      severity,
      `${SYMBOLS[severity]}${extra}`,
      found.map(({ message }) => visible(message)).join("\n"),
    );
  }
  if (row.cancelled > 0) add("cancelled", "⊘ cancelled");
  if (row.cancels !== undefined)
    add("cancelled", `⊘ #${row.cancels.entry.frame}`);
  if (row.unanswered > 0) {
    const isBatch = row.calls.length > 1;
    add("unanswered", isBatch ? `${row.unanswered} unanswered` : "no response");
  }
  const latency = entry.messages.find(
    (message) => message.latencyMs !== undefined,
  )?.latencyMs;
  if (latency !== undefined) add("latency", duration(latency));
  if (entry.http !== undefined) add("http", httpBadge(entry.http));
  return tags;
}

function spokenText(row) {
  const { entry } = row;
  const { prefix, name, target, id } = labelOf(row);
  const to = entry.from === "client" ? "client to server" : "server to client";
  const parts = [`Frame ${entry.frame}`, to];
  parts.push([prefix, name, target].filter(Boolean).map(visible).join(" "));
  if (id !== undefined) parts.push(`id ${visible(id)}`);
  if (row.cancelled > 0) parts.push("cancelled");
  if (row.unanswered > 0) parts.push("no response");
  for (const severity of SEVERITIES) {
    const found = entry.findings.filter((item) => item.severity === severity);
    if (found.length > 0)
      parts.push(
        plural(
          found.length,
          severity,
          severity === "advice" ? "advice" : undefined,
        ),
      );
  }
  return parts.join(", ");
}

/** Marks of findings at their share of the height, at most one for each pixel or two. */
function drawRuler() {
  ruler.replaceChildren();
  const height = ruler.clientHeight;
  const total = offsets[shownRows.length];
  if (total === 0 || height === 0) return;
  const visibleHeight = Math.min(1, frames.clientHeight / total);
  const scaleBy = visibleHeight === 1 ? total / height : total;
  const marks = new Map();
  for (const row of conversation.withFindings) {
    const position = positionOf.get(row.index);
    if (position === undefined) continue;
    const share =
      visibleHeight === 1
        ? offsets[position] / height
        : offsets[position] / scaleBy;
    const at = Math.round((share * height) / 3) * 3;
    const known = marks.get(at);
    if (
      known === undefined ||
      SEVERITIES.indexOf(row.worst) < SEVERITIES.indexOf(known)
    )
      marks.set(at, row.worst);
  }
  for (const [at, severity] of marks) {
    const mark = element("span", severity);
    mark.style.top = `${at}px`;
    ruler.append(mark);
  }
}

// --- Selection

function select(row, options = {}) {
  selected = row;
  related = new Set();
  if (row !== undefined) {
    for (const call of [...row.calls, ...row.about]) {
      for (const other of [call.row, call.close, call.cancel])
        if (other !== undefined) related.add(other);
    }
    for (const { related: frame } of row.entry.findings) {
      const other = conversation.rows[conversation.indexOf.get(frame)];
      if (other !== undefined) related.add(other);
    }
  }
  showPanel(options.open ?? !isPhone.matches);
  if (row !== undefined) reveal(row);
  redraw();
  updateHash();
  updateSteps();
}

function reveal(row) {
  const position = positionOf.get(row.index);
  if (position === undefined) return;
  const { scrollTop, clientHeight } = frames;
  const margin = Math.min(rowHeight() * 2, clientHeight / 4);
  const bottom = offsets[position + 1] + margin;
  const top = offsets[position + 1] - rowHeight() - margin;
  if (top < scrollTop) frames.scrollTop = top;
  else if (bottom > scrollTop + clientHeight)
    frames.scrollTop = bottom - clientHeight;
}

/** Selects a frame; a filter that hides it is cleared. */
function goTo(row, options) {
  if (row === undefined) return;
  if (!positionOf.has(row.index)) clearFilter();
  select(row, options);
}

function move(by) {
  if (shownRows.length === 0) return;
  const at =
    selected === undefined ? undefined : positionOf.get(selected.index);
  let next = (at ?? 0) + by;
  if (at === undefined && Number.isFinite(by)) next = nearest();
  select(shownRows[Math.max(0, Math.min(shownRows.length - 1, next))], {
    open: isPhone.matches ? panel.classList.contains("open") : true,
  });
}

/** The first row that is completely visible. */
const nearest = () =>
  Math.min(
    shownRows.length - 1,
    positionAt(frames.scrollTop + rowHeight() - 1),
  );

function moveToFinding(by) {
  const found = shownRows.filter((row) => row.worst !== undefined);
  if (found.length === 0) return;
  const at = selected?.index ?? (by > 0 ? -1 : conversation.rows.length);
  const next =
    by > 0
      ? (found.find((row) => row.index > at) ?? found[0])
      : (found.findLast((row) => row.index < at) ?? found.at(-1));
  select(next, { open: true });
}

/** From a request to its response, from anything else to its request. */
function moveToPair() {
  if (selected === undefined) return;
  const [call] = selected.calls;
  const [about] = selected.about;
  goTo(call === undefined ? about?.row : (call.close ?? call.cancel));
}

function updateSteps() {
  const found = conversation.withFindings.some((row) =>
    positionOf.has(row.index),
  );
  byId("previous-finding").disabled = !found;
  byId("next-finding").disabled = !found;
}

// --- Panel

const MAX_LINES = 1500;

function showPanel(isOpen) {
  panel.replaceChildren();
  panel.append(selected === undefined ? overviewView() : frameView(selected));
  panel.scrollTop = 0;
  openSheet(isOpen);
}

/** On a phone, the panel covers the lower part of the page. */
function openSheet(isOpen) {
  panel.classList.toggle("open", isOpen);
  document.body.classList.toggle("sheet", isOpen);
}

function closePanel() {
  if (isPhone.matches && panel.classList.contains("open")) openSheet(false);
  else if (selected !== undefined) select(undefined);
  frames.focus();
}

function panelHead(title, ...actions) {
  const close = button("✕", closePanel, "close");
  close.setAttribute("aria-label", "Close");
  return element(
    "div",
    "panel-head",
    element("h2", "", title),
    element("div", "panel-actions", ...actions, close),
  );
}

function frameView(row) {
  const { entry } = row;
  const { prefix, name, target } = labelOf(row);
  const view = document.createDocumentFragment();
  view.append(panelHead(`Frame ${entry.frame}`, copyButton(entry)));
  const facts = element("p", "facts");
  const direction =
    entry.from === "client" ? "client → server" : "server → client";
  facts.append(
    element("span", "direction", direction),
    " ",
    element("b", "", visible([prefix, name].filter(Boolean).join(" "))),
    target === undefined ? "" : ` ${visible(target)}`,
  );
  if (entry.revision !== undefined)
    facts.append(element("span", "fact", `MCP ${visible(entry.revision)}`));
  if (entry.time !== undefined)
    facts.append(element("span", "fact", `at ${clock(entry.time)}`));
  view.append(facts, pairsView(row));
  for (const finding of entry.findings)
    view.append(findingView(finding, entry));
  if (entry.missing !== undefined)
    view.append(element("p", "note", `Not in this page: ${entry.missing}.`));
  if (entry.http !== undefined) view.append(httpView(entry.http));
  if (entry.end !== undefined)
    view.append(element("p", "note", endText(entry)));
  view.append(contentView(entry));
  return view;
}

function copyButton({ content }) {
  const text =
    content.kind === "frame"
      ? JSON.stringify(content.frame, null, 2)
      : (content.text ?? content.base64 ?? content.start);
  if (text === undefined || navigator.clipboard === undefined) return undefined;
  const copy = button("Copy", () => {
    navigator.clipboard.writeText(text).then(
      () => {
        copy.textContent = "Copied";
        setTimeout(() => {
          copy.textContent = "Copy";
        }, 1500);
      },
      () => {
        copy.textContent = "Not allowed";
      },
    );
  });
  return copy;
}

/** Links to the other frames of the same request. */
function pairsView(row) {
  const list = element("ul", "pairs");
  const add = (label, other, detail) => {
    if (other === undefined || other === row) return;
    const text = `${label} #${other.entry.frame}${detail === undefined ? "" : `, ${detail}`}`;
    list.append(
      element(
        "li",
        "",
        button(text, () => goTo(other, { open: true }), "link"),
      ),
    );
  };
  for (const call of row.calls.slice(0, 50)) {
    const latency = call.close?.entry.messages.find(
      (message) =>
        message.request === row.entry.frame && message.latencyMs !== undefined,
    )?.latencyMs;
    const isError = call.close?.kinds.has("error");
    add(
      isError ? "error" : "response",
      call.close,
      latency === undefined ? undefined : duration(latency),
    );
    add("cancelled by", call.cancel);
    if (call.close === undefined && call.cancel === undefined)
      list.append(element("li", "unanswered", "no response in this recording"));
  }
  for (const call of row.about.slice(0, 50)) {
    add(row.cancels === undefined ? "request" : "cancels", call.row);
    add("response", call.close);
  }
  return list.childElementCount === 0 ? "" : list;
}

function findingView(finding, entry) {
  const { rule, severity, message, by, pointer, related: frame } = finding;
  const { title, help } = data.rules[rule] ?? { title: rule, help: "" };
  const view = element(
    "section",
    `finding ${severity}`,
    element(
      "h3",
      "",
      element("span", `tag ${severity}`, `${SYMBOLS[severity]} ${severity}`),
      " ",
      title,
    ),
    element("p", "message", visible(message)),
  );
  const place = element("p", "place");
  if (pointer !== undefined && entry.content.kind === "frame") {
    const shown = pointer === "" ? "the whole frame" : visible(pointer);
    place.append(
      "at ",
      button(shown, () => flash(pointer), "link pointer"),
      " ",
    );
  }
  place.append(`by the ${by}`);
  if (frame !== undefined) {
    const other = conversation.rows[conversation.indexOf.get(frame)];
    if (other !== undefined)
      place.append(
        ", see ",
        button(`#${frame}`, () => goTo(other, { open: true }), "link"),
      );
  }
  view.append(place, element("p", "help", ...withCode(help)));
  const link = element("a", "", `Specification: ${finding.section}`);
  link.href = finding.url;
  link.rel = "noreferrer noopener";
  link.target = "_blank";
  view.append(element("p", "source", element("code", "rule", rule), " ", link));
  return view;
}

function httpView(part) {
  const view = element("details", "http");
  view.open = part.kind !== "event" && !isPhone.matches;
  view.append(
    element(
      "summary",
      "",
      `HTTP exchange ${part.exchange}: ${visible(httpText(part))}`,
    ),
  );
  const rows =
    part.kind === "event"
      ? { id: part.id, retry: part.retry }
      : (part.headers ?? {});
  const table = element("dl", "headers");
  for (const [name, value] of Object.entries(rows)) {
    if (value !== undefined)
      table.append(
        element("dt", "", visible(name)),
        element("dd", "", visible(value)),
      );
  }
  view.append(table);
  return view;
}

function contentView({ content, findings, cuts = [] }) {
  if (content.kind === "none") return "";
  if (content.kind === "frame") return jsonView(content.frame, findings, cuts);
  const view = element("div", "");
  const text = content.text ?? content.base64 ?? content.start;
  if (content.kind === "omitted")
    view.append(
      element(
        "p",
        "note",
        `The recorder kept the beginning of ${number(content.bytes)} bytes.`,
      ),
    );
  if (content.kind === "bytes")
    view.append(element("p", "note", "Bytes that are not UTF-8, as Base64:"));
  view.append(element("pre", "json", text.split("\n").map(visible).join("\n")));
  for (const { missing } of cuts)
    view.append(element("p", "note", `… ${missing}`));
  return view;
}

/** JSON in lines, in which the members that findings point to are marked. */
function jsonView(value, findings, cuts) {
  const lines = jsonLines(
    value,
    new Map(cuts.map((cut) => [cut.pointer, cut.missing])),
  );
  const ranges = new Map(
    lines
      .filter(({ end }) => end !== undefined)
      .map((line) => [line.pointer, line]),
  );
  for (const finding of findings) {
    if (finding.pointer === undefined) continue;
    let { pointer } = finding;
    // A member that is missing is marked at the object that lacks it.
    while (!ranges.has(pointer) && pointer !== "")
      pointer = pointer.slice(0, pointer.lastIndexOf("/"));
    const line = ranges.get(pointer);
    if (line === undefined) continue;
    line.findings.push(finding);
    const last =
      finding.pointer === pointer && pointer !== "" ? line.end : line.at;
    for (let at = line.at; at <= last; at += 1) {
      const known = lines[at].severity;
      if (
        known === undefined ||
        SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(known)
      )
        lines[at].severity = finding.severity;
    }
  }
  const pre = element("div", "json");
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", "JSON");
  const lastMarked = lines.findLastIndex((line) => line.findings.length > 0);
  const limit = Math.max(MAX_LINES, Math.min(lastMarked + 50, MAX_LINES * 4));
  pre.append(...lines.slice(0, limit).map(drawLine));
  if (lines.length > limit) {
    const more = button(
      `Show ${number(lines.length - limit)} more lines`,
      () => {
        more.replaceWith(...lines.slice(limit).map(drawLine));
      },
    );
    pre.append(more);
  }
  return pre;
}

function jsonLines(root, cuts) {
  const lines = [];
  const visit = (value, pointer, depth, key, comma) => {
    const line = {
      at: lines.length,
      depth,
      pointer,
      parts: [],
      findings: [],
      severity: undefined,
      end: undefined,
    };
    lines.push(line);
    if (key !== undefined)
      line.parts.push(["key", JSON.stringify(key)], ["", ": "]);
    const missing = cuts.get(pointer);
    if (value === null || typeof value !== "object") {
      line.parts.push(
        [value === null ? "null" : typeof value, JSON.stringify(value)],
        ["", comma],
      );
      if (missing !== undefined) line.parts.push(["cut", ` … ${missing}`]);
      line.end = line.at;
      return;
    }
    const [open, close] = Array.isArray(value) ? "[]" : "{}";
    const children = Object.entries(value);
    if (children.length === 0 && missing === undefined) {
      line.parts.push(["", open + close + comma]);
      line.end = line.at;
      return;
    }
    line.parts.push(["", open]);
    for (const [index, [name, child]] of children.entries()) {
      const isLast = index === children.length - 1 && missing === undefined;
      const token = name.replaceAll("~", "~0").replaceAll("/", "~1");
      visit(
        child,
        `${pointer}/${token}`,
        depth + 1,
        Array.isArray(value) ? undefined : name,
        isLast ? "" : ",",
      );
    }
    const tail = (parts, at) =>
      lines.push({
        at: lines.length,
        depth: at,
        pointer: undefined,
        parts,
        findings: [],
        severity: undefined,
        end: undefined,
      });
    if (missing !== undefined) tail([["cut", `… ${missing}`]], depth + 1);
    tail([["", close + comma]], depth);
    line.end = lines.length - 1;
  };
  visit(root, "", 0, undefined, "");
  return lines;
}

function drawLine({ depth, pointer, parts, findings, severity }) {
  const node = element(
    "div",
    severity === undefined ? "code" : `code marked ${severity}`,
  );
  node.style.paddingLeft = `${Math.min(depth, 24) * 2 + 2}ch`;
  if (pointer !== undefined) node.dataset.pointer = pointer;
  for (const [name, text] of parts)
    node.append(name === "" ? text : element("span", name, visible(text)));
  for (const finding of findings) {
    node.append(
      element(
        "span",
        `remark ${finding.severity}`,
        `${SYMBOLS[finding.severity]} ${visible(finding.message)}`,
      ),
    );
  }
  return node;
}

function flash(pointer) {
  let at = pointer;
  const lines = [...panel.querySelectorAll(".code")];
  let line;
  while (
    (line = lines.find((node) => node.dataset.pointer === at)) === undefined &&
    at !== ""
  )
    at = at.slice(0, at.lastIndexOf("/"));
  if (line === undefined) return;
  line.scrollIntoView({ block: "center" });
  line.classList.add("flash");
  setTimeout(() => line.classList.remove("flash"), 1200);
}

// --- Overview

function overviewView() {
  const view = document.createDocumentFragment();
  const { header = {}, rows, leftOut } = conversation;
  view.append(panelHead("Overview"));
  const facts = element("dl", "headers");
  const fact = (name, value) => {
    if (value !== undefined && value !== "")
      facts.append(element("dt", "", name), element("dd", "", visible(value)));
  };
  const last = rows.findLast((row) => row.entry.time !== undefined)?.entry.time;
  fact("file", conversation.name);
  fact("server", header.server);
  fact("client", header.client);
  fact("transport", header.transport);
  fact("revision", conversation.revisions.join(", ") || header.revision);
  fact("started", header.started);
  fact("duration", last === undefined ? undefined : duration(last));
  fact("redacted", header.redacted?.join(", "));
  fact("note", header.note);
  view.append(facts);
  if (leftOut > 0)
    view.append(
      element(
        "p",
        "note",
        `The last ${plural(leftOut, "frame")} are not in this page: it shows ${number(rows.length)}.`,
      ),
    );
  view.append(
    element("h3", "", "Findings"),
    rulesView(),
    outcomesView(),
    element("h3", "", "Methods"),
    methodsView(),
  );
  return view;
}

/** Findings by rule, the worst first. */
function rulesView() {
  const byRule = new Map();
  for (const row of conversation.withFindings) {
    for (const { rule, severity } of row.entry.findings) {
      const known = byRule.get(rule) ?? { rule, severity, rows: [] };
      if (known.rows.at(-1) !== row) known.rows.push(row);
      byRule.set(rule, known);
    }
  }
  if (byRule.size === 0)
    return element("p", "note", "Nothing in this conversation breaks a rule.");
  const sorted = [...byRule.values()].sort(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      b.rows.length - a.rows.length,
  );
  const list = element("ul", "rules");
  for (const { rule, severity, rows } of sorted) {
    const item = element(
      "li",
      "",
      element("span", `tag ${severity}`, SYMBOLS[severity]),
      " ",
      element(
        "span",
        "rule-title",
        data.rules[rule]?.title ?? rule,
        " ",
        element("code", "rule", rule),
      ),
    );
    item.append(frameLinks(rows, `rule ${rule}`));
    list.append(item);
  }
  return list;
}

/** Links to the first of some rows, and a button that shows all of them by a filter. */
function frameLinks(rows, wanted) {
  const links = element("span", "frame-links");
  for (const row of rows.slice(0, 8))
    links.append(
      button(`#${row.entry.frame}`, () => goTo(row, { open: true }), "link"),
      " ",
    );
  if (rows.length > 8)
    links.append(
      button(
        `all ${number(rows.length)}`,
        () => {
          byId("findings").value = wanted;
          readFilter();
          if (isPhone.matches) openSheet(false);
        },
        "link",
      ),
    );
  return links;
}

/** Requests without a response, if there are any. */
function outcomesView() {
  const view = document.createDocumentFragment();
  for (const [outcome, label] of OUTCOMES) {
    const rows = conversation.rows.filter((row) => row[outcome] > 0);
    if (rows.length === 0) continue;
    view.append(
      element("h3", "", `${label} (${number(rows.length)})`),
      element("p", "outcome", frameLinks(rows, outcome)),
    );
  }
  return view;
}

/** How often and how fast each method was answered. */
function methodsView() {
  const byMethod = new Map();
  for (const row of conversation.rows) {
    for (const { kind, method, latencyMs } of row.entry.messages) {
      if (method === undefined) continue;
      const known = byMethod.get(method) ?? {
        count: 0,
        errors: 0,
        latencies: [],
      };
      if (kind === "request" || kind === "notification") known.count += 1;
      if (kind === "error") known.errors += 1;
      if (latencyMs !== undefined) known.latencies.push(latencyMs);
      byMethod.set(method, known);
    }
  }
  const head = element("tr", "");
  for (const name of ["method", "sent", "errors", "median", "slowest"]) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const body = element("tbody", "");
  const sorted = [...byMethod]
    .sort(([, a], [, b]) => b.count - a.count)
    .slice(0, 60);
  for (const [method, { count, errors, latencies }] of sorted) {
    latencies.sort((a, b) => a - b);
    const median = latencies[Math.floor((latencies.length - 1) / 2)];
    const shown = (value) => (value === undefined ? "" : duration(value));
    const choose = button(
      visible(method),
      () => {
        byId("method").value = method;
        readFilter();
        if (isPhone.matches) openSheet(false);
      },
      "link",
    );
    body.append(
      element(
        "tr",
        "",
        element("td", "", choose),
        element("td", "", number(count)),
        element(
          "td",
          errors > 0 ? "bad" : "",
          errors > 0 ? number(errors) : "",
        ),
        element("td", "", shown(median)),
        element("td", "", shown(latencies.at(-1))),
      ),
    );
  }
  return element(
    "div",
    "table",
    element("table", "methods", element("thead", "", head), body),
  );
}

// --- Controls

function option(value, label, count) {
  const node = element(
    "option",
    "",
    count === undefined ? label : `${label} (${number(count)})`,
  );
  node.value = value;
  return node;
}

function fillControls() {
  const kindCounts = new Map();
  const methodCounts = new Map();
  const ruleCounts = new Map();
  for (const row of conversation.rows) {
    for (const kind of row.kinds)
      kindCounts.set(kind, (kindCounts.get(kind) ?? 0) + 1);
    for (const method of new Set(
      row.entry.messages.map((message) => message.method),
    ))
      if (method !== undefined)
        methodCounts.set(method, (methodCounts.get(method) ?? 0) + 1);
    for (const key of new Set(
      row.entry.findings.flatMap(({ severity, rule }) => [
        severity,
        `rule ${rule}`,
      ]),
    ))
      ruleCounts.set(key, (ruleCounts.get(key) ?? 0) + 1);
  }
  for (const chip of byId("kinds").children) {
    const count = kindCounts.get(chip.value) ?? 0;
    chip.querySelector(".count").textContent = number(count);
    chip.disabled = count === 0;
  }
  const methods = [...methodCounts].sort(
    ([a, m], [b, n]) => n - m || (a < b ? -1 : 1),
  );
  byId("method").replaceChildren(
    option("", "All methods"),
    ...methods
      .slice(0, 500)
      .map(([method, count]) => option(method, visible(method), count)),
  );
  const found = byId("findings");
  found.replaceChildren(
    option("", "All frames"),
    option("any", "Any finding", conversation.withFindings.length),
  );
  for (const [severity, label] of [
    ["violation", "Violations"],
    ["deviation", "Deviations"],
    ["advice", "Advice"],
  ])
    if (ruleCounts.has(severity))
      found.append(option(severity, label, ruleCounts.get(severity)));
  for (const [outcome, label] of OUTCOMES) {
    const count = conversation.rows.filter((row) => row[outcome] > 0).length;
    if (count > 0) found.append(option(outcome, label, count));
  }
  const group = element("optgroup", "");
  group.label = "Rules";
  for (const [key, count] of ruleCounts)
    if (key.startsWith("rule ")) group.append(option(key, key.slice(5), count));
  if (group.childElementCount > 0) found.append(group);
}

function readFilter() {
  filter.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  filter.method = byId("method").value;
  filter.findings = byId("findings").value;
  filter.kinds = new Set(
    [...byId("kinds").children]
      .filter((chip) => chip.getAttribute("aria-pressed") === "true")
      .map((chip) => chip.value),
  );
  applyFilter();
  if (selected !== undefined && positionOf.has(selected.index))
    reveal(selected);
  draw();
}

function clearFilter() {
  search.value = "";
  byId("method").value = "";
  byId("findings").value = "";
  for (const chip of byId("kinds").children)
    chip.setAttribute("aria-pressed", "true");
  readFilter();
}

function setScale(value) {
  scale = value;
  for (const choice of byId("scale").children)
    choice.setAttribute("aria-pressed", String(choice.value === value));
  const at = selected ?? shownRows[positionAt(frames.scrollTop)];
  place();
  drawRuler();
  if (at !== undefined) reveal(at);
  draw();
}

function toggleTheme() {
  const root = document.documentElement;
  const isDark =
    root.dataset.theme === "dark" ||
    (root.dataset.theme === undefined &&
      matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("mcpgen-theme", root.dataset.theme);
  } catch {
    // Storage is not allowed here.
  }
}

function openConversation(index, row) {
  byId("conversation").value = String(index);
  conversation = data.conversations[index];
  if (conversation.rows === undefined)
    conversation = data.conversations[index] = readConversation(conversation);
  selected = undefined;
  related = new Set();
  fillControls();
  const { header = {} } = conversation;
  byId("client-name").textContent =
    header.client === undefined
      ? "client"
      : `client: ${visible(header.client)}`;
  byId("server-name").textContent =
    header.server === undefined
      ? "server"
      : `server: ${visible(header.server)}`;
  const hasTimes = conversation.rows.some(
    (item) => item.entry.time !== undefined,
  );
  for (const choice of byId("scale").children)
    if (choice.value === "time") choice.disabled = !hasTimes;
  document.body.classList.toggle("timed", hasTimes);
  if (!hasTimes && scale === "time") setScale("order");
  frames.scrollTop = 0;
  clearFilter();
  select(conversation.rows[conversation.indexOf.get(row)], { open: false });
}

/** The address names the frame, so that it can be sent to somebody. */
function updateHash() {
  const index = data.conversations.indexOf(conversation);
  const parts = [
    index > 0 ? `c${index + 1}` : "",
    selected === undefined ? "" : String(selected.entry.frame),
  ];
  try {
    history.replaceState(null, "", `#${parts.filter(Boolean).join("-")}`);
  } catch {
    // Some browsers do not allow it for a file.
  }
}

function openHash() {
  const [, index, frame] =
    /^#(?:c(\d{1,6}))?-?(\d{1,9})?$/.exec(location.hash) ?? [];
  const at = index === undefined ? 0 : Number(index) - 1;
  openConversation(
    at < data.conversations.length && at >= 0 ? at : 0,
    frame === undefined ? undefined : Number(frame),
  );
}

frames.addEventListener("scroll", scheduleDraw, { passive: true });
canvas.addEventListener("click", (event) => {
  const node = event.target.closest(".row");
  if (node !== null)
    select(conversation.rows[Number(node.dataset.index)], { open: true });
});
ruler.addEventListener("click", (event) => {
  const share = event.offsetY / ruler.clientHeight;
  const mark =
    event.target === ruler
      ? undefined
      : event.target.offsetTop / ruler.clientHeight;
  frames.scrollTop =
    (mark ?? share) * offsets[shownRows.length] - frames.clientHeight / 2;
});
let searchTimer;
search.addEventListener("input", () => {
  window.clearTimeout(searchTimer);
  searchTimer = setTimeout(
    readFilter,
    conversation.rows.length > 2000 ? 120 : 0,
  );
});
byId("method").addEventListener("change", readFilter);
byId("findings").addEventListener("change", readFilter);
byId("kinds").addEventListener("click", (event) => {
  const chip = event.target.closest("button");
  if (chip === null) return;
  chip.setAttribute(
    "aria-pressed",
    String(chip.getAttribute("aria-pressed") !== "true"),
  );
  readFilter();
});
byId("scale").addEventListener("click", (event) => {
  const choice = event.target.closest("button");
  if (choice !== null) setScale(choice.value);
});
byId("filters").addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("filters-open");
  byId("filters").setAttribute("aria-expanded", String(isOpen));
});
byId("next-finding").addEventListener("click", () => moveToFinding(1));
byId("previous-finding").addEventListener("click", () => moveToFinding(-1));
byId("theme").addEventListener("click", toggleTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("close-keys").addEventListener("click", () => byId("keys").close());
byId("overview").addEventListener("click", showOverview);
byId("conversation").addEventListener("change", (event) =>
  openConversation(Number(event.target.value)),
);
window.addEventListener("hashchange", openHash);

function showOverview() {
  select(undefined, { open: true });
  panel.focus();
}

function stepConversation(by) {
  const next = data.conversations.indexOf(conversation) + by;
  if (next >= 0 && next < data.conversations.length) openConversation(next);
}

const page = () =>
  Math.max(1, Math.floor(frames.clientHeight / rowHeight()) - 1);
const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  n: () => moveToFinding(1),
  p: () => moveToFinding(-1),
  r: moveToPair,
  c: clearFilter,
  t: () =>
    setScale(
      scale === "order" && document.body.classList.contains("timed")
        ? "time"
        : "order",
    ),
  o: showOverview,
  d: toggleTheme,
  "[": () => stepConversation(-1),
  "]": () => stepConversation(1),
  "?": () => byId("keys").showModal(),
  "/": () => {
    search.focus();
    search.select();
  },
};
/** Keys that scroll elsewhere. */
const LIST_ACTIONS = {
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  PageDown: () => move(page()),
  PageUp: () => move(-page()),
  Home: () => move(-Infinity),
  End: () => move(Infinity),
  Enter: () => {
    if (selected === undefined) move(1);
    showPanel(true);
    panel.focus();
  },
  " ": () => showPanel(selected !== undefined),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open)
    return;
  const { target, key } = event;
  if (key === "Escape") {
    if (target === search && search.value !== "") clearFilter();
    else closePanel();
    return;
  }
  if (target === search && key === "Enter") {
    // The next key may follow before the search has run.
    window.clearTimeout(searchTimer);
    readFilter();
    frames.focus();
  }
  if (target.closest("input, select, textarea") !== null) return;
  const isList = target === frames || target === document.body;
  const action =
    (Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined) ??
    (isList && Object.hasOwn(LIST_ACTIONS, key)
      ? LIST_ACTIONS[key]
      : undefined);
  if (action === undefined) return;
  event.preventDefault();
  action();
});

try {
  const theme = localStorage.getItem("mcpgen-theme");
  if (theme === "dark" || theme === "light")
    document.documentElement.dataset.theme = theme;
} catch {
  // Storage is not allowed here.
}
const picker = byId("conversation");
for (const [index, item] of data.conversations.entries()) {
  const found =
    item.counts.violation > 0
      ? `, ${plural(item.counts.violation, "violation")}`
      : "";
  picker.append(
    option(
      String(index),
      `${visible(item.name)}: ${plural(item.entries.length + item.leftOut, "frame")}${found}`,
    ),
  );
}
picker.hidden = data.conversations.length < 2;
for (const node of document.querySelectorAll("main, .bar, .actions"))
  node.hidden = false;
document.body.classList.add("ready");
if (data.conversations.length > 0) {
  openHash();
  new ResizeObserver(() => {
    place();
    drawRuler();
  }).observe(frames);
}
