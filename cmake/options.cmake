# Warnings and sanitizers of our own targets; nothing global.
function(neuralts_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion $<$<BOOL:${NEURALTS_WERROR}>:-Werror>)
  if(NEURALTS_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${NEURALTS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${NEURALTS_SANITIZE})
  endif()
endfunction()
