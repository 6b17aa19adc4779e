# The library for JavaScript (web/module): WebAssembly and the script that loads it, when the compiler is Emscripten's
# (web/build calls it). Natively the same functions are a program that tests compare with it: cmake --build build --target web_native.

set(web ${PROJECT_SOURCE_DIR}/web/module)
# the program's hand, and its lists
set(VV_WEB_SOURCES ${web}/module.c ${web}/shape.c ${PROJECT_SOURCE_DIR}/cli/view/hand.c ${PROJECT_SOURCE_DIR}/cli/list/json.c)

if(EMSCRIPTEN)
  add_executable(visviva_core ${VV_WEB_SOURCES})
  set_target_properties(visviva_core PROPERTIES SUFFIX .js OUTPUT_NAME visviva-core)
  # one memory that grows, and a stack for the deepest searches; files are in memory
  target_link_options(visviva_core PRIVATE -O3 -sMODULARIZE -sEXPORT_ES6 -sEXPORT_NAME=createVisviva -sENVIRONMENT=web,worker
    -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=2GB -sTOTAL_STACK=4MB -sFORCE_FILESYSTEM -sEXIT_RUNTIME=0
    -sEXPORTED_FUNCTIONS=_malloc,_free -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8 --no-entry)
  set(target visviva_core)
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
  set(target web_native)
else()
  return()
endif()
target_include_directories(${target} PRIVATE ${web} ${PROJECT_SOURCE_DIR}/cli)
target_link_libraries(${target} PRIVATE vv_scene)
vv_use(${target} JANSSON)
