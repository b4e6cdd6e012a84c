#!/usr/bin/env python3
"""Says so below the reply when a turn has cost more than was set. It stops
nothing."""

import json
import os
import sys

# ─── CONFIG: edit your copy. BUDGET_USD wins. ───
BUDGET = 0.50

if __name__ == "__main__":
    ev = json.load(sys.stdin)
    budget = float(os.environ.get("BUDGET_USD") or BUDGET)
    cost, reply = ev.get("turn_cost_usd"), ev.get("response") or ""
    if ev.get("event") == "on_response_end" and isinstance(cost, (int, float)) and cost >= budget and reply.strip():
        warning = f"⚠️ Budget: this turn has cost ${cost:.4f}; its budget is ${budget:.4f}."
        print(json.dumps({"response": reply.rstrip() + "\n\n" + warning}, ensure_ascii=False))
