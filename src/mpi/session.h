/* PETSc and MPI, of which a process has one each, and neither of which is thread-safe: whoever calls them is inside a
 * session. */
#ifndef VV_MPI_SESSION_H
#define VV_MPI_SESSION_H

#include "visviva/base.h"

/* Waits while another thread is inside. The first call starts PETSc, and MPI with it, unless the host has; what was
 * started ends with the process. VV_ERROR_UNSUPPORTED: they cannot be started, or the host has ended them; then nobody
 * is inside. */
vvStatus vv_mpi_enter(vvError *error);
void vv_mpi_leave(void);

#endif
