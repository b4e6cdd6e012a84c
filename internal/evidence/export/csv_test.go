package export

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

const csvHeader = "seq,time,kind,host,session,session_key,agent,event,native,tool,canonical_tool,call_id,decision,reason," +
	"effects,hooks,faults,dropped,redo_attempt,canceled,policy,program,dir,ms,input,output,text,reply_exit,reply_stdout,hash"

// readCSV returns the rows of out, each by column.
func readCSV(t testing.TB, out []byte) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(all[0], ","); got != csvHeader {
		t.Fatalf("header %s", got)
	}
	var rows []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, c := range cells {
			if c != "" {
				row[all[0][i]] = c
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func TestCSVRoundTrip(t *testing.T) {
	t.Parallel()
	lines := [][]byte{line(1, ledger.KindEvent, denied), event(2, nil), line(3, ledger.KindPruned, pruned)}
	want := []map[string]string{
		{
			"seq": "1", "time": "2026-03-04T05:06:08.123456789Z", "kind": "event", "host": "claude",
			"session": "s1", "session_key": "k1", "agent": "coder", "event": "pre_tool_use", "native": "PreToolUse",
			"tool": "Bash", "canonical_tool": "shell", "call_id": "c1", "decision": "deny", "reason": "no force push",
			"effects": "deny|context", "hooks": "guard|lint", "faults": "lint: exit 3",
			"dropped": "lint: rewrite_input: the host cannot|allow: unsure", "redo_attempt": "2", "canceled": "false",
			"policy": "sha256:aa", "program": "checkrein 1.2", "dir": "/w", "ms": "1.5",
			"input": `{"command":"git push -f"}`, "output": "abc…xyz", "text": "hello",
			"reply_exit": "2", "reply_stdout": "{}", "hash": hashOf(t, lines[0]),
		},
		{
			"seq": "2", "time": "2026-03-04T05:06:09.123456789Z", "kind": "event", "host": "codex", "event": "stop",
			"decision": "none", "canceled": "false", "policy": "q", "program": "p", "ms": "0", "hash": hashOf(t, lines[1]),
		},
		{"seq": "3", "time": "2026-03-04T05:06:10.123456789Z", "kind": "pruned", "hash": hashOf(t, lines[2])},
	}
	var out bytes.Buffer
	writeAll(t, CSV(&out), lines...)
	if diff := cmp.Diff(want, readCSV(t, out.Bytes())); diff != "" {
		t.Error(diff)
	}
}

func TestCSVWithoutRecords(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	writeAll(t, CSV(&out))
	if got := out.String(); got != csvHeader+"\n" {
		t.Errorf("got %q", got)
	}
}

func TestCSVFormulas(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"=1+1", "'=1+1"},
		{"+1+1", "'+1+1"},
		{"-2+3", "'-2+3"},
		{"@SUM(A1)", "'@SUM(A1)"},
		{"\t=1", "'\t=1"},
		{"\r=1", "'\r=1"},
		{"\n=1", "'\n=1"},
		{"＝1+1", "'＝1+1"},
		{"-", "'-"},
		{"-.", "'-."},
		{"--1", "'--1"},
		{"-1e5", "'-1e5"},
		{"-1-cmd|' /C calc'!A0", "'-1-cmd|' /C calc'!A0"},
		{"-12", "-12"},
		{"+3.50", "+3.50"},
		{"-.5", "-.5"},
		{"a=1", "a=1"},
		{"'=1", "'=1"},
		{"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			writeAll(t, CSV(&out), event(1, map[string]any{"reason": tt.in, "effects": []string{tt.in}}))
			row := readCSV(t, out.Bytes())[0]
			if row["reason"] != tt.want {
				t.Errorf("reason: got %q, want %q", row["reason"], tt.want)
			}
			if want := strings.ReplaceAll(tt.want, "|", `\|`); row["effects"] != want {
				t.Errorf("effects: got %q, want %q", row["effects"], want)
			}
		})
	}
}

func TestCSVList(t *testing.T) {
	t.Parallel()
	if got, want := listCell([]string{`a|b`, `c\`, ``, `d`}), `a\|b|c\\||d`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Whatever agents write, there is one row per record, no cell is a formula, and everything is UTF-8.
func TestCSVHostile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.SliceOfN(rapid.OneOf(
			rapid.String(),
			rapid.SampledFrom([]string{"\"", "a,b", "\n", "\r\n", "=x", "\xff\xfe", "a\x00b", "\u2028", "-1", "-1+1"}),
		), 4, 4).Draw(rt, "texts")
		var out bytes.Buffer
		raw := append([]byte(`{"seq":1,"kind":"event","tool":{"name":"`), "\xff"...) // no writer of ours would
		raw = append(raw, `"},"hash":"h","subject":{"input":{"json":{"a":"`+"\xfe"+`"}}}}`...)
		writeAll(t, CSV(&out), raw, event(2, map[string]any{
			"reason": texts[0], "session": texts[1], "effects": texts[2:], "dir": texts[3],
		}))
		if !utf8.Valid(out.Bytes()) {
			rt.Fatalf("not UTF-8: %q", out.Bytes())
		}
		rows := readCSV(t, out.Bytes())
		if len(rows) != 2 {
			rt.Fatalf("%d rows", len(rows))
		}
		for name, cell := range rows[1] {
			if strings.ContainsAny(cell[:1], "=+-@\t\r\n") && !isPlainNumber(cell) {
				rt.Fatalf("%s is a formula: %q", name, cell)
			}
		}
		clean := func(s string) string { // what csv's reader makes of line ends
			return strings.ReplaceAll(string([]rune(s)), "\r\n", "\n")
		}
		if got := strings.TrimPrefix(rows[1]["reason"], "'"); got != strings.TrimPrefix(clean(texts[0]), "'") {
			rt.Fatalf("reason %q became %q", texts[0], got)
		}
	})
}
