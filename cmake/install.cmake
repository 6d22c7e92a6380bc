# What `cmake --install` puts where, and how another project finds it: find_package(neuralts), then neuralts::neuralts.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

function(neuralts_install)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/neuralts)
  # Object files do not depend on the kind of library: no export macro, the same flags.
  foreach(target IN LISTS ARGN)
    get_target_property(kind ${target} TYPE)
    if(NOT kind STREQUAL INTERFACE_LIBRARY)
      set_target_properties(${target} PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    endif()
  endforeach()
  install(TARGETS ${ARGN} EXPORT neuralts-targets)
  install(DIRECTORY include/neuralts DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT neuralts-targets NAMESPACE neuralts:: DESTINATION ${package_dir})
  configure_package_config_file(cmake/neuralts-config.cmake.in neuralts-config.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(neuralts-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/neuralts-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/neuralts-config-version.cmake
          DESTINATION ${package_dir})
endfunction()
