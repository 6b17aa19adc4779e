# libvisviva: all layers in one library, shared or static or both, of the same objects. The target visviva (for other projects
# visviva::visviva) stands for the one that BUILD_SHARED_LIBS asks for.

set(kinds)
if(VV_SHARED)
  add_library(visviva_shared SHARED ${VV_OBJECTS})
  set_target_properties(visviva_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  # every symbol is there, and none but the public ones comes out, whatever is linked in
  target_link_options(visviva_shared PRIVATE LINKER:--exclude-libs,ALL $<$<NOT:$<BOOL:${VV_SANITIZE}>>:LINKER:-z,defs>
    LINKER:--as-needed)
  list(APPEND kinds shared)
endif()
if(VV_STATIC)
  add_library(visviva_static STATIC ${VV_OBJECTS})
  list(APPEND kinds static)
endif()

foreach(kind ${kinds})
  set_target_properties(visviva_${kind} PROPERTIES OUTPUT_NAME visviva EXPORT_NAME ${kind} LINKER_LANGUAGE C)
  target_include_directories(visviva_${kind} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # outside this build the CMake package finds them anew
  target_link_libraries(visviva_${kind} PRIVATE m $<BUILD_INTERFACE:Threads::Threads>)
  foreach(part ${VV_LIBRARY_PARTS})
    if(VV_HAVE_${part})
      target_link_libraries(visviva_${kind} PRIVATE $<BUILD_INTERFACE:vv_part_${part}>)
    endif()
  endforeach()
  if(VV_SANITIZE)
    target_link_options(visviva_${kind} PUBLIC $<BUILD_INTERFACE:-fsanitize=address,undefined>)
  endif()
  add_library(visviva::${kind} ALIAS visviva_${kind})
endforeach()

add_library(visviva INTERFACE)
list(GET kinds -1 kind) # static where there are both: a program under development needs no search path
target_link_libraries(visviva INTERFACE visviva_${kind})
add_library(visviva::visviva ALIAS visviva)
