package provenance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/evidence/provenance"
	"github.com/checkrein/checkrein/internal/sys/state"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

const config = `version: 1
packs: []
hooks:
  pre_tool_use:
    - type: rule
      if: {tool_input.content: {contains: forbidden}}
      decision: deny
      reason: 'no'
`

// newBench returns a ledger and a kit that writes to it.
func newBench(t *testing.T) (*app.Kit, state.Dir) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".config", "checkrein", "checkrein.yaml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "state")
	k, err := app.Open(app.Options{Dir: t.TempDir(), State: dir, Managed: app.NoManaged, Environ: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}})
	if err != nil {
		t.Fatal(err)
	}
	return k, state.NewDir(dir)
}

// call returns a tool call as a host reports it.
func call(host, session, id, dir, tool string, input map[string]any) checkrein.Event {
	raw, _ := json.Marshal(input)
	return checkrein.Event{Kind: checkrein.PreToolUse, Host: host, Session: checkrein.Session{ID: session, Dir: dir, Root: dir},
		Tool: &checkrein.Tool{Name: tool, Canonical: tools.CanonicalTool(tool), CallID: id, Input: raw}}
}

func TestFind(t *testing.T) {
	t.Parallel()
	k, dir := newBench(t)
	top := t.TempDir()
	for _, ev := range []checkrein.Event{
		call("some", "elsewhere", "c0", t.TempDir(), "Write", map[string]any{"content": "password = written twice\nfirst line\n"}),
		call("some", "s0", "c1", top, "Write", map[string]any{"content": "forbidden = was never written\n"}),
		call("some", "s1", "c2", top, "Write", map[string]any{"content": "line of a write call\n\tpassword = written twice  \n"}),
		call("other", "s2", "c3", filepath.Join(top, "sub"), "Edit", map[string]any{"old_string": "a", "new_string": "line of an edit call"}),
		call("third", "s3", "c4", top, "apply_patch", map[string]any{"command": "*** Begin Patch\n+line of a patch call\n-line that goes\n*** End Patch"}),
		call("some", "s4", "c5", top, "Write", map[string]any{"content": "-----BEGIN EXAMPLE-----\nAAAABBBB one\n"}),
		call("some", "s5", "c6", top, "Write", map[string]any{"content": "-----BEGIN EXAMPLE-----\nAAAABBBB two\n"}),
		call("some", "s6", "c7", top, "Bash", map[string]any{"command": "echo line of a shell call"}),
	} {
		k.Serve(t.Context(), ev)
	}
	failed := call("some", "s7", "c8", top, "Write", map[string]any{"content": "line of a failed call\n"})
	failed.Kind, failed.Tool.Failed = checkrein.PostToolUseFailure, true
	k.Serve(t.Context(), failed)

	book, err := provenance.Open(dir, top)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, session, id, host, tool string }{
		{"line of a write call", "s1", "c2", "some", "Write"},
		{"  line of an edit call\r\n", "s2", "c3", "other", "Edit"},
		{"line of a patch call", "s3", "c4", "third", "apply_patch"},
		{"line that goes", "", "", "", ""},
		{"password = written twice", "s1", "c2", "some", "Write"}, // in the project, though later
		{"first line", "elsewhere", "c0", "some", "Write"},
		{"-----BEGIN EXAMPLE-----\nAAAABBBB two\n", "s5", "c6", "some", "Write"},
		{"forbidden = was never written", "", "", "", ""},
		{"line of a failed call", "", "", "", ""},
		{"line of a shell call", "", "", "", ""},
		{"a line of a person's own", "", "", "", ""},
		{"}", "", "", "", ""},
		{"-----BEGIN EXAMPLE-----", "", "", "", ""},
	} {
		found, err := book.Find(t.Context(), []provenance.Line{{}, {Mark: book.Fingerprint(tt.text)}})
		if err != nil || found[0] != nil {
			t.Fatal(err, found)
		}
		o := found[1]
		if o == nil {
			o = &provenance.Origin{}
		}
		if o.Session != tt.session || o.Call != tt.id || o.Host != tt.host || o.Tool != tt.tool || (o.Seq == 0) != (tt.session == "") {
			t.Errorf("%q: %+v, want session %q, call %q", tt.text, *o, tt.session, tt.id)
		}
	}
}

// If two files have the same line, the call that wrote it to the given file is found.
func TestFindByFile(t *testing.T) {
	t.Parallel()
	k, dir := newBench(t)
	top := t.TempDir()
	line := "the same line in all files"
	for _, ev := range []checkrein.Event{
		call("some", "s1", "c1", top, "Write", map[string]any{"file_path": filepath.Join(top, "a"), "content": line}),
		call("some", "s2", "c2", top, "Write", map[string]any{"file_path": filepath.Join(top, "sub", "b"), "content": line}),
		call("some", "s3", "c3", top, "apply_patch", map[string]any{"command": "*** Begin Patch\n*** Add File: c\n+" + line + "\n*** End Patch"}),
		call("some", "s4", "c4", top, "Write", map[string]any{"file_path": "sub/b", "content": line}),
	} {
		k.Serve(t.Context(), ev)
	}
	book, err := provenance.Open(dir, top)
	if err != nil {
		t.Fatal(err)
	}
	for path, session := range map[string]string{"a": "s1", "sub/b": "s2", "c": "s3", "other": "s1", "": "s1"} {
		found, err := book.Find(t.Context(), []provenance.Line{{Mark: book.Fingerprint(line), Path: path}})
		if err != nil || found[0] == nil || found[0].Session != session {
			t.Errorf("%q: %v, %v, want %s", path, found[0], err, session)
		}
	}
}

func TestWithoutLedger(t *testing.T) {
	t.Parallel()
	book, err := provenance.Open(state.NewDir(t.TempDir()), "/")
	if book != nil || err != nil {
		t.Fatal(book, err)
	}
	found, err := book.Find(t.Context(), []provenance.Line{{Mark: book.Fingerprint(strings.Repeat("x", 20))}})
	if err != nil || len(found) != 1 || found[0] != nil {
		t.Error(found, err)
	}
}
