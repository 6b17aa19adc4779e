# Tests, examples, checks and benchmarks; in another project's build there are none unless it asks.

set(VV_TEST_ENV "ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1" "UBSAN_OPTIONS=print_stacktrace=1")
cmake_host_system_information(RESULT VV_CORES QUERY NUMBER_OF_LOGICAL_CORES)
if(PROJECT_IS_TOP_LEVEL AND VV_TESTS)
  include(CTest) # BUILD_TESTING
endif()
if(NOT BUILD_TESTING)
  set(VV_TESTS OFF)
endif()

# ---- tests/FOLDER/test_SUBJECT.c: each becomes one program (cmocka), labels "unit" and FOLDER ----
if(VV_TESTS AND PKG_CONFIG_FOUND)
  pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka)
endif()
if(VV_TESTS AND NOT CMOCKA_FOUND)
  message(STATUS "cmocka was not found (Debian: libcmocka-dev): no unit tests")
endif()

# ./test takes turns where an eleventh of the tests will do for a commit: the labels turn0 to turn10. Always among them is what meets input
# that means harm, lack of memory, wrong calls and threads, each kind of element, scheme, policy and solver once, and all checks.
set(VV_EACH_TIME test_base test_kernels test_memory test_number test_pool
  test_mesh_io test_mesh_hostile test_mesh_fuzz
  test_batch test_element_kinds test_links test_material_lists test_potentials test_springs test_tets test_membrane test_hinge test_midedge test_rods
  test_filter test_groups test_seams test_pair_potential test_heightfield test_repulsion
  test_linear test_bsr_extra test_panels test_line_search test_own_solver test_triple
  test_policy_matrix test_schemes test_own_policy test_own_scheme
  test_cancel test_draw test_edit test_hostile test_live_memory test_load_changed test_query test_world
  test_extract test_far_bodies test_scene test_scene_fuzz test_small_scenes
  test_absent test_alloc_failure test_definitions test_null test_record test_record_forged test_record_fuzz test_reentry
  test_cli test_docs)

# The longest begin first (ctest itself knows how long one takes from the second time on), so that none is left alone at the end.
set(VV_LONG_TESTS test_docs test_reproduce_rows test_view test_alloc_failure test_render test_program_says test_install test_from_ipc
  test_contact_scenes test_reproduce test_hard_contacts test_interrupt test_snapshot test_conservation test_project test_record_kill
  test_policy_matrix test_real_time_scenes test_scene_pictures test_reproduce_asearch test_visible_energy test_exports_web)

if(VV_TESTS)
  add_custom_target(c-tests-each-time)
  foreach(turn RANGE 10)
    add_custom_target(c-tests-turn${turn})
  endforeach()
endif()

# A world takes all cores it sees: here each test has one, and as many run at a time as there are cores. A test that asks for threads
# (THREADS not empty) sees them all, though another test may run beside it; one that keeps them busy from its begin to its end
# (THREADS is ALL) has them for itself.
function(vv_test_properties name labels threads)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${VV_TEST_ENV}")
  list(FIND VV_LONG_TESTS ${name} place)
  if(place GREATER_EQUAL 0)
    math(EXPR cost "1000 - ${place}")
    set_tests_properties(${name} PROPERTIES COST ${cost})
  else()
    get_property(place GLOBAL PROPERTY VV_TESTS_SO_FAR)
    math(EXPR place "0${place} + 1")
    set_property(GLOBAL PROPERTY VV_TESTS_SO_FAR ${place})
  endif()
  math(EXPR turn "${place} % 11")
  set(turn turn${turn})
  if("${name}" IN_LIST VV_EACH_TIME OR "${labels}" MATCHES "check|example")
    set(turn each-time)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels};${turn}")
  # for ./test to build no more than it runs
  if(TARGET ${name})
    add_dependencies(c-tests-${turn} ${name})
  endif()
  if("${threads}" STREQUAL "ALL")
    set_tests_properties(${name} PROPERTIES PROCESSORS ${VV_CORES})
  elseif(NOT threads)
    set_tests_properties(${name} PROPERTIES PROCESSOR_AFFINITY ON)
  endif()
endfunction()
if(VV_TESTS)
  find_program(PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(PYTHON3 NAMES python3)
endif()
# a call of every public function, for tests that include api_calls.h
if(VV_TESTS AND PYTHON3)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/visviva/*.h)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/generated/api_calls.h DEPENDS ${headers} tests/scripts/api_calls.py
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/tests/scripts/api_calls.py ${PROJECT_BINARY_DIR}/generated/api_calls.h ${headers}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  add_custom_target(api_calls DEPENDS ${PROJECT_BINARY_DIR}/generated/api_calls.h)
endif()
if(VV_TESTS AND CMOCKA_FOUND)
  # gold, where binutils has it, links the two hundred programs in a third of the time
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=gold VV_LINKS_WITH_GOLD)
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.c)
  foreach(test ${tests})
    # the first lines of a test may name the highest layer it needs: "/* layer: mesh"
    file(STRINGS ${test} top LIMIT_COUNT 5 REGEX "layer: ")
    set(layer record)
    if("${top}" MATCHES "layer: (base|mesh|energy|contact|solve|step|world|scene|record)")
      set(layer ${CMAKE_MATCH_1})
    endif()
    # scenes, run files and "cholesky" need their parts, except in a test that says "any build" there
    file(STRINGS ${test} scenes LIMIT_COUNT 1 REGEX "vvScene|visviva/scene\\.h")
    file(STRINGS ${test} runs LIMIT_COUNT 1 REGEX "vvRun|visviva/run\\.h|hdf5\\.h")
    file(STRINGS ${test} direct LIMIT_COUNT 1 REGEX "solver\\.linear = \"cholesky\"|, \"cholesky\"[,}]")
    if(NOT "${top}" MATCHES "any build" AND ((scenes AND NOT VV_HAVE_JANSSON) OR (runs AND NOT VV_HAVE_HDF5) OR
       (direct AND NOT VV_HAVE_CHOLMOD)))
      continue()
    endif()
    file(STRINGS ${test} calls LIMIT_COUNT 1 REGEX "include \"api_calls\\.h\"")
    if(calls AND NOT PYTHON3)
      continue()
    endif()
    get_filename_component(name ${test} NAME_WE)
    add_executable(${name} ${test})
    set_target_properties(${name} PROPERTIES VV_OPTIMISE 1) # what a test does by itself is little: it compiles in half the time
    if(calls)
      add_dependencies(${name} api_calls)
      target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR}/generated)
    endif()
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${name} PRIVATE VV_SOURCE_DIR="${PROJECT_SOURCE_DIR}" VV_BUILD_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${name} PRIVATE vv_flags vv_${layer} PkgConfig::CMOCKA)
    target_link_options(${name} PRIVATE $<$<BOOL:${VV_LINKS_WITH_GOLD}>:-fuse-ld=gold>)
    file(STRINGS ${test} fake LIMIT_COUNT 1 REGEX "include \"(fake_scene_world|scene_text)\\.h\"")
    if(fake) # its own functions of the public API come before the library's
      target_link_options(${name} PRIVATE LINKER:--allow-multiple-definition)
    endif()
    file(STRINGS ${test} lanes LIMIT_COUNT 1 REGEX "include \"(base/(svd8|polar8)|energy/dihedral)\\.h\"")
    if(lanes)
      set_target_properties(${name} PROPERTIES VV_IS_KERNEL ON)
    endif()
    if(runs)
      vv_use(${name} HDF5)
    endif()
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
    get_filename_component(folder ${test} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    file(STRINGS ${test} threads LIMIT_COUNT 1 REGEX "threads[\" =,:]+[2-9]|all cores")
    vv_test_properties(${name} "unit;${folder}" "${threads}")
  endforeach()
  target_compile_definitions(test_kernels PRIVATE VV_KERNELS="${VV_KERNELS}")
endif()

# ---- examples: each file one program against the public API, run as a test ----
if(VV_EXAMPLES)
  file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
  foreach(example ${examples})
    get_filename_component(name ${example} NAME_WE)
    add_executable(example_${name} ${example})
    target_compile_options(example_${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${VV_WERROR}>:-Werror>)
    target_link_libraries(example_${name} PRIVATE visviva::visviva m)
    if(VV_TESTS)
      add_test(NAME example_${name} COMMAND example_${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
      vv_test_properties(example_${name} "unit;example" "")
    endif()
  endforeach()
endif()

# ---- checks and tests that are scripts: tests/FOLDER/test_SUBJECT.sh and .py; $VISVIVA is the program; exit code 77: skipped ----
# One that runs several things at a time says "all cores".
function(vv_add_script name label threads)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  vv_test_properties(${name} ${label} "${threads}")
  set(environment ${VV_TEST_ENV} "VV_BUILD_DIR=${PROJECT_BINARY_DIR}")
  if(TARGET visviva_program)
    list(APPEND environment "VISVIVA=$<TARGET_FILE:visviva_program>")
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment}" SKIP_RETURN_CODE 77)
endfunction()
function(vv_add_scripts ending)
  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/test_*.${ending})
  foreach(script ${scripts})
    get_filename_component(name ${script} NAME_WE)
    file(STRINGS ${script} threads LIMIT_COUNT 1 REGEX "--threads [2-9]")
    file(STRINGS ${script} all LIMIT_COUNT 1 REGEX "all cores")
    if(all)
      set(threads ALL)
    endif()
    get_filename_component(folder ${script} DIRECTORY)
    get_filename_component(folder ${folder} NAME)
    vv_add_script(${name} ${folder} "${threads}" ${ARGN} ${script})
  endforeach()
endfunction()
if(VV_TESTS)
  vv_add_scripts(sh bash)
  vv_add_script(check_headers check "" bash scripts/check-headers)
  vv_add_script(check_headers_self_test check "" bash scripts/check-headers --self-test)
  vv_add_script(check_tested check "" bash scripts/check-tested)
  vv_add_script(check_tested_self_test check "" bash scripts/check-tested --self-test)
  if(PYTHON3)
    vv_add_scripts(py ${PYTHON3})
    # the C listings of the documentation, as one program
    file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
    add_custom_command(OUTPUT doc_listings.c DEPENDS ${pages} tests/scripts/doc_listings.py
      COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/tests/scripts/doc_listings.py ${PROJECT_BINARY_DIR}/doc_listings.c ${pages}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/doc_listings) # where they run
    foreach(folder scenes meshes)
      file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/doc_listings/${folder} SYMBOLIC)
    endforeach()
    add_executable(test_doc_listings ${PROJECT_BINARY_DIR}/doc_listings.c)
    target_link_libraries(test_doc_listings PRIVATE visviva::visviva m)
    add_test(NAME test_doc_listings COMMAND test_doc_listings WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/doc_listings)
    vv_test_properties(test_doc_listings "unit;example" "")
    vv_add_script(check_layers check "" ${PYTHON3} scripts/check-layers)
    vv_add_script(check_layers_self_test check "" ${PYTHON3} scripts/check-layers --self-test)
    if(NOT VV_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
      vv_add_script(check_symbols check "" ${PYTHON3} scripts/check-symbols ${PROJECT_BINARY_DIR})
    endif()
    vv_add_script(check_symbols_self_test check "" ${PYTHON3} scripts/check-symbols --self-test)
    vv_add_script(count_code_self_test check "" ${PYTHON3} scripts/count-code --self-test)
    vv_add_script(compare_speed_self_test check "" ${PYTHON3} scripts/compare-speed --self-test)
    vv_add_script(check_circles check "" ${PYTHON3} scripts/check-circles ${PROJECT_BINARY_DIR})
    vv_add_script(check_circles_self_test check "" ${PYTHON3} scripts/check-circles --self-test)
  endif()
endif()

# what the tests that are scripts use, for ./test --quick to build no more than it runs
if(VV_TESTS)
  add_custom_target(product)
  foreach(part visviva_program visviva_shared visviva_static visviva_man visviva_completion)
    if(TARGET ${part})
      add_dependencies(product ${part})
    endif()
  endforeach()
endif()

# ---- experiments: built on demand by their scripts; what tests use, always ----
if(PROJECT_IS_TOP_LEVEL)
  foreach(row motion:motions friction:cases scale:cases)
    string(REPLACE ":" ";" row ${row})
    list(GET row 0 name)
    list(GET row 1 cases)
    add_executable(${name}_campaign EXCLUDE_FROM_ALL experiments/${name}/campaign.c experiments/${name}/${cases}.c)
    target_link_libraries(${name}_campaign PRIVATE vv_scene Threads::Threads)
  endforeach()
  add_executable(campaign_stream experiments/campaign/stream.c experiments/campaign/trial.c experiments/campaign/plan.c)
  target_link_libraries(campaign_stream PRIVATE vv_scene Threads::Threads)
  if(VV_TESTS)
    add_test(NAME campaign_stream COMMAND campaign_stream /dev/null --steps 400)
    vv_test_properties(campaign_stream "program" "2")
    file(GLOB kept CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/campaign/kept/*.json)
    foreach(scene ${kept})
      get_filename_component(name ${scene} NAME_WE)
      add_test(NAME kept_${name} COMMAND campaign_stream --file ${scene})
      vv_test_properties(kept_${name} "program" "")
    endforeach()
  endif()
  if(NOT VV_SANITIZE)
    add_library(campaign_faults SHARED experiments/campaign/faults.c)
    target_link_libraries(campaign_faults PRIVATE ${CMAKE_DL_LIBS})
    if(TARGET product)
      add_dependencies(product campaign_faults)
    endif()
  endif()
endif()

# ---- bench/NAME.c: programs that time one part, built on demand: cmake --build build --target bench_NAME, or benchmarks: all ----
if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(benchmarks)
  file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
  foreach(bench ${benches})
    get_filename_component(name ${bench} NAME_WE)
    add_executable(bench_${name} EXCLUDE_FROM_ALL ${bench})
    target_compile_definitions(bench_${name} PRIVATE VV_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_include_directories(bench_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(bench_${name} PRIVATE vv_scene) # the layers below come with it
    add_dependencies(benchmarks bench_${name})
  endforeach()
endif()
