# SPDX-License-Identifier: Apache-2.0
#
# The packages that normd's libraries stand on, as targets. The build and the installed package configuration
# both include this file, so that a consumer links what normd was built with.
#
#   normd_absl    abseil (status, strings, time, synchronization)
#   normd_grpc    gRPC and protobuf, and abseil with them
#   normd_xsimd   xsimd's headers
#
# NORMD_LINKAGE=static takes the archives: a call through libgrpc's shared library costs a third more latency
# than one without (procedure linkage and thread-local look-ups), and the binaries then need no package installed.
# All of abseil comes from here, because abseil from two places would be two abseils in one process.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(TBB REQUIRED)

# Replaces each "-lNAME" of the list VARIABLE by the archive libNAME.a where there is one.
function(normd_resolve_archives VARIABLE)
  set(resolved)
  foreach(name IN LISTS ${VARIABLE})
    find_library(normd_archive_${name} NAMES lib${name}.a)
    mark_as_advanced(normd_archive_${name})
    if(normd_archive_${name} AND NOT name MATCHES "^(pthread|dl|m|rt|resolv|atomic)$")
      list(APPEND resolved "${normd_archive_${name}}")
    else()
      list(APPEND system_libraries ${name})
    endif()
  endforeach()
  set(${VARIABLE} "${resolved}" PARENT_SCOPE)
  set(${VARIABLE}_SYSTEM "${system_libraries}" PARENT_SCOPE)
endfunction()

# Sets VARIABLE to the names of the libraries that the pkg-config modules after it stand for. One call, kept in the
# cache: pkg_check_modules makes a dozen, which takes a minute with the abseil of Debian 13.
function(normd_module_libraries VARIABLE)
  set(kept normd_${NORMD_LINKAGE}_${VARIABLE})
  if(NOT DEFINED CACHE{${kept}})
    set(static)
    if(NORMD_LINKAGE STREQUAL "static")
      set(static --static)
    endif()
    execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} ${static} --libs-only-l ${ARGN}
                    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags)
    list(TRANSFORM flags REPLACE "^-l" "")
    list(REMOVE_DUPLICATES flags)
    set(${kept} "${flags}" CACHE INTERNAL "Libraries behind ${ARGN}")
  endif()
  set(${VARIABLE} "${${kept}}" PARENT_SCOPE)
endfunction()

# Defines the interface target NAME from the pkg-config modules and further library names that follow.
function(normd_package_target NAME)
  cmake_parse_arguments(ARG "" "" "MODULES;ALSO" ${ARGN})
  normd_module_libraries(${NAME}_libraries ${ARG_MODULES})
  add_library(${NAME} INTERFACE IMPORTED)
  target_link_libraries(${NAME} INTERFACE Threads::Threads)
  if(NORMD_LINKAGE STREQUAL "static")
    set(archives ${${NAME}_libraries} ${ARG_ALSO})
    list(REMOVE_DUPLICATES archives)
    normd_resolve_archives(archives)
    list(JOIN archives "," group)
    target_link_libraries(${NAME} INTERFACE "$<LINK_GROUP:RESCAN,${group}>" ${archives_SYSTEM})
  else()
    target_link_libraries(${NAME} INTERFACE ${${NAME}_libraries})
  endif()
endfunction()

normd_package_target(normd_absl MODULES absl_status absl_statusor absl_strings absl_str_format absl_time
                                        absl_synchronization absl_inlined_vector absl_flat_hash_map)
if(NORMD_BUILD_SERVICE)
  normd_package_target(normd_grpc MODULES grpc++ re2 protobuf absl_status absl_statusor absl_strings absl_str_format
                                          absl_time absl_synchronization absl_inlined_vector absl_flat_hash_map
                                  ALSO cares upb address_sorting z ssl crypto)
  # Statically, OpenSSL is in the group above.
  if(NORMD_LINKAGE STREQUAL "shared")
    target_link_libraries(normd_grpc INTERFACE ssl crypto)
  endif()
endif()
