//go:build unix

package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/lab/conformance"
)

// notFromAgents are documented events that no agent fires, with the tests that check their fields.
var notFromAgents = map[string]string{
	"docker-agent worktree_create": "cmd/checkrein TestWorktreeFields",
}

// A notebook is a hook on every event of every document, in the document's own format, that records
// its payload.
type notebook struct {
	dir   string
	files []string
}

func newNotebook(t *testing.T, tables map[string]conformance.FieldTable, agents ...string) *notebook {
	t.Helper()
	n := &notebook{dir: t.TempDir()}
	write := func(name, text string) string {
		path := filepath.Join(n.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := built.WriteScript(path, text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	events := func(doc string) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(tables[doc])), func(e string) bool { return e == conformance.Every })
	}
	note := write("note.sh", "#!/bin/sh\npayload=$(cat)\nprintf '%s\\n' \"$payload\" >>\"$1\"\n")
	command := func(doc, event string) string { return note + " " + filepath.Join(n.dir, "noted", doc+" "+event) }

	var agent, star strings.Builder
	agent.WriteString("agents:\n")
	for _, name := range agents {
		fmt.Fprintf(&agent, "  %s:\n    hooks:\n", name)
		for _, event := range events("docker-agent") {
			hook := fmt.Sprintf("{type: command, command: %q}", strings.Replace(command("docker-agent", event), "docker-agent ", `docker-agent\ `, 1))
			if strings.Contains(event, "tool_") && event != "on_tool_approval_decision" || event == "permission_request" {
				hook = "{matcher: '*', hooks: [" + hook + "]}"
			}
			fmt.Fprintf(&agent, "      %s: [%s]\n", event, hook)
		}
	}
	star.WriteString("hooks:\n")
	for _, event := range events("starchild") {
		fmt.Fprintf(&star, "  - {event: %s, command: '%s'}\n", event, strings.Replace(command("starchild", event), "starchild ", `starchild\ `, 1))
	}
	n.files = []string{write("agent.yaml", agent.String()), write("shell_hooks.yaml", star.String())}
	for _, event := range events("hookmd") {
		name := strings.ReplaceAll(event, "_", "-")
		n.files = append(n.files, write(name+"/HOOK.md", fmt.Sprintf("---\nname: %s\ndescription: notes\ntrigger: %s\n---\n", name, event)))
		write(name+"/scripts/run.sh", "#!/bin/sh\nexec "+note+" '"+filepath.Join(n.dir, "noted", "hookmd "+event)+"'\n")
	}
	write("noted/.keep", "")
	return n
}

// payloads returns the payloads that a hook got.
func (n *notebook) payloads(t *testing.T, doc, event string) []map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, "noted", doc+" "+event))
	if err != nil {
		return nil
	}
	var out []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var payload map[string]any
		dec := json.NewDecoder(bytes.NewReader([]byte(line)))
		dec.UseNumber()
		if err := dec.Decode(&payload); err != nil {
			t.Errorf("%s %s: %v: %s", doc, event, err, line)
		}
		out = append(out, payload)
	}
	return out
}

// Every documented field of an event is in the payload of its hooks, with the documented type and
// values, in sessions in which every event occurs.
func TestEveryFieldOfEveryEvent(t *testing.T) {
	t.Parallel()
	tables, err := conformance.Fields()
	if err != nil {
		t.Fatal(err)
	}
	n := newNotebook(t, tables, "root", "helper", "expert")
	fireEverything(t, n)
	for doc, table := range tables {
		for event := range table {
			if _, elsewhere := notFromAgents[doc+" "+event]; event == conformance.Every || elsewhere {
				continue
			}
			t.Run(doc+"/"+event, func(t *testing.T) {
				payloads := n.payloads(t, doc, event)
				if len(payloads) == 0 {
					t.Fatal("it was never fired")
				}
				for _, f := range table.Of(event) {
					seen := false
					for _, p := range payloads {
						there, err := f.Check(p)
						if err != nil {
							t.Errorf("%v: %v", err, p)
						}
						seen = seen || there
					}
					if !seen {
						t.Errorf("%s is in no payload, though %s", f.Name, f.When)
					}
				}
			})
		}
	}
}

// fireEverything runs sessions in which every event occurs, most in several ways.
func fireEverything(t *testing.T, n *notebook) {
	full := &model.Usage{Input: 10, Output: 2, CachedInput: 1, CachedWrite: 1, Reasoning: 1}
	session := func(source string, set func(*lab), do func(*lab, *Runtime)) {
		l := newTeamLab(t)
		l.files = n.files
		set(l)
		r := l.start()
		r.Start(t.Context(), source)
		do(l, r)
		r.End(t.Context(), "other")
	}
	prompt := func(_ *lab, r *Runtime) { _ = r.Prompt(t.Context(), "go") }

	// The person approves; one tool succeeds, another fails; a sub-agent, an outbound
	// message, a handoff; steering and follow-ups; the iteration limit; a goal;
	// compactions.
	session("startup", func(l *lab) {
		l.yolo, l.goOn = false, true
		l.person = func(Question) Reply { return Reply{Answer: Approve} }
		l.agents[0].MaxIterations = 1
		l.runs = func(name string, _ json.RawMessage) (string, error) {
			if name == "act" {
				return "", errors.New("it broke")
			}
			return "fine", nil
		}
		l.script["root"] = []scriptedAnswer{
			{calls: []string{`act {}`, `shell {"cmd":"ls"}`, `nothing 7`, `send_message {"message":"m"}`, `transfer_task {"agent":"helper","task":"x"}`}, usage: full, cost: dollars(0.5)},
			{text: "done", usage: full, cost: dollars(0.5)},
		}
	}, func(_ *lab, r *Runtime) {
		_ = r.Steer("faster")
		_ = r.FollowUp("more")
		prompt(nil, r)
		_ = r.Compact(t.Context())
		_ = r.PursueGoal(t.Context(), "g")
		r.Clear(t.Context())
		prompt(nil, r)
	})
	// The person rejects, and the agent stops; then it returns an empty reply.
	session("resume", func(l *lab) {
		l.yolo = false
		l.person = func(Question) Reply { return Reply{} }
		l.script["root"] = []scriptedAnswer{{calls: []string{`shell {"cmd":"ls"}`}}, {text: "as you wish"}, {text: ""}}
	}, func(_ *lab, r *Runtime) { prompt(nil, r); prompt(nil, r) })
	// The limit is reached and no person can lift it.
	session("startup", func(l *lab) {
		l.agents[0].MaxIterations = 1
		l.script["root"] = []scriptedAnswer{{calls: []string{`act {}`}}}
	}, prompt)
	// The conversation is handed off; a model fails; one overflows.
	session("startup", func(l *lab) {
		l.script["root"] = []scriptedAnswer{{calls: []string{`handoff {"agent":"expert"}`}}}
		l.script["expert"] = []scriptedAnswer{{text: "I am here"}, {err: model.ErrOverflow}, {}, {text: "again"}, {err: errors.New("no such model")}}
	}, func(_ *lab, r *Runtime) { prompt(nil, r); prompt(nil, r); prompt(nil, r) })
}
