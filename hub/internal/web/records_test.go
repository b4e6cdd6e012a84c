package web_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/records"
	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// stored returns the lines and the summaries that the hub has of a machine, in order.
func stored(t *testing.T, h *hubtest.Hub, machine string) (lines []string, sums []records.Summary) {
	t.Helper()
	hubtest.Must(t, h.Server.Records.Each(context.Background(), store.Range{Machine: machine}, func(s *records.Stored) bool {
		{
			for line := range bytes.Lines(s.Lines) {
				if !bytes.HasPrefix(line, []byte(`{"v":1,"kind":"checkpoint"`)) {
					lines = append(lines, strings.TrimSuffix(string(line), "\n"))
				}
			}
			sums = append(sums, *s.Summary)
		}
		return true
	}))
	return lines, sums
}

// breaks returns why batches did not continue the one before.
func breaks(sums []records.Summary) (out []string) {
	for _, s := range sums {
		if s.Break != "" {
			out = append(out, s.Break)
		}
	}
	return out
}

func TestRecordsArriveOnce(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	for range 3 {
		m.Record(400)
		for range 2 { // an agent that starts again sends nothing twice
			hubtest.Must(t, m.Upload())
		}
	}
	lines, sums := stored(t, h, m.Machine)
	if want := m.Lines(); !slices.Equal(lines, want) {
		t.Fatalf("the hub has %d lines, the ledger %d", len(lines), len(want))
	}
	if got := breaks(sums); got != nil {
		t.Fatalf("breaks %q", got)
	}
	events := 0
	for _, s := range sums {
		if f := s.Policies["p1"]; f != nil {
			events += f.Events
		}
	}
	if events != 1200 {
		t.Fatalf("%d events in the summaries", events)
	}
}

func TestAgentsThatRaceStoreRecordsOnce(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	m.Record(3000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 { // one that loses a race tries again
				if m.Upload() == nil {
					return
				}
			}
			t.Error("an agent never succeeded")
		})
	}
	wg.Wait()
	if lines, _ := stored(t, h, m.Machine); !slices.Equal(lines, m.Lines()) {
		t.Fatalf("the hub has %d lines, the ledger %d", len(lines), len(m.Lines()))
	}
}

// TestHubIsTheWitness checks that the hub sees what was done to a ledger after it was uploaded, and
// takes the records that follow all the same.
func TestHubIsTheWitness(t *testing.T) {
	t.Parallel()
	current := func(m *hubtest.Machine) string { return filepath.Join(m.LedgerDir(), ledger.CurrentFile) }
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, m *hubtest.Machine)
		want   string // in the reason of the break; "" means that there is none
	}{
		{"nothing", func(*testing.T, *hubtest.Machine) {}, ""},
		{"cut off", func(t *testing.T, m *hubtest.Machine) {
			data, err := os.ReadFile(current(m))
			hubtest.Must(t, err)
			end := bytes.LastIndexByte(data[:len(data)/2], '\n') + 1
			hubtest.Must(t, os.Truncate(current(m), int64(end)))
			m.Record(1)
		}, "differs from the hub's copy|the ledger ends with record"},
		{"restored", func(t *testing.T, m *hubtest.Machine) {
			saved := filepath.Join(t.TempDir(), "saved")
			hubtest.Must(t, os.CopyFS(saved, os.DirFS(m.LedgerDir())))
			m.Record(500)
			hubtest.Must(t, m.Upload())
			hubtest.Must(t, os.RemoveAll(m.LedgerDir()))
			hubtest.Must(t, os.CopyFS(m.LedgerDir(), os.DirFS(saved)))
			hubtest.Must(t, os.Chmod(m.LedgerDir(), 0o700))
		}, "the ledger ends with record"},
		{"rewritten", func(t *testing.T, m *hubtest.Machine) {
			key, err := m.Ledger.Key()
			hubtest.Must(t, err)
			n := len(m.Lines())
			hubtest.Must(t, os.RemoveAll(m.LedgerDir()))
			hubtest.Must(t, os.Mkdir(m.LedgerDir(), 0o700))
			hubtest.Write(t, filepath.Join(m.LedgerDir(), ledger.KeyFile), key[:])
			m.SetState(m.State.Path())
			m.Record(n + 50)
		}, "differs from the hub's copy"},
		{"edited before it was uploaded", func(t *testing.T, m *hubtest.Machine) {
			m.Record(10)
			lines := m.Lines()
			data, err := os.ReadFile(current(m))
			hubtest.Must(t, err)
			old := lines[len(lines)-5]
			data = bytes.Replace(data, []byte(old), []byte(strings.Replace(old, `"none"`, `"deny"`, 1)), 1)
			hubtest.Must(t, os.WriteFile(current(m), data, 0o600))
		}, "does not follow record"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := hubtest.Start(t)
			m := h.Join("one")
			m.Record(300)
			hubtest.Must(t, m.Upload())
			before, _ := stored(t, h, m.Machine)
			tt.change(t, m)
			m.Record(20)
			for range 3 {
				if err := m.Upload(); err == nil {
					break
				}
			}
			lines, sums := stored(t, h, m.Machine)
			got := breaks(sums)
			if tt.want == "" != (got == nil) || tt.want != "" && !slices.ContainsFunc(strings.Split(tt.want, "|"), func(w string) bool { return strings.Contains(got[0], w) }) {
				t.Fatalf("breaks %q, want %q", got, tt.want)
			}
			have := m.Lines()
			if last := have[len(have)-1]; lines[len(lines)-1] != last {
				t.Error("the last record did not arrive")
			}
			if !slices.Equal(lines[:len(before)], before) {
				t.Error("what the hub had has changed")
			}
		})
	}
}

func TestRestoredHubGetsWhatItLost(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	m.Record(200)
	hubtest.Must(t, m.Upload())
	h.Close()
	restore := h.Backup()
	h.Open()
	m.Record(500)
	hubtest.Must(t, m.Upload())
	h.Close()
	restore()
	h.Open()
	m.Record(10)
	hubtest.Must(t, m.Upload())
	lines, sums := stored(t, h, m.Machine)
	if want := m.Lines(); !slices.Equal(lines, want) || breaks(sums) != nil {
		t.Fatalf("the hub has %d lines with breaks %q, the ledger has %d", len(lines), breaks(sums), len(want))
	}
}

func TestPrivateProjectsStay(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	run(t, m)
	target := h.Sign(1, map[string]string{"bundle.json": `{"name":"test","version":1,"created":"2026-11-01T00:00:00Z","private":["/work/1"]}`})
	begin(t, h, target, "enforce", 100, protocol.Limits{})
	eventually(t, "the machine has the bundle", func() bool { known, _ := h.Server.Machines.Get(m.Machine); return known.Report.Bundle == target })
	m.Record(30)
	var lines []string
	var sums []records.Summary
	eventually(t, "the records are uploaded", func() bool { lines, sums = stored(t, h, m.Machine); return len(lines) == len(m.Lines()) })
	withheld := 0
	for _, s := range sums {
		withheld += s.Withheld
	}
	if text := strings.Join(lines, ""); strings.Contains(text, `"root":"/work/1"`) || !strings.Contains(text, `"root":"/work/2"`) || withheld != 10 || breaks(sums) != nil {
		t.Fatalf("%d records are withheld: %s", withheld, text)
	}
}

func TestCheckpointsAreVerified(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	m.Record(50)
	_, _, err := seal.TakeCheckpoint(m.LedgerDir(), h.Server.Now())
	hubtest.Must(t, err)
	m.Record(50)
	hubtest.Must(t, m.Upload())
	_, sums := stored(t, h, m.Machine)
	if sums[0].Checkpoints != 1 || len(sums[0].Findings) != 0 {
		t.Fatalf("%+v", sums[0])
	}
}
