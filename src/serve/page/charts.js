// The charts, as Vega specifications made from a loop's numbers. Vega's expressions are interpreted, not compiled: the page's
// security policy allows no evaluation of text.
const charts = (() => {
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
  const palette = ["#0f8b8d", "#d1495b", "#4361c2", "#d98a1f", "#7b4fa3", "#5a8f29", "#8c5a2b", "#6b7785"];
  const config = () => ({
    background: null,
    axis: { labelColor: css("--soft"), titleColor: css("--soft"), domainColor: css("--line"), tickColor: css("--line"), gridColor: css("--line"), labelFont: font, titleFont: font, labelFontSize: 11 },
    legend: { labelColor: css("--ink"), labelFont: font, labelFontSize: 12, symbolSize: 100 },
  });
  const width = (id) => Math.max(220, document.getElementById(id).clientWidth - 8);
  const frame = (id, height, rest) => ({
    $schema: "https://vega.github.io/schema/vega/v5.json", config: config(), width: width(id), height, padding: 4,
    autosize: { type: "fit", contains: "padding" }, ...rest,
  });
  // As many ticks as there is room for their labels.
  const timeAxes = (id, rows, title, format) => [
    { orient: "bottom", scale: "x", grid: false, labelOverlap: "greedy", labelSeparation: 14, tickCount: Math.max(2, Math.floor(width(id) / 120)), format: rows[rows.length - 1].time - rows[0].time < 86400000 ? "%H:%M:%S" : "%-d %b %H:%M" },
    { orient: "left", scale: "y", grid: true, domain: false, ticks: false, tickCount: 4, title, format },
  ];
  // A row is what happened in ten seconds. There is room for a minute from the first one on, so that it is seen at once.
  const rowLength = 10000, leastSpan = 60000;
  const timeScale = (rows) => {
    const first = rows[0].time, last = rows[rows.length - 1].time;
    return { name: "x", type: "time", domain: [first, Math.max(last, first + leastSpan)], range: "width" };
  };
  // Vega keeps names as keys of plain objects, where "__proto__" and "constructor" are something else: no name begins like this.
  const name = (id) => "\u200b" + id;
  // The service has no rows of the time in which nothing happened: a gap begins and ends there.
  const withGaps = (time) => time.flatMap((row, i) => {
    const end = i && time[i - 1].start + rowLength / 1000;
    if (!i || row.start <= end) return [row];
    return [{ ...time[i - 1], start: end }, { gap: true, start: end + 0.001 }, { gap: true, start: row.start - 0.001 }, row];
  });
  const drawn = { signal: "!datum.gap" };
  // Areas end where their last row does.
  const toTheEnd = (rows) => {
    const last = rows[rows.length - 1].time;
    return [...rows, ...rows.filter((row) => row.time === last).map((row) => ({ ...row, time: last + rowLength }))];
  };
  const valueDomain = (rows) => {
    const low = Math.min(...rows.map((row) => row.low)), high = Math.max(...rows.map((row) => row.high));
    return low < high ? [low, high] : [low - Math.max(0.5, Math.abs(low) / 2), high + Math.max(0.5, Math.abs(high) / 2)];
  };
  const columns = (id) => Math.max(1, Math.min(4, Math.floor(width(id) / 170)));
  const legendHeight = (id, names) => 18 * Math.ceil(names.length / columns(id));
  const legend = (id, names, colours) => ({
    scales: [{ name: "series", type: "ordinal", domain: names, range: colours }],
    legends: [{ fill: "series", symbolType: "circle", orient: "bottom", direction: "horizontal", columns: columns(id) }],
  });

  // What is drawn last stays, whenever its drawing ends: another loop may have been asked for meanwhile.
  const latest = {};
  function draw(id, spec) {
    const place = document.getElementById(id), turn = (latest[id] = (latest[id] || 0) + 1);
    const runtime = vega.parse(spec, {}, { ast: true });
    const fresh = document.createElement("div");
    new vega.View(runtime, { expr: vega.expressionInterpreter, renderer: "svg", container: fresh, hover: false }).runAsync().then(() => { if (latest[id] === turn) place.replaceChildren(fresh); });
  }

  // No chart, and when there will be one.
  function wait(id, until) {
    latest[id] = (latest[id] || 0) + 1;
    const text = document.createElement("p");
    text.className = "soft";
    text.textContent = until;
    document.getElementById(id).replaceChildren(text);
  }

  // The mean of what came up to a moment, with its interval: ten-second means alone are mostly noise.
  function running(rows, key) {
    let n = 0, sum = 0, squares = 0;
    return rows.flatMap((row) => {
      const part = row[key];
      if (!part) return [];
      const half = (part.high - part.low) / 2 / 1.96;
      n += part.n; sum += part.n * part.value; squares += part.n * part.value * part.value + part.n * part.n * half * half;
      const mean = sum / n, error = 1.96 * Math.sqrt(Math.max(0, squares / n - mean * mean) / n);
      return [{ time: row.start * 1000, value: mean, low: mean - error, high: mean + error, series: key }];
    });
  }

  function reward(stats) {
    const names = { reward: "this loop", baseline: "baseline (first action)", best_constant: "best constant action" };
    const colours = { reward: palette[0], baseline: palette[7], best_constant: palette[3] };
    const rows = Object.keys(names).flatMap((key) => running(stats.time || [], key)).sort((a, b) => a.time - b.time);
    if (!rows.length) return wait("reward", "The first point comes with the first reward.");
    const key = legend("reward", Object.values(names), Object.values(colours));
    draw("reward", frame("reward", 190 + legendHeight("reward", Object.keys(names)), {
      data: [{ name: "rows", values: rows }, { name: "loop", values: rows.filter((r) => r.series === "reward") }],
      scales: [timeScale(rows), { name: "y", domain: valueDomain(rows), range: "height", nice: true, zero: false },
        { name: "colour", type: "ordinal", domain: Object.keys(colours), range: Object.values(colours) }, ...key.scales],
      axes: timeAxes("reward", rows, "mean reward so far"), legends: key.legends,
      marks: [
        { type: "area", from: { data: "loop" }, encode: { update: { x: { scale: "x", field: "time" }, y: { scale: "y", field: "high" }, y2: { scale: "y", field: "low" }, fill: { value: palette[0] }, fillOpacity: { value: 0.18 } } } },
        { type: "group", from: { facet: { name: "line", data: "rows", groupby: "series" } }, marks: [{ type: "line", from: { data: "line" }, encode: { update: { x: { scale: "x", field: "time" }, y: { scale: "y", field: "value" }, stroke: { scale: "colour", field: "series" }, strokeWidth: { value: 2 } } } }] },
        { type: "symbol", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "time" }, y: { scale: "y", field: "value" }, fill: { scale: "colour", field: "series" }, size: { value: 24 } } } },
      ],
    }));
  }

  function shares(stats) {
    const others = "(others)";  // as the service calls what it has no room for
    const top = (stats.actions || []).map((a) => a.id).filter((id) => id !== others).slice(0, 7);
    const rows = withGaps((stats.time || []).filter((row) => row.decisions)).flatMap((row) => {
      const share = (id) => (!row.gap && Object.hasOwn(row.actions, id) ? row.actions[id] / row.decisions : 0);
      const known = top.map((id) => ({ time: row.start * 1000, id: name(id), share: share(id), gap: row.gap }));
      return [...known, { time: row.start * 1000, id: name(others), share: Math.max(0, 1 - known.reduce((a, b) => a + b.share, 0)), gap: row.gap }];
    });
    const names = [...top, others].map(name), needed = rows.some((row) => row.id === name(others) && !row.gap && row.share > 0.001);
    if (!rows.length) return wait("shares", "Comes with the first decision.");
    draw("shares", frame("shares", 165 + legendHeight("shares", names), {
      data: [{ name: "rows", values: toTheEnd(rows), transform: [{ type: "stack", groupby: ["time"], sort: { field: "id" }, field: "share" }] }],
      scales: [timeScale(toTheEnd(rows)), { name: "y", domain: [0, 1], range: "height" }, { name: "colour", type: "ordinal", domain: names, range: [...palette.slice(0, top.length), palette[7]] }],
      axes: timeAxes("shares", rows, "share", "%"), legends: [{ fill: "colour", values: needed ? names : names.slice(0, -1), symbolType: "circle", orient: "bottom", direction: "horizontal", columns: columns("shares"), labelLimit: 130 }],
      marks: [{ type: "group", from: { facet: { name: "one", data: "rows", groupby: "id" } }, marks: [{ type: "area", from: { data: "one" }, encode: { update: { x: { scale: "x", field: "time" }, y: { scale: "y", field: "y0" }, y2: { scale: "y", field: "y1" }, defined: drawn, fill: { scale: "colour", field: "id" }, fillOpacity: { value: 0.85 } } } }] }],
    }));
  }

  function overTime(id, whole, title, format, domain) {
    if (!whole.length) return wait(id, "The first point comes with the first ten seconds.");
    const rows = toTheEnd(whole);
    draw(id, frame(id, 200, {
      data: [{ name: "rows", values: rows }],
      scales: [timeScale(rows), { name: "y", domain: domain || { data: "rows", field: "value" }, range: "height", nice: !domain, zero: true }],
      axes: timeAxes(id, rows, title, format),
      marks: [{ type: "area", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "time" }, y: { scale: "y", field: "value" }, y2: { scale: "y", value: 0 }, defined: drawn, fill: { value: palette[0] }, fillOpacity: { value: 0.15 }, stroke: { value: palette[0] }, strokeWidth: { value: 2 } } } }],
    }));
  }

  function values(stats) {
    const rows = (stats.actions || []).filter((a) => a.value).slice(0, 10).map((a) => ({ id: name(a.id), ...a.value }));
    if (!rows.length) return wait("values", "Comes with the first reward.");
    draw("values", frame("values", 40 + 22 * rows.length, {
      data: [{ name: "rows", values: rows }],
      scales: [{ name: "x", domain: valueDomain(rows), range: "width", nice: true, zero: false, padding: 10 }, { name: "y", type: "band", domain: rows.map((r) => r.id), range: "height", padding: 0.3 }],
      axes: [{ orient: "bottom", scale: "x", grid: true, tickCount: 5, labelOverlap: "greedy", labelSeparation: 10 }, { orient: "left", scale: "y", domain: false, ticks: false, labelLimit: 110, labelPadding: 8 }],
      marks: [
        { type: "rule", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "low" }, x2: { scale: "x", field: "high" }, y: { scale: "y", field: "id", band: 0.5 }, stroke: { value: palette[0] }, strokeWidth: { value: 3 }, strokeOpacity: { value: 0.4 } } } },
        { type: "symbol", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "value" }, y: { scale: "y", field: "id", band: 0.5 }, fill: { value: palette[0] }, size: { value: 70 } } } },
      ],
    }));
  }

  function calibration(stats) {
    const rows = (stats.models || []).filter((m) => m.predicted && m.n >= 5).map((m) => ({ x: m.predicted.value, y: m.realised.value, low: m.realised.low, high: m.realised.high }));
    if (!rows.length) return wait("calibration", "Comes with the fifth reward of a model's decisions.");
    const all = rows.flatMap((r) => [r.x, r.low, r.high]), low = Math.min(...all), high = Math.max(...all) + 1e-6;
    draw("calibration", frame("calibration", 220, {
      data: [{ name: "rows", values: rows }, { name: "line", values: [{ v: low }, { v: high }] }],
      scales: [{ name: "x", domain: [low, high], range: "width", nice: true, zero: false }, { name: "y", domain: [low, high], range: "height", nice: true, zero: false }],
      axes: [{ orient: "bottom", scale: "x", title: "predicted", tickCount: 5, labelOverlap: "greedy", labelSeparation: 10 }, { orient: "left", scale: "y", title: "realised", grid: true, tickCount: 5 }],
      marks: [
        { type: "line", from: { data: "line" }, encode: { update: { x: { scale: "x", field: "v" }, y: { scale: "y", field: "v" }, stroke: { value: palette[7] }, strokeDash: { value: [4, 3] } } } },
        { type: "rule", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "x" }, y: { scale: "y", field: "low" }, y2: { scale: "y", field: "high" }, stroke: { value: palette[0] }, strokeOpacity: { value: 0.4 }, strokeWidth: { value: 2 } } } },
        { type: "symbol", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "x" }, y: { scale: "y", field: "y" }, fill: { value: palette[0] }, size: { value: 60 } } } },
      ],
    }));
  }

  function delays(stats) {
    const names = ["< 0.1 s", "< 1 s", "< 10 s", "< 1 min", "< 10 min", "< 1 h", "< 1 d", "more"];
    const rows = (stats.delays || []).map((count, i) => ({ name: names[i], count }));
    if (!rows.some((r) => r.count)) return wait("delays", "Comes with the first reward.");
    draw("delays", frame("delays", 200, {
      data: [{ name: "rows", values: rows }],
      scales: [{ name: "x", type: "band", domain: names, range: "width", padding: 0.2 }, { name: "y", domain: { data: "rows", field: "count" }, range: "height", nice: true, zero: true }],
      axes: [{ orient: "bottom", scale: "x", labelAngle: -30, labelAlign: "right" }, { orient: "left", scale: "y", grid: true, domain: false, ticks: false, tickCount: 4, format: "~s" }],
      marks: [{ type: "rect", from: { data: "rows" }, encode: { update: { x: { scale: "x", field: "name" }, width: { scale: "x", band: 1 }, y: { scale: "y", field: "count" }, y2: { scale: "y", value: 0 }, fill: { value: palette[0] } } } }],
    }));
  }

  return (stats) => {
    const time = stats.time || [];
    reward(stats); shares(stats); values(stats); calibration(stats); delays(stats);
    overTime("exploration", withGaps(time.filter((r) => r.decisions)).map((r) => ({ time: r.start * 1000, value: r.gap ? 0 : r.explored / r.decisions, gap: r.gap })), "share that explored", "%", [0, 1]);
    overTime("rate", withGaps(time.filter((r, i) => i < time.length - 1 || Date.now() / 1000 > r.start + 10)).map((r) => ({ time: r.start * 1000, value: r.gap ? 0 : r.decisions / 10 })), "per second", "~s");
  };
})();
