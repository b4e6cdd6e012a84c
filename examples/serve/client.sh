#!/bin/sh
# A guard with curl: asks checkrein serve about a shell command before it runs.
#
#	sh client.sh 'rm -rf build'
#
# Needs curl and jq. A gate without an answer stays closed.
state=${XDG_STATE_HOME:-$HOME/.local/state}/checkrein
event=$(jq -n --arg command "$1" --arg cwd "$PWD" \
	'{hook_event_name: "PreToolUse", session_id: "example", cwd: $cwd, tool_name: "Bash", tool_input: {command: $command}}') || exit 1

# The token goes through a pipe, because other processes can read arguments.
answer=$(printf 'header = "Authorization: Bearer %s"\n' "$(cat "$state/serve-token")" |
	curl -sS --fail --noproxy '*' --max-time 60 --config - -H 'Content-Type: application/json' --data "$event" "$(cat "$state/serve-address")/v1/events") || {
	echo 'denied: checkrein did not answer'
	exit 1
}
# Nobody can be asked here, so a question counts as a denial.
case $(printf %s "$answer" | jq -r '.decision // ""') in
deny | ask)
	printf 'denied: %s\n' "$(printf %s "$answer" | jq -r .reason)"
	exit 1
	;;
esac
echo run
