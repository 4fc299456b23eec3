# SPDX-License-Identifier: Apache-2.0
#
# normd_options: what every target of this project is compiled with. Floating-point contraction is off
# everywhere, because a fused multiply-add that the compiler chose on one target only would change the bits. errno and
# traps of floating-point operations are not looked at: square roots then need no branch, and go several at a time.
add_library(normd_options INTERFACE)
target_compile_features(normd_options INTERFACE cxx_std_20)
target_compile_options(normd_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                               -ffp-contract=off -fno-fast-math -fno-math-errno -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(normd_options INTERFACE -march=x86-64-v2)
endif()
