#!/bin/sh
# Tool call: says so when what a tool returned holds a secret. On PostToolUse only
# additionalContext arrives; the output stays as it was, whatever is returned here.
command -v checkrein >/dev/null || { echo 'checkrein is not on PATH' >&2; exit 1; }
found=$(checkrein scan - | grep -oE '[a-z0-9-]+ \(secret' | sort -u | sed 's/ .*//' | paste -sd ' ' -)
if [ -n "$found" ]; then
	printf '{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"The last output holds a secret (%s). Do not repeat it, write it to files or send it anywhere."}}\n' "$found"
fi
