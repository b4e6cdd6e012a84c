package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/hook/seen"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"pgregory.net/rapid"
)

// fullEntry returns an entry in which everything is set.
func fullEntry() record.Entry {
	hook := &checkrein.Hook{ID: "h", Name: "guard", On: checkrein.PreToolUse, Run: "rule", From: checkrein.Origin{Scope: checkrein.ScopeUser, File: "/f.yaml", Line: 7}}
	deny := &checkrein.Verdict{Decision: checkrein.Deny, Reason: "no: x", Metadata: map[string]string{"pack": "git", "pack_key": "high", "pack_from": "/p.yaml:3",
		"rule": "git/a", "rules": "git/a git/b", "reason": "no", "final": "self-protection", "other": "x"}}
	steps := []engine.Step{
		{Rejudged: true, Stale: true, Result: engine.Result{Hook: hook, Stage: 1, Took: time.Millisecond, Verdict: deny, Answer: &checkrein.Answer{Ignored: []string{"odd"}, Usage: &checkrein.Usage{Model: "a/b", Input: 1, Output: 2, CachedInput: 3, CachedWrite: 4, Reasoning: 5, Cost: new(float64), Again: true}}}},
		{Result: engine.Result{Hook: hook, Skipped: "off"}},
		{Result: engine.Result{Hook: hook, Fault: errors.New("exit 3")}},
		{Result: engine.Result{Hook: hook, Unmet: true}},
	}
	deny.Because = []checkrein.Cause{{Label: "destructive", Kind: "push", Category: "git-push-force", Rule: "git/a", Radius: "high", On: "main of origin", Maybe: true,
		Paths: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, Hosts: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}}}
	lifted := engine.Lifted{Grant: "g1,g2", Decision: checkrein.Ask, Because: deny.Because}
	steps = append(steps, engine.Step{Result: engine.Result{Hook: hook}, Lifted: &lifted})
	var judged checkrein.Event
	judged.Shared = new(sync.Map)
	notes := seen.ForEvent(&judged)
	notes.AddRepo(seen.Repo{Dir: "/r", Head: "refs/heads/main", Settings: func() string { return "x" }})
	notes.AddDefault("/r", seen.Default{Remote: "origin", Ref: "refs/heads/main"})
	notes.AddRepo(seen.Repo{Dir: "/n", None: true})
	for i := range 20 {
		notes.AddFile("/s"+strings.Repeat("s", i), "rm -rf /")
	}
	return record.Entry{
		Event: &checkrein.Event{Kind: checkrein.PreToolUse, Host: "some", Native: "PreToolUse", Text: "hi", Messages: json.RawMessage(`[1]`),
			Session: checkrein.Session{ID: "s", Dir: "/d", Root: "/r", Agent: "a"},
			Tool:    &checkrein.Tool{Name: "Write", Canonical: "write", CallID: "c", Failed: true, Input: json.RawMessage(`{"path":"x","content":"a line of text\n"}`), Output: json.RawMessage(`"done"`)}},
		Outcome: &engine.Outcome{Verdict: checkrein.Verdict{Decision: checkrein.Deny, Reason: "no", Notice: []string{"look"}}, Steps: steps, Canceled: true,
			Dropped: []checkrein.Dropped{{Hook: "guard", Effect: "context", Why: "not here"}}, Redo: &engine.Redo{Attempt: 1, Limit: 3},
			Handle: "4f2a", Unasked: "the host cannot ask", Event: judged,
			Acts: &match.Acts{Label: "safe", Radius: "low", Effects: []string{"read"}, Paths: strings.Split("abcdefghijk", "")}},
		Reply:  &wire.Reply{Stdout: []byte(`{"a":1}`), Stderr: []byte("err"), Exit: 2},
		Policy: "p", Took: 3 * time.Millisecond, Redact: secret.Redactor{}, Found: func() []string { return []string{"line"} }, Mark: func(string) string { return "1a2b3c4d" },
		HookDigests: func(*checkrein.Hook) record.HookDigests {
			return record.HookDigests{Definition: [32]byte{1}, Approval: [32]byte{2}}
		},
	}
}

// line returns the ledger line of e.
func line(e record.Entry) []byte {
	raw, _ := ledger.AppendLine(nil, &ledger.Stamp{Seq: 1, Kind: ledger.KindEvent, Time: time.Unix(1, 123456789), Boot: "b"}, e.Members(), nil)
	return bytes.TrimSpace(raw)
}

// TestDecodeIsComplete keeps the encoder and the type that readers use consistent: no member is
// unknown, and nothing that is set gets lost.
func TestDecodeIsComplete(t *testing.T) {
	t.Parallel()
	unread := fullEntry()
	unread.Fault, unread.Event.Raw = "not JSON", []byte("{")
	decodes(t, line(fullEntry()))
	decodes(t, line(unread))
}

func decodes(t *testing.T, raw []byte) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	var strict struct {
		record.Record
		Len int `json:"len"`
	}
	if err := dec.Decode(&strict); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	again, err := json.Marshal(strict.Record)
	if err != nil {
		t.Fatal(err)
	}
	rawjson.Each(raw, func(key string, val []byte) bool {
		got, ok := rawjson.Get(again, key)
		if key != "len" && (!ok || !rawjson.Equal(got, val)) {
			t.Errorf("%s is %s, read as %s", key, val, got)
		}
		return true
	})
	for i, want := range []string{"answered", "skipped", "fault"} {
		if got := strict.Plan[i].Outcome; got != want {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
	}
	if s := strict.Plan[0]; s.Rule != "git/a" || len(s.Rules) != 2 || s.Why != "no" || s.Final == "" || s.PackFrom == "" || strict.Unasked == "" {
		t.Errorf("who decided gets lost: %+v", s)
	}
	if s := strict.Secrets; strict.Fault == "" && (s == nil || len(s.Input) != 1 || s.Input[0] != "1a2b3c4d" || s.Output != nil) {
		t.Errorf("secrets: %+v", s)
	}
	if strict.LinesAll != 1 || strict.Lines == "" {
		t.Errorf("fingerprints: %q of %d", strict.Lines, strict.LinesAll)
	}
}

func TestLongPartsAreTruncated(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("aB3d", 9)
	for _, at := range []int{0, 8<<10 - 20, 8 << 10, 9 << 10, 50<<10 - 30} { // across every cut
		text := strings.Repeat("word ", 10<<10)
		text = text[:at] + " " + secret + " " + text[at:]
		e := fullEntry()
		e.Event.Tool.Input, _ = json.Marshal(map[string]string{"content": text})
		rec, err := record.Decode(line(e))
		if err != nil {
			t.Fatal(err)
		}
		in := rec.Subject.Input
		if in.JSON != nil || len(in.Head) > 8<<10 || len(in.Tail) > 8<<10 || len(in.Head) < 4<<10 || len(in.Tail) < 4<<10 || in.Bytes != len(e.Event.Tool.Input) {
			t.Errorf("at %d: head %d, tail %d, bytes %d", at, len(in.Head), len(in.Tail), in.Bytes)
		}
		for _, part := range []string{in.Head, in.Tail} {
			for n := 12; n <= len(secret); n++ { // no piece of it either
				if strings.Contains(part, secret[len(secret)-n:]) || strings.Contains(part, secret[:n]) {
					t.Fatalf("at %d: a piece of the secret is left: %d bytes", at, n)
				}
			}
		}
	}
}

// TestDigestsAreKeyed checks that equal values have equal digests only under the same key.
func TestDigestsAreKeyed(t *testing.T) {
	t.Parallel()
	digest := func(key byte) string {
		e := fullEntry()
		e.Digests[0] = key
		rec, err := record.Decode(line(e))
		if err != nil {
			t.Fatal(err)
		}
		return rec.Subject.Input.Digest
	}
	if one, again := digest(1), digest(1); one != again || one == digest(2) {
		t.Error("digests do not depend on the key, or on more than it")
	}
}

// TestAlwaysALine encodes arbitrary events. The result is always one line of valid JSON of bounded
// length.
func TestAlwaysALine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := fullEntry()
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		long := rapid.Map(rapid.IntRange(0, 100_000), func(n int) string { return strings.Repeat("é\"\n", n/4) })
		any := rapid.OneOf(text, long)
		e.Event.Text, e.Event.Native, e.Event.Session.ID = any.Draw(t, "text"), any.Draw(t, "native"), any.Draw(t, "session")
		e.Event.Tool.Name, e.Event.Tool.Input = any.Draw(t, "tool"), json.RawMessage(any.Draw(t, "input"))
		e.Event.Raw = json.RawMessage(any.Draw(t, "raw"))
		e.Outcome.Verdict.Reason, e.Fault = any.Draw(t, "reason"), any.Draw(t, "fault")
		e.Reply.Stdout = []byte(any.Draw(t, "stdout"))
		raw := line(e)
		if rawjson.Check(raw) != nil || !json.Valid(raw) || !utf8.Valid(raw) || bytes.ContainsAny(raw, "\n") {
			t.Fatalf("no line of JSON: %q", raw)
		}
		if len(raw) > ledger.MaxLine {
			t.Fatalf("%d bytes", len(raw))
		}
		if _, err := ledger.ParseLine(raw); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkMembers(b *testing.B) {
	small, large := fullEntry(), fullEntry()
	large.Event.Tool.Input, _ = json.Marshal(map[string]string{"path": "x", "content": strings.Repeat("func example(a, b int) int { return a + b }\n", 1100)})
	for _, c := range []struct {
		name string
		e    record.Entry
	}{{"small", small}, {"50KB write", large}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.e.Members()
			}
		})
	}
}

// TestNeverTooLong checks that no hook can make its own record too long to write.
func TestNeverTooLong(t *testing.T) {
	t.Parallel()
	odd := strings.Repeat("\x01", 1<<20)
	e := fullEntry()
	e.Event.Text, e.Event.Session.ID, e.Outcome.Verdict.Reason, e.Fault = odd, odd, odd, odd
	e.Reply.Stdout, e.Reply.Stderr = []byte(odd), []byte(odd)
	hook := *e.Outcome.Steps[0].Hook
	hook.Name = odd
	e.Outcome.Steps[0].Verdict.Because[0].On, e.Outcome.Acts.Paths = odd, []string{odd, odd}
	for range 300 {
		e.Outcome.Steps[0].Verdict.Because = append(e.Outcome.Steps[0].Verdict.Because, checkrein.Cause{Rule: odd, Category: odd, Paths: []string{odd, odd}, Hosts: []string{odd}})
		e.Outcome.Verdict.Notice = append(e.Outcome.Verdict.Notice, odd)
		e.Outcome.Dropped = append(e.Outcome.Dropped, checkrein.Dropped{Hook: odd, Effect: "context", Why: odd})
		e.Outcome.Steps = append(e.Outcome.Steps, engine.Step{Result: engine.Result{Hook: &hook, Skipped: odd, Answer: &checkrein.Answer{Ignored: []string{odd}}}},
			engine.Step{Result: engine.Result{Hook: &hook, Unmet: true}})
	}
	raw := line(e)
	rec, err := record.Decode(raw)
	if err != nil || len(raw) > ledger.MaxLine/2+4<<10 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	if f := rec.Facts; f == nil || len(f.Effects) == 0 || f.More < 280 {
		t.Errorf("facts: %+v", f)
	}
	if !rec.Shortened || rec.Decision != "deny" || rec.Reason == "" || rec.More == 0 || rec.Reply.Stdout.Digest == "" {
		t.Errorf("what is left: %.2000s", raw)
	}
}

// TestMarginIsNotShown has the name of a secret beyond the cut, and a long secret before it whose
// redaction moves the cut.
func TestMarginIsNotShown(t *testing.T) {
	t.Parallel()
	pem := "-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("Ab3d", 16)+"\n", 100) + "-----END RSA PRIVATE KEY-----\n"
	for gap := range 40 {
		after := strings.Repeat("filler ", 1200) + pem
		e := fullEntry()
		e.Event.Text = strings.Repeat("word ", 10<<10) + "password=hunter2secret " + after[max(0, len(after)-12<<10+gap):]
		rec, err := record.Decode(line(e))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(rec.Subject.Text.Tail, "hunter2") {
			t.Fatalf("gap %d: the value is shown", gap)
		}
	}
}

func TestNamesThatAreTokens(t *testing.T) {
	t.Parallel()
	token := "ghp_" + strings.Repeat("aB3d", 9)
	random := "k3J9x0QmZ7pL2vT8wR5yB1nC6dF4gH0s" // an id may look like this
	e := fullEntry()
	e.Fault = ""
	e.Event.Session.ID, e.Event.Tool.CallID = random, token
	rec, err := record.Decode(line(e))
	if err != nil || rec.Session != random || rec.Tool.CallID != secret.Marker {
		t.Errorf("session %q, call %q, %v", rec.Session, rec.Tool.CallID, err)
	}
}

// A long text is never truncated before its secrets are removed. Neither a secret at the cut nor text
// that becomes shorter before it reveals a part of a secret.
func TestTruncatedTextsHaveNoSecret(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8" + "xBwgLJ"
	key := "-----BEGIN PRIVATE" + " KEY-----\n" + strings.Repeat(strings.Repeat("aB3dEf9h", 8)+"\n", 100) + "-----END PRIVATE" + " KEY-----\n"
	for _, size := range []int{512, 1024, 4 << 10, 8 << 10, 12 << 10} {
		for off := range 44 {
			e := fullEntry()
			text := key + strings.Repeat("w ", 6000)
			text = text[:size-off-1] + " " + token + " more" + strings.Repeat(" words", 900)
			e.Outcome.Verdict.Reason, e.Outcome.Verdict.Notice, e.Event.Session.Dir = text, []string{text}, "/"+text
			got := string(line(e))
			for i := 0; i+12 <= len(token); i++ {
				if strings.Contains(got, token[i:i+12]) {
					t.Fatalf("at %d-%d: %q is left", size, off, token[i:i+12])
				}
			}
		}
	}
}
