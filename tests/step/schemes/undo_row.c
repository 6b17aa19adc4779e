/* A row of the table in tests/step/schemes/test_adjoint.c: the adjoint of the scheme that the test names, as a scheme
 * of its own. */
{ { "undo", "the adjoint of another scheme" }, .order = 1, .stages = 1, .parametrise = take_adjoint },
