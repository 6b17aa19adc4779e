# Sourced by tests that run the program: a folder of their own that goes when they end, and what they expect of the program.
set -euo pipefail
test_name=$(basename "$0" .sh)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "${VISVIVA:-}" ] || { echo "$test_name: skipped, no program in \$VISVIVA"; exit 77; }
cd "$work"
fail() { echo "$test_name: $*" >&2; exit 1; }
# expect CODE WORDS COMMAND...: the exit code, and what is said; `said` holds it all
expect() {
    local want=$1 words=$2 code=0
    shift 2
    said=$(timeout 120 "$VISVIVA" "$@" 2>&1 < /dev/null) || code=$?
    [ $code -eq "$want" ] || fail "exit code $code, not $want: $* ($said)"
    says "$words"
}
says() { grep -qF -- "$1" <<<"$said" || fail "no \"$1\" in: $said"; }

box='{ "box": { "size": [0.1, 0.1, 0.1], "cells": [2, 2, 2] } }'
