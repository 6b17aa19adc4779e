#!/usr/bin/env bash
# A few of the files that experiments/campaign/forge makes, of each kind of harm one in turn: whatever reads them ends in data
# or a message, and reads nothing else. Their seed is that of the turn.
. "$(dirname "$0")/../program/program.sh"
forge=$(dirname "$0")/../../experiments/campaign/forge
export CAMPAIGN_FORGE=$VV_BUILD_DIR/campaign_forge
[ -x "$CAMPAIGN_FORGE" ] || { echo "$test_name: skipped, no $CAMPAIGN_FORGE"; exit 77; }
command -v python3 >/dev/null || { echo "$test_name: skipped, no python3"; exit 77; }
most=8
[ "${VV_TEST_SIZE:-}" = quick ] || most=40
[ "${VV_TEST_SIZE:-}" != full ] || most=400
python3 "$forge" log --most $most --seed "${VV_TEST_TURN:-1}" --workers 1 || fail "see above"
[ "$(wc -l < log)" = $most ] || fail "not all were tried"
