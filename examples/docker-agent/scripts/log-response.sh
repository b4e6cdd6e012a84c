#!/bin/sh
jq -r --arg now "$(date)" '"\($now) \(.session_id // "?") \(.stop_response // "" | length) characters"' >>"${AGENT_LOGS:-.}/agent-responses.log"
