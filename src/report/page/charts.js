// The report's charts, as Vega specifications made from the data in the page.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const palettes = {
    light: ["#0f8b8d", "#d1495b", "#4361c2", "#d98a1f", "#7b4fa3", "#5a8f29", "#8c5a2b", "#6b7785", "#c05780", "#2b9ad6", "#a3a01e", "#444e9c"],
    dark: ["#3fc1c0", "#f2788a", "#8aa4ff", "#f0b65a", "#bd93e0", "#97cc62", "#cf9a66", "#a6b3c2", "#ee8fb6", "#6cc4f5", "#d6d35a", "#9aa3ee"],
  };
  const dark = () => !matchMedia("print").matches && matchMedia("(prefers-color-scheme: dark)").matches;
  const palette = () => palettes[dark() ? "dark" : "light"];
  const colours = () => data.series.map((_, i) => palette()[i % palette().length]);
  const dashes = data.series.map((_, i) => (i < palettes.light.length ? [1, 0] : [5, 3]));

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const font = "system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
  const config = () => ({
    background: css("--card"),
    axis: {
      labelColor: css("--soft"), titleColor: css("--soft"), domainColor: css("--line"), tickColor: css("--line"), gridColor: css("--line"),
      labelFont: font, titleFont: font, labelFontSize: 11, titleFontSize: 11, titleFontWeight: "normal", gridOpacity: 0.6,
    },
    legend: { labelColor: css("--ink"), labelFont: font, labelFontSize: 12, symbolStrokeWidth: 3, symbolSize: 120, rowPadding: 3, columnPadding: 14, offset: 8 },
    text: { fill: css("--soft"), font },
  });

  // What the charts with one line per series share: scales for colour and dash, a legend of the series that are there.
  const frame = (width, height, names) => ({
    $schema: "https://vega.github.io/schema/vega/v5.json", config: config(), width, height, padding: 4,
    autosize: { type: "fit", contains: "padding" },
    scales: [
      { name: "colour", type: "ordinal", domain: data.series, range: colours() },
      { name: "dash", type: "ordinal", domain: data.series, range: dashes },
      { name: "shown", type: "ordinal", domain: names, range: names.map((name) => colours()[data.series.indexOf(name)]) },
    ],
    legends: [{ stroke: "shown", symbolType: "stroke", orient: "bottom", direction: "horizontal", columns: Math.max(1, Math.floor(width / 130)) }],
  });
  const axes = (width, x, y) => [
    { orient: "bottom", scale: "x", title: x, grid: false, tickCount: Math.max(3, Math.floor(width / 90)), labelOverlap: true },
    { orient: "left", scale: "y", title: y, grid: true, domain: false, ticks: false, tickCount: 5, format: "~s" },
  ];
  const linesOf = (field) => ({
    type: "group", from: { facet: { name: "one", data: "points", groupby: "series" } },
    marks: [
      { type: "area", from: { data: "one" }, encode: { update: {
        x: { scale: "x", field }, y: { scale: "y", field: "low" }, y2: { scale: "y", field: "high" },
        fill: { scale: "colour", field: "series" }, fillOpacity: { value: 0.15 } } } },
      { type: "line", from: { data: "one" }, encode: { update: {
        x: { scale: "x", field }, y: { scale: "y", field: "mean" }, stroke: { scale: "colour", field: "series" },
        strokeDash: { scale: "dash", field: "series" }, strokeWidth: { value: 2 }, strokeJoin: { value: "round" } } } },
    ],
  });
  const hoverPoints = (field, size, says) => ({
    type: "symbol", from: { data: "points" }, encode: {
      update: { x: { scale: "x", field }, y: { scale: "y", field: "mean" }, fill: { scale: "colour", field: "series" },
        size: { value: size }, opacity: { value: size > 40 ? 0 : 1 }, tooltip: { signal: says } },
      hover: { opacity: { value: 1 } } },
  });

  function curves(chart, width) {
    const points = chart.series.flatMap((s) => s.rounds.map((round, i) => ({ series: s.name, round, mean: s.mean[i], low: s.low[i], high: s.high[i] })));
    const spec = frame(width, Math.max(280, Math.min(360, width * 0.62)), chart.series.map((s) => s.name));
    spec.data = [{ name: "points", values: points }];
    spec.scales.push(
      { name: "x", type: "linear", domain: { data: "points", field: "round" }, range: "width", zero: true },
      { name: "y", type: "linear", domain: { data: "points", fields: ["low", "high"] }, range: "height", nice: true, zero: true });
    spec.axes = axes(width, "round", "regret");
    spec.marks = [linesOf("round"), hoverPoints("round", 50, "datum.series + ', round ' + datum.round + ': ' + format(datum.mean, ',.1f')")];
    return spec;
  }

  function delays(chart, width) {
    const points = chart.points;
    const spec = frame(width, Math.max(260, Math.min(320, width * 0.55)), data.series.filter((name) => points.some((p) => p.series === name)));
    spec.data = [{ name: "points", values: points }];
    spec.scales.push(
      { name: "x", type: "point", domain: chart.delays, range: "width", padding: 0.3 },
      { name: "y", type: "linear", domain: { data: "points", fields: ["low", "high"] }, range: "height", nice: true, zero: true });
    spec.axes = axes(width, "delay", "final regret");
    spec.marks = [linesOf("delay"), hoverPoints("delay", 36, "datum.series + ', delay ' + datum.delay + ': ' + format(datum.mean, ',.1f')")];
    return spec;
  }

  function times(chart, width) {
    const rows = chart.bars.flatMap((bar) => [
      { series: bar.series, part: "choosing", from: 0, to: bar.select, total: bar.select + bar.learn },
      { series: bar.series, part: "learning", from: bar.select, to: bar.select + bar.learn, total: bar.select + bar.learn }]);
    return {
      $schema: "https://vega.github.io/schema/vega/v5.json", config: config(), width, height: 60 + 26 * chart.bars.length, padding: 4,
      autosize: { type: "fit", contains: "padding" },
      data: [{ name: "rows", values: rows }, { name: "ends", source: "rows", transform: [{ type: "filter", expr: "datum.part === 'learning'" }] }],
      scales: [
        { name: "x", type: "linear", domain: { data: "rows", field: "to" }, range: "width", nice: true, zero: true },
        { name: "y", type: "band", domain: chart.bars.map((bar) => bar.series), range: "height", padding: 0.25 },
        { name: "part", type: "ordinal", domain: ["choosing", "learning"], range: [palette()[2], palette()[0]] }],
      axes: [
        { orient: "bottom", scale: "x", title: "seconds a run", grid: true, domain: false, tickCount: Math.max(3, Math.floor(width / 110)) },
        { orient: "left", scale: "y", domain: false, ticks: false, labelLimit: width * 0.4 }],
      legends: [{ fill: "part", orient: "bottom", direction: "horizontal", symbolType: "square", symbolStrokeWidth: 0 }],
      marks: [
        { type: "rect", from: { data: "rows" }, encode: { update: {
          x: { scale: "x", field: "from" }, x2: { scale: "x", field: "to" }, y: { scale: "y", field: "series" }, height: { scale: "y", band: 1 },
          fill: { scale: "part", field: "part" }, tooltip: { signal: "datum.series + ', ' + datum.part + ': ' + format(datum.to - datum.from, '.3~f') + ' s'" } } } },
        { type: "text", from: { data: "ends" }, encode: { update: {
          x: { scale: "x", field: "to", offset: 5 }, y: { scale: "y", field: "series", band: 0.5 }, baseline: { value: "middle" }, fontSize: { value: 11 },
          text: { signal: "format(datum.total, datum.total < 100 ? '.2~r' : '.0f')" } } } }],
    };
  }

  // Lines given as they are: a policy's in its colour, others beside it in the ink of the page.
  function lines(chart, width) {
    const names = chart.lines.map((line) => line.name);
    const others = names.some((name) => data.series.includes(name)) ? [css("--ink"), css("--soft"), ...palette()] : palette();
    let other = 0;
    const strokes = names.map((name) => (data.series.includes(name) ? colours()[data.series.indexOf(name)] : others[other++ % others.length]));
    const spec = frame(width, Math.max(260, Math.min(320, width * 0.55)), names);
    spec.data = [{ name: "points", values: chart.lines.flatMap((line) => line.x.map((x, i) => ({ series: line.name, x, mean: line.y[i], low: line.y[i], high: line.y[i] }))) }];
    spec.scales = [
      { name: "colour", type: "ordinal", domain: names, range: strokes },
      { name: "shown", type: "ordinal", domain: names, range: strokes },
      { name: "dash", type: "ordinal", domain: names, range: chart.lines.map((line) => (line.dashed ? [5, 3] : [1, 0])) },
      { name: "x", type: chart.log_x ? "log" : "linear", domain: { data: "points", field: "x" }, range: "width", zero: false },
      { name: "y", type: chart.log_y ? "log" : "linear", domain: { data: "points", field: "mean" }, range: "height", nice: true, zero: !chart.log_y }];
    if (names.length < 2) spec.legends = [];
    spec.axes = axes(width, chart.x, chart.y);
    spec.marks = [linesOf("x"), hoverPoints("x", 50, "datum.series + ', ' + format(datum.x, ',') + ': ' + format(datum.mean, '.4~g')")];
    return spec;
  }

  const makers = { curves, delays, times, lines };

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

  async function draw(card) {
    const chart = data.charts[Number(card.dataset.chart)];
    const place = card.querySelector(".plot");
    const width = Math.floor(place.clientWidth);
    if (card.view) card.view.finalize();
    card.view = new vega.View(vega.parse(makers[chart.kind](chart, width)), { renderer: "svg", container: place, hover: true });
    await card.view.runAsync();
    card.dataset.drawn = String(width);
  }

  // A chart in a part that is shut is drawn when the part is opened: only then has it a width.
  const cards = [...document.querySelectorAll(".card[data-chart]")];
  const seen = () => cards.filter((card) => !card.closest("details:not([open])"));
  const drawAll = () => Promise.all(seen().map(draw)).then(() => { document.documentElement.dataset.drawn = String(seen().length); });
  cards.forEach((card) => addButtons(card, card.dataset.name));
  document.querySelectorAll("details.section").forEach((part) => part.addEventListener("toggle", drawAll));
  const openAsked = () => {
    const part = document.getElementById(location.hash.slice(1))?.nextElementSibling;
    if (part?.matches("details.section")) part.open = true;
  };
  addEventListener("hashchange", openAsked);
  openAsked();
  drawAll();

  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => seen().some((card) => card.dataset.drawn !== String(Math.floor(card.querySelector(".plot").clientWidth))) && drawAll(), 150);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", drawAll);
})();
