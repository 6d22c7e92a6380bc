// A decision and its reward from Node (18 or later), without any package: node examples/node_client.mjs http://127.0.0.1:8080
const url = process.argv[2] ?? "http://127.0.0.1:8080";

async function call(path, body) {
  for (let attempt = 0; ; ++attempt) {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5000),
    }).catch((error) => ({ status: 0, text: async () => String(error) }));
    if (answer.status >= 200 && answer.status < 300) return answer.json();
    if (attempt >= 5 || (answer.status >= 400 && answer.status < 500 && answer.status !== 429))
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await new Promise((done) => setTimeout(done, 50 * 2 ** attempt));
  }
}

// An id of our own makes it safe to ask again when no answer came.
const decision = await call("/v1/loops/default/rank", {
  event_id: crypto.randomUUID(),
  context: { country: "DE", hour: 14 },
  actions: [
    { id: "item7", features: { price: 3.5 } },
    { id: "item9", features: { price: 8.0 } },
  ],
});
console.log(`show ${decision.action}, chosen with probability ${decision.probability}`);
const outcome = await call(`/v1/events/${decision.event_id}/reward`, { value: 1 });
console.log(Object.keys(outcome).includes("applied") ? "reward applied" : "reward known already");
