#!/usr/bin/env bash
# The smallest guard: read the payload, look at the command, refuse by exit code 2
# with the reason on stderr. Saying nothing lets it run.
command=$(python3 -c 'import json, sys; print((json.load(sys.stdin).get("tool_input") or {}).get("command", ""))') || exit 1
if [[ $command =~ (^|[[:space:]\;\&\|])(rm[[:space:]]+-rf[[:space:]]+/|dd[[:space:]]+if=|mkfs) ]]; then
	echo "[security] Blocked (erases data for good): $command" >&2
	exit 2
fi
