# cmake --install: libraries, headers, pkg-config file, CMake package; the program, man pages, completion, scenes, meshes; documentation.

if(NOT VV_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(VV_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/visviva)

# ---- libraries and headers ----
foreach(kind ${kinds})
  # ./run builds the program alone: what is installed is built where it is missing
  install(CODE "if(NOT EXISTS \"$<TARGET_FILE:visviva_${kind}>\")
  execute_process(COMMAND \"${CMAKE_COMMAND}\" --build \"${PROJECT_BINARY_DIR}\" COMMAND_ERROR_IS_FATAL ANY)
endif()")
  install(TARGETS visviva_${kind} EXPORT visviva_${kind})
  install(EXPORT visviva_${kind} NAMESPACE visviva:: FILE visviva-${kind}.cmake DESTINATION ${VV_PACKAGE_DIR})
endforeach()
install(DIRECTORY include/visviva DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# ---- CMake package ----
set(VV_LIBRARY_HAS)
foreach(part ${VV_LIBRARY_PARTS})
  if(VV_HAVE_${part})
    list(APPEND VV_LIBRARY_HAS ${part})
  endif()
endforeach()
list(JOIN VV_LIBRARY_HAS " " VV_PC_PARTS)
set(VV_STATIC_NAMES)
foreach(names ${VV_STATIC_LIBS})
  string(APPEND VV_STATIC_NAMES " \"${names}\"")
endforeach()
configure_package_config_file(cmake/visvivaConfig.cmake.in ${PROJECT_BINARY_DIR}/package/visvivaConfig.cmake
  INSTALL_DESTINATION ${VV_PACKAGE_DIR} PATH_VARS CMAKE_INSTALL_LIBDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# before 1.0 a new minor version may break programs
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/visvivaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/visvivaConfig.cmake ${PROJECT_BINARY_DIR}/package/visvivaConfigVersion.cmake
  DESTINATION ${VV_PACKAGE_DIR})

# ---- pkg-config: the prefix is found from where the file lies, so that an installation can be moved ----
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(VV_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(VV_PC_LIBDIR "${CMAKE_INSTALL_FULL_LIBDIR}")
  set(VV_PC_INCLUDEDIR "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" VV_PC_PREFIX "\${pcfiledir}/${up}")
  set(VV_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(VV_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
list(JOIN VV_PC_REQUIRES " " VV_PC_REQUIRES)
list(JOIN VV_PC_LIBS " " VV_PC_LIBS)
set(VV_PC_PRIVATE ".private")
set(VV_PC_PUBLIC_LIBS)
if(NOT VV_SHARED) # the archive alone: whoever links needs all of it
  set(VV_PC_PRIVATE)
  set(VV_PC_PUBLIC_LIBS " ${VV_PC_LIBS}")
  set(VV_PC_LIBS)
endif()
configure_file(cmake/visviva.pc.in ${PROJECT_BINARY_DIR}/package/visviva.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/visviva.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# ---- the program, what it runs, and what there is to read ----
if(TARGET visviva_program)
  install(TARGETS visviva_program)
  if(VV_MAN)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}
      FILES_MATCHING REGEX "man[13]/visviva[a-z-]*\\.[13]$")
    install(FILES ${PROJECT_BINARY_DIR}/completion/visviva DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${PROJECT_BINARY_DIR}/completion/_visviva DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  endif()
  # a scene names its meshes from where it lies: the two folders stay side by side
  install(DIRECTORY scenes meshes DESTINATION ${CMAKE_INSTALL_DATADIR}/visviva FILES_MATCHING PATTERN "*.json" PATTERN "*.msh")
  # the papers' experiments, for visviva reproduce
  file(GLOB papers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/experiments/*/paper.json)
  foreach(paper ${papers})
    cmake_path(GET paper PARENT_PATH paper)
    install(DIRECTORY ${paper} DESTINATION ${CMAKE_INSTALL_DATADIR}/visviva/experiments FILES_MATCHING PATTERN "*.json" PATTERN "*.msh" PATTERN "*.csv")
  endforeach()
endif()
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
