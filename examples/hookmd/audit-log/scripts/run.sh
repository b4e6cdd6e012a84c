#!/bin/sh
event=$(cat)
printf '%s\n' "$event" >>"${AUDIT_LOG:-.agents/audit.jsonl}"
