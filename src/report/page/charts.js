// The report's charts, as Vega specifications made from the data in the page.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const palettes = {
    light: ["#0b6e6e", "#d1495b", "#4361c2", "#d98a1f", "#7b4fa3", "#5a8f29", "#8c5a2b", "#6b7785", "#c05780", "#2b9ad6", "#a3a01e", "#444e9c"],
    dark: ["#5ec8c0", "#f2788a", "#8aa4ff", "#f0b65a", "#bd93e0", "#97cc62", "#cf9a66", "#a6b3c2", "#ee8fb6", "#6cc4f5", "#d6d35a", "#9aa3ee"],
  };
  const dark = () => !matchMedia("print").matches && matchMedia("(prefers-color-scheme: dark)").matches;
  const palette = () => palettes[dark() ? "dark" : "light"];
  // The protagonist has the page's accent, the others the colours behind it.
  const order = [data.protagonist, ...data.series.filter((name) => name !== data.protagonist)];
  const colourOf = (name) => palette()[order.indexOf(name) % palette().length];
  const dashOf = (name) => (order.indexOf(name) < palettes.light.length ? [1, 0] : [5, 3]);
  const hidden = new Set();

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
  const config = () => ({
    background: css("--card"),
    axis: {
      labelColor: css("--soft"), titleColor: css("--soft"), domainColor: css("--line"), tickColor: css("--line"), gridColor: css("--line"),
      labelFont: font, titleFont: font, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal", gridOpacity: 0.6,
    },
    text: { fill: css("--soft"), font, fontSize: 11 },
  });

  // Room for what stands around the drawing; line ends are named on the right.
  const sides = (width, labels) => ({ left: 52, right: labels ? Math.min(130, Math.max(64, width * 0.24)) : 16, top: 10, bottom: 42 });
  const frame = (width, height, labels) => {
    const padding = sides(width, labels);
    return {
      $schema: "https://vega.github.io/schema/vega/v5.json", config: config(), autosize: "none", padding,
      width: width - padding.left - padding.right, height: height - padding.top - padding.bottom,
    };
  };
  const axes = (width, x, y, format = "~s") => [
    { orient: "bottom", scale: "x", title: x, grid: false, tickCount: Math.max(3, Math.floor(width / 90)), labelOverlap: true },
    { orient: "left", scale: "y", title: y, grid: true, domain: false, ticks: false, tickCount: 5, format, labelOverlap: true },
  ];

  const scaleOf = (log, values, zero) => {
    const shown = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
    let low = Math.min(...shown), high = Math.max(...shown);
    if (!shown.length) [low, high] = log ? [1, 10] : [0, 1];
    if (zero && !log) [low, high] = [Math.min(0, low), Math.max(0, high)];
    if (log && high < 3 * low) [low, high] = [low / 3, high * 3];  // room for a number beside the axis
    if (low === high) [low, high] = [low - (zero ? 0 : 1), high + 1];
    if (!log && !zero) [low, high] = [low - 0.05 * (high - low), high + 0.05 * (high - low)];
    if (!log && zero) high += 0.04 * (high - low);
    const flat = (v) => (log ? Math.log(v) : v);
    return { domain: [low, high], part: (v) => (flat(v) - flat(low)) / (flat(high) - flat(low)) };
  };

  // Names beside the ends of their lines, pushed apart where they would touch.
  function endLabels(lines, y, spec) {
    const step = 13;
    const labels = lines.map((line) => ({ name: line.name, colour: line.colour, at: spec.height * (1 - y.part(line.points.at(-1).mean)) }));
    labels.sort((a, b) => a.at - b.at);
    for (let i = 1; i < labels.length; i++) labels[i].at = Math.max(labels[i].at, labels[i - 1].at + step);
    const over = labels.length ? labels.at(-1).at - spec.height : 0;
    if (over > 0) for (let i = labels.length - 1, limit = spec.height; i >= 0; i--, limit -= step) labels[i].at = Math.min(labels[i].at, limit);
    return {
      type: "text", name: "ends", from: { data: "labels" }, encode: { update: {
        x: { value: spec.width + 6 }, y: { field: "at" }, text: { field: "name" }, fill: { field: "colour" }, baseline: { value: "middle" },
        limit: { value: spec.padding.right - 8 } } }, labels,
    };
  }

  const banded = (point) => Number.isFinite(point.low);  // one seed has no band

  // Lines with bands over a common x. A band is drawn for the protagonist and, of a few lines, for all: many bands are mud.
  function lineChart(lines, width, { height, xScale, x, y, xField, says, zero = true, format, bands = true, dots = false }) {
    const labels = lines.length > 0;
    const spec = frame(width, height, labels);
    const points = lines.flatMap((line) => line.points.map((point) => ({ ...point, series: line.name, colour: line.colour, seen: dots || line.points.length === 1 })));
    const vertical = scaleOf(Boolean(y.log), points.flatMap((p) => [p.low ?? p.mean, p.high ?? p.mean]), zero);
    const names = endLabels(lines, vertical, spec);
    spec.data = [{ name: "points", values: points }, { name: "labels", values: names.labels }];
    delete names.labels;
    spec.scales = [xScale(points, spec), { name: "y", type: y.log ? "log" : "linear", domain: vertical.domain, range: "height", nice: false, zero: false }];
    spec.axes = axes(width, x.title, y.title, format);
    const few = lines.length <= 4;
    spec.marks = [
      ...lines.filter((line) => bands && (few || line.strong) && line.points.some(banded)).map((line) => ({
        type: "area", clip: true, from: { data: "points" }, transform: [], encode: { update: {} }, line })),
      ...lines.map((line) => ({ type: "line", from: { data: "points" }, line })),
    ].map(({ line, ...mark }) => markOf(mark, line, spec, points, xField));
    spec.marks.push(
      { type: "symbol", from: { data: "points" }, encode: {
        update: { x: { scale: "x", field: xField }, y: { scale: "y", field: "mean" }, fill: { field: "colour" }, size: { value: 50 }, opacity: { signal: "datum.seen ? 1 : 0" }, tooltip: { signal: says } },
        hover: { opacity: { value: 1 } } } },
      names);
    return spec;
  }
  function markOf(mark, line, spec, points, xField) {
    const name = `${mark.type}-${line.name}`;
    const drawable = mark.type === "area" ? banded : (point) => xField !== "x" || Number.isFinite(point.mean);
    spec.data.push({ name, values: points.filter((point) => point.series === line.name && drawable(point)) });
    const at = { x: { scale: "x", field: xField } };
    const drawn = mark.type === "area"
      ? { ...at, y: { scale: "y", field: "low" }, y2: { scale: "y", field: "high" }, fill: { value: line.colour }, fillOpacity: { value: line.strong ? 0.18 : 0.1 } }
      : { ...at, y: { scale: "y", field: "mean" }, stroke: { value: line.colour }, strokeDash: { value: line.dash }, strokeWidth: { value: line.strong ? 3 : 1.8 }, strokeJoin: { value: "round" } };
    return { type: mark.type, clip: mark.type === "area", from: { data: name }, encode: { update: drawn } };
  }
  const styled = (name, points) => ({ name, points, colour: colourOf(name), dash: dashOf(name), strong: name === data.protagonist });
  const shownOf = (names) => names.filter((name) => !hidden.has(name));

  function curves(chart, width) {
    const lines = chart.series.filter((s) => !hidden.has(s.name))
      .map((s) => styled(s.name, s.rounds.map((round, i) => ({ round, mean: s.mean[i], low: s.low?.[i], high: s.high?.[i] }))));
    const digits = chart.measure === "regret" ? ",.1f" : ".4f";
    return lineChart(lines, width, {
      height: Math.max(270, Math.min(360, width * 0.6)), xField: "round", x: { title: "round" }, y: { title: chart.measure }, zero: chart.measure === "regret",
      format: chart.measure === "regret" ? "~s" : "~f",
      xScale: () => ({ name: "x", type: "linear", domain: { data: "points", field: "round" }, range: "width", zero: true }),
      says: `datum.series + ', round ' + datum.round + ': ' + format(datum.mean, '${digits}')`,
    });
  }

  // Every delay is named: where the names would touch they are tilted.
  function nameEvery(spec, names) {
    const letter = 6.2, longest = letter * Math.max(...names.map((name) => name.length)), bottom = spec.axes[0];
    bottom.labelOverlap = false;
    if (longest + 6 < spec.width / names.length) return spec;
    Object.assign(bottom, { labelAngle: -60, labelAlign: "right", labelBaseline: "middle", labelLimit: 160 });
    spec.padding.bottom += 0.87 * Math.min(longest, 160);
    return spec;
  }

  function delays(chart, width) {
    const digits = chart.measure === "mean reward" ? ".4f" : ",.1f";
    const lines = shownOf(data.series).map((name) => styled(name, chart.points.filter((point) => point.series === name))).filter((line) => line.points.length > 0);
    return nameEvery(lineChart(lines, width, {
      height: Math.max(250, Math.min(330, width * 0.55)), xField: "delay", x: { title: "delay" }, y: { title: chart.measure },
      zero: chart.measure !== "mean reward", format: chart.measure === "mean reward" ? "~f" : "~s", dots: true,
      xScale: () => ({ name: "x", type: "point", domain: chart.delays, range: "width", padding: 0.1 }),
      says: `datum.series + ', delay ' + datum.delay + ': ' + format(datum.mean, '${digits}')`,
    }), chart.delays);
  }

  // A log axis through one number alone would have no length.
  function across(points, log) {
    const one = points[0]?.x;
    return log && points.every((point) => point.x === one) && points.length ? [one / 2, one * 2] : { data: "points", field: "x" };
  }

  // Plain lines of a section: their own names, the same colours.
  function lines(chart, width) {
    const given = chart.lines.map((line, i) => ({
      name: line.name, colour: data.series.includes(line.name) ? colourOf(line.name) : palette()[(i + 1) % palette().length], strong: line.name === data.protagonist,
      dash: line.dashed ? [5, 4] : [1, 0],
      points: line.x.map((x, k) => ({ x, mean: line.y[k] })).filter((p) => (!chart.log_x || p.x > 0) && (!chart.log_y || p.mean > 0)) }))
      .filter((line) => line.points.length > 0 && !hidden.has(line.name));
    return lineChart(given, width, {
      height: Math.max(250, Math.min(330, width * 0.55)), xField: "x", x: { title: chart.x }, y: { title: chart.y, log: chart.log_y }, zero: !chart.log_y, bands: false,
      format: chart.log_y ? "~g" : "~s",
      xScale: (points) => ({ name: "x", type: chart.log_x ? "log" : "linear", domain: across(points, chart.log_x), range: "width", zero: !chart.log_x, nice: false }),
      says: "datum.series + ', ' + format(datum.x, '~g') + ': ' + format(datum.mean, '.4~g')",
    });
  }

  // Milliseconds a round on a log axis: a dot for choosing, one for learning.
  function times(chart, width) {
    const parts = { choosing: "o", learning: "x" };
    const bars = chart.bars.filter((bar) => !hidden.has(bar.series));
    const rows = bars.flatMap((bar) => Object.keys(parts).map((part) => ({ series: bar.series, part, ms: bar[part], colour: colourOf(bar.series) }))).filter((row) => row.ms > 0);
    const all = rows.map((row) => row.ms), low = 10 ** Math.floor(Math.log10(Math.min(...all, 1))), high = 10 ** Math.ceil(Math.log10(Math.max(...all, low * 10)));
    const spec = frame(width, 64 + 26 * bars.length, false);
    spec.padding.left = Math.min(130, width * 0.34);
    spec.width = width - spec.padding.left - spec.padding.right;
    spec.data = [{ name: "rows", values: rows }];
    spec.scales = [
      { name: "x", type: "log", domain: [low, high], range: "width" },
      { name: "y", type: "band", domain: bars.map((bar) => bar.series), range: "height", padding: 0.25 },
      { name: "shape", type: "ordinal", domain: Object.keys(parts), range: ["circle", "triangle-right"] }];
    spec.axes = [
      { orient: "bottom", scale: "x", title: "ms a round: ● choosing, ▶ learning", grid: true, domain: false, tickCount: Math.max(2, Math.floor(width / 110)), format: "~g", labelOverlap: true },
      { orient: "left", scale: "y", domain: false, ticks: false, labelLimit: spec.padding.left - 10 }];
    spec.marks = [{ type: "symbol", from: { data: "rows" }, encode: { update: {
      x: { scale: "x", field: "ms" }, y: { scale: "y", field: "series", band: 0.5 }, shape: { scale: "shape", field: "part" }, fill: { field: "colour" }, size: { value: 90 },
      tooltip: { signal: "datum.series + ', ' + datum.part + ': ' + format(datum.ms, '.3~g') + ' ms a round'" } } } }];
    return spec;
  }

  const makers = { curves, delays, times, lines };
  const namesOf = { curves: (c) => c.series.map((s) => s.name), delays: (c) => [...new Set(c.points.map((p) => p.series))], times: (c) => c.bars.map((b) => b.series), lines: (c) => c.lines.map((l) => l.name) };

  function download(view, kind, name) {
    view.toImageURL(kind, 2).then((url) => {
      const link = Object.assign(document.createElement("a"), { href: url, download: name + "." + kind });
      link.click();
    });
  }

  function addButtons(card, name) {
    for (const kind of ["svg", "png"]) {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: kind.toUpperCase(), title: "Save as " + kind.toUpperCase() });
      button.addEventListener("click", () => download(card.view, kind, name));
      card.querySelector("header").append(button);
    }
  }

  // A press on a name takes its line away, here and in every other chart; another press brings it back.
  function addLegend(card, chart) {
    const legend = Object.assign(document.createElement("div"), { className: "legend" });
    namesOf[chart.kind](chart).forEach((name, i) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: name, title: "Show or hide " + name });
      button.dataset.name = name;
      button.addEventListener("click", () => { hidden.has(name) ? hidden.delete(name) : hidden.add(name); drawAll(); });
      button.paint = () => {
        const colour = data.series.includes(name) ? colourOf(name) : palette()[(i + 1) % palette().length];
        button.style.setProperty("--swatch", colour);
        button.setAttribute("aria-pressed", String(!hidden.has(name)));
      };
      legend.append(button);
    });
    card.append(legend);
  }

  async function draw(card) {
    const chart = data.charts[Number(card.dataset.chart)];
    const place = card.querySelector(".plot");
    const width = Math.floor(place.clientWidth);
    if (width === 0) return;
    if (card.view) card.view.finalize();
    card.querySelectorAll(".legend button").forEach((button) => button.paint());
    card.view = new vega.View(vega.parse(makers[chart.kind](chart, width)), { renderer: "svg", container: place, hover: true });
    await card.view.runAsync();
    card.dataset.drawn = String(width);
  }

  // A chart in a part that is shut is drawn when the part is opened: only then has it a width.
  const cards = [...document.querySelectorAll(".card[data-chart]")];
  const seen = () => cards.filter((card) => !card.closest("details:not([open])"));
  const drawAll = () => Promise.all(seen().map(draw)).then(() => { document.documentElement.dataset.drawn = String(seen().length); });
  cards.forEach((card) => {
    addButtons(card, card.dataset.name);
    addLegend(card, data.charts[Number(card.dataset.chart)]);
  });
  document.querySelectorAll("details.section").forEach((part) => part.addEventListener("toggle", drawAll));
  const openAsked = () => {
    const part = document.getElementById(location.hash.slice(1))?.nextElementSibling;
    if (part?.matches("details.section")) part.open = true;
  };
  addEventListener("hashchange", openAsked);
  openAsked();
  drawAll();

  // Tables that are wider than their place say so.
  const mark = () => document.querySelectorAll(".scroll").forEach((box) => box.classList.toggle("wide", box.scrollWidth > box.clientWidth + 1));
  mark();
  document.querySelectorAll("details").forEach((part) => part.addEventListener("toggle", mark));

  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { mark(); cards.some((card) => card.dataset.drawn !== String(Math.floor(card.querySelector(".plot").clientWidth))) && drawAll(); }, 150);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", drawAll);
})();
