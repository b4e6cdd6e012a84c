#!/bin/sh
# A line for every tool call, in audit.log or $AGENT_LOGS/audit.log.
jq -r --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '[$now, .session_id, .tool_name] | join(" | ")' >>"${AGENT_LOGS:-.}/audit.log"
echo '{"continue": true}'
