/* Version and build text. For this file CMake defines VV_HAVE_... for every part of the build. */
#include "base/simd/cpu.h"
#include "base/simd/kernels_built.h"
#include "visviva/base.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *vvVersion(void) { return TEXT(VV_VERSION_MAJOR) "." TEXT(VV_VERSION_MINOR) "." TEXT(VV_VERSION_PATCH); }

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

#if !defined(VV_HAVE_CHOLMOD)
#define CHOLMOD ", without CHOLMOD"
#elif defined(VV_HAVE_SUPERNODAL)
#define CHOLMOD ", CHOLMOD with its supernodal module (GPL)"
#else
#define CHOLMOD ", CHOLMOD without its supernodal module"
#endif
#if defined(VV_HAVE_OPENBLAS)
#define OPENBLAS ", OpenBLAS"
#else
#define OPENBLAS ", without OpenBLAS"
#endif
#if defined(VV_HAVE_OPENMP)
#define OPENMP ", OpenMP"
#else
#define OPENMP ", without OpenMP"
#endif
#if defined(VV_HAVE_ARPACK)
#define ARPACK ", ARPACK"
#else
#define ARPACK ", without ARPACK"
#endif
#if defined(VV_HAVE_JANSSON)
#define SCENES ", scenes (jansson)"
#else
#define SCENES ", without scenes (jansson)"
#endif
#if defined(VV_HAVE_HDF5)
#define RUNS ", run files (HDF5)"
#else
#define RUNS ", without run files (HDF5)"
#endif
#if !defined(VV_HAVE_EXPAT)
#define XML ", without VTK's XML meshes (expat)"
#elif !defined(VV_HAVE_ZLIB)
#define XML ", VTK's XML meshes (expat) without compressed ones (zlib)"
#else
#define XML ", VTK's XML meshes (expat, zlib)"
#endif
#if defined(VV_HAVE_PETSC)
#define PETSC ", PETSc"
#else
#define PETSC ", without PETSc"
#endif
#define PARTS CHOLMOD OPENBLAS OPENMP ARPACK PETSC SCENES RUNS XML

#if VV_BUILT_BASE
#define BASE " base"
#else
#define BASE ""
#endif
#if VV_BUILT_AVX2
#define AVX2 " avx2"
#else
#define AVX2 ""
#endif
#if VV_BUILT_AVX512
#define AVX512 " avx512"
#else
#define AVX512 ""
#endif
#define BUILD COMPILER PARTS ", kernels" BASE AVX2 AVX512

const char *vvBuildDescription(void)
{
    static const char *const text[VV_ISA_COUNT] = {
        [VV_ISA_BASE] = BUILD " (base in use)",
        [VV_ISA_AVX2] = BUILD " (avx2 in use)",
        [VV_ISA_AVX512] = BUILD " (avx512 in use)",
    };
    return text[vv_cpu_isa()];
}
