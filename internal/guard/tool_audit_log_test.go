package guard

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/usage"
)

func auditEvent(kind checkrein.Kind, input, output string) checkrein.Event {
	ev := checkrein.Event{Kind: kind, Host: "h", Session: checkrein.Session{ID: "s", Dir: "/home/u/p/sub", Root: "/home/u/p", Agent: "root"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c1", Input: json.RawMessage(input)}}
	if output != "" {
		ev.Tool.Output = json.RawMessage(output)
	}
	return ev
}

func TestToolAuditLog(t *testing.T) {
	t.Parallel()
	const head = `{"time":"2026-03-04T05:06:07.000Z","event":"%","host":"h","session":"s","agent":"root","cwd":"/home/u/p/sub","tool":"Bash","canonical":"shell","call":"c1"`
	failed := auditEvent(checkrein.PostToolUseFailure, `{}`, "")
	failed.Details = []checkrein.Detail{{Name: "error", Value: json.RawMessage(`"no such file"`)}}
	half := auditEvent(checkrein.PostToolUse, `{}`, `"x"`)
	half.Tool.Failed = true
	for _, tt := range []struct {
		ev   checkrein.Event
		want string
	}{
		{auditEvent(checkrein.PostToolUse, `{"command": "ls",  "n":12345678901234567890}`, `{"stdout":"a\nb"}`), `,"input":{"command":"ls","n":12345678901234567890},"output":{"stdout":"a\nb"}}`},
		{auditEvent(checkrein.PreToolUse, `{"command":"ls"}`, ""), `,"input":{"command":"ls"}}`},
		{failed, `,"input":{},"error":"no such file","failed":true}`},
		{half, `,"input":{},"output":"x","failed":true}`},
	} {
		d := newDesk(t)
		if v := d.runBuiltin(tt.ev, "tool_audit_log"); !v.IsZero() {
			t.Errorf("it says something: %+v", v)
		}
		guardtest.CheckEqual(t, strings.Join(d.files["tools.jsonl"], "|"), strings.Replace(head, "%", tt.ev.Kind.String(), 1)+tt.want)
	}
	d := newDesk(t)
	if d.runBuiltin(guardtest.SessionEvent(checkrein.Stop, "done"), "tool_audit_log"); len(d.files) != 0 {
		t.Errorf("an event without a tool: %q", d.files)
	}
}

// TestToolAuditLogRedacts checks that no part of a secret is in the file, wherever it was, even if a
// long value is shortened.
func TestToolAuditLogRedacts(t *testing.T) {
	t.Parallel()
	for _, kind := range guardtest.SecretKinds {
		secret := guardtest.PlantedSecret(kind)
		quoted, _ := json.Marshal(secret)
		inner := string(quoted[1 : len(quoted)-1])
		for _, pad := range []string{"", strings.Repeat("x ", (4<<10)/2-10), strings.Repeat("x ", (32<<10)/2-10)} {
			d := newDesk(t)
			ev := auditEvent(checkrein.PostToolUse, `{"command":"`+pad+" "+inner+`"}`, `{"stdout":"`+pad+" "+inner+`","list":["`+inner+`"]}`)
			ev.Details = []checkrein.Detail{{Name: "error", Value: json.RawMessage(`"` + pad + " " + inner + `"`)}}
			d.runBuiltin(ev, "tool_audit_log")
			line := d.files["tools.jsonl"][0]
			if guardtest.Leaks(line, secret) {
				t.Errorf("%s behind %d bytes: %.300s", kind, len(pad), line)
			}
			if !json.Valid([]byte(line)) || strings.Contains(line, "\n") || len(line) > (32<<10)+3*(4<<10) {
				t.Errorf("%s: a line of %d bytes", kind, len(line))
			}
		}
	}
}

func TestToolAuditLogTruncates(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.runBuiltin(auditEvent(checkrein.PostToolUse, `{"a":"`+strings.Repeat("é", (32<<10))+`"}`, `"`+strings.Repeat("é", (4<<10))+`"`), "tool_audit_log")
	var line struct{ Input, Output string }
	if err := json.Unmarshal([]byte(d.files["tools.jsonl"][0]), &line); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{line.Input, line.Output} {
		if !strings.HasSuffix(s, "é\n... (truncated)") {
			t.Errorf("it ends with %q", s[len(s)-30:])
		}
	}
}

func TestToolAuditLogFile(t *testing.T) {
	t.Parallel()
	ev := auditEvent(checkrein.PostToolUse, `{}`, "")
	for arg, want := range map[string]string{"path=/var/x.jsonl": "/var/x.jsonl", "path=logs/x.jsonl": "/home/u/p/logs/x.jsonl", "path=~/x.jsonl": "/home/u/x.jsonl"} {
		d := newDesk(t)
		if d.runBuiltin(ev, "tool_audit_log", arg); len(d.files[want]) != 1 {
			t.Errorf("%s: %q", arg, d.files)
		}
	}
	for _, args := range [][]string{{"x"}, {"path="}, {"path=a", "path=b"}} {
		if _, err := usage.NewToolAuditLog(usage.Env{}, args); err == nil {
			t.Errorf("%q is no mistake", args)
		}
	}
}

// TestToolAuditLogFault checks that an error while writing is a fault but never closes a gate.
func TestToolAuditLogFault(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	env := d.env()
	env.Usage.AddLine = func(string, []byte) error { return errors.New("disk full") }
	if v, err := d.tryBuiltin(env, auditEvent(checkrein.PostToolUse, `{}`, ""), "tool_audit_log"); err == nil || !v.IsZero() {
		t.Errorf("%+v, %v", v, err)
	}
	v, err := d.tryBuiltin(env, auditEvent(checkrein.PreToolUse, `{}`, ""), "tool_audit_log")
	if err != nil || v.Decision != checkrein.NoOpinion || len(v.Notice) != 1 || !strings.Contains(v.Notice[0], "disk full") {
		t.Errorf("%+v, %v", v, err)
	}
	ev := auditEvent(checkrein.PostToolUse, `{}`, "")
	ev.Session.Root, ev.Session.Dir = "", ""
	if _, err := d.tryBuiltin(d.env(), ev, "tool_audit_log", "path=x"); err == nil || !strings.Contains(err.Error(), "absolute") {
		t.Errorf("a path that leads nowhere: %v", err)
	}
}
