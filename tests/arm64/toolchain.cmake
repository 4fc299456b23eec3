# SPDX-License-Identifier: Apache-2.0
#
# Cross compilation of the kernels and their tests for arm64. `./dev arm64` makes the root file system that
# headers and libraries come from; the tests run under qemu's user-mode emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
cmake_path(SET NORMD_ARM64_ROOT NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-sysroot")

set(CMAKE_SYSROOT "${NORMD_ARM64_ROOT}")
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR "qemu-aarch64-static;-L;${NORMD_ARM64_ROOT}")

# Without these, pkg-config would answer with this machine's own libraries.
set(ENV{PKG_CONFIG_LIBDIR} "${NORMD_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${NORMD_ARM64_ROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${NORMD_ARM64_ROOT}")
