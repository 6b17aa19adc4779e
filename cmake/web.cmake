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
  set(target web_native)
else()
  return()
endif()
target_include_directories(${target} PRIVATE ${web} ${PROJECT_SOURCE_DIR}/cli)
target_link_libraries(${target} PRIVATE vv_scene)
vv_use(${target} JANSSON)
