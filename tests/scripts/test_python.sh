#!/usr/bin/env bash
# The Python package: a wheel of it is built against this build's library and installed in an empty environment; there its own
# tests run (python/tests). Skipped where Python's packages are not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python=/usr/bin/python3
build=${VV_BUILD_DIR:-$PWD/build}
missing=
for module in cffi numpy setuptools wheel pip pytest venv; do
    "$python" -c "import $module" 2>/dev/null || missing+=" $module"
done
[ -e "$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])' 2>/dev/null)/Python.h" ] || missing+=" Python.h"
if [ -n "$missing" ]; then
    echo "test_python: skipped, as Python lacks:$missing (scripts/setup python installs them)"
    exit 77
fi
if [ ! -f "$build/libvisviva.a" ]; then
    echo "test_python: skipped, as $build has no libvisviva.a"
    exit 77
fi

if ! grep -q 'parts=.*JANSSON.*HDF5' "$build/package/visviva.pc"; then
    echo "test_python: skipped, as the library in $build has no scenes or no run files"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# a copy: what the build writes beside its sources stays out of the checkout
mkdir "$work/source"
cp -r include "$work/source"
mkdir "$work/source/python"
cp -r python/*.py python/*.toml python/*.md python/support.* "$work/source/python"
mkdir "$work/source/python/visviva"
git ls-files -z python/visviva 2>/dev/null | xargs -0 -r cp -t "$work/source/python/visviva" ||
    cp python/visviva/*.py python/visviva/*.pyi python/visviva/py.typed "$work/source/python/visviva"
(cd "$work/source/python" && VISVIVA_BUILD=$build "$python" -m pip wheel --no-build-isolation --no-deps --no-index -q \
    --disable-pip-version-check -w "$work" . >"$work/log" 2>&1) || { tail -n 40 "$work/log"; exit 1; }
wheel=$(echo "$work"/visviva-*.whl)
case $wheel in
*-cp39-abi3-linux_*.whl) ;;
*) echo "test_python: the wheel is for one version of Python alone: $wheel"; exit 1 ;;
esac
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/python" -m pip install --no-deps --no-index -q --disable-pip-version-check "$wheel"
for part in py.typed _vv.pyi _generated.py; do
    [ -f "$work"/venv/lib/python3*/site-packages/visviva/$part ] || { echo "test_python: the wheel lacks $part"; exit 1; }
done
module=$(echo "$work"/venv/lib/python3*/site-packages/visviva/_vv.abi3.so)
if readelf -d "$module" | grep -E 'RPATH|RUNPATH'; then
    echo "test_python: the module has a search path of its own"
    exit 1
fi
[ "$(nm -D --defined-only "$module" | wc -l)" = 1 ] || { echo "test_python: symbols of the library come out of the module"; exit 1; }

if [ "${VV_TEST_SIZE:-}" = quick ]; then # without the documentation's jobs and the random calls
    set -- "$@" -k "not jobs_run and not notebooks_run and not random_calls"
fi
export VISVIVA=${VISVIVA:-$build/visviva} VV_BUILD_DIR=$build
"$work/venv/bin/python" -m pytest -p no:cacheprovider --rootdir "$work" "$PWD/python/tests" "$@"
