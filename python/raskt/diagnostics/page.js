"use strict";
// The panels share one stretch of time, `view`; each is a canvas that is drawn anew when the stretch changes.
const data = JSON.parse(document.getElementById("data").textContent);
const whole = [0, Math.max(data.seconds, 1e-6)];
let view = [...whole];
let marked = -1; // The name whose row of the table the pointer is on.

const LEFT = 86, RIGHT = 14, AXIS = 22, ROW = 22, GAP = 3;
const tip = document.getElementById("tip");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const x_of = (time, width) => LEFT + ((time - view[0]) / (view[1] - view[0])) * (width - LEFT - RIGHT);
const time_at = (x, width) => view[0] + ((x - LEFT) / (width - LEFT - RIGHT)) * (view[1] - view[0]);

function duration(seconds) {
  const size = Math.abs(seconds);
  if (size === 0) return "0 s";
  if (size < 1e-6) return `${(seconds * 1e9).toFixed(0)} ns`;
  if (size < 1e-3) return `${(seconds * 1e6).toPrecision(3)} µs`;
  if (size < 1) return `${(seconds * 1e3).toPrecision(3)} ms`;
  return size < 100 ? `${seconds.toPrecision(3)} s` : `${seconds.toFixed(0)} s`;
}

function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 999.5 && unit < units.length - 1) { count /= 1000; unit += 1; }
  return `${count >= 100 || unit === 0 ? count.toFixed(0) : count.toPrecision(3)} ${units[unit]}`;
}

// Round numbers from `low` to `high`, about `count` of them.
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + step * 1e-9; tick += step) found.push(tick);
  return found;
}

function tick_label(time) {
  const span = view[1] - view[0];
  const [scale, unit] = whole[1] < 1e-3 ? [1e6, "µs"] : whole[1] < 1 ? [1e3, "ms"] : [1, "s"];
  const digits = Math.max(0, Math.min(9, 1 - Math.floor(Math.log10((span * scale) / 8))));
  return `${Number((time * scale).toFixed(digits))} ${unit}`;
}

function prepared(canvas, height) {
  const width = canvas.parentElement.clientWidth - 32;
  const dense = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * dense);
  canvas.height = Math.round(height * dense);
  const pen = canvas.getContext("2d");
  pen.scale(dense, dense);
  pen.font = "11.5px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.lineWidth = 1;
  return { pen, width, height };
}

// A panel draws its own part with `paint`, below an axis of time, and tells with `told` what is at a place.
function panel(canvas, height, paint, told) {
  let width = 0;

  function draw() {
    const drawn = prepared(canvas, height);
    width = drawn.width;
    draw_time(drawn.pen, width, height);
    paint(drawn.pen, width);
  }
  return { canvas, draw, told: (x, y) => told(width, x, y) };
}

function draw_time(pen, width, height) {
  pen.textAlign = "center";
  for (const tick of ticks(view[0], view[1], (width - LEFT) / 110)) {
    const x = Math.round(x_of(tick, width)) + 0.5;
    pen.strokeStyle = colour("--grid");
    pen.beginPath(); pen.moveTo(x, 0); pen.lineTo(x, height - AXIS); pen.stroke();
    pen.fillStyle = colour("--quiet");
    pen.fillText(tick_label(tick), Math.min(x, width - RIGHT - 14), height - AXIS / 2 + 2);
  }
}

function inside(pen, width, height, draw) {
  pen.save();
  pen.beginPath(); pen.rect(LEFT, 0, width - LEFT - RIGHT, height - AXIS); pen.clip();
  draw();
  pen.restore();
}

// --- the task stream: a row for each thread -------------------------------------------------------------------------

function task_panel(canvas) {
  const bars = data.tasks;
  const row_height = data.threads.length > 24 ? 12 : ROW;
  const height = data.threads.length * (row_height + GAP) + AXIS + 4;
  const top = (row) => row * (row_height + GAP) + 2;

  function paint(pen, width) {
    pen.textAlign = "right";
    pen.fillStyle = colour("--quiet");
    data.threads.forEach((thread, row) => pen.fillText(thread, LEFT - 10, top(row) + row_height / 2));
    inside(pen, width, height, () => {
      const failed = colour("--failed"), ink = "#ffffff";
      for (let at = 0; at < bars.start.length; at += 1) {
        if (bars.end[at] < view[0] || bars.start[at] > view[1]) continue;
        const left = x_of(bars.start[at], width), right = x_of(bars.end[at], width);
        const wide = Math.max(right - left - (right - left > 4 ? 0.8 : 0), 0.7), y = top(bars.row[at]);
        const name = bars.name[at];
        pen.globalAlpha = marked >= 0 && marked !== name ? 0.13 : 1;
        pen.fillStyle = data.names[name].colour;
        pen.fillRect(left, y, wide, row_height);
        if (bars.failed[at]) {
          pen.fillStyle = failed;
          pen.fillRect(left, y, wide, 4);
        }
        const shown_left = Math.max(left, LEFT), shown_right = Math.min(right, width - RIGHT);
        if (shown_right - shown_left > 46 && row_height >= ROW) {
          const text = fitted(pen, data.names[name].name, shown_right - shown_left - 12);
          pen.textAlign = "left";
          pen.fillStyle = ink;
          pen.fillText(text, shown_left + 6, y + row_height / 2 + 0.5);
        }
      }
      pen.globalAlpha = 1;
    });
  }

  function told(width, x, y) {
    const row = Math.floor((y - 2) / (row_height + GAP)), time = time_at(x, width);
    const near = (1.5 * (view[1] - view[0])) / (width - LEFT - RIGHT);
    let best = -1;
    for (let at = 0; at < bars.start.length; at += 1) {
      if (bars.row[at] !== row || bars.start[at] - near > time || bars.end[at] + near < time) continue;
      if (best < 0 || bars.start[at] >= bars.start[best]) best = at;
    }
    if (best < 0) return null;
    const name = data.names[bars.name[best]].name, count = bars.count[best];
    const title = count > 1 ? `${count} tasks of ${name}` : data.keys[best] || name;
    const lines = [["b", title]];
    const busy = bars.busy[best];
    lines.push(["", count > 1 ? `${duration(busy)} in all, ${duration(busy / count)} each` : duration(busy)]);
    lines.push(["span", `${data.threads[row]} · from ${duration(bars.start[best])} to ${duration(bars.end[best])}`]);
    if (bars.failed[best]) lines.push(["em", count > 1 ? `${bars.failed[best]} failed` : "failed"]);
    return lines;
  }
  return panel(canvas, height, paint, told);
}

function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let length = text.length - 1;
  while (length > 0 && pen.measureText(`${text.slice(0, length)}…`).width > room) length -= 1;
  return length > 1 ? `${text.slice(0, length)}…` : "";
}

// --- quantities over time: lines, and areas one upon the other ------------------------------------------------------

function value_axis(pen, width, height, most, label) {
  const room = height - AXIS - 8;
  const y_of = (value) => 8 + room - (value / most) * room;
  pen.textAlign = "right";
  for (const tick of ticks(0, most, 3)) {
    const y = Math.round(y_of(tick)) + 0.5;
    pen.strokeStyle = colour("--grid");
    pen.beginPath(); pen.moveTo(LEFT, y); pen.lineTo(width - RIGHT, y); pen.stroke();
    pen.fillStyle = colour("--quiet");
    pen.fillText(label(tick), LEFT - 10, y);
  }
  return y_of;
}

// The place of the last of `times` that isn't after `time`.
function place(times, time) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1; else high = middle;
  }
  return low - 1;
}

function line_panel(canvas, times, values, ink, label, steps) {
  const height = 128, most = 1.08 * Math.max(...values, 1e-9);

  function paint(pen, width) {
    const y_of = value_axis(pen, width, height, most, label);
    inside(pen, width, height, () => {
      const path = new Path2D();
      path.moveTo(x_of(times[0], width), y_of(values[0]));
      for (let at = 1; at < times.length; at += 1) {
        // What is known of a stretch of time holds for all of it.
        if (steps) path.lineTo(x_of(times[at - 1], width), y_of(values[at]));
        path.lineTo(x_of(times[at], width), y_of(values[at]));
      }
      const area = new Path2D(path);
      area.lineTo(x_of(times[times.length - 1], width), y_of(0));
      area.lineTo(x_of(times[0], width), y_of(0));
      pen.fillStyle = pen.strokeStyle = colour(ink);
      pen.globalAlpha = 0.16;
      pen.fill(area);
      pen.globalAlpha = 1;
      pen.lineWidth = 1.6;
      pen.stroke(path);
    });
  }

  function told(width, x) {
    const time = time_at(x, width);
    const at = Math.min(place(times, time) + (steps ? 1 : 0), times.length - 1);
    if (at < 0 || time > times[times.length - 1]) return null;
    return [["b", label(values[at])], ["span", `at ${duration(times[at])}`]];
  }
  return panel(canvas, height, paint, told);
}

function held_panel(canvas) {
  const held = data.held, height = 150;
  const total = (at) => held.series.reduce((sum, series) => sum + series.values[at], 0);
  const most = 1.08 * Math.max(...held.time.map((_, at) => total(at)), 1);

  function paint(pen, width) {
    const y_of = value_axis(pen, width, height, most, bytes);
    inside(pen, width, height, () => {
      const below = held.time.map(() => 0);
      for (const series of held.series) {
        const area = new Path2D();
        const edge = (values, forwards) => {
          for (let step = 0; step < values.length; step += 1) {
            const at = forwards ? step : values.length - 1 - step;
            const here = x_of(held.time[at], width);
            const next = x_of(held.time[Math.min(at + 1, values.length - 1)], width);
            for (const x of forwards ? [here, next] : [next, here]) area.lineTo(x, y_of(values[at]));
          }
        };
        const above = below.map((value, at) => value + series.values[at]);
        edge(above, true);
        edge(below, false);
        pen.globalAlpha = marked >= 0 && marked !== series.name ? 0.13 : 0.85;
        pen.fillStyle = data.names[series.name].colour;
        pen.fill(area);
        above.forEach((value, at) => { below[at] = value; });
      }
      pen.globalAlpha = 1;
    });
  }

  function told(width, x) {
    const at = place(held.time, time_at(x, width));
    if (at < 0) return null;
    const parts = held.series.map((series) => [series.values[at], data.names[series.name].name]);
    const largest = parts.filter((part) => part[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 6);
    const lines = largest.map(([size, name]) => ["span", `${bytes(size)}  ${name}`]);
    return [["b", `${bytes(total(at))} held`], ...lines];
  }
  return panel(canvas, height, paint, told);
}

// --- what the pointer does ------------------------------------------------------------------------------------------

function show(event, lines) {
  tip.hidden = !lines;
  if (!lines) return;
  tip.replaceChildren(...lines.map(([tag, text]) => {
    const line = document.createElement(tag || "div");
    line.textContent = text;
    line.style.display = "block";
    return line;
  }));
  const right = event.clientX + 16 + tip.offsetWidth > window.innerWidth;
  tip.style.left = `${right ? Math.max(event.clientX - 12 - tip.offsetWidth, 4) : event.clientX + 16}px`;
  tip.style.top = `${Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8)}px`;
}

let is_due = false;
function draw_all() {
  if (is_due) return;
  is_due = true;
  requestAnimationFrame(() => { is_due = false; panels.forEach((panel) => panel.draw()); });
}

function look_at(start, end) {
  const span = Math.min(Math.max(end - start, 1e-8), whole[1] - whole[0]);
  const first = Math.min(Math.max(start, whole[0]), whole[1] - span);
  view = [first, first + span];
  draw_all();
}

function attend(panel) {
  const canvas = panel.canvas;
  const x_in = (event) => event.clientX - canvas.getBoundingClientRect().left;
  let held_at = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const about = time_at(x_in(event), canvas.clientWidth);
    const factor = Math.exp(Math.max(-1, Math.min(1, event.deltaY / 240)));
    look_at(about - (about - view[0]) * factor, about + (view[1] - about) * factor);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    held_at = time_at(x_in(event), canvas.clientWidth);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { held_at = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (held_at !== null) {
      const moved = time_at(x_in(event), canvas.clientWidth) - held_at;
      look_at(view[0] - moved, view[1] - moved);
      show(event, null);
      return;
    }
    const x = x_in(event), y = event.clientY - canvas.getBoundingClientRect().top;
    const is_inside = x >= LEFT && x <= canvas.clientWidth - RIGHT;
    show(event, is_inside ? panel.told(x, y) : null);
  });
  canvas.addEventListener("pointerleave", (event) => show(event, null));
  canvas.addEventListener("dblclick", () => look_at(...whole));
}

const panels = [];
const canvas_of = (name) => document.getElementById(name);
if (canvas_of("tasks")) panels.push(task_panel(canvas_of("tasks")));
if (canvas_of("cpu")) {
  panels.push(line_panel(canvas_of("cpu"), data.resources.time, data.resources.cpu, "--cpu", (v) => `${v.toFixed(0)} %`, true));
  panels.push(line_panel(canvas_of("memory"), data.resources.time, data.resources.mem, "--memory", bytes, false));
}
if (canvas_of("held")) panels.push(held_panel(canvas_of("held")));
panels.forEach(attend);
document.getElementById("reset").addEventListener("click", () => look_at(...whole));
document.querySelectorAll("tr[data-name]").forEach((row) => {
  row.addEventListener("mouseenter", () => { marked = Number(row.dataset.name); draw_all(); });
  row.addEventListener("mouseleave", () => { marked = -1; draw_all(); });
});
window.addEventListener("resize", draw_all);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw_all);
panels.forEach((panel) => panel.draw());
