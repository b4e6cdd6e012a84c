#!/bin/sh
# Tells the person that the agent waits, where there is a desktop.
notify-send agent 'It waits for you' 2>/dev/null ||
	osascript -e 'display notification "It waits for you" with title "agent"' 2>/dev/null || true
