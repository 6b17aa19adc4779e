/* The table of linear solvers, one row each. The first is the default. */
#include "solve/linear/linear_rows.h"

#include <string.h>

const vv_linear_ops *vv_linear_table(int index)
{
    static const vv_linear_ops *const table[] = {
        &vv_linear_auto,
        &vv_linear_pcg,
        &vv_linear_pcg_jacobi,
#if defined(VV_HAVE_CHOLMOD)
        &vv_linear_cholesky,
#endif
#if defined(VV_HAVE_PETSC)
        &vv_linear_petsc,
#endif
    };
    return index >= 0 && index < (int)(sizeof table / sizeof *table) ? table[index] : NULL;
}

const vv_linear_ops *vv_linear_find(const char *name)
{
    for (int i = 0; vv_linear_table(i); i++)
        if (strcmp(vv_linear_table(i)->info.name, name) == 0)
            return vv_linear_table(i);
    return NULL;
}

const char *vv_linear_left_out(const char *name)
{
    static const struct {
        const char *name, *say;
    } rows[] = {
        { "cholesky", "this build has no CHOLMOD: -DVV_CHOLMOD=ON builds with it" },
        { "petsc", "this build has no PETSc: install it (scripts/setup mpi) and build with -DVV_PETSC=ON" },
    };
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0 && !vv_linear_find(name))
            return rows[i].say;
    return NULL;
}
