#!/usr/bin/env bash
# Files that are none, names that a terminal would obey, and links where something is written: each is refused by name, at once, or
# done without harm.
. "$(dirname "$0")/program.sh"
scene() { # NAME, what the body has besides, what the scene has
    printf '{ "visviva": 1, "time": { "end": 0.05 }%s, "bodies": [ { "mesh": %s, "place": { "translate": [0, 1, 0] }%s } ] }\n' \
        "${3:-}" "$box" "${2:-}" > "$1"
}
# expect, but what waits for somebody who writes into a pipe has failed
at_once() { timeout 30 "$VISVIVA" "${@:3}" > /dev/null 2>&1 < /dev/null || [ $? -ne 124 ] || fail "waits: ${*:3}"; expect "$@"; }

# ---- pipes
mkfifo pipe pipe.json pipe.csv
scene extends.json '' ', "extends": "pipe"'
scene start.json ', "start": [ { "file": "pipe.csv" } ]'
for command in run check settle info; do
    at_once 2 'pipe.json: it is not a regular file' $command pipe.json
done
at_once 2 'pipe: it is not a regular file' check extends.json
at_once 2 'pipe.csv: it is not a regular file' check start.json
at_once 2 'pipe: is no file' new --from-ipc pipe -o new.json

# ---- control characters: of a scene they are refused, of a run they are not shown
scene name.json ', "name": "a\u001b[31mb"'
expect 2 'bodies[0].name: found control characters in "a?[31mb"; allowed: text without' check name.json
scene c1.json ', "name": "a\u009b31mb"'
expect 2 'bodies[0].name: found control characters' check c1.json
scene material.json ', "material": "\u0007"' ', "materials": { "\u0007": {} }'
expect 2 'materials: found control characters' check material.json
scene lines.json ', "name": "two\nlines"' ', "description": "one\ttwo\nthree"'
expect 0 '' check lines.json
expect 0 '' run lines.json -q --until 0.02 -o lines.vtkhdf
expect 0 '' run lines.vtkhdf --resume -q --until 0.04
scene good.json ', "name": "NAME-OF-BODY"' ', "name": "NAME-OF-SCENE"'
expect 0 '' run good.json -q -o good.vtkhdf
LC_ALL=C sed 's/NAME-OF-BODY/NA\x1b[31m-BODY/g; s/NAME-OF-SCENE/NA\x1b[31m\xc2\x9bCENE/g' good.vtkhdf > bad.vtkhdf
for command in 'info bad.vtkhdf' 'check bad.vtkhdf' 'plot bad.vtkhdf -o new.svg' 'spectrum bad.vtkhdf'; do
    said=$(timeout 120 "$VISVIVA" $command 2>&1 < /dev/null) || true
    ! LC_ALL=C grep -q $'\x1b\|\xc2\x9b' <<<"$said" || fail "control characters come out of $command: $(cat -v <<<"$said")"
done
expect 0 'NA?[31m-BODY' info bad.vtkhdf

# ---- links where a part of an output is written: what is behind them stays
echo precious > precious
for part in new.vtkhdf.part new.xdmf.part new.glb.part new.png.part new.svg.part; do ln -s precious $part; done
expect 1 'new.vtkhdf.part is a link, and the file behind it would be lost: remove the link' run good.json -q -o new.vtkhdf
rm new.vtkhdf.part
expect 0 '' run good.json -q -o new.vtkhdf
expect 0 '' export new.vtkhdf -q -f glb -o new.glb
timeout 120 "$VISVIVA" render new.vtkhdf --quiet --frame 0 --size 64x36 -o new.png > /dev/null 2>&1 || true # a build may lack it
timeout 120 "$VISVIVA" plot new.vtkhdf -o new.svg > /dev/null 2>&1 || true
[ "$(cat precious)" = precious ] || fail "a file behind a link was overwritten"
