# The dashboard goes into the service as strings.
set(serve_page_dir ${PROJECT_SOURCE_DIR}/src/serve/page)
set(serve_page_code ${PROJECT_BINARY_DIR}/generated/serve_page.cpp)
set(serve_page_modules ${PROJECT_SOURCE_DIR}/src/report/page/modules.js)
file(GLOB serve_page_parts CONFIGURE_DEPENDS ${serve_page_dir}/*)
add_custom_command(
  OUTPUT ${serve_page_code}
  COMMAND ${CMAKE_COMMAND} -DOUT=${serve_page_code} -DVEGA_DIR=${NEURALTS_VEGA_DIR} -DVEGA_COPYRIGHT=/usr/share/doc/libjs-vega/copyright
          -DPAGE_DIR=${serve_page_dir} -DMODULES=${serve_page_modules} -P ${PROJECT_SOURCE_DIR}/cmake/embed_serve_page.cmake
  DEPENDS ${serve_page_parts} ${serve_page_modules} ${PROJECT_SOURCE_DIR}/cmake/embed_serve_page.cmake ${PROJECT_SOURCE_DIR}/cmake/vega_bundle.cmake
  VERBATIM)
target_sources(neuralts_serve PRIVATE ${serve_page_code})
