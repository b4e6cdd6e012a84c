#!/usr/bin/env python3
"""Writes a line of JSON for every tool call. It only looks on."""

import datetime
import json
import os
import sys

# ─── CONFIG: edit your copy. TOOL_AUDIT_LOG wins. ───
LOG = "/data/workspace/logs/tools.jsonl"
MOST = 400  # characters of a result

if __name__ == "__main__":
    ev = json.load(sys.stdin)
    if ev.get("event") == "post_tool_call":
        path = os.environ.get("TOOL_AUDIT_LOG", LOG)
        line = {"time": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "session": ev.get("session_id"),
                "tool": ev.get("tool_name"), "failed": bool(ev.get("tool_error")), "output": str(ev.get("tool_result") or "")[:MOST]}
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8") as log:
            log.write(json.dumps(line, ensure_ascii=False) + "\n")
