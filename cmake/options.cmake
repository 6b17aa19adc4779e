# What a user may set, besides the parts (parts.cmake). In another project's build (add_subdirectory, FetchContent) only the
# library is made, unless that project asks for more.
#
# BUILD_SHARED_LIBS is CMake's own: ON makes the shared library, OFF the static one; not set, both are made (static only in
# another project's build).

include(GNUInstallDirs)
option(VV_PROGRAM "Build the program visviva" ${PROJECT_IS_TOP_LEVEL})
option(VV_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(VV_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(VV_INSTALL "Install with cmake --install" ${PROJECT_IS_TOP_LEVEL})
option(VV_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
set(VV_SANITIZE OFF CACHE STRING "Sanitizers: ON (address, undefined behaviour), FUZZ (ON, and libFuzzer's counters: clang), THREAD or OFF")
set_property(CACHE VV_SANITIZE PROPERTY STRINGS OFF ON FUZZ THREAD)

set(VV_KERNELS all CACHE STRING "Kernels on x86-64: all (plain, AVX2, AVX-512), native (AVX2, and AVX-512 where this machine has it), own (the most that this machine has, alone) or plain; less compiles sooner")
set_property(CACHE VV_KERNELS PROPERTY STRINGS all native own plain)
mark_as_advanced(VV_KERNELS)
if(NOT VV_KERNELS MATCHES "^(all|native|own|plain)$")
  message(FATAL_ERROR "VV_KERNELS is \"${VV_KERNELS}\"; it is all, native, own or plain")
endif()

set(VV_SHARED ON)
set(VV_STATIC ON)
if(DEFINED BUILD_SHARED_LIBS)
  set(VV_SHARED ${BUILD_SHARED_LIBS})
  if(BUILD_SHARED_LIBS)
    set(VV_STATIC OFF)
  endif()
elseif(NOT PROJECT_IS_TOP_LEVEL)
  set(VV_SHARED OFF)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # vector extensions, POSIX
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # one set of objects for both libraries
if(PROJECT_IS_TOP_LEVEL)
  get_property(multi GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT multi)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
