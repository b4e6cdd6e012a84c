#!/usr/bin/env python3
"""Tests verify_publish_claims.py: run it after you changed its words or its registries.

How often an agent is told to go on is not the script's to count: the runtime stops after
three times."""

import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
try:
    from selftest import has, run
except ModuleNotFoundError:
    sys.exit("selftest.py is missing: copy it from the examples to the folder of this file")

with tempfile.TemporaryDirectory() as folder:
    registry = os.path.join(folder, "previews.json")
    with open(registry, "w", encoding="utf-8") as f:
        json.dump([{"url": "https://community.example.com/demo-site"}, {"id": "task_8f21c0"}], f)
    there = {"CLAIMS_EVIDENCE": registry}
    nothing = {"CLAIMS_EVIDENCE": os.path.join(folder, "none.json")}
    blocks = {"decision": "block", "reason": has("[claims]")}

    made_up = "Published! See community.example.com/other-site"
    claims = [made_up, "I posted it to AgentX /post/12345x.", "The reminder is scheduled.", "It is now live.", "I deployed the page to https://x.example/p."]
    honest = ["Shall I publish it?", "I can publish it once you agree.", "It will be published tomorrow.", "It was not published.", "The tests pass.", ""]
    real = ["Published! See https://community.example.com/demo-site", "Scheduled as task_8f21c0."]

    def event(name, text, **more):
        return {"event": name, "response": text, "tool_names": [], **more}

    cases = []
    for name in ("on_stop", "on_completion_claim"):
        cases += [(f"{name}: {text}", event(name, text), blocks, there) for text in claims]
        cases += [(f"{name}: {text}", event(name, text), None, there) for text in honest + real]
    cases += [("on_response_end: " + text, event("on_response_end", text), {"response": has(text, "Unverified")}, there) for text in claims]
    cases += [("on_response_end: " + text, event("on_response_end", text), None, there) for text in honest + real]
    cases += [
        ("nothing was ever published", event("on_stop", real[0]), blocks, nothing),
        ("again, after it was told to go on", event("on_stop", made_up, stop_hook_active=True), blocks, there),
        ("a claim in the summary of a goal", event("on_completion_claim", "Done.", summary=made_up), blocks, there),
        ("a claim that only a later sentence takes back", event("on_stop", made_up + ". I did not test it."), blocks, there),
        ("another event", event("on_user_message", made_up), None, there),
    ]
    run(__file__, cases)
