package misses

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

// when returns a time in a transcript, in seconds after noon.
func when(seconds int) string { return `"` + at(seconds).Format(time.RFC3339Nano) + `"` }

// use and result return lines of a Claude Code transcript.
func use(when, id, command string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"a","sessionId":"s","timestamp":%s,"message":{"role":"assistant","content":[{"type":"tool_use","id":%s,"name":"Bash","input":{"command":%q}}]}}`, when, id, command)
}

func result(when, id, content string, wrong bool) string {
	return fmt.Sprintf(`{"type":"user","uuid":"b","sessionId":"s","timestamp":%s,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%s,"content":%q,"is_error":%t}]}}`, when, id, content, wrong)
}

// ran returns the lines of a call with its result.
func ran(when, id, command string) string {
	return use(when, id, command) + "\n" + result(when, id, "out", false)
}

// TestAltered alters the transcript of a session that sent events. Hidden calls are reported with
// their cause, and others are not.
func TestAltered(t *testing.T) {
	t.Parallel()
	heard := func(when int, id, command string) line {
		return line{at: when, event: "pre_tool_use", session: "s", tool: "Bash", id: id, command: command}
	}
	records := []line{heard(100, "c1", "ls"), heard(200, "c2", "pwd"), heard(210, "c3", "touch x")}
	records[2].denied = true
	both := []string{ran(when(100), `"c1"`, "ls"), ran(when(200), `"c2"`, "pwd")}
	denied := result(when(211), `"c3"`, "checkrein blocked touch x: the shop is closed", true)
	for _, test := range []struct {
		name   string
		lines  []string
		since  int
		want   map[Cause]int
		denied int
		unread int
	}{
		{name: "as it should be", lines: append(both, use(when(210), `"c3"`, "touch x"), denied)},
		{name: "heard, and without a time", lines: []string{ran(when(100), `"c1"`, "ls"), ran(`"soon"`, `"c2"`, "pwd")}, since: 90},
		{name: "no time", lines: append(both, ran("null", `"x"`, "id")), since: 90, want: map[Cause]int{Undated: 1}},
		{name: "no time, and what was before is old", lines: append(both, ran(`"x"`, `"x"`, "id")), since: 5000, want: map[Cause]int{Undated: 1}},
		{name: "long ago", lines: append(both, ran(`"1999-01-01T00:00:00Z"`, `"x"`, "id")), since: 90, want: map[Cause]int{Undated: 1}},
		{name: "in many years", lines: append(both, ran(`"2999-01-01T00:00:00Z"`, `"x"`, "id")), since: 90, want: map[Cause]int{Undated: 1}},
		{name: "before what is asked for", lines: append(both, ran(when(300), `"x"`, "id")), since: 5000},
		{name: "no ID", lines: append(both, ran(when(300), `""`, "id")), want: map[Cause]int{Unnamed: 1}},
		{name: "an ID that is null, and no result", lines: append(both, use(when(300), `null`, "id")), want: map[Cause]int{Unnamed: 1}},
		{name: "an ID for something else", lines: append(both, ran(when(300), `"c1"`, "id")), want: map[Cause]int{Other: 1}},
		{name: "an ID for something else at once", lines: append(both, use(when(100), `"c1"`, "id"), ran(when(100), `"c1"`, "id")), want: map[Cause]int{Other: 1}},
		{name: "something else in place of what was heard", lines: []string{ran(when(100), `"c1"`, "id")}, want: map[Cause]int{Other: 1}},
		{name: "a copy of what was heard", lines: append(both, ran(when(100), `"c1"`, "ls"))},
		{name: "denied, and it ran", lines: []string{ran(when(210), `"c3"`, "touch x")}, denied: 1},
		{name: "denied, and it ran by its second result", lines: []string{use(when(210), `"c3"`, "touch x"), denied, result(when(212), `"c3"`, "out", false)}, denied: 1},
		{name: "denied, and it ran by its first result", lines: []string{use(when(210), `"c3"`, "touch x"), result(when(212), `"c3"`, "out", false), denied}, denied: 1},
		{name: "denied, and what it printed has the words of a denial in it", lines: []string{use(when(210), `"c3"`, "touch x"), result(when(211), `"c3"`, "Exit code 1\ntouch: x: Permission denied, blocked by a hook: the shop is closed", true)}, denied: 1},
		{name: "denied, and it failed with other words", lines: []string{use(when(210), `"c3"`, "touch x"), result(when(211), `"c3"`, "cannot open x: permission denied", true)}, denied: 1},
		{name: "denied, and the reason is what failed", lines: []string{use(when(210), `"c3"`, "touch x"), result(when(211), `"c3"`, "stopped: the shop is closed", true)}},
		{name: "a result without its call", lines: append(both, result(when(300), `"x"`, "out", false)), want: map[Cause]int{Callless: 1}},
		{name: "a result without its call, which was heard", lines: []string{result(when(101), `"c1"`, "out", false)}},
		{name: "dated back", lines: append(both, use(when(-90_000), `"x"`, "id"), result(when(300), `"x"`, "out", false)), since: 90, want: map[Cause]int{Undated: 1}},
		{name: "heard, and dated back", lines: append(both[:1:1], use(when(-90_000), `"c2"`, "pwd"), result(when(201), `"c2"`, "out", false)), since: 90},
		{name: "what was before is copied", lines: append([]string{ran(when(-90_000), `"x"`, "id")}, both...), since: 90},
		{name: "a line is damaged", lines: append(both, use(when(300), `"x"`, "id")+"\\", result(when(300), `"x"`, "out", false)[1:]), unread: 1},
		{name: "a key twice", lines: append(both, strings.Replace(use(when(100), `"c1"`, "ls"), `"id":`, `"id":"x","id":`, 1)), unread: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(strings.Join(test.lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Run(t.Context(), ledgerOf(records), Options{
				Files: []transcript.File{{Host: "claude", Form: setups.Transcripts().ForHost("claude"), Path: path, Time: at(10_000)}}, Since: at(test.since), Now: at(10_000),
				Hosts: []Host{{Name: "claude", Title: "Claude Code", Installed: true, Since: at(0)}},
			})
			if err != nil {
				t.Fatal(err)
			}
			got := map[Cause]int{}
			for _, m := range r.Misses {
				got[m.Cause] += m.Calls
			}
			if test.want == nil {
				test.want = map[Cause]int{}
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) || r.Denied.Calls != test.denied || r.Unread != test.unread {
				t.Errorf("%v, %d denied but ran, %d not read\nwant %v, %d, %d\n%+v", got, r.Denied.Calls, r.Unread, test.want, test.denied, test.unread, r)
			}
		})
	}
}

// TestUnread checks which unreadable files count: those of the requested period that may contain
// calls.
func TestUnread(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) transcript.File {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return transcript.File{Host: "claude", Form: setups.Transcripts().ForHost("claude"), Path: path, Size: int64(len(text)), Time: at(10_000)}
	}
	call := ran(when(100), `"c1"`, "ls") + "\n"
	skipped := transcript.File{Host: "claude", Path: "pipe.jsonl", Time: at(10_000), Skip: "it is a pipe"}
	old := skipped
	old.Time = at(10)
	folder := skipped
	folder.Time = time.Time{}
	cut := put("cut.jsonl", call+call[:170])
	fresh := cut
	fresh.Time = at(20_000)
	for _, test := range []struct {
		name          string
		file          transcript.File
		unread, named int
	}{
		{"good", put("good.jsonl", call), 0, 0},
		{"gone", transcript.File{Host: "claude", Form: setups.Transcripts().ForHost("claude"), Path: filepath.Join(dir, "gone.jsonl"), Time: at(10_000)}, 0, 0},
		{"a pipe", skipped, 1, 1},
		{"an old pipe", old, 0, 0},
		{"a folder, of which no time is known", folder, 1, 1},
		{"a list of something else", put("list.jsonl", `{"rows":[1]}`+"\n"), 0, 1},
		{"of another form, with calls in it", put("form.jsonl", strings.ReplaceAll(call, "sessionId", "session")[len(`{"type":"assistant","uuid":"a",`):]), 1, 1},
		{"no text", put("bytes.jsonl", "\x7fELF\x00\x00\n"), 1, 1},
		{"cut within a call", cut, 1, 1},
		{"still being written", fresh, 0, 0},
		{"cut within something else", put("tail.jsonl", call+`{"type":"summ`), 0, 1},
		{"a long line", put("long.jsonl", call+`{"type":"user","x":"`+strings.Repeat("x", 65<<20)+"\"}\n"), 1, 1},
	} {
		r, err := Run(t.Context(), ledgerOf(nil), Options{Files: []transcript.File{test.file}, Since: at(200), Now: at(20_000), Hosts: []Host{{Name: "claude", Title: "Claude Code"}}})
		if err != nil || r.Unread != test.unread || r.Failures() != test.unread || len(r.Skipped) != test.named {
			t.Errorf("%s: %d not read, %d named, want %d, %d\n%+v, %v", test.name, r.Unread, len(r.Skipped), test.unread, test.named, r, err)
		}
	}
}

// TestOtherContent has a call whose ID the ledger has, and a transcript with the same contents in
// another form, or with other contents.
func TestOtherContent(t *testing.T) {
	t.Parallel()
	const input = `{"command":"echo hello"}`
	for _, test := range []struct {
		name            string
		tool, input     string // as asked about
		subject         string // the record of that, if it is not just the input
		called, written string // tool and arguments in the transcript
		other           bool
	}{
		{"the same", "Bash", input, "", "Bash", input, false},
		{"the host adds what is usual", "Bash", `{"command":"echo hello","timeout":1000}`, "", "Bash", input, false},
		{"blanks in what was asked", "Bash", input, `{"input":{"bytes":25,"json":` + input + `}}`, "Bash", input, false},
		{"another command, blanks in what was asked", "Bash", input, `{"input":{"bytes":25,"json":` + input + `}}`, "Bash", `{"command":"cat /etc/shadow"}`, true},
		{"another tool, blanks in what was asked", "Bash", input, `{"input":{"bytes":25,"json":` + input + `}}`, "Write", `{"file_path":"/etc/passwd","content":"x"}`, true},
		{"another tool with the same arguments", "Read", `{"file_path":"/x"}`, "", "Write", `{"file_path":"/x"}`, true},
		{"another word for the tool", "Task", `{"prompt":"x"}`, "", "Agent", `{"prompt":"x"}`, false},
		{"a path in short", "Read", `{"file_path":"/home/a/x.go"}`, "", "Read", `{"file_path":"x.go"}`, false},
		{"a secret taken out", "Bash", "", `{"input":{"bytes":70,"json":{"command":"curl -H 'X: [REDACTED:1a2b3c4d]' here"}}}`, "Bash", `{"command":"curl -H 'X: abcdefgh' here"}`, false},
		{"a secret taken out, another end", "Bash", "", `{"input":{"bytes":70,"json":{"command":"curl -H 'X: [REDACTED:1a2b3c4d]' here"}}}`, "Bash", `{"command":"curl -H 'X: abcdefgh' there; id"}`, true},
		{"a secret taken out, another argument", "Bash", "", `{"input":{"bytes":70,"json":{"command":"ls","env":"[REDACTED]"}}}`, "Bash", `{"command":"id","env":"x"}`, true},
		{"the words of a marker and nothing taken out", "Bash", `{"command":"echo [REDACTED]"}`, "", "Bash", `{"command":"echo x; id"}`, true},
		{"a name taken out", "Bash", "", `{"input":{"bytes":70,"json":{"[REDACTED]":"x"}}}`, "Bash", `{"hunter2":"x"}`, false},
		{"as it was rewritten", "Bash", input, `{"input":{"bytes":24,"json":` + input + `},"rewritten":{"bytes":16,"json":{"command":"true"}}}`, "Bash", `{"command":"true"}`, false},
		{"as it was before it was rewritten", "Bash", input, `{"input":{"bytes":24,"json":` + input + `},"rewritten":{"bytes":16,"json":{"command":"true"}}}`, "Bash", input, false},
		{"neither", "Bash", input, `{"input":{"bytes":24,"json":` + input + `},"rewritten":{"bytes":16,"json":{"command":"true"}}}`, "Bash", `{"command":"id"}`, true},
		{"rewritten into something long", "Bash", input, `{"input":{"bytes":24,"json":` + input + `},"rewritten":{"bytes":90000,"head":"x","tail":"y"}}`, "Bash", `{"command":"long"}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			subject := test.subject
			if subject == "" {
				subject = fmt.Sprintf(`{"input":{"bytes":%d,"json":%s}}`, len(test.input), test.input)
			}
			record := fmt.Sprintf(`{"seq":1,"time":%s,"host":"claude","event":"pre_tool_use","session":"s","tool":{"name":%q,"call_id":"c1"},"subject":%s}`, when(100), test.tool, subject)
			l := ledgerOf(nil)
			l.Each = func(_ context.Context, f index.Filter, fn func([]byte) bool) error {
				if f.Kind == ledger.KindEvent {
					fn([]byte(record))
				}
				return nil
			}
			text := strings.Replace(strings.Replace(ran(when(100), `"c1"`, "here"), `{"command":"here"}`, test.written, 1), `"name":"Bash"`, fmt.Sprintf(`"name":%q`, test.called), 1)
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := Run(t.Context(), l, Options{
				Files: []transcript.File{{Host: "claude", Form: setups.Transcripts().ForHost("claude"), Path: path, Time: at(10_000)}}, Now: at(10_000),
				Hosts: []Host{{Name: "claude", Title: "Claude Code", Installed: true, Since: at(0)}},
			})
			if err != nil || r.Calls != 1 || (r.Unseen == 1) != test.other || test.other && r.Misses[0].Cause != Other {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}
