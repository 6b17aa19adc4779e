/* How many threads CHOLMOD and the BLAS below it may use, while a solver is inside them. */
#ifndef VV_SOLVE_LINEAR_BLAS_THREADS_H
#define VV_SOLVE_LINEAR_BLAS_THREADS_H

typedef struct vv_blas_scope {
    int active_levels; /* the caller's OpenMP setting */
} vv_blas_scope;
/* Until the matching leave, the calling thread's OpenMP regions are serial and the BLAS uses `threads` threads.
 * Waits while another thread is inside with another number. */
vv_blas_scope vv_blas_enter(int threads);
void vv_blas_leave(vv_blas_scope scope);

#endif
