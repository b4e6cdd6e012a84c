#!/bin/sh
# Refuses what needs root or deletes recursively; exit code 2 is a denial.
cmd=$(jq -r 'select(.tool_name == "shell") | .tool_input.cmd // ""') || exit 1
if printf '%s\n' "$cmd" | grep -qE '(^|[;&|[:space:]])sudo([[:space:]]|$)|rm[[:space:]]+(-[^[:space:]]+[[:space:]]+)*-[a-z]*(rf|fr)'; then
	jq -n --arg cmd "$cmd" '{decision: "block", reason: ("[policy] Blocked (needs root or deletes recursively): " + $cmd)}'
	exit 2
fi
echo '{}'
