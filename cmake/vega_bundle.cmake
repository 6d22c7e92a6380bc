# vega_bundle(OUT_VARIABLE MODULE...): Vega as packaged in VEGA_DIR, with its copyright, and the loader that hands its modules out.
# Debian ships Vega's modules one by one (UMD), not the bundle; src/report/page/modules.js is the loader they need.
function(vega_bundle out)
  set(bundle "")
  if(EXISTS ${VEGA_COPYRIGHT})
    file(READ ${VEGA_COPYRIGHT} copyright)
    string(REPLACE "\n" "\n// " copyright "${copyright}")
    string(APPEND bundle "// Vega (https://vega.github.io), as packaged by Debian:\n// ${copyright}\n")
  endif()
  string(APPEND bundle "const vegaModules = {\n")
  foreach(module util time format loader dataflow statistics canvas scale scenegraph expression selection functions runtime event-selector
                 parser view transforms view-transforms encode ${ARGN})
    file(READ ${VEGA_DIR}/vega-${module}.min.js source)
    string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" source "${source}")
    string(APPEND bundle "\"vega-${module}\": function (exports, module, require) {${source}\n},\n")
  endforeach()
  string(APPEND bundle "};\n")
  set(${out} "${bundle}" PARENT_SCOPE)
endfunction()
