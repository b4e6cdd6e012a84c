#!/bin/sh
# Exit code 2 keeps the agent working; stderr is what it goes on with.
cat >/dev/null
cd "${CLAUDE_PROJECT_DIR:-.}" || exit 1
output=$(sh ./run-tests.sh 2>&1 </dev/null) && exit 0
echo "[tests] Blocked (tests must pass before you are done): $(printf '%s\n' "$output" | tail -n 20)" >&2
exit 2
