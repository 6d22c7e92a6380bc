# The dashboard goes into the service as strings.
set(serve_page_dir ${PROJECT_SOURCE_DIR}/src/serve/page)
set(serve_page_code ${PROJECT_BINARY_DIR}/generated/serve_page.cpp)
file(GLOB serve_page_parts CONFIGURE_DEPENDS ${serve_page_dir}/*)
add_custom_command(
  OUTPUT ${serve_page_code}
  COMMAND ${CMAKE_COMMAND} -DOUT=${serve_page_code} -DVEGA_DIR=${NEURALTS_VEGA_DIR} -DVEGA_COPYRIGHT=/usr/share/doc/libjs-vega/copyright
          -DPAGE_DIR=${serve_page_dir} -P ${PROJECT_SOURCE_DIR}/cmake/embed_serve_page.cmake
  DEPENDS ${serve_page_parts} ${PROJECT_SOURCE_DIR}/cmake/embed_serve_page.cmake
  VERBATIM)
target_sources(neuralts_serve PRIVATE ${serve_page_code})
