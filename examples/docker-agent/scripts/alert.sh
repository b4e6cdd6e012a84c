#!/bin/sh
# Put a pager in place of the file.
jq -r --arg now "$(date)" '"\($now) \(.notification_level // "?"): \(.notification_message // "?")"' >>"${AGENT_LOGS:-.}/agent-notifications.log"
