package opencode

import (
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

func TestWire(t *testing.T) { wiretest.Host(t, &Host, simulate) }

// simulate applies an answer as OpenCode 1.18.33 does with checkrein's plugin.
func simulate(native string, _ []byte, r wire.Reply) wiretest.Reaction {
	var h wiretest.Reaction
	out := []byte(strings.TrimSpace(string(r.Stdout)))
	switch {
	case r.Exit != 0 || len(r.Stderr) > 0:
		h.Rejected = "not said on stdout at exit 0"
	case len(out) == 0:
	case rawjson.CheckObject(out) != nil || strings.Contains(string(out), "\n"):
		h.Rejected = "not one JSON object on one line"
	default:
		rawjson.Each(out, func(key string, val []byte) bool {
			h.Rejected = applyKey(&h, native, key, val)
			return h.Rejected == ""
		})
	}
	return h
}

func keysOf(native string) []string {
	switch native {
	case "tool.execute.before", "":
		return []string{"deny", "args", "notice"}
	case "tool.execute.after":
		return []string{"deny", "output", "context", "notice"}
	case "chat.message":
		return []string{"deny", "text", "context", "notice"}
	case "experimental.text.complete":
		return []string{"text", "notice"}
	case "experimental.chat.system.transform", "experimental.session.compacting":
		return []string{"context", "notice"}
	}
	return []string{"notice"}
}

func applyKey(h *wiretest.Reaction, native, key string, val []byte) string {
	text, isText := rawjson.Text(val)
	kinds := map[string]byte{"deny": '"', "args": '{', "output": '"', "text": '"', "context": '[', "notice": '['}
	switch {
	case !slices.Contains(keysOf(native), key):
		return "the key " + key + " means nothing on " + native
	case rawjson.Kind(val) != kinds[key]:
		return key + " has the wrong type"
	case key == "deny" && native == "tool.execute.after":
		h.Output = val
	case key == "deny":
		h.Decision, h.Reason = checkrein.Deny, text
	case key == "args":
		h.Input = val
	case isText:
		h.Output = val
	default:
		rawjson.Elements(val, func(_ int, v []byte) bool {
			s, _ := rawjson.Text(v)
			if key == "notice" {
				h.Notice += s + "\n"
			} else {
				h.Context += s + "\n"
			}
			return true
		})
	}
	return ""
}

func TestEventsThatDependOnThePayload(t *testing.T) {
	t.Parallel()
	const prompt = `"input":{"sessionID":"s"},"output":{"parts":[{"type":"text","text":"a"},{"type":"file"},{"type":"text","text":"made","synthetic":true},{"type":"text","text":"b"}]}}`
	for _, c := range []struct {
		body string
		want []checkrein.Kind
	}{
		{`{"hook":"chat.message",` + prompt, []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.TurnStart}},
		{`{"hook":"chat.message","session":"startup",` + prompt, []checkrein.Kind{checkrein.SessionStart, checkrein.UserPromptSubmit, checkrein.TurnStart}},
		{`{"hook":"chat.message","session":"startup","parent":"p",` + prompt, []checkrein.Kind{checkrein.SubagentStart, checkrein.UserPromptSubmit, checkrein.TurnStart}},
		{`{"hook":"chat.message","parent":"p",` + prompt, []checkrein.Kind{checkrein.UserPromptSubmit, checkrein.TurnStart}},
		{`{"hook":"event","input":{"event":{"type":"session.idle","properties":{"sessionID":"s"}}}}`, []checkrein.Kind{checkrein.Stop, checkrein.TurnEnd}},
		{`{"hook":"event","parent":"p","input":{"event":{"type":"session.idle","properties":{"sessionID":"s"}}}}`, []checkrein.Kind{checkrein.SubagentStop, checkrein.TurnEnd}},
		{`{"hook":"event","input":{"event":{"type":"brand.new","properties":{"sessionID":"s"}}}}`, []checkrein.Kind{checkrein.Other}},
		{`{"hook":"brand.new","input":{"sessionID":"s"}}`, []checkrein.Kind{checkrein.Other}},
	} {
		var got []checkrein.Kind
		call := Host.Read(&Host, []byte(c.body), "")
		for _, ev := range call.Events {
			got = append(got, ev.Kind)
			if ev.Session.ID != "s" {
				t.Errorf("%s: session %q", c.body, ev.Session.ID)
			}
			if ev.Kind == checkrein.UserPromptSubmit && ev.Text != "a\nb" {
				t.Errorf("prompt %q", ev.Text)
			}
		}
		if !slices.Equal(got, c.want) || call.Err != nil {
			t.Errorf("%s: %v, %v", c.body, got, call.Err)
		}
	}
}

func TestReadToolCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, tool, path, output, call string }{
		{`{"hook":"tool.execute.before","directory":"/p","input":{"tool":"edit","sessionID":"s","callID":"c"},"output":{"args":{"filePath":"a.txt"}}}`, "edit", "a.txt", "", "c"},
		{`{"hook":"tool.execute.after","directory":"/p","input":{"tool":"write","sessionID":"s","callID":"c","args":{"filePath":"a.txt"}},"output":{"output":"done"}}`, "write", "a.txt", `"done"`, "c"},
		{`{"hook":"event","directory":"/p","input":{"event":{"type":"message.part.updated","properties":{"part":{"type":"tool","tool":"read","sessionID":"s","callID":"c","state":{"status":"error","input":{"filePath":"a.txt"},"error":"no"}}}}}}`, "read", "a.txt", "", "c"},
	} {
		ev := Host.Read(&Host, []byte(c.body), "").Events[0]
		if ev.Tool == nil || ev.Tool.Canonical != c.tool || ev.Session.Dir != "/p" || ev.Session.ID != "s" || ev.Tool.CallID != c.call ||
			!slices.Equal(ev.Tool.Paths(), []string{c.path}) || string(ev.Tool.Output) != c.output {
			t.Errorf("%s: %+v %+v", c.body, ev, ev.Tool)
		}
	}
}

// TestUnreadableGate checks that a gate denies if its arguments cannot be read.
func TestUnreadableGate(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"hook":"tool.execute.before","input":{},"output":{"args":{}}}`,
		`{"hook":"tool.execute.before","input":{"tool":7},"output":{"args":{}}}`,
		`{"hook":"tool.execute.before","input":{"tool":"bash"},"output":{"args":"ls"}}`,
		`{"hook":"tool.execute.before","input":{"tool":"bash","sessionID":[]},"output":{"args":{}}}`,
		`{"input":{"tool":"bash"},"output":{"args":{}}}`,
	} {
		if c := Host.Read(&Host, []byte(body), ""); c.Err == nil || !c.IsGate() {
			t.Errorf("%s: %v, gates %v", body, c.Err, c.IsGate())
		}
	}
}
