# The report's page goes into the library; its chart library comes from its package at build time and is never copied here.
find_path(NEURALTS_VEGA_DIR vega-view.min.js PATHS /usr/share/javascript/vega DOC "Folder of Vega's modules (package libjs-vega)")
if(NOT NEURALTS_VEGA_DIR)
  message(FATAL_ERROR "Vega is needed for the reports: install libjs-vega or set NEURALTS_VEGA_DIR")
endif()
set(page_dir ${PROJECT_SOURCE_DIR}/src/report/page)
set(page_code ${PROJECT_BINARY_DIR}/generated/page.cpp)
file(GLOB page_parts CONFIGURE_DEPENDS ${page_dir}/*)
add_custom_command(
  OUTPUT ${page_code}
  COMMAND ${CMAKE_COMMAND} -DOUT=${page_code} -DVEGA_DIR=${NEURALTS_VEGA_DIR} -DVEGA_COPYRIGHT=/usr/share/doc/libjs-vega/copyright
          -DPAGE_DIR=${page_dir} -P ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake
  DEPENDS ${page_parts} ${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake ${PROJECT_SOURCE_DIR}/cmake/vega_bundle.cmake ${NEURALTS_VEGA_DIR}/vega-view.min.js
  VERBATIM)
target_sources(neuralts_lab PRIVATE ${page_code})
