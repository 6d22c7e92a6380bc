# What `cmake --install` puts where, and how another project finds it: find_package(neuralts [COMPONENTS core lab]), then
# neuralts::core, neuralts::lab, or neuralts::neuralts for all.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Every library of neuralts_rooms, each with an export file of its own: who asks for core alone needs no package of lab.
function(neuralts_install)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/neuralts)
  get_property(neuralts_libraries GLOBAL PROPERTY NEURALTS_LIBRARIES)
  foreach(library IN LISTS neuralts_libraries)
    install(TARGETS neuralts_${library} EXPORT neuralts-${library} LIBRARY COMPONENT library NAMELINK_COMPONENT development
            ARCHIVE COMPONENT development)
    install(EXPORT neuralts-${library} NAMESPACE neuralts:: DESTINATION ${package_dir} COMPONENT development)
  endforeach()
  install(DIRECTORY include/neuralts DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
  set(neuralts_needs "")
  foreach(library IN LISTS neuralts_libraries)
    get_property(needs GLOBAL PROPERTY NEURALTS_${library}_NEEDS)
    string(APPEND neuralts_needs "set(neuralts_${library}_needs ${needs})\n")
  endforeach()
  set(neuralts_static 1)
  if(BUILD_SHARED_LIBS)
    set(neuralts_static 0)
  endif()
  configure_package_config_file(cmake/neuralts-config.cmake.in neuralts-config.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(neuralts-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/neuralts-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/neuralts-config-version.cmake
          DESTINATION ${package_dir} COMPONENT development)
endfunction()
