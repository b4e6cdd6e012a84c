package kit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/kit"
)

// TestOpenWritesOnlyToItsLedger checks that a kit does not change the person's directories, and that
// its records are in the ledger that it was given, if any.
func TestOpenWritesOnlyToItsLedger(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{false, true} {
		home, project, ledger := t.TempDir(), t.TempDir(), ""
		if keeps {
			ledger = filepath.Join(t.TempDir(), "records")
		}
		var log bytes.Buffer
		k, err := kit.Open(kit.Options{Dir: project, Session: "s", Environ: []string{"HOME=" + home, "USERPROFILE=" + home}, Ledger: ledger,
			Logger: slog.New(slog.NewTextHandler(&log, nil)), Hooks: []checkrein.Hook{{ID: "stay", On: checkrein.Stop, Run: "rule", With: json.RawMessage(`{"decision":"deny","reason":"tests fail"}`)},
				{ID: "no", On: checkrein.PreToolUse, Run: "rule", With: json.RawMessage(`{"decision":"deny","reason":"not here"}`)}}})
		if err != nil {
			t.Fatal(err)
		}
		session := checkrein.Session{ID: "s", Dir: project}
		out := k.Serve(context.Background(), checkrein.Event{Kind: checkrein.PreToolUse, Session: session, Tool: &checkrein.Tool{Name: "shell", Input: json.RawMessage(`{"cmd":"ls"}`)}})
		if out.Verdict.Decision != checkrein.Deny || len(out.Verdict.Notice) > 0 {
			t.Errorf("keeps %v: %v, notices %q", keeps, out.Verdict.Decision, out.Verdict.Notice)
		}
		redos := 0
		for range 5 {
			if k.Serve(context.Background(), checkrein.Event{Kind: checkrein.Stop, Session: session}).Redo != nil {
				redos++
			}
		}
		if redos != 3 {
			t.Errorf("keeps %v: the agent was kept going %d times", keeps, redos)
		}
		if left := listFiles(t, home); len(left) > 0 {
			t.Errorf("keeps %v: left in the home: %q", keeps, left)
		}
		if keeps && !strings.Contains(strings.Join(listFiles(t, ledger), " "), "ledger") {
			t.Errorf("no records in %q", listFiles(t, ledger))
		}
		if !strings.Contains(log.String(), "not here") {
			t.Errorf("keeps %v: the log is %q", keeps, log.String())
		}
	}
}

// listFiles returns the files in dir and its subdirectories.
func listFiles(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != dir {
			out = append(out, path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return out
}
