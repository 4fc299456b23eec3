# SPDX-License-Identifier: Apache-2.0
#
# Installs the kernels from BUILD_DIR under WORK_DIR, then builds SOURCE_DIR, a project that knows only where they are
# installed, and runs its program. ARGUMENTS go to its configuration, EMULATOR (may be empty) runs the program.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "exit ${result}: ${ARGV}")
  endif()
endfunction()

# What an earlier run installed would hide a file that is installed no more.
file(REMOVE_RECURSE ${WORK_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -Dnormd_DIR=${WORK_DIR}/prefix/${PACKAGE_DIR} ${ARGUMENTS})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${EMULATOR} ${WORK_DIR}/build/consumer)
