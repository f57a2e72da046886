# Warnings, reproducible floating point, and sanitizers.
option(STICKSLIP_WERROR "Treat warnings as errors" OFF)
set(STICKSLIP_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")

add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wno-missing-field-initializers
                    "$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes;-Werror=implicit-function-declaration>"
                    -ffp-contract=off -fno-math-errno)
if(STICKSLIP_WERROR)
  add_compile_options(-Werror)
endif()
if(STICKSLIP_FUZZ)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()
if(STICKSLIP_SANITIZE)
  add_compile_options(-fsanitize=${STICKSLIP_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${STICKSLIP_SANITIZE})
endif()
add_compile_definitions(_POSIX_C_SOURCE=200809L)
