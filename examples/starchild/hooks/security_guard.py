#!/usr/bin/env python3
"""One guard for five events: no secret gets in with a message or out with a
reply, and no command runs that destroys for good or carries credentials away.

It blocks only what is very dangerous and not part of anybody's normal work:
installers (curl | bash) and git push --force pass. The three tables are meant
to be changed, in your own copy of this file.
"""

import json
import re
import sys

SECRET_PATTERNS = [  # name, expression; what group "keep" holds is not masked
    ("private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("API key", r"\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,}|glpat-[\w-]{20}|sk-[\w-]{32,}|[sr]k_live_\w{24,}"
                r"|AKIA[A-Z2-7]{16}|AIza[\w-]{35}|xox[abprs]-[\w-]{20,})"),
    ("bearer token", r"(?P<keep>\b[Bb]earer )[\w.~+/=-]{20,}"),
    ("wallet key", r"(?i)(?P<keep>\b(?:private|secret)[ _-]?key\W{0,4}(?:is\W{0,3})?)0x[0-9a-f]{64}\b"),
    ("wallet key", r"(?P<keep>\[)\s*(?:\d{1,3}\s*,\s*){63}\d{1,3}(?=\s*\])"),
]

DESTRUCTIVE = [  # why, expression
    ("deletes far more than the project", r"\brm\s+(?:-\S+\s+)*-\w*(?:r\w*f|f\w*r)\w*\s+(?:-\S+\s+)*"
                                          r"(?:/(?:\*|\s|$)|~|\$HOME|/(?:bin|boot|etc|home|lib|opt|root|usr|var)\b/?(?:\s|$))"),
    ("writes onto a disk", r"\bdd\b.*\bof=/dev/(?!null\b)"),
    ("formats a disk", r"\bmkfs(?:\.\w+)?\s"),
    ("starts processes without end", r":\s*\(\)\s*\{.*\|.*&\s*\}"),
    ("lets everybody write everywhere", r"\bchmod\s+(?:-\S+\s+)*-R\s+0?777\b|\bchmod\s+0?777\s+-R\b"),
    ("throws away uncommitted work", r"\bgit\s+reset\s+--hard\s+origin/"),
]

CREDENTIAL = r"(?:\.env\b|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/credentials|\.netrc|\.kube/config)"
SENDER = r"\b(?:curl|wget|nc|ncat|scp|rsync|sftp)\b"
DESTRUCTIVE += [
    ("sends credentials away", CREDENTIAL + r".*\|.*" + SENDER),
    ("sends credentials away", r"\b(?:printenv|env)\b\s*\|.*" + SENDER),
    ("sends credentials away", r"\b(?:scp|rsync|sftp)\b.*" + CREDENTIAL + r".*\s\S*:"),
    ("sends credentials away", r"\b(?:curl|wget)\b.*@\S*" + CREDENTIAL),
]

MSG_TOOLS = {"send_to_telegram", "send_to_wechat", "send_message"}

MASK = "[REDACTED]"

# A phrase of a wallet is 12 to 24 plain words in a row. Prose of that length has
# one of these, and none of them is in the list that phrases are made of.
PROSE = set("the and for with from are was not but has his him its been were would could should".split())
ROW = re.compile(r"\b[a-z]{3,8}(?:[ ,\n]+[a-z]{3,8}){11,}\b")
ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
WIF = re.compile(r"\b[5KL][" + ALPHABET + r"]{50,51}\b")


def is_wif(text):
    """A key in that form ends in a checksum; other words of its length do not."""
    import hashlib
    number = 0
    for c in text:
        number = number * 58 + ALPHABET.index(c)
    raw = number.to_bytes(48, "big").lstrip(b"\0")
    return hashlib.sha256(hashlib.sha256(raw[:-4]).digest()).digest()[:4] == raw[-4:]


def seed_phrases(text):
    for row in ROW.finditer(text):
        words = re.findall(r"[a-z]+", row.group())
        if len(words) in (12, 15, 18, 21, 24) and not PROSE & set(words):
            yield row.group()


def mask(text):
    """The text without secrets, and the names of those that were in it."""
    found = []

    def cover(name):
        def replace(m):
            found.append(name)
            return (m.groupdict().get("keep") or "") + MASK
        return replace

    for name, expr in SECRET_PATTERNS:
        text = re.sub(expr, cover(name), text)
    text = WIF.sub(lambda m: cover("wallet key")(m) if is_wif(m.group()) else m.group(), text)
    for phrase in list(seed_phrases(text)):
        found.append("seed phrase")
        text = text.replace(phrase, MASK)
    return text, found


def block(why, evidence=""):
    reason = f"[security] Blocked ({why})"
    return {"decision": "block", "reason": f"{reason}: {evidence}" if evidence else reason}


def on_user_message(ev):
    _, found = mask(ev.get("message") or "")
    if found:
        return block(f"a secret in the message, {found[0]}; take it out and replace it")


def pre_tool_call(ev):
    args = ev.get("tool_input") or {}
    if ev.get("tool_name") in MSG_TOOLS:
        return outgoing_args(args)
    command = args.get("command")
    if not isinstance(command, str):
        return None
    spoken = re.sub(r"\becho\s+(\"[^\"$`]*\"|'[^']*')", "echo", command)  # which only says it
    for why, expr in DESTRUCTIVE:
        if re.search(expr, spoken):
            return block(why, command)


def outgoing_args(args):
    changed = {}
    for name, value in args.items():
        if not isinstance(value, str):
            continue
        text, found = mask(value)
        if "seed phrase" in found:
            return block("the message holds a seed phrase, and who reads it owns the wallet")
        if found:
            changed[name] = text
    return {"tool_input": changed} if changed else None


def transform_tool_result(ev):
    _, found = mask(str(ev.get("tool_result") or ""))
    if found:
        return {"add_warning": f"[security] This output held a secret ({found[0]}). Do not repeat it anywhere."}


def on_response_end(ev):
    text, found = mask(ev.get("response") or "")
    return {"response": text} if found else None


def on_outbound_message(ev):
    text, found = mask(ev.get("notification") or "")
    if "seed phrase" in found:
        return block("the message holds a seed phrase, and who reads it owns the wallet")
    return {"notification": text} if found else None


HANDLERS = {f.__name__: f for f in (on_user_message, pre_tool_call, transform_tool_result, on_response_end, on_outbound_message)}

if __name__ == "__main__":
    event = json.load(sys.stdin)
    handler = HANDLERS.get(event.get("event"))
    answer = handler(event) if handler else None
    if answer:
        print(json.dumps(answer, ensure_ascii=False))
