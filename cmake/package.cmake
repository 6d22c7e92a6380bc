# Debian packages by CPack, one per component: cpack -G DEB in the build folder, or scripts/package for all that is shipped.
set(NEURALTS_MAINTAINER "The neuralts authors <neuralts@example.org>" CACHE STRING "Maintainer named in packages")

set(CPACK_PACKAGE_NAME neuralts)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${NEURALTS_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_COMPONENTS_ALL "")

# neuralts_package(COMPONENT NAME SECTION DEPENDS SUMMARY TEXT)
macro(neuralts_package component name section depends summary text)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  # Every package carries its licence and its history.
  install(FILES ${PROJECT_BINARY_DIR}/packaging/copyright ${PROJECT_BINARY_DIR}/packaging/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

file(READ LICENSE license_text)
string(REGEX REPLACE "^MIT License\n+Copyright[^\n]*\n+" "" license_text "${license_text}")
string(STRIP "${license_text}" license_text)
string(REPLACE "\n\n" "\n.\n" license_text "${license_text}")
string(REPLACE "\n" "\n " license_text " ${license_text}")
configure_file(packaging/copyright.in packaging/copyright @ONLY)
# In Debian's form, with the day that CHANGELOG.md gives.
file(STRINGS CHANGELOG.md newest REGEX "^## " LIMIT_COUNT 1)
string(REGEX REPLACE ".*\\((.*)\\).*" "\\1" day "${newest}")
execute_process(COMMAND date -R -u -d ${day} OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE)
file(WRITE ${PROJECT_BINARY_DIR}/packaging/changelog
     "neuralts (${PROJECT_VERSION}) stable; urgency=medium\n\n  * As CHANGELOG.md of the sources tells.\n\n -- ${NEURALTS_MAINTAINER}  ${day}\n")
execute_process(COMMAND gzip -9nf ${PROJECT_BINARY_DIR}/packaging/changelog)

set(exactly "(= ${PROJECT_VERSION})")
if(NEURALTS_BUILD_CAPI)
  neuralts_package(library libneuralts-c${NEURALTS_C_ABI} libs "" "neural contextual bandits - C interface"
                   "The shared library for programs in C and for bindings of other languages.")
  # The linker's cache follows a trigger, as Debian asks for, not a script of the package.
  file(WRITE ${PROJECT_BINARY_DIR}/packaging/library/shlibs
       "libneuralts_c ${NEURALTS_C_ABI} libneuralts-c${NEURALTS_C_ABI} (>= ${PROJECT_VERSION})\n")
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
      "${PROJECT_SOURCE_DIR}/packaging/library/triggers;${PROJECT_BINARY_DIR}/packaging/library/shlibs")
  set(needed_to_link "libfmt-dev, zlib1g-dev, libsimdjson-dev, libhwy-dev, libcurl4-openssl-dev | libcurl-dev")
  if(NEURALTS_HAS_SERVE)
    string(APPEND needed_to_link ", libsqlite3-dev, libssl-dev, prometheus-cpp-dev")
  endif()
  if(NEURALTS_HAS_POSTGRES)
    string(APPEND needed_to_link ", libpq-dev")
  endif()
  neuralts_package(development libneuralts-dev libdevel "libneuralts-c${NEURALTS_C_ABI} ${exactly}, ${needed_to_link}"
                   "neural contextual bandits - development files" "Headers and libraries for programs in C++ and C.")
endif()
if(NEURALTS_BUILD_CLI)
  neuralts_package(tools neuralts science "" "neural contextual bandits - command line"
                   "Runs, compares and serves Neural Thompson Sampling and its rivals.")
  if(NEURALTS_HAS_SERVE)
    install(FILES packaging/neuralts.service DESTINATION lib/systemd/system COMPONENT service EXCLUDE_FROM_ALL)
    install(FILES packaging/serve.toml DESTINATION /etc/neuralts COMPONENT service EXCLUDE_FROM_ALL)
    neuralts_package(service neuralts-service science "neuralts ${exactly}" "neural contextual bandits - decision service"
                     "Ranks actions over HTTP, takes rewards later and learns.\n Loses nothing that it acknowledged.")
    set(CPACK_DEBIAN_SERVICE_PACKAGE_ARCHITECTURE all)
    set(CPACK_DEBIAN_SERVICE_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/service/conffiles)
  endif()
endif()
if(NEURALTS_BUILD_PYTHON)
  neuralts_package(python python3-neuralts python
                   "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${Python_NEXT_MINOR}), python3-numpy"
                   "neural contextual bandits - Python package" "Policies, sessions, experiments and reports from Python.")
endif()
include(CPack)
