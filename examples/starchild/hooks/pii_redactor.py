#!/usr/bin/env python3
"""Writes the kind over e-mail addresses and phone numbers in replies. What a
tool returned cannot be changed from here, so that gets a note."""

import json
import re
import sys

KINDS = [
    ("EMAIL", re.compile(r"\b[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b")),
    ("PHONE", re.compile(r"(?<![\w.])\+\d{1,3}[ .-]?(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}\b")),
]


def redact(text):
    found = []
    for name, expr in KINDS:
        text, n = expr.subn(f"[{name}]", text)
        if n:
            found.append(name.lower())
    return text, found


def answer(ev):
    if ev.get("event") == "on_response_end":
        text, found = redact(ev.get("response") or "")
        return {"response": text} if found else None
    if ev.get("event") == "transform_tool_result":
        _, found = redact(str(ev.get("tool_result") or ""))
        if found:
            return {"add_warning": f"[pii] This output holds personal data ({', '.join(found)}). Do not repeat it."}
    return None


if __name__ == "__main__":
    out = answer(json.load(sys.stdin))
    if out:
        print(json.dumps(out, ensure_ascii=False))
