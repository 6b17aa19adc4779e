# The layers of src/, in the order of docs/architecture.md: a static library vv_LAYER each (scripts/check-layers holds the order).

# ---- flags every file shares ----
add_library(vv_flags INTERFACE)
target_compile_options(vv_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wno-psabi
  -Wno-missing-field-initializers # a row of a table names what it has; the rest is zero
  -ffp-contract=off -fno-math-errno -fvisibility=hidden
  $<$<BOOL:${VV_WERROR}>:-Werror>
  # a target may ask for less (VV_OPTIMISE)
  $<$<CONFIG:Release>:-O$<IF:$<BOOL:$<TARGET_PROPERTY:VV_OPTIMISE>>,$<TARGET_PROPERTY:VV_OPTIMISE>,3>>)
if(EMSCRIPTEN) # two of eight lanes at a time
  target_compile_options(vv_flags INTERFACE -msimd128)
endif()
target_compile_definitions(vv_flags INTERFACE _GNU_SOURCE)
target_include_directories(vv_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_link_libraries(vv_flags INTERFACE m Threads::Threads)
if(VV_SANITIZE STREQUAL "THREAD")
  target_compile_options(vv_flags INTERFACE -fsanitize=thread -O1 -g1)
  target_link_options(vv_flags INTERFACE -fsanitize=thread)
elseif(VV_SANITIZE)
  # -O1: compiles in half the time; -g1: a trace needs functions and lines
  target_compile_options(vv_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1 -g1
    # a kernel's checks of addresses are calls, not inlined at every lane, and its arithmetic is that of doubles
    $<$<BOOL:$<TARGET_PROPERTY:VV_IS_KERNEL>>:-fno-sanitize=undefined>
    $<$<AND:$<BOOL:$<TARGET_PROPERTY:VV_IS_KERNEL>>,$<C_COMPILER_ID:GNU>>:--param=asan-instrumentation-with-call-threshold=0 --param=asan-stack=0>)
  target_link_options(vv_flags INTERFACE -fsanitize=address,undefined)
  if(VV_SANITIZE STREQUAL "FUZZ")
    # no input steers a kernel, and otherwise clang takes minutes for one
    target_compile_options(vv_flags INTERFACE
      "$<IF:$<BOOL:$<TARGET_PROPERTY:VV_IS_KERNEL>>,-fno-sanitize=all;-O0,-fsanitize=fuzzer-no-link>"
      -fno-sanitize=pointer-overflow) # clang has NULL + 0 among it
  endif()
endif()
if(VV_SANITIZE) # gcc spends its time on it in long functions, gives up and says so at length
  target_compile_options(vv_flags INTERFACE $<$<C_COMPILER_ID:GNU>:-fno-var-tracking-assignments>)
endif()

# ---- kernels: the instruction sets that they are compiled for, from the least to the most ----
if(VV_SANITIZE) # it takes minutes for each of them
  set(VV_KERNELS plain)
endif()
set(VV_ISAS base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT VV_KERNELS STREQUAL "plain")
  set(VV_ISAS base avx2 avx512)
  if(VV_KERNELS MATCHES "native|own")
    include(CheckCSourceRuns)
    check_c_source_runs("int main(void) { return !__builtin_cpu_supports(\"avx2\"); }" VV_AVX2_RUNS_HERE)
    check_c_source_runs("int main(void) { return !(__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512dq\") &&
      __builtin_cpu_supports(\"avx512vl\")); }" VV_AVX512_RUNS_HERE)
    if(VV_AVX2_RUNS_HERE)
      list(REMOVE_ITEM VV_ISAS base)
    endif()
    if(NOT VV_AVX512_RUNS_HERE)
      list(REMOVE_ITEM VV_ISAS avx512)
    endif()
    if(VV_KERNELS STREQUAL "own")
      list(GET VV_ISAS -1 VV_ISAS)
      if(NOT VV_AVX2_RUNS_HERE)
        set(VV_ISAS base)
      endif()
    endif()
  endif()
endif()
# src/base/simd/cpu.h chooses among them; the same list compiles them, below
foreach(isa base avx2 avx512)
  string(TOUPPER ${isa} upper)
  set(VV_BUILT_${upper} 0)
  if("${isa}" IN_LIST VV_ISAS)
    set(VV_BUILT_${upper} 1)
  endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/kernels_built.h.in ${PROJECT_BINARY_DIR}/generated/base/simd/kernels_built.h)
# Eight lanes of doubles are four registers each in the plain instruction set, and the compiler takes long over them. On x86 it is for
# processors of before 2013 only.
set(VV_OPTIMISE_base 3)
set(VV_OPTIMISE_avx2 3)
set(VV_OPTIMISE_avx512 3)
if("avx2" IN_LIST VV_ISAS)
  set(VV_OPTIMISE_base 1)
endif()
# GCC's -O3 makes of eight lanes in two registers each what spills more: with -O2 and whole loops unrolled energies take 0.7 to 1 of the time, a factorisation
# 0.7 to 0.8, and compiling two thirds (bench forces, assembly, triple; GCC 12). The bits are the same.
set(VV_FLAGS_avx2 -mavx2)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(VV_OPTIMISE_avx2 2)
  list(APPEND VV_FLAGS_avx2 -fpeel-loops)
endif()
set(VV_FLAGS_avx512 -mavx2 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)

function(vv_add_kernels name isa)
  add_library(${name} OBJECT ${ARGN})
  target_compile_definitions(${name} PRIVATE VV_ISA=${isa})
  target_compile_options(${name} PRIVATE ${VV_FLAGS_${isa}})
  target_link_libraries(${name} PRIVATE vv_flags)
  set_target_properties(${name} PROPERTIES VV_IS_KERNEL ON VV_OPTIMISE ${VV_OPTIMISE_${isa}})
endfunction()

# Without its part a layer is a file that its header makes, whose functions say what is missing, and what needs no part.
set(VV_NEEDED_BY_scene JANSSON jansson "scene files" scene.h)
set(VV_NEEDED_BY_record HDF5 HDF5 "run files" run.h)
set(VV_ALWAYS_scene src/scene/colour.c)
set(VV_ALWAYS_record src/record/defaults.c)
function(vv_add_absent layer part library what header)
  set(absent ${PROJECT_BINARY_DIR}/generated/${layer}/absent.c)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/visviva/*.h)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated/${layer})
  add_custom_command(OUTPUT ${absent} DEPENDS ${headers} ${PROJECT_SOURCE_DIR}/cmake/absent.cmake
    COMMAND ${CMAKE_COMMAND} -DHEADER=visviva/${header} -DWHAT=${what} -DPART=${part} -DLIBRARY=${library}
      -DINCLUDE=${PROJECT_SOURCE_DIR}/include -DOUT=${absent} -P ${PROJECT_SOURCE_DIR}/cmake/absent.cmake VERBATIM)
  add_library(vv_${layer}_absent OBJECT ${absent})
  target_link_libraries(vv_${layer}_absent PRIVATE vv_flags)
endfunction()

set(VV_BUILT)   # the layers, the lowest first
set(VV_OBJECTS) # all of the library
set(layers base mesh energy contact solve step world scene record)
if(VV_HAVE_PETSC)
  list(INSERT layers 4 mpi)
endif()
foreach(layer ${layers})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.c)
  set(kernels ${sources})
  set(absent)
  if(DEFINED VV_NEEDED_BY_${layer})
    list(GET VV_NEEDED_BY_${layer} 0 part)
    if(NOT VV_HAVE_${part} OR VV_TESTS) # a complete build compiles it to see that it can
      vv_add_absent(${layer} ${VV_NEEDED_BY_${layer}})
    endif()
    if(NOT VV_HAVE_${part})
      set(sources ${VV_ALWAYS_${layer}})
      set(absent $<TARGET_OBJECTS:vv_${layer}_absent>)
    endif()
  endif()
  # files named kernel.c or *_kernel.c are compiled once per instruction set
  list(FILTER kernels INCLUDE REGEX "[/_]kernel\\.c$")
  list(FILTER sources EXCLUDE REGEX "[/_]kernel\\.c$")
  add_library(vv_${layer} STATIC ${sources} ${absent})
  list(APPEND VV_OBJECTS $<TARGET_OBJECTS:vv_${layer}> ${absent})
  if(kernels)
    foreach(isa ${VV_ISAS})
      vv_add_kernels(vv_${layer}_${isa} ${isa} ${kernels})
      target_sources(vv_${layer} PRIVATE $<TARGET_OBJECTS:vv_${layer}_${isa}>)
      list(APPEND VV_OBJECTS $<TARGET_OBJECTS:vv_${layer}_${isa}>)
    endforeach()
  endif()
  target_link_libraries(vv_${layer} PUBLIC vv_flags)
  if("${layer}" MATCHES "^(scene|record)$") # nothing is hot there, and compiling takes two thirds
    set_target_properties(vv_${layer} PROPERTIES VV_OPTIMISE 1)
  endif()
  foreach(below ${VV_BUILT})
    target_link_libraries(vv_${layer} PUBLIC vv_${below})
  endforeach()
  list(APPEND VV_BUILT ${layer})
endforeach()

# ---- the parts that each layer uses; scripts/check-layers holds this too ----
set(VV_LIBRARY_PARTS)
macro(vv_layer_uses layer)
  vv_use(vv_${layer} ${ARGN})
  list(APPEND VV_LIBRARY_PARTS ${ARGN})
endmacro()
if(NOT VV_SANITIZE STREQUAL "THREAD") # which cannot see into OpenMP's runtime
  vv_layer_uses(base OPENMP)
endif()
vv_layer_uses(mesh EXPAT ZLIB JANSSON)
vv_layer_uses(mpi PETSC)
vv_layer_uses(solve OPENMP CHOLMOD ARPACK PETSC)
if(VV_HAVE_CHOLMOD)
  vv_layer_uses(solve SUPERNODAL OPENBLAS)
endif()
vv_layer_uses(scene JANSSON)
vv_layer_uses(record HDF5 JANSSON)
list(REMOVE_DUPLICATES VV_LIBRARY_PARTS)

# what vvBuildDescription says: in that file only, so that another choice of parts compiles little anew
set(have)
foreach(name ${VV_LIBRARY_PARTS})
  if(VV_HAVE_${name})
    list(APPEND have VV_HAVE_${name})
  endif()
endforeach()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/world/version.c PROPERTIES COMPILE_DEFINITIONS "${have}")
