#!/usr/bin/env bash
# ./run and ./test: arguments that need no build, from any folder.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd /
fail() { echo "test_run_script: $*" >&2; exit 1; }

"$root/run" --help | grep -q './run SCENE' || fail "--help"
"$root/run" --list | grep -qx '  critter-drop' || fail "--list names the scenes"
code=0 && said=$("$root/run" no-such-scene 2>&1) || code=$?
[ $code -eq 2 ] || fail "an unknown scene: exit code 2, not $code"
grep -q 'critter-drop' <<<"$said" || fail "an unknown scene: the others are listed"
code=0 && said=$("$root/run" --until 3 2>&1) || code=$?
[ $code -eq 2 ] || fail "options before the scene: exit code 2, not $code"
code=0 && said=$("$root/test" --nonsense 2>&1) || code=$?
[ $code -eq 2 ] || fail "./test --nonsense: exit code 2, not $code"
grep -q '\./test' <<<"$said" || fail "./test --nonsense: says how it is used"
"$root/test" --help | grep -q 'all of it' || fail "./test --help"
grep -qE '^exec \./test$' "$root/.ci/run" || fail ".ci/run is ./test"
echo "test_run_script: ok"
