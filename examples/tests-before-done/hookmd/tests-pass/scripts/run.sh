#!/bin/sh
cat >/dev/null
output=$(sh ./run-tests.sh 2>&1 </dev/null) && exit 0
echo "[tests] Blocked (tests must pass before you are done): $(printf '%s\n' "$output" | tail -n 20)" >&2
exit 2
