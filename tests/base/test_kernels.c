/* Which kernels the build has and which of them run, against what the options of CMake ask for
 * (VV_KERNELS) and what the system says of the processor (/proc/cpuinfo). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/simd/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the processor has all of the features, as the system calls them. */
static bool processor_has(const char *const *features, int count)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    static char line[1 << 16];
    bool all = false;
    while (file && !all && fgets(line, sizeof line, file)) {
        all = strncmp(line, "flags", 5) == 0;
        line[strcspn(line, "\n")] = '\0';
        strcat(line, " ");
        for (int i = 0; all && i < count; i++) {
            char word[32];
            snprintf(word, sizeof word, " %s ", features[i]);
            all = strstr(line, word) != NULL;
        }
    }
    if (file)
        fclose(file);
    return all;
}

static bool supported(vv_isa isa)
{
    static const char *const avx2[] = { "avx2" }, *const avx512[] = { "avx512f", "avx512dq", "avx512vl" };
    return isa == VV_ISA_BASE || (isa == VV_ISA_AVX2 && processor_has(avx2, 1)) ||
           (isa == VV_ISA_AVX512 && processor_has(avx512, 3));
}

/* What the build was to have (docs/install.md). */
static bool asked_for(vv_isa isa)
{
#if !defined(__x86_64__)
    return isa == VV_ISA_BASE;
#endif
    if (strcmp(VV_KERNELS, "plain") == 0)
        return isa == VV_ISA_BASE;
    if (strcmp(VV_KERNELS, "native") == 0)
        return isa == VV_ISA_BASE ? !supported(VV_ISA_AVX2) : isa == VV_ISA_AVX2 || supported(isa);
    if (strcmp(VV_KERNELS, "own") == 0) {
        vv_isa most = VV_ISA_COUNT - 1;
        while (!supported(most))
            most--;
        return isa == most;
    }
    return true;
}

static void build_has_what_was_asked_for(void **state)
{
    (void)state;
    for (vv_isa isa = 0; isa < VV_ISA_COUNT; isa++)
        if (vv_isa_built(isa) != asked_for(isa))
            fail_msg("kernels %s: kernels for %s were%s built", VV_KERNELS, vv_isa_name(isa),
                     vv_isa_built(isa) ? "" : " not");
}

/* The most that VISVIVA_ISA allows, the processor has, and was asked for. */
static vv_isa best(vv_isa most)
{
    vv_isa isa = 0, found;
    while (!asked_for(isa))
        isa++;
    for (found = isa; isa <= most; isa++)
        if (asked_for(isa) && supported(isa))
            found = isa;
    return found;
}

static void the_best_kernels_run(void **state)
{
    (void)state;
    const char *given = getenv("VISVIVA_ISA");
    char *keep = given ? strdup(given) : NULL;
    unsetenv("VISVIVA_ISA");
    print_message("kernels in use: %s\n", vv_isa_name(vv_cpu_isa()));
    assert_string_equal(vv_isa_name(vv_cpu_isa()), vv_isa_name(best(VV_ISA_COUNT - 1)));
    for (vv_isa most = 0; most < VV_ISA_COUNT; most++) { /* each can be reached, where the processor has it */
        setenv("VISVIVA_ISA", vv_isa_name(most), 1);
        assert_string_equal(vv_isa_name(vv_cpu_isa()), vv_isa_name(best(most)));
    }
    keep ? setenv("VISVIVA_ISA", keep, 1) : unsetenv("VISVIVA_ISA");
    free(keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_has_what_was_asked_for),
        cmocka_unit_test(the_best_kernels_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
