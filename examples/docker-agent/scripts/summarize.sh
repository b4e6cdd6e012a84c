#!/bin/sh
# One line about what the tool returned, for the model.
jq -r --arg profile "$PROFILE" '.tool_response // "" | tostring | "\(split("\n") | length) lines of output (profile \($profile), in \($ENV.PWD | split("/") | last))"'
