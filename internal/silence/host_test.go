package silence_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/hostlab/fakehost"
	"github.com/checkrein/checkrein/internal/hostlab/fakehost/faketest"
	"github.com/checkrein/checkrein/internal/install"
	"github.com/checkrein/checkrein/internal/mockmodel"
)

// TestSilentHost has hosts work, and asks status and doctor.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	work := faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("touch ran"), mockmodel.Shell("touch again")}}}}}

	t.Run("silent from the beginning", func(t *testing.T) {
		t.Parallel()
		s := faketest.New(t, program, fakehost.Build{Lies: []fakehost.Lie{fakehost.Silent}})
		s.Install(programs)
		if silent := silentIn(t, s, 0); silent != nil {
			t.Errorf("before it works: %+v", silent)
		}
		s.Run(work)
		if silent := silentIn(t, s, 1); silent == nil || silent.Calls != 2 || silent.Sessions != 1 || !silent.Now {
			t.Errorf("%+v", silent)
		}
		text, _, _ := s.Try("checkrein", "status")
		for _, want := range []string{"✗ Claude Code", "installed, silent since 20", "2 calls ran in 1 session, and checkrein was not asked", "quit Claude Code and start it again"} {
			if !strings.Contains(text, want) {
				t.Errorf("status does not say %q:\n%s", want, text)
			}
		}
		text, _, code := s.Try("checkrein", "doctor", "--no-run")
		if code != 1 || !strings.Contains(text, "✗ host-silent: Claude Code: installed, silent since 20") || strings.Contains(text, "host-unseen") {
			t.Errorf("doctor: %d\n%s", code, text)
		}
	})
	t.Run("an honest host, an update that is silent, and an honest one again", func(t *testing.T) {
		t.Parallel()
		s := faketest.New(t, program, fakehost.Build{})
		s.Install(programs)
		s.Run(work)
		if silent := silentIn(t, s, 0); silent != nil {
			t.Errorf("honest: %+v", silent)
		}
		if text, _, _ := s.Try("checkrein", "doctor", "--no-run"); strings.Contains(text, "host-silent") {
			t.Errorf("doctor of an honest host:\n%s", text)
		}
		faketest.Put(t, program, filepath.Join(s.Bin, "claude"), fakehost.Build{Lies: []fakehost.Lie{fakehost.Silent}})
		s.Run(work)
		if silent := silentIn(t, s, 1); silent == nil || silent.Calls != 2 || !silent.Now {
			t.Errorf("updated: %+v", silent)
		}
		faketest.Put(t, program, filepath.Join(s.Bin, "claude"), fakehost.Build{})
		s.Run(work)
		if silent := silentIn(t, s, 0); silent == nil || silent.Calls != 2 || silent.Now {
			t.Errorf("honest again: %+v", silent)
		}
	})
}

// silentIn is what status says of a silence; it must end with a code.
func silentIn(t *testing.T, s *faketest.Space, want int) *install.Silent {
	t.Helper()
	out, errs, code := s.Try("checkrein", "status", "claude", "--json")
	var r struct{ Hosts []install.Report }
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Hosts) != 1 || code != want {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	return r.Hosts[0].Silent
}
