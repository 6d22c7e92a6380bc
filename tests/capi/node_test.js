// usage: node node_test.js ADDON; the C interface from Node.
const assert = require("node:assert");
const neuralts = require(process.argv[2]);

const agent = neuralts.create("linear-ts", 2, 3);
const contexts = Float64Array.of(1, 0, 0, 1);
for (let t = 0; t < 100; ++t) {
  const { arm, probabilities } = neuralts.select(agent, contexts, 2);
  assert.ok(Math.abs(probabilities[0] + probabilities[1] - 1) < 1e-9);
  neuralts.learn(agent, contexts.subarray(2 * arm, 2 * arm + 2), arm === 1 ? 1 : 0);
}
const { probabilities } = neuralts.select(agent, contexts, 2);
assert.ok(probabilities[1] > 0.8, `learned too little: ${probabilities}`);

assert.throws(() => neuralts.create("linear-tz", 2, 1), /linear-ts/);
assert.throws(() => neuralts.learn(agent, Float64Array.of(1, NaN), 1), { code: "bad argument" });
console.log("all is well");
