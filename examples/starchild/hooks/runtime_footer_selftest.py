#!/usr/bin/env python3
"""Tests runtime_footer.py: run it after you changed its CONFIG or its expressions. SHOW_TOKENS and
SHOW_CREDIT may have any value; with other constants the defaults that are tested here are others, too."""

import http.server
import json
import sys
import threading

sys.dont_write_bytecode = True
try:
    from selftest import has, lacks, run
except ModuleNotFoundError:
    sys.exit("selftest.py is missing: copy it from the examples to the folder of this file")

COST = {"model": "z-ai/glm-5.2", "turn_cost_usd": 0.0211, "tokens": {"input": 900, "output": 120}}
LINE = "─ z-ai/glm-5.2 · $0.0211"


def reply(text, **more):
    return {"event": "on_response_end", "response": text, **COST, **more}


class Credit(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({"credit_balance": 271.64} if self.path == "/credit" else {}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Credit)
threading.Thread(target=server.serve_forever, daemon=True).start()
at = f"http://127.0.0.1:{server.server_port}"

TYPED = ["─ GLM-5.2 · $0.038", "── gpt-5 · $1.20 · 3 in / 4 out", "Model: GLM-5.2 | Cost: $0.038", "model: gpt-5 cost: $12"]
PROSE = ["Model: the T. The cost: nothing", "Run echo $HOME and pay $5 at the door.", "The model: a duck. Its cost: $5 per day, on average.",
         "echo \"cost: $PRICE\"", "─ a dash · and no price"]

cases = [("a reply", reply("Done."), {"response": "Done.\n\n" + LINE})]
cases += [(f"typed: {t}", reply("Done.\n\n" + t), {"response": "Done.\n\n" + LINE}) for t in TYPED]
cases += [(f"kept: {t}", reply(t), {"response": t + "\n\n" + LINE}) for t in PROSE]
cases += [(f"typed in the middle: {t}", reply(t + "\nMore of it."), {"response": has(t, "More of it.", LINE)}) for t in TYPED]
cases += [
    ("two typed footers", reply("Done.\n" + TYPED[0] + "\n\n" + TYPED[2] + "\n"), {"response": "Done.\n\n" + LINE}),
    ("nothing but a footer", reply(TYPED[0]), {"response": LINE}),
    ("an empty reply", reply("  "), None),
    ("no cost", {"event": "on_response_end", "response": "Done."}, None),
    ("no cost, a typed footer", {"event": "on_response_end", "response": "Done.\n" + TYPED[0]}, {"response": "Done."}),
    ("a cost of zero and no tokens", reply("Done.", turn_cost_usd=0, tokens={}), None),
    ("a free turn with tokens", reply("Done.", turn_cost_usd=0), {"response": has("$0.0000")}),
    ("a cost that is no number", reply("Done.", turn_cost_usd="much"), None),
    ("tokens that are no object", reply("Done.", tokens=[1]), {"response": has(LINE)}),
    ("no model", reply("Done.", model=None), {"response": has("─ ? · $0.0211")}),
    ("tokens", reply("Done."), {"response": has(LINE + " · 900 in / 120 out")}, {"FOOTER_SHOW_TOKENS": "1"}),
    ("tokens, switched off", reply("Done."), {"response": lacks("900 in")}, {"FOOTER_SHOW_TOKENS": "off"}),
    ("credit", reply("Done."), {"response": has("💰 $271.64")}, {"FOOTER_SHOW_CREDIT": "1", "FOOTER_CREDIT_URL": at + "/credit"}),
    ("credit without a number", reply("Done."), {"response": "Done.\n\n" + LINE}, {"FOOTER_SHOW_CREDIT": "1", "FOOTER_CREDIT_URL": at}),
    ("credit that nobody answers", reply("Done."), {"response": "Done.\n\n" + LINE}, {"FOOTER_SHOW_CREDIT": "1", "FOOTER_CREDIT_URL": "http://127.0.0.1:1/"}),
    ("credit without an address", reply("Done."), {"response": "Done.\n\n" + LINE}, {"FOOTER_SHOW_CREDIT": "1"}),
    ("a template", reply("Done."), {"response": has("[z-ai/glm-5.2 for $0.0211, 900 + 120]")}, {"FOOTER_TEMPLATE": "[{model} for {cost}, {input} + {output}]"}),
    ("a template with an unknown name", reply("Done."), {"response": has("{who} $0.0211")}, {"FOOTER_TEMPLATE": "{who} {cost}"}),
    ("typed, and not removed", reply("Done.\n\n" + TYPED[0]), {"response": has(TYPED[0], LINE)}, {"FOOTER_STRIP": "0"}),
    ("the nudge", {"event": "pre_llm_call"}, {"context": has("footer")}),
    ("a nudge of one's own", {"event": "pre_llm_call"}, {"context": "No footer."}, {"FOOTER_SUPPRESS_TEXT": "No footer."}),
    ("another event", {"event": "on_stop", "response": "Done."}, None),
    ("an empty event", {}, None),
]

run(__file__, cases, {"FOOTER_SHOW_TOKENS": "0", "FOOTER_SHOW_CREDIT": "0"})
