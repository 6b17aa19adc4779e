# The library for JavaScript (web/module): WebAssembly and the script that loads it, when the compiler is Emscripten's
# (web/build calls it). Natively the same functions are a program that tests compare with it: cmake --build build --target web_native.

set(web ${PROJECT_SOURCE_DIR}/web/module)
# the program's hand, and its lists
set(VV_WEB_SOURCES ${web}/module.c ${web}/shape.c ${PROJECT_SOURCE_DIR}/cli/view/hand.c ${PROJECT_SOURCE_DIR}/cli/list/json.c)

if(EMSCRIPTEN)
  # one memory that grows, and a stack for the deepest searches; files are in memory
  set(options -O3 -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createVisviva -sENVIRONMENT=web,worker
    -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=4MB -sFORCE_FILESYSTEM -sEXIT_RUNTIME=0
    -sEXPORTED_FUNCTIONS=_malloc,_free --no-entry)
  set(methods FS,UTF8ToString,stringToUTF8,lengthBytesUTF8)
  add_executable(visviva_core ${VV_WEB_SOURCES})
  set_target_properties(visviva_core PROPERTIES SUFFIX .js OUTPUT_NAME visviva-core)
  target_link_options(visviva_core PRIVATE ${options} -sEXPORTED_RUNTIME_METHODS=${methods})

  # The same with threads, in a memory that workers share. Code without atomics and thread-local data is the same in both; what has them is compiled
  # once more and comes before the library in linking. What this overlooks the linker refuses. The script loads workers itself, so that none is awaited
  # that could not start (web/module/helpers.js).
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
  set(sources)
  foreach(source ${all})
    file(STRINGS ${source} found REGEX "_Atomic|atomic_|_Thread_local" LIMIT_COUNT 1)
    if(found)
      list(APPEND sources ${source})
    endif()
  endforeach()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  add_library(visviva_shared OBJECT ${sources})
  target_compile_options(visviva_shared PRIVATE -pthread)
  target_link_libraries(visviva_shared PRIVATE vv_flags)
  vv_use(visviva_shared ${VV_LIBRARY_PARTS})
  add_executable(visviva_threads ${VV_WEB_SOURCES} $<TARGET_OBJECTS:visviva_shared>)
  set_target_properties(visviva_threads PROPERTIES SUFFIX .js OUTPUT_NAME visviva-threads)
  target_link_options(visviva_threads PRIVATE ${options} -pthread -Wno-pthreads-mem-growth -sPTHREAD_POOL_SIZE_STRICT=2
    -sEXPORTED_RUNTIME_METHODS=${methods},PThread)
  set(targets visviva_core visviva_threads)
elseif(VV_HAVE_JANSSON AND PROJECT_IS_TOP_LEVEL)
  add_executable(web_native EXCLUDE_FROM_ALL ${VV_WEB_SOURCES} ${web}/native.c)
  target_link_options(web_native PRIVATE LINKER:--gc-sections)
  target_compile_options(web_native PRIVATE -ffunction-sections)
  # with the elementary functions of Emscripten's C library, musl, every bit is the browser's (web/module/compare)
  if(VV_WEB_MUSL)
    set(parts __cos __expo2 __math_divzero __math_invalid __math_oflow __math_uflow __math_xflow __rem_pio2 __rem_pio2_large __sin __tan acos asin
      atan atan2 cbrt cos cosh exp exp2 exp2f_data exp_data expm1 fmod hypot log log10 log1p log2 log2_data log_data pow pow_data scalbn sin sincos
      sinh tan tanh)
    list(TRANSFORM parts PREPEND ${VV_WEB_MUSL}/src/math/)
    list(TRANSFORM parts APPEND .c)
    add_library(web_musl OBJECT EXCLUDE_FROM_ALL ${parts})
    set(header_folder /usr/include/${CMAKE_SYSTEM_PROCESSOR}-linux-musl) # Debian's musl-dev
    target_compile_options(web_musl PRIVATE -O2 -w -nostdinc -fno-builtin -ffp-contract=off
      "SHELL:-iquote ${VV_WEB_MUSL}/src/internal" "SHELL:-iquote ${VV_WEB_MUSL}/arch/generic" "SHELL:-isystem ${header_folder}" -D_GNU_SOURCE -Dhidden= -Dweak=__attribute__\(\(__weak__\)\)
      "-Dweak_alias(old,new)=extern __typeof(old) new __attribute__((__weak__, __alias__(#old)))")
    target_sources(web_native PRIVATE $<TARGET_OBJECTS:web_musl>)
  endif()
  set(targets web_native)
else()
  return()
endif()
foreach(target ${targets})
  target_include_directories(${target} PRIVATE ${web} ${PROJECT_SOURCE_DIR}/cli)
  target_link_libraries(${target} PRIVATE vv_scene)
  vv_use(${target} JANSSON)
endforeach()
