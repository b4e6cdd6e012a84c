//go:build linux

package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/handler/command"
)

// TestSandboxWalls runs hooks in the profile of contained commands.
func TestSandboxWalls(t *testing.T) {
	t.Parallel()
	y := newSandboxProject(t)
	y.skipWithoutSandbox()
	// The home directory must not be below a directory for temporary files, which can be written.
	home, err := os.MkdirTemp(".", "home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if home, err = filepath.Abs(home); err == nil {
		home, err = filepath.EvalSymlinks(home)
	}
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(home, "project")
	for name, text := range map[string]string{"project/data": "shown", ".bashrc": "start", ".netrc": "hidden", "notes": "notes", "project/.git/HEAD": "", "state/key": "hidden", "more/x": ""} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	place := func() walls.Place { return walls.Place{Homes: []string{home}, Own: []string{home + "/state"}} }
	for _, tt := range []struct{ script, box, says, fault string }{
		{"cat data HOME/notes >&2; exit 2", `"walls"`, "shownnotes", ""},
		{"echo made > new && cat new >&2; exit 2", `"walls"`, "made", ""},
		{"f=$(mktemp) && echo tmp > $f && cat $f >&2; rm -f $f; exit 2", `"walls"`, "tmp", ""},
		{"echo x >> HOME/.bashrc", `"walls"`, "ermission denied", ""},
		{"cat HOME/.netrc", `"walls"`, "", "ermission denied"},
		{"cat HOME/state/key", `"walls"`, "", "ermission denied"},
		{"echo x > HOME/new", `{"profile":"walls"}`, "ermission denied", ""},
		{"echo x > HOME/more/x && echo wrote >&2; exit 2", `{"profile":"walls","write":["HOME/more"]}`, "wrote", ""},
		{"true", `{"profile":"walls","write":["HOME/none"]}`, "", "does not exist"},
		{"bash -c 'exec 3<>/dev/udp/127.0.0.1/9' && echo on >&2; exit 2", `"walls"`, "on", ""},
		{"bash -c 'exec 3<>/dev/udp/127.0.0.1/9' && echo on >&2; exit 2", `{"profile":"walls","network":false}`, "ermission denied", ""},
		{"echo $GITHUB_TOKEN $OWN_TOKEN. >&2; exit 2", `"walls","env":{"OWN_TOKEN":"own"}`, "own.", ""},
	} {
		t.Run(tt.script, func(t *testing.T) {
			t.Parallel()
			words := strings.NewReplacer("HOME", home)
			h := y.newHook(words.Replace(tt.script), words.Replace(tt.box))
			handler, err := command.Type(command.Options{Environ: append(environ(), "GITHUB_TOKEN=other"), Dialect: dialect.Lookup, Program: y.program, Walls: place}).New(h)
			if err != nil {
				t.Fatal(err)
			}
			ev := bash("ls")
			ev.Session.Dir = root
			ans, err := handler.Handle(t.Context(), ev)
			switch {
			case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
				t.Errorf("fault %v, want %q; log %q", err, tt.fault, ans.Log)
			case tt.fault == "" && (err != nil || ans.Decision != checkrein.Deny || !strings.Contains(ans.Reason, tt.says)):
				t.Errorf("got %v %q, %v; log %q", ans.Decision, ans.Reason, err, ans.Log)
			}
		})
	}
}

// TestSandboxProfile checks the errors of wrong profiles.
func TestSandboxProfile(t *testing.T) {
	t.Parallel()
	for box, want := range map[string]string{
		`"wall"`:                           `sandbox.profile: "wall" is unknown: write walls`,
		`{"profile":"x"}`:                  `sandbox.profile: "x" is unknown`,
		`{"profile":"walls","read":["."]}`: "sandbox.read has no effect with a profile",
		`true`:                             "sandbox must be walls or a mapping",
	} {
		_, err := command.Type(command.Options{Dialect: dialect.Lookup}).New(hook(`{"command":"x","sandbox":` + box + `}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", box, err)
		}
	}
}
