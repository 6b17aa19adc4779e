# The program: cli/NAME.c, or cli/NAME/NAME.c, is the subcommand NAME. It holds the library, so that it runs from anywhere.

set(missing)
foreach(part HDF5 JANSSON)
  if(NOT VV_HAVE_${part})
    list(APPEND missing ${part})
  endif()
endforeach()
if(missing)
  list(JOIN missing " and " missing)
  set(VV_NO_PROGRAM ": it needs ${missing}")
endif()
if(NOT VV_PROGRAM OR missing)
  return()
endif()

# ---- the page of `visviva report`: web/report as texts in the program ----
set(web ${PROJECT_SOURCE_DIR}/web/report)
set(VV_WEB_PAGE ${web}/page.html)
set(VV_WEB_STYLE ${web}/uplot/uPlot.min.css ${web}/page.css)
set(VV_WEB_LIBRARY ${web}/uplot/uPlot.iife.min.js)
set(VV_WEB_SCRIPT) # in the order in which they need each other
foreach(part data orbit shaders shown draw film charts controls main)
  list(APPEND VV_WEB_SCRIPT ${web}/${part}.js)
endforeach()
set(VV_WEB_TEXTS ${PROJECT_BINARY_DIR}/generated/report_web.c)
add_custom_command(OUTPUT ${VV_WEB_TEXTS}
  DEPENDS ${VV_WEB_PAGE} ${VV_WEB_STYLE} ${VV_WEB_LIBRARY} ${VV_WEB_SCRIPT} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMAND ${CMAKE_COMMAND} "-DOUT=${VV_WEB_TEXTS}" "-Dvv_web_page=${VV_WEB_PAGE}" "-Dvv_web_style=${VV_WEB_STYLE}"
    "-Dvv_web_library=${VV_WEB_LIBRARY}" "-Dvv_web_script=${VV_WEB_SCRIPT}"
    "-DNAMES=vv_web_page$<SEMICOLON>vv_web_style$<SEMICOLON>vv_web_library$<SEMICOLON>vv_web_script"
    -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding the page of visviva report" VERBATIM)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
add_executable(visviva_program ${sources} ${VV_WEB_TEXTS})
set_target_properties(visviva_program PROPERTIES OUTPUT_NAME visviva)
target_include_directories(visviva_program PRIVATE ${PROJECT_SOURCE_DIR}/cli)
target_link_libraries(visviva_program PRIVATE vv_record)
# nothing is hot but drawing, and compiling takes three quarters
set_target_properties(visviva_program PROPERTIES VV_OPTIMISE 1)
set(drawing ${sources})
list(FILTER drawing INCLUDE REGEX "/cli/(bench|render|report)/")
set_source_files_properties(${drawing} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
vv_use(visviva_program JANSSON ZLIB PNG EGL SDL2)
vv_use(visviva_program OPENMP OPENBLAS) # bench: copies on two threads, and the machine's dgemm

# ---- man pages, made of the program's own --help and of the headers, and what shells complete; where the program can run on this machine ----
set(VV_MAN OFF)
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(VV_MAN ON)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/visviva/*.h)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man/visviva.stamp
    COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/make-man "$<TARGET_FILE:visviva_program>" ${PROJECT_SOURCE_DIR}/include
      ${PROJECT_BINARY_DIR}/man
    COMMAND ${CMAKE_COMMAND} -E touch ${PROJECT_BINARY_DIR}/man/visviva.stamp
    DEPENDS visviva_program ${PROJECT_SOURCE_DIR}/scripts/make-man ${headers}
    COMMENT "Making the man pages" VERBATIM)
  add_custom_target(visviva_man ALL DEPENDS ${PROJECT_BINARY_DIR}/man/visviva.stamp)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/completion/visviva ${PROJECT_BINARY_DIR}/completion/_visviva
    COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/make-completion "$<TARGET_FILE:visviva_program>" ${PROJECT_BINARY_DIR}/completion
    DEPENDS visviva_program ${PROJECT_SOURCE_DIR}/scripts/make-completion
    COMMENT "Making the completion of bash and zsh" VERBATIM)
  add_custom_target(visviva_completion ALL DEPENDS ${PROJECT_BINARY_DIR}/completion/visviva)
endif()
