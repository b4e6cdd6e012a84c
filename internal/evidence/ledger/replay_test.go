package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A copy of the count from before the last record about missed calls is found, whatever was pending
// then and is pending now, before and after the next record.
func TestOlderCountIsFound(t *testing.T) {
	t.Parallel()
	trials := 0
	for then := range 4 { // calls that were pending in the copy
		for told := 1; told < 4; told++ { // that the record after it tells
			for since := range 4 { // and that are pending when it is put back
				if told < then {
					continue
				}
				trials++
				t.Run(fmt.Sprint(then, told, since), func(t *testing.T) {
					t.Parallel()
					b := newBench(t)
					b.add(t, 1)
					miss := func(n int) {
						for range n {
							if err := b.CountMissed(state.ErrBusy); err != nil {
								t.Fatal(err)
							}
						}
					}
					miss(then)
					copied, err := os.ReadFile(b.file(ledger.MissedFile))
					if err != nil {
						t.Fatal(err)
					}
					miss(told - then)
					b.add(t, 2)
					miss(since)
					f, err := os.OpenFile(b.file(ledger.MissedFile), os.O_WRONLY, 0)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := f.Write(copied); err != nil {
						t.Fatal(err)
					}
					f.Close()
					isOlder := func(f seal.Finding) bool { return f.Kind == seal.FindMissed && strings.Contains(f.Text, "older copy") }
					if r := verified(t, b, seal.VerifyOptions{AllowMissed: true}); !slices.ContainsFunc(r.Findings, isOlder) {
						t.Errorf("verify: %v", r.Findings)
					}
					miss(1)
					b.add(t, 3)
					list := gaps(t, b)
					if last := list[len(list)-1]; !strings.Contains(last.Text("doubt"), "older copy") {
						t.Errorf("the writer: %s", last.Raw)
					}
					if r := verified(t, b, seal.VerifyOptions{AllowMissed: true}); r.IsClean() || slices.ContainsFunc(r.Findings, isOlder) {
						t.Errorf("verify, after the writer: %v", r.Findings)
					}
				})
			}
		}
	}
	t.Logf("%d replays", trials)
}

// Calls that cannot be counted in the ledger are counted outside it, and reported once by the next
// record.
func TestMissedOutsideLedger(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(t *testing.T, dir string) (undo func()){
		"a link to nowhere": func(t *testing.T, dir string) func() {
			if errors.Join(os.Rename(dir, dir+".x"), os.Symlink("/nowhere/at/all", dir)) != nil {
				t.Fatal("not moved")
			}
			return func() { _ = errors.Join(os.Remove(dir), os.Rename(dir+".x", dir)) }
		},
		"a file": func(t *testing.T, dir string) func() {
			if errors.Join(os.Rename(dir, dir+".x"), os.WriteFile(dir, nil, 0o600)) != nil {
				t.Fatal("not moved")
			}
			return func() { _ = errors.Join(os.Remove(dir), os.Rename(dir+".x", dir)) }
		},
		"directories in the place of its files": func(t *testing.T, dir string) func() {
			for _, name := range []string{ledger.MissedFile, ledger.CurrentFile} {
				file := filepath.Join(dir, name)
				if errors.Join(os.Rename(file, file+".x"), os.Mkdir(file, 0o700)) != nil {
					t.Fatal("not moved")
				}
			}
			return func() {
				for _, name := range []string{ledger.MissedFile, ledger.CurrentFile} {
					file := filepath.Join(dir, name)
					_ = errors.Join(os.Remove(file), os.Rename(file+".x", file))
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.add(t, 1)
			dir := b.opts.Dir.Path(ledger.Folder)
			undo := do(t, dir)
			for range 3 {
				l := ledger.Open(b.opts)
				_, err := l.Append(ledger.KindEvent, nil, false)
				if err == nil {
					t.Fatal("it was recorded")
				}
				if err := l.CountMissed(err); err != nil {
					t.Fatal(err)
				}
			}
			undo()
			if r := verified(t, b, seal.VerifyOptions{}); r.Missed != 3 || r.IsClean() {
				t.Errorf("before the next record: %d, %v", r.Missed, r.Findings)
			}
			b.add(t, 2)
			b.add(t, 3)
			list := gaps(t, b)
			if len(list) != 1 || list[0].Text("missed") != "3" || list[0].Text("total") != "3" || len(strings.Fields(list[0].Text("spare"))) != 3 {
				t.Fatalf("%v", list)
			}
			if _, err := os.Lstat(b.opts.Dir.Path(ledger.SpareFolder)); err == nil {
				t.Error("names are left")
			}
			if r := verified(t, b, seal.VerifyOptions{AllowMissed: true}); !r.IsClean() || r.Missed != 3 {
				t.Errorf("after it: %d, %v", r.Missed, r.Findings)
			}
		})
	}
}
