mkdir -p /data/workspace/hooks
cp /data/workspace/skills/agent-hooks/templates/security_guard.py /data/workspace/hooks/
chmod +x /data/workspace/hooks/security_guard.py
ls -l /data/workspace/hooks/security_guard.py    # VERIFY it exists before going on
