#!/usr/bin/env bash
# cmake --install of the build at hand, to a folder that is moved afterwards; then programs outside the tree are built against it
# in every way that docs/install.md names, and must print the same bits. $VV_BUILD_DIR is the build, complete.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${VV_BUILD_DIR:-$root/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_install: $*" >&2; exit 1; }
skip() { echo "test_install: skipped: $*"; exit 77; }
# try WHAT COMMAND...: quiet unless it fails
try() {
    local what=$1
    shift
    "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$what"; }
}

[ "${VV_TEST_SIZE:-}" = quick ] && skip "this is a quick run"
grep -q '^VV_SANITIZE:BOOL=ON' "$build/CMakeCache.txt" && skip "this is a sanitizer build"
for tool in cmake ninja pkg-config c++ nm readelf; do
    command -v $tool >/dev/null || skip "$tool is not here"
done
cc=${CC:-cc} cxx=${CXX:-c++}
export CMAKE_GENERATOR=Ninja # make may not be here

# ---- install, then move ----
try "cmake --install $build (is the build complete?)" env DESTDIR="$work/stage" cmake --install "$build" --prefix /opt/visviva
mv "$work/stage/opt/visviva" "$work/moved"
[ -z "$(find "$work/stage" -type f -o -type l)" ] || fail "files outside the prefix: $(find "$work/stage" -type f)"
prefix=$work/moved
pc=$(find "$prefix" -name visviva.pc)
[ -n "$pc" ] || fail "no visviva.pc"
lib=$(dirname "$(dirname "$pc")")
for file in include/visviva/visviva.h share/doc/visviva/LICENSE share/doc/visviva/README.md share/doc/visviva/docs/install.md \
    share/doc/visviva/examples/drop.c; do
    [ -s "$prefix/$file" ] || fail "$file is not installed"
done
for file in visvivaConfig.cmake visvivaConfigVersion.cmake; do
    [ -s "$lib/cmake/visviva/$file" ] || fail "$file is not installed"
done
grep -rlF -e "$root" -e "$work/stage" "$prefix/include" "$lib/cmake" "$pc" && fail "these know where they were built"
kinds=()
[ -e "$lib/libvisviva.so" ] && kinds+=(shared)
[ -e "$lib/libvisviva.a" ] && kinds+=(static)
[ ${#kinds[@]} -gt 0 ] || fail "no library"

# ---- the libraries: every public function, and no other symbol ----
sed -nE 's/^VV_API [^(]*[ *](vv[A-Z][A-Za-z0-9]*)\(.*/\1/p' "$prefix"/include/visviva/*.h | sort >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 80 ] || fail "the headers' functions were not understood"
if [ -e "$lib/libvisviva.so" ]; then
    nm -D --defined-only "$lib/libvisviva.so" | awk '{ print $3 }' | sort >"$work/exported"
    diff "$work/declared" "$work/exported" >"$work/log" ||
        { cat "$work/log" >&2; fail "declared (<) and exported (>) functions differ"; }
    version=$(pkg-config --modversion "$pc")
    [ -f "$lib/libvisviva.so.$version" ] && [ -L "$lib/libvisviva.so.${version%%.*}" ] || fail "names of the shared library"
    readelf -d "$lib/libvisviva.so" | grep -q "SONAME.*\[libvisviva.so.${version%%.*}\]" || fail "SONAME"
    readelf -d "$lib/libvisviva.so" | grep -qE 'RUNPATH|RPATH|TEXTREL' && fail "the shared library has a search path or text relocations"
fi
if [ -e "$lib/libvisviva.a" ]; then
    nm --defined-only "$lib/libvisviva.a" 2>/dev/null | awk '$2 == "T" && $3 ~ /^vv[A-Z]/ { print $3 }' | sort >"$work/archived"
    diff "$work/declared" "$work/archived" >"$work/log" ||
        { cat "$work/log" >&2; fail "declared (<) and archived (>) functions differ"; }
fi

# ---- pkg-config ----
export PKG_CONFIG_PATH=${pc%/*}${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
try "pkg-config --validate" pkg-config --validate visviva
[ -n "$(pkg-config --variable=license visviva)" ] || fail "pkg-config does not say the licence"
strict=(-Wall -Wextra -Wpedantic -Wshadow -Werror)
read -ra cflags <<<"$(pkg-config --cflags visviva)"
read -ra libs <<<"$(pkg-config --libs visviva)"
read -ra static_libs <<<"$(pkg-config --static --libs visviva | sed 's/-lvisviva/-l:libvisviva.a/')"
expected=
# runs PROGRAM: prints what all the others print
runs() {
    local said
    said=$(LD_LIBRARY_PATH=$lib "$1") || fail "$1 does not run"
    [[ $said == "visviva "* ]] || fail "$1 printed: $said"
    [ -z "$expected" ] || [ "$said" = "$expected" ] || fail "$1 printed: $said; before it was: $expected"
    expected=$said
}
cd "$work"
try "pkg-config, C" $cc -std=c17 "${strict[@]}" "$root/tests/install/use.c" "${cflags[@]}" "${libs[@]}" -o use-c
runs ./use-c
try "pkg-config, C++" $cxx -std=c++17 "${strict[@]}" "$root/tests/install/use.cpp" "${cflags[@]}" "${libs[@]}" -o use-cpp
runs ./use-cpp
for standard in c++11 c++14 c++20; do
    try "C++, $standard" $cxx -std=$standard "${strict[@]}" -fsyntax-only "$root/tests/install/use.cpp" "${cflags[@]}"
done
if [ -e "$lib/libvisviva.a" ]; then
    try "pkg-config --static" $cc "$root/tests/install/use.c" "${cflags[@]}" "${static_libs[@]}" -o use-static
    runs ./use-static
    readelf -d use-static | grep -q libvisviva && fail "the static program needs libvisviva.so"
fi
try "the example" $cc -std=c17 "${strict[@]}" "$prefix/share/doc/visviva/examples/drop.c" "${cflags[@]}" "${libs[@]}" -o drop
LD_LIBRARY_PATH=$lib ./drop | grep -q '^over 120 steps: numerical error' || fail "the example does not run"

# ---- the "installed" blocks of the documentation, word by word, a page after the other, each with an empty home folder ----
if [ ${#kinds[@]} -eq 2 ] && [ -n "${VISVIVA:-}" ] && command -v python3 >/dev/null; then
    for page in install embedding; do
        mkdir -p "$work/$page/home"
        ln -s "$root/examples" "$root/tests" "$work/$page"
        ln -s "$build" "$work/$page/build"
        python3 "$root/tests/scripts/doc_blocks.py" "$root/docs/$page.md" >"$work/$page/commands"
        [ "$(wc -l <"$work/$page/commands")" -gt 8 ] || fail "docs/$page.md: no commands found"
        try "the commands of docs/$page.md" env -i HOME="$work/$page/home" PATH="$PATH" SOURCE="$root" \
            bash -euxo pipefail -c 'cd "$1" && . ./commands' page "$work/$page"
        cp "$work/log" "$work/$page/said"
    done
    grep -q '^visviva .* m after' "$work/install/said" || fail "the commands of docs/install.md: no result"
    [ "$(grep -c '^1.0 s: 720 triangles' "$work/embedding/said")" -eq 2 ] || fail "the commands of docs/embedding.md: no result"
fi

# ---- find_package: from C and from C++ alone, by component and without ----
version=$(sed -nE 's/#define VV_VERSION_(MAJOR|MINOR) ([0-9]+)/\2/p' "$root/include/visviva/base.h" | paste -sd.)
project() { # project NAME LANGUAGE KINDS
    try "find_package, $1" cmake -S "$root/tests/install" -B "$work/$1" -DCMAKE_PREFIX_PATH="$prefix" -DVERSION="$version" -DLANGUAGE="$2" \
        -DKINDS="$3" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx"
    try "build, $1" cmake --build "$work/$1"
    local program
    for program in "$work/$1"/use*; do
        [ -x "$program" ] && [ -f "$program" ] && runs "$program"
    done
}
try "find_package, versions and components" cmake -S "$root/tests/install" -B "$work/none" -DCMAKE_PREFIX_PATH="$prefix" -DVERSION="$version" \
    -DLANGUAGE=NONE
grep -q 'licence MIT' "$work/log" || fail "the CMake package does not say the licence"
project plain C ""
IFS=';'
project both CXX "${kinds[*]}"
unset IFS

# ---- inside another project: configured only, the compiling is scripts/check-variants' ----
try "add_subdirectory" cmake -S "$root/tests/install/inside" -B "$work/inside" -DSOURCE="$root" -DCMAKE_C_COMPILER="$cc"

# ---- the program, from where it was moved to, in another folder ----
if [ -n "${VISVIVA:-}" ]; then
    visviva=$prefix/bin/visviva scenes=$prefix/share/visviva/scenes
    "$visviva" --version | grep -q "^visviva $(pkg-config --modversion visviva)$" || fail "versions differ"
    try "a scene with a mesh file" "$visviva" check "$scenes/random-cactus.json"
    try "a run" "$visviva" run "$scenes/rotating-cube.json" --until 0.1 --quiet -o "$work/cube.vtkhdf"
    [ -s "$work/cube.vtkhdf" ] || fail "the run left no file"

    # a page for each command, with each of its options; each function in section 3
    man=$prefix/share/man
    for command in $("$visviva" --help | awk '/^  [a-z]/ && $1 != "visviva" { print $1 }'); do
        page=$man/man1/visviva-$command.1
        [ -s "$page" ] || fail "no page visviva-$command(1)"
        grep -q "visviva\\\\-$command" "$man/man1/visviva.1" || fail "visviva(1) does not name $command"
        for option in $("$visviva" "$command" --help | sed -nE 's/^  (-., )?(--[a-z-]+).*/\2/p'); do
            grep -qF -- "${option//-/\\-}" "$page" || fail "visviva-$command(1) lacks $option"
        done
    done
    grep -q 'complete -F' "$prefix/share/bash-completion/completions/visviva" || fail "no completion for bash"
    grep -q '^#compdef visviva$' "$prefix/share/zsh/site-functions/_visviva" || fail "no completion for zsh"
    [ "$(cd / && "$visviva" info rotating-cube | head -n 1 | cut -d: -f 1)" = 'scene "rotating cube, soft"' ] || fail "no scene by its name"
    while read -r name; do
        grep -q "[ *]$name(" "$man/man3/visviva.3" || fail "visviva(3) lacks $name"
    done <"$work/declared"
    for page in "$man"/man?/*; do
        if command -v mandoc >/dev/null; then
            said=$(mandoc -T lint -W warning "$page") || fail "$said"
        fi
        if command -v man >/dev/null; then
            said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null)
            [ -z "$said" ] || fail "$said"
        fi
    done
fi
echo "test_install: ok (${kinds[*]})"
