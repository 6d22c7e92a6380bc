// Vega's packaged modules ask for each other by name; this hands them out, each made once.
const vega = (() => {
  const made = {};
  const files = { "vega-selections": "vega-selection" };
  function require(name) {
    const file = files[name] || name;
    if (!made[file]) {
      const module = (made[file] = { exports: {} });
      vegaModules[file].call(globalThis, module.exports, module, require);
    }
    return made[file].exports;
  }
  for (const name of ["vega-transforms", "vega-view-transforms", "vega-encode"])
    Object.assign(require("vega-dataflow").transforms, require(name));
  const interpreter = vegaModules["vega-interpreter"] ? require("vega-interpreter").expressionInterpreter : undefined;
  return { parse: require("vega-parser").parse, View: require("vega-view").View, expressionInterpreter: interpreter };
})();
