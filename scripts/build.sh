# Sourced by ./run and ./test: configure and build with a CMake preset, only what is out of date.

vv_say() { echo "== $*"; }

# vv_build PRESET FOLDER [CMake build arguments]: on a terminal ninja shows its progress, in a pipe two lines are printed. Kernels are those of the
# preset, and with $vv_kernels in the release build those (cmake/options.cmake).
vv_build() {
    local preset=$1 folder=$2 stamp=$2/.visviva-configured began=$SECONDS settings=()
    shift 2
    [ "$preset" != release ] || settings=("-DVV_KERNELS=${vv_kernels:-all}")
    # new packages may bring optional parts into reach (cmocka, EGL, ...)
    if [ ! -f "$folder/build.ninja" ] || [ ! -f "$stamp" ] || [ CMakePresets.json -nt "$stamp" ] ||
        [ /var/lib/dpkg/status -nt "$stamp" ] || [ "$(cat "$stamp")" != "${settings[*]}" ]; then
        vv_say "configuring ($preset)"
        local log
        log=$(mktemp)
        if ! cmake --preset "$preset" "${settings[@]}" >"$log" 2>&1; then
            cat "$log" >&2
            rm -f "$log"
            return 1
        fi
        rm -f "$log"
        echo "${settings[*]}" >"$stamp"
    fi
    if [ -t 1 ]; then
        cmake --build "$folder" "$@" || return 1
    else
        vv_say "building ($preset)"
        cmake --build "$folder" "$@" -- --quiet || return 1
        vv_say "built ($preset) in $((SECONDS - began)) s"
    fi
}
