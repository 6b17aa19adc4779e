#!/usr/bin/env bash
# Friction of every pair that may touch, as `visviva check` prints it: one coefficient that is given holds where the other side has none.
. "$(dirname "$0")/program.sh"

scene() {
    cat > friction.json <<END
{ "visviva": 1, "name": "friction", "time": { "step": "1/100", "end": 0.1 }, "contact": { "distance": 1e-3 $1 },
  "bodies": [ { "name": "soft", "mesh": $box, "place": { "translate": [0, 0.3, 0] } $2 },
              { "name": "hard", "mesh": $box, "place": { "translate": [0, 0.6, 0] } $3 } ],
  "obstacles": [ { "name": "bowl", "mesh": { "bowl": {} }, "place": { "translate": [0, -0.5, 0] } $4 },
                 { "plane": { "point": [0, -2, 0] } } ] }
END
}

scene '' '' '' ''
code=0; said=$("$VISVIVA" check friction.json 2>&1) || code=$?
if [ $code -ne 0 ]; then
    grep -q jansson <<<"$said" && { echo "skipped: a build without scenes"; exit 77; }
    fail "$said"
fi
says 'friction: 0 between all that may touch'
scene '' '' '' ', "friction": 0.5'
expect 0 'friction 0.5: "soft" with "bowl", "hard" with "bowl"' check friction.json
says 'friction 0: "soft" with obstacle 0 (plane), '
scene ', "friction": 0.1' ', "friction": 0.4' '' ', "friction": 0.9'
expect 0 'friction 0.6: "soft" with "bowl"' check friction.json
says 'friction 0.4: "soft" with obstacle 0 (plane), "soft" with "hard", "soft" with itself'
says 'friction 0.9: "hard" with "bowl"'
says 'friction 0.1: "hard" with obstacle 0 (plane), "hard" with itself'
# pairs that never touch are not named
scene ', "self": false, "friction": 0.1' '' ', "filter": { "mask": 0 }, "friction": 0.3' ''
expect 0 'friction: 0.1 between all that may touch' check friction.json
echo "test_check_friction: passed"
