package ahp

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, harness) }

// harness simulates a harness that checks every answer. It has registered checkrein as fail-closed, so
// an error is a denial.
func harness(_ string, payload []byte, r wire.Reply) wiretest.Reaction {
	h := wiretest.Reaction{Notice: strings.TrimSpace(string(r.Stderr))}
	out := bytes.TrimSuffix(r.Stdout, []byte("\n"))
	asked, _ := rawjson.Get(bytes.TrimSpace(payload), "id")
	switch {
	case r.Exit != 0:
		h.Rejected = "an exit code other than 0"
	case bytes.ContainsRune(out, '\n'):
		h.Rejected = "more than one line"
	case len(out) == 0:
		if asked != nil {
			h.Rejected = "a request without an answer"
		}
	case rawjson.CheckObject(out) != nil || rawjson.GetText(out, "jsonrpc") != "2.0":
		h.Rejected = "no JSON-RPC"
	}
	if h.Rejected != "" || len(out) == 0 {
		return h
	}
	if val, ok := rawjson.Get(out, "error"); ok {
		h.Decision, h.Reason = checkrein.Deny, rawjson.GetText(val, "message")
		return h
	}
	id, _ := rawjson.Get(out, "id")
	version, _ := rawjson.Lookup(out, "result", "protocolVersion")
	want, _ := rawjson.Lookup(payload, "params", "protocolVersion")
	effects, ok := rawjson.Lookup(out, "result", "effects")
	if !rawjson.Equal(id, asked) || !rawjson.Equal(version, want) || !ok || rawjson.Kind(effects) != '[' {
		h.Rejected = "not the answer to this request"
	}
	n := 0
	rawjson.Elements(effects, func(_ int, e []byte) bool {
		n++
		if rawjson.GetText(e, "type") != "deny" || rawjson.GetText(e, "reason") == "" {
			h.Rejected = "an effect that was not offered"
		}
		h.Decision, h.Reason = checkrein.Deny, rawjson.GetText(e, "reason")
		return true
	})
	if n > 1 {
		h.Rejected = "more than one effect"
	}
	return h
}

func TestMessages(t *testing.T) {
	t.Parallel()
	const event = `"event":{"id":"1","type":"tool.before","tool":{"name":"Bash","input":{"command":"ls"}}}`
	for _, c := range []struct {
		name, line string
		code       int    // of the error; 0 = none
		id         string // "" = no answer
	}{
		{"not JSON", `{`, parseError, "null"},
		{"broken behind the id", `{"jsonrpc":"2.0","id":"7","method":`, parseError, `"7"`},
		{"empty", ``, parseError, "null"},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"hooks/intercept"}]`, invalidRequest, "null"},
		{"another version of JSON-RPC", `{"jsonrpc":"1.0","id":1,"method":"hooks/intercept"}`, invalidRequest, "1"},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"hooks/intercept","params":{"protocolVersion":"0.1",` + event + `}}`, invalidRequest, "null"},
		{"another method", `{"jsonrpc":"2.0","id":1,"method":"hooks/capabilities"}`, notFound, "1"},
		{"another method, nobody waits", `{"jsonrpc":"2.0","method":"hooks/capabilities"}`, notFound, ""},
		{"observe with an id", `{"jsonrpc":"2.0","id":1,"method":"hooks/observe","params":{"protocolVersion":"0.1",` + event + `}}`, invalidRequest, "1"},
		{"another version", `{"jsonrpc":"2.0","id":1,"method":"hooks/intercept","params":{"protocolVersion":"9",` + event + `}}`, invalidParams, "1"},
		{"no event", `{"jsonrpc":"2.0","id":1,"method":"hooks/intercept","params":{"protocolVersion":"0.1"}}`, invalidParams, "1"},
		{"broken observation", `{"jsonrpc":"2.0","method":"hooks/observe","params":{"protocolVersion":"0.1"}}`, invalidParams, ""},
		{"deny is not offered", `{"jsonrpc":"2.0","id":1,"method":"hooks/intercept","params":{"protocolVersion":"0.1",` + event + `,"capabilities":{"effects":["modify"]}}}`, cannotDeny, "1"},
		{"an unknown event", `{"jsonrpc":"2.0","id":1,"method":"hooks/intercept","params":{"protocolVersion":"0.1","event":{"type":"new.thing"},"capabilities":{"effects":["deny"]}}}`, 0, "1"},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"x":1,"method":"hooks/intercept","params":{"y":2,"protocolVersion":"0.1",` + event + `,"capabilities":{"effects":["deny","later"],"z":3}}}`, 0, "1"},
	} {
		call := Host.Read(&Host, []byte(c.line), "")
		out := engine.Outcome{Event: call.Events[0]}
		if call.IsGate() {
			out.Verdict = checkrein.Verdict{Decision: checkrein.Deny, Reason: "no"}
		}
		r := Host.Encode(&call, []engine.Outcome{out})
		if c.id == "" {
			if len(r.Stdout) > 0 {
				t.Errorf("%s: answered %s", c.name, r.Stdout)
			}
			continue
		}
		code, _ := rawjson.Lookup(r.Stdout, "error", "code")
		id, _ := rawjson.Get(r.Stdout, "id")
		if string(id) != c.id || c.code != 0 && string(code) != strconv.Itoa(c.code) || c.code == 0 && code != nil {
			t.Errorf("%s: %s", c.name, r.Stdout)
		}
	}
}

// TestUnjudgeableIsDenied checks that a call that cannot be judged is denied, and not left to a
// policy.
func TestUnjudgeableIsDenied(t *testing.T) {
	t.Parallel()
	call := Host.Read(&Host, []byte(`{"jsonrpc":"2.0","id":1,"method":"hooks/intercept","params":{"protocolVersion":"0.1","event":{"type":"tool.before","tool":{"input":7}},"capabilities":{"effects":["deny"]}}}`), "")
	if call.Err == nil || !call.IsGate() {
		t.Fatal("it passes")
	}
	r := Host.Encode(&call, wiretest.DeniedOutcomes(&call, "cannot be judged"))
	if reason, _ := rawjson.Lookup(r.Stdout, "result", "effects", "0", "reason"); string(reason) != `"cannot be judged"` {
		t.Errorf("%s", r.Stdout)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	ev := Host.Read(&Host, []byte(`{"jsonrpc":"2.0","id":1,"method":"hooks/intercept","params":{"protocolVersion":"draft","event":{"type":"tool.before","session":{"id":"s","workspaceRoots":["/w"]},"call":{"id":"c"},"tool":{"name":"runner","kind":"shell","input":{"command":"ls"}}}}}`), "").Events[0]
	if ev.Session.ID != "s" || ev.Session.Dir != "/w" || ev.Tool.CallID != "c" || ev.Tool.Command() != "ls" {
		t.Errorf("%+v %+v", ev.Session, ev.Tool)
	}
}
