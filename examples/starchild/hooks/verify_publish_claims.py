#!/usr/bin/env python3
"""Keeps the agent from saying "Published!" when nothing was.

A sentence that claims, in the past tense, that something was published, posted
or scheduled must name a URL or an id that one of the registries has. Offers,
plans and questions pass. On on_stop and on_completion_claim the agent has to do
it; on on_response_end, where nothing can be redone, the reply gets a note.
"""

import json
import os
import re
import sys

# ─── CONFIG: edit your copy. CLAIMS_EVIDENCE (paths with : between) wins. ───
EVIDENCE = ["/data/previews.json", "/data/agentx_posts.json", "/data/scheduled_tasks.json"]

CLAIM = re.compile(r"\b(published|posted|scheduled|deployed)\b|\b(?:is|are|it's) (?:now )?(live)\b", re.I)
NOT_YET = re.compile(r"\b(can|could|shall|should|will|would|want|once|when|if|before|after|let me|ready to|going to|not|never|no longer)\b|n't\b|'ll\b|\?$", re.I)
REFERENCE = re.compile(r"https?://[^\s)>\]\"'`]+|(?:[\w-]+\.)+[a-z]{2,}/[\w./-]+|(?<!\S)/[\w-]+/[\w./-]+|#?\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{6,}")


def evidence():
    paths = os.environ.get("CLAIMS_EVIDENCE")
    texts = []
    for path in paths.split(":") if paths else EVIDENCE:
        try:
            with open(path, encoding="utf-8") as f:
                texts.append(f.read().replace("\\/", "/").lower())
        except FileNotFoundError:
            pass  # nothing was done yet
    return "\n".join(texts)


def backed(reply, truth):
    for ref in REFERENCE.findall(reply):
        ref = re.sub(r"^https?://", "", ref.lower()).rstrip("./,;:!")
        last = ref.rsplit("/", 1)[-1].lstrip("#")
        if any(re.search(r"(?<![\w-])" + re.escape(r) + r"(?![\w-])", truth) for r in (ref, last) if r):
            return True
    return False


def unproven(reply):
    """The first claim without evidence: its word and its sentence."""
    if not CLAIM.search(reply):
        return None
    truth = evidence()
    for sentence in re.split(r"(?<=[.!?])\s+|\n+", reply):
        m = CLAIM.search(sentence)
        if m and not NOT_YET.search(sentence.strip()) and not backed(reply, truth):
            return (m.group(1) or "published").lower(), sentence.strip()
    return None


def judge(ev):
    event, reply = ev.get("event"), ev.get("response") or ""
    if event == "on_completion_claim":
        reply += "\n" + (ev.get("summary") or "")
    found = unproven(reply)
    if not found:
        return None
    word, sentence = found
    if event == "on_response_end":
        return {"response": reply.rstrip() + f"\n\n⚠ Unverified: nothing shows that it was {word}."}
    return {"decision": "block", "reason": f"[claims] Blocked (nothing shows that it was {word}; do it, or say that it is not done): {sentence}"}


if __name__ == "__main__":
    payload = json.load(sys.stdin)
    if payload.get("event") in ("on_stop", "on_completion_claim", "on_response_end"):
        answer = judge(payload)
        if answer:
            print(json.dumps(answer, ensure_ascii=False))
