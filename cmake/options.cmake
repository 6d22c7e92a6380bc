# Warnings and sanitizers of our own targets; nothing global.
set(neuralts_warnings -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in "text" + string and writes behind a std::vector<char> that are not there.
  list(APPEND neuralts_warnings -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()

function(neuralts_sanitize target)
  if(NEURALTS_SANITIZE)
    # Later flags win: optimised enough to run the tests, little enough to be compiled in reasonable time.
    target_compile_options(${target} PRIVATE -O1 -g1 -fsanitize=${NEURALTS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${NEURALTS_SANITIZE})
    # What Eigen takes for memory when it sees the address sanitizer, programs without it would give back wrongly.
    target_compile_definitions(${target} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
  endif()
endfunction()

function(neuralts_options target)
  target_compile_options(${target} PRIVATE ${neuralts_warnings} $<$<BOOL:${NEURALTS_WERROR}>:-Werror>)
  neuralts_sanitize(${target})
endfunction()

# Test programs are compiled alike in every kind of build, so that ccache compiles them once; what they test carries the
# sanitizers. Only the thread sanitizer has to see both sides of a race. They do little work of their own: what -O3 would find in
# them takes longer to find than it saves.
function(neuralts_test_options target)
  target_compile_options(${target} PRIVATE ${neuralts_warnings} $<$<CONFIG:Release>:-O1>)
  if(NEURALTS_SANITIZE MATCHES thread)
    neuralts_sanitize(${target})
  endif()
endfunction()
