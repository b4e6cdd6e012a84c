package guard

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/conduct"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

func TestQualityGate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the checks are for a POSIX shell")
	}
	dir := guardtest.TempDir(t)
	guardtest.WriteFile(t, filepath.Join(dir, "here.txt"), "")
	tests := []struct {
		name   string
		args   []string
		reason string // the beginning of the reason; "" if it passes
		tail   string
		fault  string
	}{
		{"passes", []string{"echo fine"}, "", "", ""},
		{"works in the session's directory", []string{"test -f here.txt"}, "", "", ""},
		{"fails", []string{"echo out; echo err >&2; exit 3"}, "[quality] Blocked (the check `echo out; echo err >&2; exit 3` must pass, but exited with 3): out\nerr", "", ""},
		{"says nothing", []string{"false"}, "[quality] Blocked (the check `false` must pass, but exited with 1): it printed nothing", "", ""},
		{"a program", []string{"test", "a b", "=", "a  b"}, "[quality] Blocked (the check `test a b = a b` must pass, but exited with 1): it", "", ""},
		{"reads the reply", []string{"grep -q Sources"}, "", "", ""},
		{"reads the reply in vain", []string{"grep Summary"}, "[quality] Blocked", "", ""},
		{"does not see our variable", []string{`test -z "$CHECKREIN_RESPONSE"`}, "", "", ""},
		{"a great deal of output", []string{`i=0; while [ $i -lt 30000 ]; do echo "line number $i of many"; i=$((i+1)); done; exit 1`}, "[quality] Blocked", "line number 29999 of many", ""},
		{"one colon", []string{"echo 'a: b'; false"}, "[quality] Blocked (the check `echo 'a:b'; false` must pass, but exited with 1): a: b", "", ""},
		{"no such program", []string{"no-such-check-anywhere"}, "", "", "could not run"},
		{"no such program, as arguments", []string{"no-such-check-anywhere", "x"}, "", "", "could not run"},
		{"nonsense", []string{"if ("}, "[quality] Blocked", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			ev := checkrein.Event{Kind: checkrein.Stop, Session: checkrein.Session{Dir: dir}, Text: "Answer.\nSources: none $(exit 1) `x`"}
			got, err := m.handle(ev, "quality_gate", tt.args...)
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) || !got.IsZero() {
					t.Fatalf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil || (got.Decision == checkrein.Deny) != (tt.reason != "") || !strings.HasPrefix(got.Reason, tt.reason) || !strings.HasSuffix(got.Reason, tt.tail) {
				t.Fatalf("got %+v, %v", got, err)
			}
			if len(got.Reason) > 4096+300 {
				t.Errorf("a reason of %d bytes", len(got.Reason))
			}
		})
	}
}

func TestQualityGateEvents(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	ran := 0
	m.env.Run = func(context.Context, string, []string, ...string) ([]byte, error) {
		ran++
		return []byte("broken\n1"), nil
	}
	for i := range checkrein.Contracts() {
		row := &checkrein.Contracts()[i]
		before := ran
		got, err := m.handle(checkrein.Event{Kind: row.Kind}, "quality_gate", "x")
		if denies := got.Decision == checkrein.Deny; err != nil || denies != row.Can(checkrein.CanDeny) || (ran > before) != denies {
			t.Errorf("%v: %+v, %v", row.Name, got, err)
		}
	}
	m.env.Run = nil
	if got, err := m.handle(checkrein.Event{Kind: checkrein.Stop}, "quality_gate", "x"); err != nil || !got.IsZero() {
		t.Errorf("without programs: %+v, %v", got, err)
	}
	m.env.Run = func(context.Context, string, []string, ...string) ([]byte, error) {
		return []byte("x"), context.DeadlineExceeded
	}
	if _, err := m.handle(checkrein.Event{Kind: checkrein.Stop}, "quality_gate", "x"); err == nil {
		t.Error("a check that was ended passes")
	}
	m.env.Run = func(context.Context, string, []string, ...string) ([]byte, error) { return nil, nil }
	if _, err := m.handle(checkrein.Event{Kind: checkrein.Stop}, "quality_gate", "x"); err == nil {
		t.Error("a check without an exit code passes")
	}
	for _, args := range [][]string{nil, {" "}} {
		if _, err := conduct.NewQualityGate(args); err == nil {
			t.Errorf("%q is a check", args)
		}
	}
}
