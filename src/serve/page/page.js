// Asks for the numbers every two seconds and shows them. Texts from the service are only ever set as text, never as markup.
(() => {
  const $ = (id) => document.getElementById(id);
  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const short = (x, digits = 3) => (x === null || x === undefined || !isFinite(x) ? "–" : Math.abs(x) >= 1000 ? Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(x) : String(Number(x.toPrecision(digits))));
  const counted = (n, what) => `${short(n)} ${n === 1 ? what : what + "s"}`;
  const named = (id) => (id.length > 40 ? `“${id.slice(0, 39)}…”` : `“${id}”`);
  // Of a handful of events an interval would say more than is known.
  const range = (part) => (part.n < 10 ? `of ${counted(part.n, "event")}` : `${short(part.low)} to ${short(part.high)}`);
  const span = (part) => (part ? `${short(part.value)} (${range(part)})` : "–");
  const clock = (time) => time.toLocaleTimeString([], { hourCycle: "h23" });  // as the charts have it
  const moment = (time) => new Date(time).toLocaleString("sv");  // 2026-01-31 12:00:00, here
  const lasting = (seconds) => {
    const [unit, length] = [["d", 86400], ["h", 3600], ["min", 60]].find(([, length]) => seconds >= 2 * length) || ["s", 1];
    return unit === "s" ? `${short(Math.max(0, seconds), 2)} s` : `${Math.floor(seconds / length)} ${unit}`;
  };
  let token = sessionStorage.getItem("token") || "";
  let timer = 0;

  async function get(path) {
    const answer = await fetch(path, token ? { headers: { Authorization: "Bearer " + token } } : {});
    if (answer.status === 401 || answer.status === 403) {
      $("access").hidden = false;
      $("refused").textContent = !token ? "" : answer.status === 401 ? "The service does not know this token." : "This token has neither role.";
      throw new Error("access");
    }
    if (!answer.ok) throw new Error(String(answer.status));
    $("access").hidden = true;
    return answer.json();
  }

  function tile(title, value, note) {
    const box = make("div", "tile");
    box.append(make("span", "soft", title), make("b", "", value), make("span", "soft", note || ""));
    return box;
  }

  function tiles(stats) {
    const explored = stats.decisions ? stats.explored / stats.decisions : 0;
    const age = stats.model.time ? (Date.now() - Date.parse(stats.model.time)) / 1000 : null;
    const list = [
      tile("reward", short(stats.reward && stats.reward.value), stats.reward ? range(stats.reward) : "no reward yet"),
      tile("decisions", short(stats.decisions), `${counted(stats.rewards, "reward")}, ${short(stats.defaults)} by default`),
      tile("explored", short(100 * explored, 2) + " %", "not the likeliest action"),
      tile("latency p50 / p99", `${short(stats.latency_ms.p50, 2)} / ${short(stats.latency_ms.p99, 2)}`, "ms, last minute, to durable"),
      tile("learner lag", short(stats.learner.lag_records), stats.learner.node ? `records behind the journal, at ${stats.learner.node}` : "records behind the journal"),
      tile("model", "v" + stats.model.version, age === null ? "nothing learned yet" : `${lasting(age)} old${stats.model.pinned ? ", held" : ""}`),
      tile("late / surplus", `${short(stats.late)} / ${short(stats.surplus)}`, "rewards that were not learned"),
      tile("journal", short(stats.journal.bytes / 1048576) + " MiB", `${counted(stats.journal.records, "record")}, ${counted(stats.journal.segments, "segment")}`),
    ];
    if (stats.apprentice) list.push(tile("apprentice agrees", short((100 * stats.apprentice.agreed) / stats.apprentice.decisions, 3) + " %", `reward where it does: ${span(stats.apprentice.reward_where_agreed)}`));
    $("tiles").replaceChildren(...list);
  }

  function verdict(stats) {
    if (!stats.reward) return ($("verdict").textContent = "No reward has come yet.");
    const parts = [`This loop earns ${span(stats.reward)} an event.`];
    if (stats.baseline) parts.push(`The baseline, the first action offered, would earn ${span(stats.baseline)}.`);
    if (stats.best_constant) parts.push(`Always ${named(stats.best_constant.action)}: ${span(stats.best_constant)}.`);
    $("verdict").textContent = parts.join(" ");
  }

  function models(stats) {
    const seen = Object.fromEntries((stats.models || []).map((m) => [m.version, m]));
    const head = make("tr");
    for (const title of ["version", "published", "learned", "decisions judged", "predicted", "realised", "squared error", ""]) head.append(make("th", "", title));
    const rows = stats.versions.map((model) => {
      const row = make("tr"), m = seen[model.version];
      for (const text of ["v" + model.version, moment(model.time), short(model.note.learned), m ? short(m.n) : "–", m ? span(m.predicted) : "–", m ? span(m.realised) : "–", m ? short(m.squared_error) : "–", model.serving ? "serves" : model.note.recalled ? `v${model.note.recalled} again` : ""]) row.append(make("td", "", text));
      return row;
    });
    $("models").replaceChildren(head, ...rows);
  }

  // Why this one: how sure the model was, in words.
  function reason(d) {
    if (d.preferred !== undefined) return `The first action that was not excluded; the model would have chosen ${d.preferred === d.action ? "it, too" : named(d.preferred)}.`;
    const likeliest = (d.actions || []).reduce((best, a) => (a.probability > (best ? best.probability : -1) ? a : best), null);
    if (d.model === 0) return "Nothing was learned yet: every action was as likely.";
    const belief = `model v${d.model} expected ${short(d.predicted)} ± ${short(d.width, 2)}`;
    if (likeliest && likeliest.id !== d.action && likeliest.probability > d.probability) return `Explored: ${named(likeliest.id)} was likelier; ${belief}.`;
    return `Likeliest: ${belief}.`;
  }

  // What each field adds to the expected reward, as the model believes now.
  function effects(why) {
    const line = make("div", "effects");
    for (const { name, effect } of why.filter((part) => Math.abs(part.effect) >= 0.0005)) {
      const chip = make("span", effect > 0 ? "effect up" : "effect down");
      chip.append(make("span", "", name), make("b", "", (effect > 0 ? "+" : "−") + short(Math.abs(effect), 2)));
      line.append(chip);
    }
    return line;
  }

  // The likeliest actions, and the one that was chosen whatever its chance.
  function shown(d) {
    const all = [...(d.actions || [])].sort((a, b) => b.probability - a.probability), top = all.slice(0, 4);
    const chosen = all.find((action) => action.id === d.action);
    return chosen && !top.includes(chosen) ? [...top.slice(0, 3), chosen] : top;
  }

  function decision(d) {
    const box = make("article", "decision"), head = make("div", "head"), bars = make("div", "bars");
    const outcome = d.reward === null ? make("span", "pill", "open") : make("span", d.reward > 0 ? "pill good" : "pill", `reward ${short(d.reward)}`);
    head.append(make("b", "", d.action), make("span", "soft", clock(new Date(d.time * 1000))), outcome);
    for (const action of shown(d)) {
      const bar = make("div", action.id === d.action ? "bar chosen" : "bar"), meter = make("progress");
      meter.max = 1; meter.value = action.probability; meter.ariaLabel = action.id;
      bar.append(make("span", "", action.id), meter, make("span", "", short(100 * action.probability, 2) + " %"));
      bars.append(bar);
    }
    box.append(head, bars, make("div", "soft", reason(d)));
    if (d.why) box.append(effects(d.why));
    return box;
  }

  function recent(stats) {
    $("recent").replaceChildren(...[...stats.recent].reverse().slice(0, 8).map(decision));
  }

  // What to type where nothing has happened yet.
  function example(stats) {
    $("first").hidden = stats.decisions > 0;
    const json = "-H 'Content-Type: application/json'";
    $("example").textContent = `curl -s ${location.origin}/v1/loops/${stats.loop}/rank ${json} -d '{"event_id": "visit-1",
  "context": {"country": "DE"}, "actions": [{"id": "item7"}, {"id": "item9"}]}'
curl -s '${location.origin}/v1/events/visit-1/reward?loop=${stats.loop}' ${json} -d '{"value": 1}'`;
  }

  async function listLoops() {
    const { loops } = await get("/v1/loops"), names = loops.map((loop) => loop.name);
    const wanted = [location.hash.slice(1), $("loops").value, names[0]].find((name) => names.includes(name));
    if (names.join() !== [...$("loops").options].map((option) => option.value).join()) $("loops").replaceChildren(...names.map((name) => make("option", "", name)));
    $("loops").value = wanted;
  }

  async function show() {
    clearTimeout(timer);
    try {
      await listLoops();
      if (!$("loops").value) throw new Error("no loop: make one with PUT /v1/loops/NAME");
      const stats = await get(`/v1/loops/${encodeURIComponent($("loops").value)}/stats`);
      $("mode").textContent = `${stats.policy}, ${stats.mode}`;
      $("health").textContent = stats.journal.failed ? "journal fails" : stats.learner.failures ? "learner had failures" : "well";
      $("health").className = "pill " + (stats.journal.failed ? "bad" : stats.learner.failures ? "warn" : "good");
      $("when").textContent = clock(new Date());
      tiles(stats); example(stats); verdict(stats); models(stats); recent(stats); charts(stats);
      document.body.dataset.ready = "yes";
    } catch (problem) {
      $("health").textContent = problem.message === "access" ? "no access" : problem.message.startsWith("no loop") ? problem.message : "no answer";
      $("health").className = "pill bad";
    }
    timer = setTimeout(show, 2000);
  }

  $("loops").addEventListener("change", () => { location.hash = $("loops").value; });
  addEventListener("hashchange", show);
  $("access").addEventListener("submit", (event) => {
    event.preventDefault();
    token = $("token").value.trim();
    sessionStorage.setItem("token", token);
    show();
  });
  let resized = 0;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(show, 200); });
  show();
})();
