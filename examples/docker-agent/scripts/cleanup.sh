#!/bin/sh
# Removes what setup-env.sh made, and nothing else.
id=$(jq -r '.session_id // "" | gsub("[^A-Za-z0-9_-]"; "_")')
rm -rf "${AGENT_LOGS:-.}/scratch/${id:-none}"
