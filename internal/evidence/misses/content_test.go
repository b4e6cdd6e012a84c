package misses

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A qwenCall is a call in a transcript of Qwen Code, whose hooks get no IDs of calls.
type qwenCall struct {
	at      int
	command string
}

// writeQwenTranscript writes a transcript of Qwen Code with shell calls, each of which takes a second.
func writeQwenTranscript(t *testing.T, session string, calls []qwenCall) transcript.File {
	t.Helper()
	var b strings.Builder
	for i, c := range calls {
		line := func(after int, kind, part, more string) {
			fmt.Fprintf(&b, `{"uuid":"u%d%s","sessionId":%q,"timestamp":%q,"type":%q,"message":{"role":"user","parts":[%s]}%s}`+"\n", i, kind, session, at(c.at+after).Format(time.RFC3339Nano), kind, part, more)
		}
		line(0, "assistant", fmt.Sprintf(`{"functionCall":{"id":"call%d","name":"run_shell_command","args":{"is_background":false,"command":%s}}}`, i, rawjson.Quote(c.command)), "")
		line(1, "tool_result", fmt.Sprintf(`{"functionResponse":{"id":"call%d","name":"run_shell_command","response":{"output":"fine"}}}`, i), `,"toolCallResult":{"status":"success"}`)
	}
	path := filepath.Join(t.TempDir(), session+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return transcript.File{Host: "qwen", Form: setups.Transcripts().ForHost("qwen"), Path: path, Size: int64(b.Len()), Time: at(10_000)}
}

// asked returns a record of such a call, with its keys in another order than in the transcript.
func asked(when int, session, command string) line {
	return line{host: "qwen", at: when, event: "pre_tool_use", session: session, tool: "run_shell_command", command: command}
}

// TestJoinByContent has calls that no ID connects with the ledger, only their contents and times, and
// checks which of them are unseen.
func TestJoinByContent(t *testing.T) {
	t.Parallel()
	key := [32]byte{1, 2, 3}
	sum := func(command string) string {
		j := join{ledger: Ledger{Digests: &key}}
		return hex.EncodeToString([]byte(j.keyedDigest([]byte(`{"is_background":false,"command":` + string(rawjson.Quote(command)) + `}`))))
	}
	for _, test := range []struct {
		name   string
		calls  []qwenCall
		ledger []line
		unseen []int // when
	}{
		{"all are there", []qwenCall{{100, "ls"}, {110, "pwd"}}, []line{asked(100, "s", "ls"), asked(110, "s", "pwd")}, nil},
		{"the clocks differ a little", []qwenCall{{100, "ls"}}, []line{asked(103, "s", "ls")}, nil},
		{"one says something else", []qwenCall{{100, "ls"}, {110, "pwd"}}, []line{asked(100, "s", "ls"), asked(110, "s", "pwd -P")}, []int{110}},
		{"the same was asked at another time", []qwenCall{{100, "ls"}}, []line{asked(10, "s", "ls"), asked(200, "s", "ls")}, []int{100}},
		{"the same was asked by another session", []qwenCall{{100, "ls"}}, []line{asked(100, "other", "ls")}, []int{100}},
		{"two say the same, one was asked", []qwenCall{{100, "ls"}, {130, "ls"}}, []line{asked(130, "s", "ls")}, []int{100}},
		{"two say the same at once, one was asked", []qwenCall{{100, "ls"}, {102, "ls"}}, []line{asked(100, "s", "ls")}, []int{102}},
		{"two say the same, both were asked", []qwenCall{{100, "ls"}, {102, "ls"}}, []line{asked(100, "s", "ls"), asked(102, "s", "ls")}, nil},
		{"only a keyed digest is on record", []qwenCall{{100, "ls"}, {110, "pwd"}}, []line{{host: "qwen", at: 100, event: "pre_tool_use", session: "s", tool: "run_shell_command", mac: sum("ls")}}, []int{110}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := ledgerOf(test.ledger)
			l.Digests = &key
			r, err := Run(t.Context(), l, Options{Files: []transcript.File{writeQwenTranscript(t, "s", test.calls)}, Hosts: []Host{{Name: "qwen", Title: "Qwen Code", Installed: true, Since: at(0)}}})
			if err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, m := range r.Misses { // a group has all of a tool: its first and its last are enough here
				got = append(got, int(m.First.Sub(noon).Seconds()))
				if m.Calls > 1 {
					got = append(got, int(m.Last.Sub(noon).Seconds()))
				}
			}
			if r.Calls != len(test.calls) || r.Unseen != len(test.unseen) || !slices.Equal(got, test.unseen) {
				t.Errorf("%d calls, %d unseen: %v, want %v", r.Calls, r.Unseen, got, test.unseen)
			}
		})
	}
}
