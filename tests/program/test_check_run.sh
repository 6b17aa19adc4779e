#!/usr/bin/env bash
# visviva check RUN and "intersections" of the summary: of runs where contact was on, off, or switched on half-way.
. "$(dirname "$0")/program.sh"
counted() { grep -q "\"intersections\": $2," "$1" || fail "not $2: $(grep intersections "$1")"; }

cat > pass.json <<END
{ "visviva": 1, "name": "pass", "time": { "step": 0.01, "end": 0.4, "record_every": 2 }, "gravity": [0, 0, 0],
  "integrator": { "ground_energy": "none" }, "materials": { "m": { "model": "neo-hookean", "young": 1e5 } },
  "bodies": [ { "name": "still", "material": "m", "mesh": $box },
              { "name": "quick", "material": "m", "mesh": $box, "place": { "translate": [0.13, 0.013, 0.017] },
                "velocity": { "linear": [-1, 0, 0] } } ] }
END

# contact holds them apart
expect 0 'no surfaces intersect in the recorded frames' run pass.json --summary on.summary -o on.vtkhdf
counted on.summary 0
expect 0 'no surfaces intersect in 21 frames' check on.vtkhdf
says 'contact: barrier'
says 'smallest gap'
[ ! -e on-intersections.ply ] || fail "a mesh of no intersections"

# with --paranoid it is said of all steps
expect 0 'no surfaces intersect after any of the 40 steps' run pass.json --paranoid -o sure.vtkhdf

# off: one flies through the other; the summary was not asked about that, check tells
expect 0 '' run pass.json -q --set contact.model=none --summary off.summary -o off.vtkhdf
counted off.summary null
expect 1 'frame 2 (step 4, t = 0.04 s): ' check off.vtkhdf
says 'contact: none'
says '"still" with "quick": '
says 'off-intersections.ply shows them in red'
total=$(sed -n 's/^  surfaces intersect in \([0-9]*\) pairs of elements over 21 frames$/\1/p' <<<"$said")
[ "${total:-0}" -gt 0 ] || fail "no sum in: $said"
frames=$(grep -c '^  frame ' <<<"$said")
[ "$frames" -gt 5 ] && [ "$frames" -lt 21 ] || fail "$frames frames"
expect 0 'triangles' info off-intersections.ply
expect 1 'mine.ply shows' check off.vtkhdf -o mine.ply

# on again once they are apart: the frames that are kept count
expect 0 'surfaces intersect in recorded frames' run off.vtkhdf -q --resume --from 17 --set contact.model=barrier --until 0.42 \
    --summary later.summary -o later.vtkhdf
counted later.summary "$total"
expect 1 "surfaces intersect in $total pairs" check later.vtkhdf
# and where they are still in each other, the run does not go on
expect 2 'bodies intersect' run off.vtkhdf -q --resume --from 5 --set contact.model=barrier -o none.vtkhdf
[ ! -e none.vtkhdf ] || fail "a run that cannot go on was begun"

# filters are the run's: nothing to find where the two may not touch
expect 0 '' run pass.json -q --set bodies[0].filter.mask=0 --summary filter.summary -o filter.vtkhdf
counted filter.summary 0
expect 0 'no surfaces intersect in 21 frames' check filter.vtkhdf

expect 0 'nothing to test' run pass.json --set contact.model=none --until 0.02 --paranoid -o short.vtkhdf
expect 0 '' run pass.json -q --paranoid -o paranoid.vtkhdf
for run in on paranoid; do "$VISVIVA" export $run.vtkhdf -q -f csv -o $run.csv; done
cmp on.csv paranoid.csv || fail "--paranoid changes the run"

# a carried surface that does not collide: a ball of few tets shows a finer one that lies 2 to 3 mm out of them, and sinks into what it lies on
cat > poke.json <<END
{ "visviva": 1, "name": "poke", "time": {"step": "1/60", "end": 0.4, "record_every": 2}, "contact": {"friction": 0.3},
  "materials": { "flesh": {"model": "neo-hookean", "young": 1e6, "poisson": 0.4, "density": 1000} },
  "bodies": [ { "name": "ball", "material": "flesh", "mesh": { "ball": {"radius": 0.1, "cells": 3} }, "surface": { "ball": {"radius": 0.1, "cells": 12} },
      "place": {"translate": [0, 0.155, 0]} } ],
  "obstacles": [ { "name": "bed", "mesh": { "box": {"size": [0.3, 0.1, 0.3], "cells": [2, 1, 2]} } } ] }
END
expect 0 'body "ball": the shown surface protrudes up to 2.7' run poke.json --paranoid -o poke.vtkhdf
says 'shown surfaces that do not collide were not tested'
expect 0 'no surfaces intersect in' check poke.vtkhdf
says 'the shown surface of "ball" protrudes up to 2.7'
says 'warning: shown surfaces intersect, in '
says 'those of "ball" and "bed" near ('
expect 1 'shown surfaces intersect' check poke.vtkhdf --strict
expect 0 '"outside": 0.0027' check poke.vtkhdf --json
for cure in bodies[0].thickness=0.0055 bodies[0].surface.collides=true; do
    expect 0 '' run poke.json -q --set $cure -o cure.vtkhdf --force
    expect 0 'no surfaces intersect in' check cure.vtkhdf --strict
done

# joined bodies overlap, and do not collide while they are joined
cat > joined.json <<END
{ "visviva": 1, "name": "joined", "time": {"step": "1/60", "end": 0.05}, "gravity": [0, 0, 0],
  "materials": {"m": {"model": "neo-hookean", "young": 1e5, "density": 1000}},
  "bodies": [ {"name": "a", "material": "m", "mesh": {"box": {"size": [0.2, 0.1, 0.1], "cells": [2, 1, 1]}}},
              {"name": "b", "material": "m", "mesh": {"box": {"size": [0.2, 0.1, 0.1], "cells": [2, 1, 1]}}, "place": {"translate": [0.15, 0, 0]}} ],
  "joints": [ {"kind": "ball", "between": ["a", "b"], "at": [0.075, 0, 0]} ] }
END
expect 0 '' run joined.json -q -o joined.vtkhdf
expect 0 'no surfaces intersect in 4 frames' check joined.vtkhdf
expect 0 '' run joined.vtkhdf -q --resume --until 0.1 -o longer.vtkhdf
expect 0 'no surfaces intersect in 7 frames' check longer.vtkhdf
expect 2 'bodies intersect' run joined.json -q --set joints=[] -o apart.vtkhdf

expect 2 '--set is for scenes' check on.vtkhdf --set time.end=1
head -c 3000 on.vtkhdf > cut.vtkhdf
expect 2 'cut.vtkhdf' check cut.vtkhdf
echo "$test_name: ok"
