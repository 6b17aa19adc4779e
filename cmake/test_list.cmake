# What the C tests (tests/LAYER/.../test_SUBJECT.c) are linked with and need: who is in no list below has the whole library.

# the highest layer, of tests that are to do without those above
set(VV_TESTS_OF_base test_base test_bvh test_cli test_intersect test_kernels test_memory test_number test_polar
  test_pool test_predicates test_stop test_svd test_watch)
set(VV_TESTS_OF_mesh test_curve test_embed test_fill test_gltf_off test_holes test_macro test_mesh_cancel test_mesh_finish test_mesh_fuzz
  test_mesh_generators test_mesh_hostile test_mesh_inp test_mesh_io test_mesh_medit test_mesh_ply test_mesh_points test_mesh_stl
  test_mesh_tetgen test_mesh_vtk test_raise test_sheets test_surface test_uvs test_wrap)
set(VV_TESTS_OF_energy test_apart test_attachments test_batch test_dihedral test_external test_mean test_membrane test_plane
  test_potentials test_quadratic test_rest_hessian test_rods test_springs test_sum_derivatives test_tet10 test_tets
  test_tets_batch)
set(VV_TESTS_OF_contact test_candidates test_ccd test_heightfield test_moving_frame test_pair_distance
  test_pair_potential test_passing test_slip test_triangle_intersections)
set(VV_TESTS_OF_solve test_bsr_extra test_eigenpairs test_forest test_line_search test_linear test_linear_petsc test_links test_nodes
  test_panels test_second_level test_supernodal test_triple test_update)
set(VV_TESTS_OF_step test_bracket test_projection_way test_schemes)

# parts without which the build leaves a test out: scenes, run files, the linear solver "cholesky" by name
set(VV_TESTS_NEED_JANSSON test_alloc_failure test_contact_models test_decimal_comma test_extract test_far_bodies
  test_follow test_heightfield_run test_joint_scenes test_kinematic_scene test_level_set_run test_members test_null
  test_one_more_member test_own_material test_paranoid test_project_scenes test_real_time_scenes test_record_forged
  test_reentry test_resume test_scene test_scene_fuzz test_scene_obstacles test_scene_world test_small_scenes
  test_stiff_cubes test_threads test_triangle_numbers)
set(VV_TESTS_NEED_HDF5 test_alloc_failure test_bending_energy test_curvature test_decimal_comma test_definitions
  test_directors_run test_drawn test_heightfield_run test_kinematic_scene test_level_set_run test_null
  test_order2_run test_paranoid test_record test_record_addresses test_record_branch test_record_export test_record_export_motion test_record_forged
  test_record_fuzz test_record_kill test_record_notes test_record_start test_record_surface test_record_visible test_reentry test_resume
  test_run_intersections test_threads)
set(VV_TESTS_NEED_CHOLMOD test_alloc_failure test_events test_ledger test_policy_trials test_resume test_threads
  test_world)

# tests that call CHOLMOD as such
set(VV_TESTS_USE_CHOLMOD test_supernodal)

# the linear solver petsc, which these have in every build where PETSc is installed
set(VV_TESTS_NEED_PETSC test_petsc test_linear_petsc)

# tests that read run files as such, and work without HDF5
set(VV_TESTS_USE_HDF5 test_absent)

# a call of every public function (tests/scripts/api_calls.py)
set(VV_TESTS_WITH_API_CALLS test_null test_reentry)

# functions of their own in the place of the library's
set(VV_TESTS_WITH_OWN_FUNCTIONS test_scene test_scene_fuzz test_scene_obstacles)

# kernels of their own, whose sanitizers are those of kernels
set(VV_TESTS_WITH_KERNELS test_dihedral test_polar test_svd)

# several threads: they see all cores (others have one)
set(VV_TESTS_WITH_THREADS test_alloc_failure test_base test_bsr_extra test_candidates test_collisions test_host
  test_linear test_linear_petsc test_mean_dilatation test_membrane test_membranes test_memory test_order2 test_plain_newton test_plane test_points
  test_pool
  test_repulsion_worlds test_resume test_rods test_scene test_scene_world test_second_level test_springs
  test_stiff_cubes test_strips test_tets_batch test_threads test_triangle_intersections test_triple test_world)
