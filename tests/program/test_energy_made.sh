#!/usr/bin/env bash
# A run whose solver has too few iterations for how stiff its cloth is gains energy without end: it says so when that begins and at its end, and what to
# do; with --strict that is its end, and without when it has blown up. The same cloth with a solver that solves it does not. What a policy says of a step is printed once, and counted.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/program.sh"

cat > cloth.json <<END
{ "visviva": 1, "name": "cloth", "time": { "step": "1/30", "end": 3 }, "integrator": { "scheme": "implicit-midpoint", "ground_energy": "none" },
  "materials": { "m": { "model": "hooke", "mass": 0.4, "stiffness": 2000, "bend_stiffness": 200 } }, "solver": { "method": "xpbd" },
  "bodies": [ { "name": "cloth", "material": "m", "mesh": { "weave": { "size": [2, 2], "cells": [30, 30] } },
      "attach": [ { "where": { "vertices": [0, 30] }, "kind": "spring", "stiffness": 2000 } ] } ] }
END

code=0; said=$("$VISVIVA" run cloth.json -o wild.vtkhdf --until 1 2>&1) || code=$?
if [ $code -ne 0 ]; then
    grep -q 'jansson\|HDF5' <<<"$said" && { echo "skipped: a build without scenes or run files"; exit 77; }
    fail "$said"
fi
says 'energy from nothing: the numerical error is '
says 'raise solver.budget or time.substeps'
says ' s): energy from nothing: the numerical error is '
says 'by now, under scheme "implicit-midpoint" and policy "none": there are too few iterations'
[ "$(grep -c 'by now' <<<"$said")" -eq 1 ] || fail "not one warning: $said"
expect 1 ' J have come from nothing' run cloth.json -o blown.vtkhdf # with a million times its energy, halfway
says 'failed at step '
expect 0 'blew up: ' info blown.vtkhdf
expect 1 'stopped by a warning (--strict)' run cloth.json -o strict.vtkhdf --strict --quiet
says 'energy from nothing'
expect 0 'stopped by a warning (--strict)' info strict.vtkhdf
expect 0 'no surfaces intersect' check strict.vtkhdf --strict
expect 0 'where it went' run cloth.json -o calm.vtkhdf --set solver.method=local-global --set integrator.policy=blend
grep -q 'from nothing' <<<"$said" && fail "a run that stays on target: $said"
expect 0 'where it went' run cloth.json -o calm.vtkhdf --force --set solver.method=local-global --set integrator.policy=blend --strict

far='contact.distance=1 --set solver.method=newton'
expect 0 'times as long as the surface edges' check cloth.json --set contact.model=barrier --set $far
expect 1 'times as long as the surface edges' check cloth.json --set contact.model=barrier --set $far --strict
expect 0 'cloth' check cloth.json --strict

expect 0 'velocity-scale: the factor is at scale_max' run cloth.json -o scaled.vtkhdf --set solver.method=newton --set integrator.scheme=backward-euler \
    --set integrator.policy=velocity-scale --set integrator.scale_max=1.01 --until 0.5
[ "$(grep -c 'scale_max' <<<"$said")" -eq 2 ] || fail "not once, and a count at the end: $said"
grep -q '  in [0-9]* steps: velocity-scale: ' <<<"$said" || fail "no count: $said"
# friction that takes more than moved, of a solve that ends deep in the barrier, says so in that step, and with the usual solver nothing does
rubbing=$root/experiments/campaign/kept/friction-of-what-does-not-move.json
expect 0 's): friction takes 1.' run "$rubbing" -o rubbing.vtkhdf --until 0.14
says 'under scheme "theta" and solver "block-descent": take a shorter step, or more iterations'
[ "$(grep -c 'friction takes' <<<"$said")" -eq 1 ] || fail "not one warning: $said"
expect 0 'where it went' run "$rubbing" -o rubbing.vtkhdf --force --set solver.method=newton
grep -q 'friction takes' <<<"$said" && fail "friction that is balanced: $said"
echo "test_energy_made: passed"
