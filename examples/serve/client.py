"""A guard for an agent in Python: asks checkrein serve about each tool call before it runs.

    python3 client.py 'rm -rf build'

Standard library only. A gate without an answer stays closed."""

import json
import os
import pathlib
import sys
import urllib.request

STATE = pathlib.Path(os.environ.get("XDG_STATE_HOME") or pathlib.Path.home() / ".local/state") / "checkrein"


def judge(event: dict) -> dict:
    """Return the decision about an event; {} means that nothing was decided."""
    request = urllib.request.Request(
        (STATE / "serve-address").read_text().strip() + "/v1/events",
        data=json.dumps(event).encode(),
        headers={"Content-Type": "application/json", "Authorization": "Bearer " + (STATE / "serve-token").read_text().strip()},
    )
    local = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy must not see events
    with local.open(request, timeout=60) as response:
        return json.load(response)


def may_run(command: str, session: str = "example") -> tuple[bool, str]:
    """Return whether a shell command may run, and the reason if not."""
    try:
        answer = judge({
            "hook_event_name": "PreToolUse", "session_id": session, "cwd": os.getcwd(),
            "tool_name": "Bash", "tool_input": {"command": command},
        })
    except (OSError, ValueError) as error:
        return False, f"checkrein did not answer: {error}"
    # Nobody can be asked here, so a question counts as a denial.
    return answer.get("decision") not in ("deny", "ask"), answer.get("reason", "")


if __name__ == "__main__":
    ok, reason = may_run(sys.argv[1])
    print("run" if ok else "denied: " + reason)
    sys.exit(0 if ok else 1)
