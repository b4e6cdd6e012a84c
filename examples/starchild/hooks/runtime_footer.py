#!/usr/bin/env python3
"""Puts what a turn really cost below its reply, and removes what the model made
up there: a model knows neither its price nor, often, its own name.

Wire it on on_response_end. On pre_llm_call, which fires for every request, it
also tells the model to write no footer; the removal does not need that.
"""

import json
import os
import re
import sys

# ─── CONFIG: edit your copy. A variable FOOTER_… of the same name wins. ───
SHOW_TOKENS = False  # " · 900 in / 120 out"
SHOW_CREDIT = False  # " · 💰 $271.64": one request a turn, left out when it fails
TEMPLATE = None      # "{model} {cost} {input} {output} {credit}"
CREDIT_URL = None    # answers {"credit_balance": …}
STRIP = True         # remove footers that the model typed
SUPPRESS_TEXT = "Do not end replies with a footer about model, cost or tokens. The runtime adds the true one."

PRICE = r"\$\d{1,3}(?:\.\d+)?(?=\s*$|\s*[|·•])"
FOOTER = re.compile(r"[─━]{1,4} .*\S ·\s*" + PRICE + r".*|model: \S.*[^.\s]\s+cost:\s*" + PRICE + r".*", re.I)


def switch(name, default):
    value = os.environ.get("FOOTER_" + name, "").strip().lower()
    return default if not value else value not in ("0", "false", "no", "off")


def text(name, default):
    return os.environ.get("FOOTER_" + name) or default


def stripped(reply):
    """The reply without the footers at its very end."""
    lines = reply.split("\n")
    while lines:
        last = len(lines)
        while last and not lines[last - 1].strip():
            last -= 1
        if not last or not FOOTER.fullmatch(lines[last - 1].strip()):
            break
        lines = lines[: last - 1]
    return "\n".join(lines)


def balance():
    url = text("CREDIT_URL", CREDIT_URL)
    if not url:
        return ""
    import urllib.request  # which takes longer than all the rest
    try:
        with urllib.request.urlopen(url, timeout=2) as r:
            return f"${float(json.load(r)['credit_balance']):,.2f}"
    except Exception:  # a footer without it is better than none
        return ""


def footer(ev):
    cost = ev.get("turn_cost_usd")
    tokens = ev.get("tokens") if isinstance(ev.get("tokens"), dict) else {}
    if not isinstance(cost, (int, float)) or not (cost > 0 or any(tokens.values())):
        return ""  # better none than $0.0000
    parts = {"model": ev.get("model") or "?", "cost": f"${cost:.4f}", "input": f"{tokens.get('input', 0):,}", "output": f"{tokens.get('output', 0):,}"}
    template = text("TEMPLATE", TEMPLATE)
    wanted = "{credit}" in template if template else switch("SHOW_CREDIT", SHOW_CREDIT)
    parts["credit"] = balance() if wanted else ""
    if template:
        return re.sub(r"\{(\w+)\}", lambda m: parts.get(m.group(1), m.group()), template).rstrip()
    line = "─ {model} · {cost}".format(**parts)
    if switch("SHOW_TOKENS", SHOW_TOKENS) and any(tokens.values()):
        line += " · {input} in / {output} out".format(**parts)
    return line + (f" · 💰 {parts['credit']}" if parts["credit"] else "")


def on_response_end(ev):
    reply = ev.get("response") or ""
    if not reply.strip():
        return None
    body = stripped(reply) if switch("STRIP", STRIP) else reply
    line = footer(ev)
    if line:
        body = body.rstrip() + ("\n\n" if body.strip() else "") + line
    elif body != reply:
        body = body.rstrip()
    return {"response": body} if body != reply else None


def pre_llm_call(ev):
    return {"context": text("SUPPRESS_TEXT", SUPPRESS_TEXT)}


if __name__ == "__main__":
    event = json.load(sys.stdin)
    handler = {"on_response_end": on_response_end, "pre_llm_call": pre_llm_call}.get(event.get("event"))
    answer = handler(event) if handler else None
    if answer:
        print(json.dumps(answer, ensure_ascii=False))
