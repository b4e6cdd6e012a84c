#!/bin/sh
# Four things a person may ask an agent for, and what the hooks in agent.yaml
# make of the tool calls that follow. Usage: sh examples/demo/run.sh bin/checkrein
set -eu
checkrein=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
here=$(cd "$(dirname "$0")" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

ask() {
	printf '\n"%s"  →  shell: %s\n' "$1" "$2"
	printf '{"session_id":"demo","hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"%s","cwd":"."}}' "$2" |
		HOME=$home XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config "$checkrein" eval -c "$here/agent.yaml"
}

ask 'Run: echo hello' 'echo hello'
ask 'Run: rm -rf /tmp/test' 'rm -rf /tmp/test'
ask 'Run: sudo apt update' 'sudo apt update'
ask 'List files in current dir' 'ls'

printf '\nThe last one again, hook by hook (checkrein eval --explain):\n\n'
printf '{"session_id":"demo","hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls","cwd":"."}}' |
	HOME=$home XDG_STATE_HOME=$home/state XDG_CONFIG_HOME=$home/config "$checkrein" eval -c "$here/agent.yaml" --explain
