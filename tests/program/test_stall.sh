#!/usr/bin/env bash
# visviva run where steps fail or stop short: what is said, how often, and the scenes of --on-stall, which do the same again.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "${VISVIVA:-}" ] || { echo "test_stall: skipped, no program in \$VISVIVA"; exit 77; }
cd "$work"
fail() { echo "test_stall: $*" >&2; exit 1; }
# run CODE ARGUMENTS...: the exit code; what is said goes to $said
run() {
    local want=$1 code=0
    shift
    said=$(timeout 120 "$VISVIVA" run "$@" 2>&1) || code=$?
    [ $code -eq "$want" ] || fail "exit code $code, not $want, of run $* ($said)"
}
has() { grep -qF -- "$1" <<<"$said" || fail "no \"$1\" in: $said"; }

# the middle of three balls in a row comes between plates that meet; the third is of a file, and far away. Off the plates' centre, so that
# no two places are as bad as each other
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > far.obj
cat > crush.json <<'JSON'
{ "visviva": 1, "gravity": [0, 0, 0], "time": { "step": "1/60", "end": 0.3 }, "contact": { "friction": 0.1,
    "pairs": [ { "between": ["ball", "anvil"], "friction": 0.3 } ] },
  "materials": { "soft": { "model": "neo-hookean", "young": 1e5 } },
  "bodies": [
    { "name": "ball", "material": "soft", "mesh": { "ball": { "radius": 0.05, "cells": 2 } }, "place": { "translate": [-1.003, 0.0005, 0.007] },
      "copies": { "count": [3, 1, 1], "step": [1, 0, 0] } },
    { "name": "far", "mesh": { "file": "far.obj" }, "place": { "translate": [9, 0, 0] } } ],
  "obstacles": [
    { "name": "anvil", "mesh": { "box": { "size": [0.3, 0.02, 0.3], "cells": [2, 1, 2] } }, "place": { "translate": [0, -0.061, 0] } },
    { "mesh": { "box": { "size": [0.3, 0.02, 0.3], "cells": [2, 1, 2] } }, "place": { "translate": [0, 0.061, 0] },
      "motion": { "velocity": [0, -1, 0], "start": 0.02 } } ] }
JSON
run 1 crush.json -o crush.vtkhdf --on-stall again
has "cannot be followed"
has 'stand in the way'
has '"ball 2"'
has '"obstacle-2"'
has '"anvil"'
has "visviva run again/failed.json"
"$VISVIVA" info crush.vtkhdf > info.txt || fail "the run file cannot be read"
grep -q "failed at step" info.txt || fail "the run file does not say how it ended: $(cat info.txt)"

[ "$(ls again)" = $'failed-1.csv\nfailed.json' ] || fail "found in the folder: $(ls again)"
! grep -qE '"(ball 1|ball 3|far)"' again/failed.json || fail "bodies that have nothing to do with it are there"
grep -q '"friction": 0.3' again/failed.json || fail "the friction of the pair is lost"
"$VISVIVA" check again/failed.json > /dev/null || fail "again/failed.json cannot be checked"
run 1 again/failed.json -o again.vtkhdf
has "failed at step 1"
has "stand in the way" # which vertex and triangle of the two is a matter of rounding, as the other bodies' energies are missing from the sums
has '"ball 2"'
has '"obstacle-2"'

# too few iterations: said once, counted at the end
cat > short.json <<'JSON'
{ "visviva": 1, "gravity": [0, 0, 0], "time": { "step": 0.01, "end": 0.1 }, "solver": { "max_iterations": 1, "tolerance": 1e-9 },
  "contact": {}, "bodies": [ { "name": "bar", "mesh": { "box": { "cells": [2, 1, 1] } }, "start": [ { "twist": { "angle": 60 } } ] },
  { "name": "other", "mesh": { "box": { "cells": [2, 1, 1] } }, "place": { "translate": [1, 0, 0] } } ] }
JSON
run 0 short.json -o short.vtkhdf --on-stall short/deep
[ "$(grep -c "stopped short" <<<"$said")" -eq 1 ] || fail "not said once: $said"
has "iteration limit reached in 10"
has 'of "bar"'
speed=$(sed -n 's/.*tolerance, \(at [0-9.e-]* m\/s\) after.*/\1/p' <<<"$said")
forces=$(sed -n 's/.*\(forces on vertex [0-9]*\) of.* are off.*/\1/p' <<<"$said")
[ -n "$speed" ] && [ -n "$forces" ] || fail "no forces in: $said"
! grep -q other short/deep/stall.json || fail "a body that is far is there"
run 0 short/deep/stall.json -o deep.vtkhdf
has "$speed"
has "$forces"
run 0 short.json -o short.vtkhdf -q --force
[ -z "$said" ] || fail "quiet is not: $said"
