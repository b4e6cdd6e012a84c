"""Runs a hook script on made-up events, as a host does, and compares its answers.

The self-tests beside it use it: python3 hooks/NAME_selftest.py after you changed NAME.py, or
NAME_selftest.py FILE for a copy of it elsewhere.
"""

import json
import os
import subprocess
import sys


def run(file, cases, variables=None):
    """Runs the script that a self-test is named after, or the one on its command line, and exits
    with 1 if a case fails.

    Variables are set for all cases. A case is a name, an event, what the answer must hold, and
    variables to set. Each member of the answer is compared with a value, or given to a function that accepts it; None
    stands for no answer at all.
    """
    script = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else file.replace("_selftest.py", ".py"))
    if not os.path.isfile(script):
        sys.exit(f"there is no {script}")
    failed = 0
    base = {"PATH": os.environ.get("PATH", ""), "PYTHONUTF8": "1", **(variables or {})}
    for name, event, want, *env in cases:
        done = subprocess.run([sys.executable, script], input=json.dumps(event), capture_output=True, text=True,
                              env={**base, **(env[0] if env else {})})
        wrong = problem(done, want)
        if wrong:
            failed += 1
            print(f"FAIL {name}: {wrong}")
    print(f"{os.path.basename(script)}: {len(cases)} cases, {failed} failed")
    sys.exit(1 if failed else 0)


def problem(done, want):
    if done.returncode:
        return f"exit {done.returncode}: {done.stderr.strip()[-200:]}"
    said = done.stdout.strip()
    if want is None:
        return f"it said {said}" if said else ""
    try:
        answer = json.loads(said)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        return f"it said {said!r}, want {want}"
    for key, value in want.items():
        got = answer.get(key)
        if not (value(got) if callable(value) else got == value):
            return f"{key} is {got!r}"
    return ""


def has(*parts):
    return lambda text: isinstance(text, str) and all(p in text for p in parts)


def lacks(part):
    return lambda text: isinstance(text, str) and part not in text
