#!/bin/sh
# A scratch directory for the session. Plain text is context for the model.
id=$(jq -r '.session_id // "" | gsub("[^A-Za-z0-9_-]"; "_")')
mkdir -p "${AGENT_LOGS:-.}/scratch/${id:-none}"
echo "Put temporary files into ${AGENT_LOGS:-.}/scratch/${id:-none}."
