package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
)

// openServed opens a kit with a new state directory and config as the user's own file. It also returns
// the state directory.
func openServed(t *testing.T, config string, change func(*Options)) (*Kit, string) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".config", "checkrein", "checkrein.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := Options{Dir: t.TempDir(), State: filepath.Join(home, "state"), Managed: NoManaged,
		Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}}
	if change != nil {
		change(&opts)
	}
	k, err := Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return k, filepath.Join(home, "state")
}

const denyDanger = `version: 1
packs: []
hooks:
  pre_tool_use:
    - type: rule
      name: guard
      if: {command: {contains: danger}}
      decision: deny
      reason: 'no: {{command}}'
`

func shellCall(command string) checkrein.Event {
	input, _ := json.Marshal(map[string]string{"command": command})
	return checkrein.Event{Kind: checkrein.PreToolUse, Host: "some", Session: checkrein.Session{ID: "s1"},
		Tool: &checkrein.Tool{Name: "Bash", Canonical: "shell", CallID: "c1", Input: input}}
}

// readRecords returns the records of events in the ledger of the state directory state.
func readRecords(t *testing.T, state string) []*record.Record {
	t.Helper()
	r := ledger.NewReader(filepath.Join(state, ledger.Folder), ledger.Position{})
	defer r.Close()
	var out []*record.Record
	for {
		e, err := r.Next()
		if err != nil {
			return out
		}
		if e.Damaged || e.Line.Kind != ledger.KindEvent {
			continue
		}
		rec, err := record.Decode(e.Line.Raw)
		if err != nil {
			t.Fatalf("%v in %s", err, e.Line.Raw)
		}
		out = append(out, rec)
	}
}

func TestServeRecords(t *testing.T) {
	t.Parallel()
	k, state := openServed(t, denyDanger, nil)
	secret := "ghp_" + strings.Repeat("aB3d", 9)
	if out := k.Serve(context.Background(), shellCall("danger "+secret)); out.Verdict.Decision != checkrein.Deny {
		t.Fatalf("verdict %+v", out.Verdict)
	}
	k.Serve(context.Background(), checkrein.Event{Kind: checkrein.TurnStart}) // an empty plan
	list := readRecords(t, state)
	if len(list) != 2 {
		t.Fatalf("%d records", len(list))
	}
	r := list[0]
	if r.Decision != "deny" || r.Host != "some" || r.Event != "pre_tool_use" || r.Tool.CallID != "c1" || r.Policy == "" || r.Boot == "" && r.Mono != 0 {
		t.Errorf("record %+v", r)
	}
	if len(r.Plan) != 2 || r.Plan[0].Hook != "guard" || r.Plan[1].Hook != "protect_paths" || r.Plan[0].Outcome != "answered" || !strings.HasSuffix(r.Plan[0].Origin, "checkrein.yaml:5") || r.Plan[0].Digest == "" {
		t.Errorf("plan %+v", r.Plan)
	}
	if r.Reply == nil || r.Reply.Stdout == nil || len(r.Reply.Stdout.Digest) != 64 {
		t.Errorf("reply %+v", r.Reply)
	}
	if list[1].Decision != "none" || len(list[1].Plan) != 0 || list[1].Policy != r.Policy {
		t.Errorf("the empty plan: %+v", list[1])
	}
	err := filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	log, err := os.ReadFile(filepath.Join(state, "log", "checkrein.log"))
	if err != nil || strings.Count(string(log), "\n") != 1 || !strings.Contains(string(log), "deny  pre_tool_use of some Bash [deny]: no: danger") || !strings.Contains(string(log), "checkrein explain 2") {
		t.Errorf("log %q, %v", log, err)
	}
}

func TestUnrecordedDecisions(t *testing.T) {
	t.Parallel()
	blocked := func(t *testing.T) func(*Options) {
		file := filepath.Join(t.TempDir(), "state")
		return func(o *Options) {
			o.State = file
			if err := os.MkdirAll(file, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(file, ledger.Folder), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	homeless := func(*testing.T) func(*Options) {
		return func(o *Options) {
			o.State = ""
			home := strings.TrimPrefix(o.Environ[0], "HOME=")
			o.Environ = []string{"XDG_CONFIG_HOME=" + filepath.Join(home, ".config")}
		}
	}
	tests := []struct {
		name   string
		config string
		broken func(*testing.T) func(*Options)
		event  checkrein.Event
		want   checkrein.Decision
		told   string // part of a notice
		reason string
	}{
		{"a denial stays one", denyDanger, blocked, shellCall("danger"), checkrein.Deny, "decisions are not being recorded", "no: danger"},
		{"no opinion stays none", denyDanger, blocked, shellCall("ls"), checkrein.NoOpinion, "decisions are not being recorded", ""},
		{"no home", denyDanger, homeless, shellCall("ls"), checkrein.NoOpinion, "decisions are not being recorded", ""},
		{"on_full: block closes gates", "on_full: block\n" + denyDanger, blocked, shellCall("ls"), checkrein.Deny, "", "checkrein blocked this: it could not be recorded, and on_full is block: "},
		{"without a home too", "on_full: block\n" + denyDanger, homeless, shellCall("ls"), checkrein.Deny, "", "on_full is block"},
		{"but nothing else", "on_full: block\n" + denyDanger, blocked, checkrein.Event{Kind: checkrein.TurnStart}, checkrein.NoOpinion, "decisions are not being recorded", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k, _ := openServed(t, test.config, test.broken(t))
			out := k.Serve(context.Background(), test.event)
			if out.Verdict.Decision != test.want || !strings.Contains(out.Verdict.Reason, test.reason) {
				t.Errorf("verdict %+v", out.Verdict)
			}
			if notices := strings.Join(out.Verdict.Notice, "\n"); !strings.Contains(notices, test.told) {
				t.Errorf("told %q", notices)
			}
			// A miss that could not be counted is reported each time.
			again := strings.Join(k.Serve(context.Background(), test.event).Verdict.Notice, "\n")
			if strings.Contains(test.name, "home") && test.told != "" && !strings.Contains(again, "they cannot be counted either") {
				t.Errorf("told again %q", again)
			}
		})
	}
}

func TestPolicyVersion(t *testing.T) {
	t.Parallel()
	policy := func(config string, change func(*Options)) string {
		home := t.TempDir()
		file := filepath.Join(home, "f.yaml")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		opts := Options{Dir: home, State: filepath.Join(home, "state"), Managed: NoManaged, Environ: []string{"HOME=" + home}, Files: []string{file}}
		if change != nil {
			change(&opts)
		}
		k, err := Open(opts)
		if err != nil {
			t.Fatal(err)
		}
		return k.Policy()
	}
	if a, b := policy(denyDanger, nil), policy(denyDanger, nil); a != b || len(a) != 32 {
		t.Errorf("policies of two machines: %q and %q", a, b)
	}
	if policy(denyDanger, nil) == policy(strings.Replace(denyDanger, "deny", "ask", 1), nil) {
		t.Error("another decision, the same policy")
	}
	flag := func(o *Options) {
		o.Hooks = []checkrein.Hook{{ID: "x", On: checkrein.PreToolUse, Run: "rule", With: json.RawMessage(`{"decision":"deny"}`)}}
	}
	if policy(denyDanger, nil) == policy(denyDanger, flag) {
		t.Error("another hook, the same policy")
	}
}
