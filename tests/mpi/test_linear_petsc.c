/* All that test_linear asks of linear solvers, with the row "petsc" among them. */
#include "../solve/linear/test_linear.c"
