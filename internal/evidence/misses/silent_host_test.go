package misses_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// TestSilentHost runs hosts and checks what status and doctor report.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	work := faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("touch ran"), mockmodel.Shell("touch again")}}}}}

	t.Run("silent from the beginning", func(t *testing.T) {
		t.Parallel()
		s := faketest.New(t, program, fakehost.Build{Lies: []fakehost.Lie{fakehost.Silent}})
		s.Install(programs)
		if silent := statusSilence(t, s, 0); silent != nil {
			t.Errorf("before it works: %+v", silent)
		}
		s.Run(work)
		if silent := statusSilence(t, s, 1); silent == nil || silent.Calls != 2 || silent.Sessions != 1 || !silent.Now {
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
		if silent := statusSilence(t, s, 0); silent != nil {
			t.Errorf("honest: %+v", silent)
		}
		if text, _, _ := s.Try("checkrein", "doctor", "--no-run"); strings.Contains(text, "host-silent") {
			t.Errorf("doctor of an honest host:\n%s", text)
		}
		faketest.Put(t, program, filepath.Join(s.Bin, "claude"), fakehost.Build{Lies: []fakehost.Lie{fakehost.Silent}})
		s.Run(work)
		if silent := statusSilence(t, s, 1); silent == nil || silent.Calls != 2 || !silent.Now {
			t.Errorf("updated: %+v", silent)
		}
		faketest.Put(t, program, filepath.Join(s.Bin, "claude"), fakehost.Build{})
		s.Run(work)
		if silent := statusSilence(t, s, 0); silent == nil || silent.Calls != 2 || silent.Now {
			t.Errorf("honest again: %+v", silent)
		}
	})
}

// statusSilence returns what status reports about a silence. status must end with the exit code want.
func statusSilence(t *testing.T, s *faketest.Space, want int) *install.Silent {
	t.Helper()
	out, errs, code := s.Try("checkrein", "status", "claude", "--json")
	var r struct{ Hosts []install.Report }
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Hosts) != 1 || code != want {
		t.Fatalf("exit %d, %v\n%s%s", code, err, out, errs)
	}
	return r.Hosts[0].Silent
}

// A session is identified by the record of its start and the host's process. Events of a session
// without a start, or after its end, are reported by status, doctor and misses.
func TestUnstartedAndEndedSessions(t *testing.T) {
	t.Parallel()
	s := faketest.New(t, faketest.Program(t), fakehost.Build{})
	s.Install(faketest.Checkrein(t))
	send := func(session string) {
		t.Helper()
		cmd := s.Command("checkrein", []string{"hook", "claude"}, nil)
		cmd.Stdin = strings.NewReader(`{"hook_event_name":"PreToolUse","session_id":"` + session + `","cwd":"` + s.Project + `","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_9"}`)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	report := func() install.Report {
		t.Helper()
		out, errs, _ := s.Try("checkrein", "status", "claude", "--json")
		var r struct{ Hosts []install.Report }
		if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Hosts) != 1 {
			t.Fatalf("%v\n%s%s", err, out, errs)
		}
		return r.Hosts[0]
	}
	s.Run(faketest.Run{Prompt: "go", Script: mockmodel.Script{Turns: []mockmodel.Turn{{Calls: []mockmodel.Call{mockmodel.Shell("touch ran")}}}}})
	if r := report(); r.Ended != nil || r.Unstarted != nil || r.Silent != nil {
		t.Errorf("an honest session: %+v, %+v, %+v", r.Ended, r.Unstarted, r.Silent)
	}
	var first struct{ Session string }
	if err := json.Unmarshal([]byte(strings.SplitN(s.Checkrein("audit", "query", "--json", "--event", "session_end"), "\n", 2)[0]), &first); err != nil || first.Session == "" {
		t.Fatalf("the session is not named: %v", err)
	}
	time.Sleep(6 * time.Second) // clocks may differ by five
	send(first.Session)
	send("11111111-1111-4111-8111-111111111111")
	r := report()
	if r.Ended == nil || r.Ended.Sessions != 1 || r.Unstarted == nil || r.Unstarted.Sessions != 1 {
		t.Errorf("after events of an ended session, and of one that never began: %+v, %+v", r.Ended, r.Unstarted)
	}
	const ended, never = "1 session asked about calls after its end was reported on 20", "asked about calls, but its start was never reported"
	for _, args := range [][]string{{"status"}, {"doctor", "--no-run"}, {"misses"}} {
		out, _, _ := s.Try("checkrein", args...)
		if text := strings.Join(strings.Fields(out), " "); !strings.Contains(text, ended) || !strings.Contains(text, never) {
			t.Errorf("%s:\n%s", args[0], out)
		}
	}
}
