package desk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// runOnBook runs a command with the ledger of b, and returns its exit code and output.
func runOnBook(b *clitest.Book, args ...string) (code int, out, errs string) {
	env, stdout, stderr := b.Env(args...)
	code = Run(context.Background(), env)
	return code, stdout.String(), stderr.String()
}

// An edited line is found by its number, and its damage is reported.
func TestShowFindsDamagedRecord(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 3)
	path := filepath.Join(b.Dir(), ledger.CurrentFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("reason 1"), []byte("reason 7"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ := runOnBook(b, "audit", "show", "3")
	if code != console.Done || !strings.Contains(out, "DAMAGED") || !strings.Contains(out, "reason 7") {
		t.Errorf("show: %d\n%s", code, out)
	}
	code, _, errs := runOnBook(b, "explain", "3")
	if code != console.Done || !strings.Contains(errs, "was changed or damaged") {
		t.Errorf("explain: %d %s", code, errs)
	}
	for _, args := range [][]string{{"tail", "--json"}, {"query", "--json"}, {"query", "--count"}, {"export"}} {
		for range 2 {
			code, out, errs = runOnBook(b, append([]string{"audit"}, args...)...)
			if code != console.Done || strings.Contains(out, "reason 7") || strings.Count(errs, "1 line changed, damaged or forged") != 1 {
				t.Errorf("%q: %d %s\n%s", args, code, errs, out)
			}
		}
	}
}

// Forged records with matching hashes are in no result, neither before nor after the next genuine
// record.
func TestForgedRecordsAreIgnored(t *testing.T) {
	t.Parallel()
	for name, seals := range map[string]*ledger.Seals{"without a seal": nil, "with another's": ledger.Key{1}.Seals()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := clitest.NewBook(t, 0)
			b.Fill(t, 3)
			runOnBook(b, "audit", "query") // creates the index
			path := filepath.Join(b.Dir(), ledger.CurrentFile)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
			last, err := ledger.ParseLine(lines[len(lines)-1])
			if err != nil {
				t.Fatal(err)
			}
			stamp := last.Stamp
			stamp.Seq, stamp.Prev = stamp.Seq+1, last.Hash
			data, _ = ledger.AppendLine(data, &stamp, bytes.Replace(last.Members(), []byte("reason"), []byte("invented"), 1), seals)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, after := range []bool{false, true} {
				if after {
					b.Fill(t, 1)
				}
				for _, args := range [][]string{{"tail", "--json"}, {"query", "--json"}, {"export"}} {
					code, out, errs := runOnBook(b, append([]string{"audit"}, args...)...)
					if code != console.Done || strings.Contains(out, "invented") || !strings.Contains(errs, "changed, damaged or forged") {
						t.Errorf("%q, after %v: %d %s\n%s", args, after, code, errs, out)
					}
				}
				if code, out, _ := runOnBook(b, "audit", "verify"); code != console.Finding || !strings.Contains(out, "forged: ") && !strings.Contains(out, "unsealed: ") {
					t.Errorf("verify, after %v: %d\n%s", after, code, out)
				}
				if _, out, errs := runOnBook(b, "audit", "show", "5"); after != (strings.Contains(out, "torn")) || after == strings.Contains(errs, "was not written by a genuine writer of this ledger") {
					t.Errorf("show, after %v: %s\n%s", after, errs, out)
				}
			}
		})
	}
}

// If the newest segment is wrong, every command that reads the ledger reports it, whether there are
// older segments or not.
func TestLostSegmentIsReported(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(path string) error{
		"gone":               os.Remove,
		"emptied":            func(path string) error { return os.Truncate(path, 0) },
		"a directory":        func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"a link nowhere":     func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/nowhere/at/all", path)) },
		"a link to a device": func(path string) error { return errors.Join(os.Remove(path), os.Symlink(os.DevNull, path)) },
	} {
		for _, size := range []int64{0, 3000} {
			t.Run(fmt.Sprint(name, " ", size), func(t *testing.T) {
				t.Parallel()
				b := clitest.NewBook(t, size)
				b.Fill(t, 12)
				if err := do(filepath.Join(b.Dir(), ledger.CurrentFile)); err != nil {
					t.Fatal(err)
				}
				if _, _, errs := runOnBook(b, "audit", "query"); !strings.Contains(errs, "part of the ledger cannot be read") {
					t.Errorf("query: %s", errs)
				}
				if _, out, errs := runOnBook(b, "status"); !strings.Contains(out+errs, ledger.CurrentFile) {
					t.Errorf("status: %s%s", out, errs)
				}
				if code, out, errs := runOnBook(b, "audit", "verify"); code != console.Finding || !strings.Contains(out, "the newest ones were removed") {
					t.Errorf("verify: %d %s%s", code, out, errs)
				}
			})
		}
	}
}

// Segments may be removed and renamed during a query, so missing records are not an error.
func TestQueryWhilePruned(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 14)
	ix, err := index.Open(t.Context(), b.Dir(), index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	var got [][]byte
	damaged, err := records.EachHit(t.Context(), ix, b.Dir(), (&records.Selection{}).Filter(false), func(raw []byte) {
		if got = append(got, raw); len(got) > 1 {
			return
		}
		if err := os.Remove(filepath.Join(b.Dir(), ledger.SegmentFile(1))); err != nil {
			t.Error(err)
		}
		b.Fill(t, 5) // begins a new segment
	})
	if err != nil || damaged != 0 || len(got) != 10 {
		t.Errorf("%d lines, %d damaged, %v", len(got), damaged, err)
	}
}

func TestCommandsWithoutLedger(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
	}{
		{[]string{"audit", "tail"}, console.Done},
		{[]string{"audit", "tail", "--json"}, console.Done},
		{[]string{"audit", "query"}, console.Done},
		{[]string{"audit", "query", "--json"}, console.Done},
		{[]string{"audit", "export"}, console.Done},
		{[]string{"audit", "show", "1"}, console.Finding},
		{[]string{"explain", "1"}, console.Finding},
		{[]string{"explain", "--last"}, console.Finding},
	} {
		b := clitest.NewBook(t, 0)
		code, out, errs := runOnBook(b, tt.args...)
		if code != tt.code || out != "" || !strings.Contains(errs, "no ledger at "+b.Dir()+" yet: it begins with") {
			t.Errorf("%q: exit %d, %q, %q", tt.args, code, out, errs)
		}
		if base.FileExists(b.Home) {
			t.Errorf("%q made something", tt.args)
		}
	}
}

// A handle names the newest block that has it, in any segment. A word that is also the beginning of a
// hash counts as the handle, and a note says so.
func TestExplainByHandle(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 8<<10)
	block := func(handle, reason string) {
		r := clitest.DeniedRecord()
		r.Handle, r.Reason, r.Plan = handle, reason, []record.Step{{Hook: "g", Scope: "user", Origin: "/u.yaml:3", Outcome: "answered", Decision: "deny", Reason: reason}}
		b.Add(t, r)
	}
	block("4f2a", "first")
	block("4f2a", "second")
	b.Fill(t, 20)
	hash := ""
	for seq := uint64(1); !grant.IsHandle(hash); seq++ {
		raw, _, err := records.FindSeq(t.Context(), b.Dir(), seq)
		if err != nil || raw == nil {
			t.Fatal("no hash looks like a handle", err)
		}
		hash = rawjson.GetText(raw, "hash")[:8]
	}
	block(hash, "third")
	for _, tt := range []struct{ word, answer, errs string }{
		{"4f2a", "DENIED  git push -f  ·  g\nSecond.\nThe handle 4f2a is older than a day. To get a new one, let the agent try again.\n", ""},
		{"4F2A", "DENIED  git push -f  ·  g\nSecond.\n", ""},
		{hash, "DENIED  git push -f  ·  g\nThird.\n", ""},
	} {
		code, out, errs := runOnBook(b, "explain", tt.word)
		if !strings.HasPrefix(out, tt.answer) || !strings.HasPrefix(errs, tt.errs) || tt.errs == "" && code == 0 && errs != "" {
			t.Errorf("%s: exit %d\n%s\n%s", tt.word, code, out, errs)
		}
	}
	if code, _, errs := runOnBook(b, "explain", "beef"); code != 1 || !strings.Contains(errs, "no record has the handle beef. To list what was blocked, run checkrein audit query --denied --asked") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, out, _ := runOnBook(b, "audit", "show", "4f2a"); code != 0 || !strings.Contains(out, "handle: 4f2a") {
		t.Errorf("exit %d: %s", code, out)
	}
}
