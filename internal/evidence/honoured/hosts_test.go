package honoured_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// A script describes how a host reports a session: its start, a prompt, the events before and after a
// call, and where text of the model appears. SID, DIR, CMD, OUT and SAY are filled in.
type script struct {
	start, prompt, pre, post string
	say                      string // an event with what the model answered; "" = there is none
	event                    []string
}

var scripts = map[string]script{
	"claude": {
		start:  `{"hook_event_name":"SessionStart","session_id":"SID","cwd":"DIR","source":"startup"}`,
		prompt: `{"hook_event_name":"UserPromptSubmit","session_id":"SID","cwd":"DIR","prompt":"SAY"}`,
		pre:    `{"hook_event_name":"PreToolUse","session_id":"SID","cwd":"DIR","tool_name":"Bash","tool_input":{"command":"CMD"},"tool_use_id":"toolu_CALL"}`,
		post:   `{"hook_event_name":"PostToolUse","session_id":"SID","cwd":"DIR","tool_name":"Bash","tool_input":{"command":"CMD"},"tool_use_id":"toolu_CALL","tool_response":{"stdout":"OUT","stderr":"","interrupted":false,"isImage":false}}`,
		say:    `{"hook_event_name":"Stop","session_id":"SID","cwd":"DIR","stop_hook_active":false,"last_assistant_message":"SAY"}`,
	},
	"codex": {
		start:  `{"hook_event_name":"SessionStart","session_id":"SID","cwd":"DIR","source":"startup","model":"m","permission_mode":"default"}`,
		prompt: `{"hook_event_name":"UserPromptSubmit","session_id":"SID","turn_id":"t","cwd":"DIR","prompt":"SAY","model":"m","permission_mode":"default"}`,
		pre:    `{"hook_event_name":"PreToolUse","session_id":"SID","turn_id":"t","cwd":"DIR","tool_name":"Bash","tool_input":{"command":"CMD"},"tool_use_id":"call_CALL","model":"m","permission_mode":"default"}`,
		post:   `{"hook_event_name":"PostToolUse","session_id":"SID","turn_id":"t","cwd":"DIR","tool_name":"Bash","tool_input":{"command":"CMD"},"tool_use_id":"call_CALL","tool_response":"OUT","model":"m","permission_mode":"default"}`,
		say:    `{"hook_event_name":"Stop","session_id":"SID","turn_id":"t","cwd":"DIR","stop_hook_active":false,"last_assistant_message":"SAY","model":"m","permission_mode":"default"}`,
	},
	"gemini": {
		start:  `{"hook_event_name":"SessionStart","session_id":"SID","cwd":"DIR","timestamp":"2026-01-01T00:00:00.000Z","source":"startup"}`,
		prompt: `{"hook_event_name":"BeforeAgent","session_id":"SID","cwd":"DIR","timestamp":"2026-01-01T00:00:00.000Z","prompt":"SAY"}`,
		pre:    `{"hook_event_name":"BeforeTool","session_id":"SID","cwd":"DIR","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"run_shell_command","tool_input":{"command":"CMD"}}`,
		post:   `{"hook_event_name":"AfterTool","session_id":"SID","cwd":"DIR","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"run_shell_command","tool_input":{"command":"CMD"},"tool_response":{"llmContent":"Output: OUT","returnDisplay":"OUT"}}`,
		say:    `{"hook_event_name":"AfterAgent","session_id":"SID","cwd":"DIR","timestamp":"2026-01-01T00:00:00.000Z","prompt":"go","prompt_response":"SAY","stop_hook_active":false}`,
	},
	"copilot": { // its stop has no text
		event:  []string{"sessionStart", "userPromptSubmitted", "preToolUse", "postToolUse"},
		start:  `{"sessionId":"SID","timestamp":1768473000000,"cwd":"DIR","source":"new"}`,
		prompt: `{"sessionId":"SID","timestamp":1768473000000,"cwd":"DIR","prompt":"SAY"}`,
		pre:    `{"sessionId":"SID","timestamp":1768473000000,"cwd":"DIR","toolName":"bash","toolArgs":{"command":"CMD","description":"x"}}`,
		post:   `{"sessionId":"SID","timestamp":1768473000000,"cwd":"DIR","toolName":"bash","toolArgs":{"command":"CMD","description":"x"},"toolResult":{"resultType":"success","textResultForLlm":"OUT"}}`,
	},
	"qwen": {
		start:  `{"hook_event_name":"SessionStart","session_id":"SID","cwd":"DIR","permission_mode":"yolo","source":"startup"}`,
		prompt: `{"hook_event_name":"UserPromptSubmit","session_id":"SID","cwd":"DIR","permission_mode":"yolo","prompt":"SAY"}`,
		pre:    `{"hook_event_name":"PreToolUse","session_id":"SID","cwd":"DIR","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{"command":"CMD"},"tool_use_id":"toolu_CALL"}`,
		post:   `{"hook_event_name":"PostToolUse","session_id":"SID","cwd":"DIR","permission_mode":"yolo","tool_name":"run_shell_command","tool_input":{"command":"CMD"},"tool_use_id":"toolu_CALL","tool_response":{"llmContent":"Output: OUT","returnDisplay":"OUT"}}`,
		say:    `{"hook_event_name":"Stop","session_id":"SID","cwd":"DIR","permission_mode":"yolo","stop_hook_active":false,"last_assistant_message":"SAY"}`,
	},
}

// The events of each host, sent by one process each, show that a result was not replaced, except if
// the user had typed the secret.
func TestHostsOwnEvents(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	for name, sc := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &bench{faketest.New(t, program, fakehost.Build{}), t}
			b.Install(programs)
			b.installHost(name)
			for i, tt := range []struct {
				prompt, cmd, say string
				want             bool
			}{
				{"go", "ls", "done", false},
				{"use " + token, "curl -H 'Authorization: Bearer " + token + "' http://localhost:1/", "used " + token, false},
				{"go", "ls", "the token is " + token, sc.say != ""},
				{"go", "curl -H 'Authorization: Bearer " + token + "' http://localhost:1/", "done", true},
			} {
				if sc.say == "" && i == 2 {
					continue
				}
				if i == 3 {
					b.installHost(name) // another build
				}
				b.playSession(name, &sc, fmt.Sprint("session-", i), tt.prompt, tt.cmd, tt.say)
				down := func() bool { return strings.Contains(b.capsOf(name), `"downgraded":{"output-replaced"`) }
				if tt.want && !b.waitUntil(down) {
					t.Errorf("%+v: nothing is seen\n%s\n%s", tt, b.capsOf(name), b.log())
				}
				if !tt.want {
					b.Try("checkrein", "doctor", "--no-run") // it looks, too
					if down() {
						t.Errorf("%+v: it is blamed\n%s", tt, b.log())
					}
				}
				if n := strings.Count(b.log(), "It may also be that a prompt of the session has it too"); i == 1 && n != 1 {
					t.Errorf("what may be so is said %d times\n%s", n, b.log())
				}
				if strings.Contains(b.log(), token) {
					t.Error("the log has the secret")
				}
			}
		})
	}
}

// installHost puts the program of a host into the space, with a build of its own.
func (b *bench) installHost(name string) {
	b.t.Helper()
	path, now := filepath.Join(b.Bin, name), time.Now()
	if name != "claude" {
		if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\n# %d\n", now.UnixNano()), 0o700); err != nil {
			b.t.Fatal(err)
		}
	}
	if err := os.Chtimes(path, now, now.Add(-time.Duration(now.UnixNano()%1e9))); err != nil {
		b.t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(b.Home, ".local/state/checkrein/caps/"+name+".json")); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) capsOf(name string) string {
	text, _ := os.ReadFile(filepath.Join(b.Home, ".local/state/checkrein/caps", name+".json"))
	return string(text)
}

// playSession sends the events of a session in which the agent reads a secret, makes a call and gives
// an answer.
func (b *bench) playSession(name string, sc *script, session, prompt, cmd, say string) {
	b.t.Helper()
	out := "token " + token + " is here"
	send := func(event int, text, call, cmd, say string) {
		b.t.Helper()
		if text == "" {
			return
		}
		args := []string{"hook", name}
		if sc.event != nil {
			args = append(args, "--event", sc.event[event])
		}
		c := b.Command("checkrein", args, nil)
		c.Stdin = strings.NewReader(strings.NewReplacer("SID", session, "DIR", b.Project, "CALL", call, "CMD", cmd, "OUT", out, "SAY", say).Replace(text))
		if said, err := c.CombinedOutput(); err != nil && c.ProcessState.ExitCode() != 2 {
			b.t.Fatalf("%s: %v: %s", text, err, said)
		}
	}
	send(0, sc.start, "", "", "")
	send(1, sc.prompt, "", "", prompt)
	send(2, sc.pre, "1", "cat notes.txt", "")
	send(3, sc.post, "1", "cat notes.txt", "")
	out = "fine"
	send(2, sc.pre, "2", cmd, "")
	send(3, sc.post, "2", cmd, "")
	send(4, sc.say, "", "", say)
}
