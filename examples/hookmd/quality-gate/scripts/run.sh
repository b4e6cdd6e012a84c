#!/bin/sh
cat >/dev/null
if [ ! -f run-tests.sh ]; then
	echo "there is no run-tests.sh here" >&2
	exit 1 # a fault, which is told and lets go on
fi
output=$(sh ./run-tests.sh 2>&1 </dev/null) && exit 0
echo "Blocked (tests must pass before you are done): $(printf '%s\n' "$output" | tail -n 20)" >&2
exit 2
