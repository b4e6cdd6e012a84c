//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/conformance"
)

// fieldsOf reads a payload and what a document lists for its event.
func fieldsOf(t *testing.T, doc, event string, body []byte) (map[string]any, []conformance.Field) {
	t.Helper()
	tables, err := conformance.Fields()
	if err != nil {
		t.Fatal(err)
	}
	var payload map[string]any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&payload); err != nil {
		t.Fatalf("%s %s: %v: %q", doc, event, err, body)
	}
	return payload, tables[doc].Of(event)
}

// worktree_create is fired before there is a session, with the fields that the
// document lists, and the checkout as its directory.
func TestWorktreeFields(t *testing.T) {
	t.Parallel()
	p := newRunPlace(t, `
agents:
  root:
    model: scripted/demo
    hooks:
      worktree_create: [{type: command, command: 'cat >worktree.json; cp worktree.json "$HOME/worktree.json"'}]
`)
	for _, dir := range []string{"repo", "home"} {
		if err := os.Mkdir(filepath.Join(p.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	repo := filepath.Join(p.dir, "repo")
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.email=a@example.com", "-c", "user.name=a", "commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", repo}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %v: %s", err, out)
		}
	}
	cmd := p.command("--worktree=one", "Say: hi")
	cmd.Dir, cmd.Args[2] = repo, "../agent.yaml"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	payload, fields := fieldsOf(t, "docker-agent", "worktree_create", []byte(p.read(t, "home/worktree.json")))
	for _, f := range fields {
		if _, err := f.Check(payload); err != nil {
			t.Errorf("%v: %v", err, payload)
		}
	}
	if payload["cwd"] != payload["worktree_path"] || payload["worktree_branch"] != "checkrein/one" || payload["worktree_source_dir"] != repo {
		t.Errorf("%v", payload)
	}
}
