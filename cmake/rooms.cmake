# A library out of rooms: neuralts_rooms(neuralts_NAME ROOM...), every .cpp of src/ROOM. Another project links it as neuralts::NAME.
#
# It shows what include/neuralts declares and hides the rest. What is built here and needs more (another of our libraries, the
# command line, tests, benchmarks) links neuralts_NAME_internal: in a static build the library itself, in a shared one an
# archive of its objects, which is not installed.
function(neuralts_rooms target)
  string(REPLACE neuralts_ "" short ${target})
  set(sources "")
  foreach(room IN LISTS ARGN)
    file(GLOB room_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    list(APPEND sources ${room_sources})
  endforeach()
  add_library(${target} ${sources})
  add_library(neuralts::${short} ALIAS ${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
                             PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # Object files do not depend on the kind of library: the same flags, no macro that differs.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME ${short}
                        INSTALL_RPATH $ORIGIN)  # sisters lie side by side
  neuralts_options(${target})
  if(BUILD_SHARED_LIBS)
    if(NOT NEURALTS_SANITIZE)  # a sanitizer's own symbols come with the program
      target_link_options(${target} PRIVATE LINKER:-z,defs)  # a library that needs one above it is not linked
    endif()
    neuralts_internal_archive(${target})
  else()
    add_library(${target}_internal ALIAS ${target})
  endif()
  set_property(GLOBAL APPEND PROPERTY NEURALTS_LIBRARIES ${short})
endfunction()

function(neuralts_internal_archive target)
  add_library(${target}_internal STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${target}>)
  target_compile_features(${target}_internal PUBLIC cxx_std_20)
  target_include_directories(${target}_internal PUBLIC ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(${target}_internal PROPERTIES LINKER_LANGUAGE CXX)
  # What the library links, its sisters apart: neuralts_builds_on gives the archives of those.
  set(linked $<GENEX_EVAL:$<TARGET_PROPERTY:${target},LINK_LIBRARIES>>)
  target_link_libraries(${target}_internal PRIVATE $<FILTER:${linked},EXCLUDE,neuralts_>)
endfunction()

# neuralts_builds_on(neuralts_lab neuralts_core): users of lab get core; lab itself may use core's internals. Those it uses lie in
# a shared lab once more, hidden; what core shows comes from core alone.
function(neuralts_builds_on target)
  string(REPLACE neuralts_ "" short ${target})
  foreach(sister IN LISTS ARGN)
    string(REPLACE neuralts_ "" sister_short ${sister})
    get_property(below GLOBAL PROPERTY NEURALTS_${sister_short}_NEEDS)
    set_property(GLOBAL APPEND PROPERTY NEURALTS_${short}_NEEDS ${below} ${sister_short})
    target_link_libraries(${target} PUBLIC ${sister})
    if(BUILD_SHARED_LIBS)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${sister}_internal>)
      target_link_options(${target} PRIVATE LINKER:--exclude-libs,$<TARGET_FILE_NAME:${sister}_internal>)
      target_link_libraries(${target}_internal PUBLIC ${sister}_internal)
    endif()
  endforeach()
endfunction()
