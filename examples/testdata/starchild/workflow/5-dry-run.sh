# should BLOCK (note the "event" key):
echo '{"event":"pre_tool_call","tool_name":"bash","tool_input":{"command":"rm -rf /"}}' \
  | python3 /data/workspace/hooks/security_guard.py
# should ALLOW (empty output):
echo '{"event":"pre_tool_call","tool_name":"bash","tool_input":{"command":"ls -la"}}' \
  | python3 /data/workspace/hooks/security_guard.py
