#!/usr/bin/env bash
# A soft body that its fall crushes and inverts: run says so when it happens and at the end, with what to do; the summary counts.
. "$(dirname "$0")/program.sh"

cat > crush.json <<END
{ "visviva": 1, "name": "crush", "time": { "step": "1/30", "end": 1 }, "materials": { "m": { "model": "fixed-corotated", "young": 2e3 } },
  "bodies": [ { "name": "bag", "material": "m", "velocity": { "linear": [0, -6, 0] }, "place": { "translate": [0, 0.5, 0] },
      "mesh": { "box": { "size": [0.1, 0.1, 0.1], "cells": [4, 4, 4] } } } ],
  "obstacles": [ { "plane": {} } ] }
END

code=0; said=$("$VISVIVA" run crush.json --until 0.1 -o crushed.vtkhdf --summary crushed.json 2>&1) || code=$?
if [ $code -ne 0 ]; then
    grep -q 'jansson\|HDF5' <<<"$said" && { echo "skipped: a build without scenes or run files"; exit 77; }
    fail "$said"
fi
says 'tets are inverted, the worst in "bag" at'
says 'inverted at the end: '
says 'stable-neo-hookean'
grep -q '"inverted_end": [1-9]' crushed.json || fail "the summary counts none: $(cat crushed.json)"
expect 0 'some tets were inverted for a time; none is now' run crush.json -o whole.vtkhdf --summary whole.json
grep -q '"inverted_end": 0' whole.json || fail "the summary counts some"
expect 0 'smallest det F' run crush.json -o neo.vtkhdf --set materials.m.model=neo-hookean
grep -q 'inverted' <<<"$said" && fail "a material that cannot invert: $said"
echo "test_inverted_run: passed"
