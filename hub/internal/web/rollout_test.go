package web_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/hub/internal/hubtest"
	"github.com/checkrein/checkrein/hub/internal/people"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/fleet/bundle"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// policy is a policy that a machine accepts.
const policy = "version: 1\nhooks: {pre_tool_use: [{name: no-deploys, type: rule, if: {command: {contains: deploy}}, decision: deny, reason: no}]}\n"

// run runs the agent of m until the test ends, or until stop is called.
func run(t *testing.T, m *hubtest.Machine) (stop func()) { return runAgent(t, m.Agent()) }

// runAgent runs a until the test ends, or until stop is called.
func runAgent(t *testing.T, a *machine.Agent) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = a.Run(ctx) })
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}

// eventually waits until done returns true, and returns how long that took.
func eventually(t *testing.T, what string, done func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for time.Since(began) < time.Minute {
		if done() {
			return time.Since(began)
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("this never happened: %s", what)
	return 0
}

func begin(t *testing.T, h *hubtest.Hub, target, stage string, percent int, limits protocol.Limits) {
	t.Helper()
	_, err := h.Server.Rollout.Begin(context.Background(), protocol.Step{Bundle: target, Stage: stage, Percent: percent, Limits: limits, By: "test"})
	hubtest.Must(t, err)
}

func TestRolloutInSteps(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	var machines []*hubtest.Machine
	for i := range 12 {
		m := h.Join(fmt.Sprint("m", i))
		machines = append(machines, m)
		run(t, m)
	}
	// on waits until every machine runs what the rollout says.
	on := func(what string) (active map[string]int) {
		t.Helper()
		now, err := h.Server.Rollout.Current(context.Background())
		hubtest.Must(t, err)
		eventually(t, what, func() bool {
			active = map[string]int{}
			for _, m := range machines {
				bundle, trial := now.For(m.Machine)
				known, _ := h.Server.Machines.Get(m.Machine)
				if known.Report.Bundle != bundle || known.Report.Trial != trial {
					return false
				}
				active[bundle]++
			}
			return true
		})
		return active
	}
	one := h.Sign(1, map[string]string{"checkrein.yaml": policy})
	begin(t, h, one, "enforce", 100, protocol.Limits{})
	on("all machines enforce the first bundle")
	two := h.Sign(2, map[string]string{"checkrein.yaml": policy})
	begin(t, h, two, "shadow", 100, protocol.Limits{})
	on("all machines try the second one")
	begin(t, h, two, "enforce", 40, protocol.Limits{})
	some := on("some machines enforce the second one")
	if some[one] == 0 || some[two] == 0 {
		t.Errorf("at 40 %%: %v", some)
	}
	begin(t, h, two, "enforce", 100, protocol.Limits{})
	on("all machines enforce the second one")
	for _, m := range machines {
		if _, err := os.Stat(filepath.Join(m.Dir(), "active", "checkrein.yaml")); err != nil {
			t.Error(err)
		}
	}
}

func TestStepIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		stage  string
		limits protocol.Limits
		record string // members of an event
		kind   string
		want   string
	}{
		{"denials", "enforce", protocol.Limits{Denials: 10}, `"policy":"p2","decision":"deny","ms":1`, ledger.KindEvent, "were denied"},
		{"would be denied", "shadow", protocol.Limits{Denials: 10}, `"policy":"p2","decision":"none","trial":{"counted":"none","would":"deny"},"ms":1`, ledger.KindEvent, "were denied"},
		{"faults", "enforce", protocol.Limits{Faults: 10}, `"policy":"p2","decision":"none","plan":[{"hook":"a","fault":"timeout"}],"ms":1`, ledger.KindEvent, "hooks failed"},
		{"slow", "enforce", protocol.Limits{P99: 100 * time.Millisecond}, `"policy":"p2","decision":"none","ms":900`, ledger.KindEvent, "or longer"},
		{"reports", "enforce", protocol.Limits{Reports: 3}, `"act":"wrong","policy":"p2"`, ledger.KindPerson, "false alarms"},
		{"nothing", "enforce", protocol.Limits{Denials: 10, Faults: 10, P99: time.Second, Reports: 3}, `"policy":"p2","decision":"none","ms":1`, ledger.KindEvent, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := hubtest.Start(t)
			m := h.Join("one")
			run(t, m)
			one, two := h.Sign(1, map[string]string{"checkrein.yaml": policy}), h.Sign(2, map[string]string{"checkrein.yaml": policy})
			begin(t, h, one, "enforce", 100, protocol.Limits{})
			begin(t, h, two, tt.stage, 100, tt.limits)
			eventually(t, "the machine runs the second bundle", func() bool {
				known, _ := h.Server.Machines.Get(m.Machine)
				return known.Report.Bundle == two || known.Report.Trial == two
			})
			for range 100 {
				_, err := m.Ledger.Append(tt.kind, []byte(tt.record), false)
				hubtest.Must(t, err)
			}
			steps := func() []protocol.Step {
				steps, err := h.Server.Rollout.Steps(context.Background())
				hubtest.Must(t, err)
				return steps
			}
			if tt.want == "" {
				time.Sleep(8 * time.Second)
				if steps()[0].Back {
					t.Fatalf("the step was taken back: %s", steps()[0].Why)
				}
				return
			}
			took := eventually(t, "the step is taken back", func() bool { return steps()[0].Back })
			took += eventually(t, "the machine runs the first bundle", func() bool {
				known, _ := h.Server.Machines.Get(m.Machine)
				return known.Report.Bundle == one && known.Report.Trial == ""
			})
			t.Logf("back after %v: %s", took.Round(time.Millisecond), steps()[0].Why)
			if why := steps()[0].Why; !strings.Contains(why, tt.want) {
				t.Errorf("taken back because %q", why)
			}
		})
	}
}

func TestFreeze(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	stop := run(t, m)
	frozen := func() bool { _, err := os.Stat(filepath.Join(m.Dir(), "freeze.yaml")); return err == nil }
	hubtest.Must(t, h.Server.Rollout.Freeze(context.Background(), &bundle.Freeze{Until: time.Now().Add(time.Hour).UTC().Truncate(time.Second), By: "test", Reason: "incident"}))
	t.Logf("frozen after %v", eventually(t, "the machine is frozen", frozen).Round(time.Millisecond))
	stop()
	if !frozen() {
		t.Fatal("the freeze ended with the agent")
	}
	run(t, m)
	hubtest.Must(t, h.Server.Rollout.Freeze(context.Background(), nil))
	t.Logf("lifted after %v", eventually(t, "the freeze is lifted", func() bool { return !frozen() }).Round(time.Millisecond))
}

// TestStepAnswers checks that the answer to a step says how many machines it is for, and that to lifting a
// freeze whether there was one.
func TestStepAnswers(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	for _, name := range []string{"one", "two", "gone"} {
		m := h.Join(name)
		if name == "gone" {
			hubtest.Must(t, h.Server.Machines.Revoke(context.Background(), m.Machine, "test", time.Now()))
		}
	}
	target := h.Sign(1, map[string]string{"checkrein.yaml": policy})
	token, err := h.Server.People.New(context.Background(), people.Person{Name: "ada", Role: people.Admin, Expires: time.Now().Add(time.Hour)})
	hubtest.Must(t, err)
	const lift = "DELETE " + protocol.PathFreeze
	for _, tt := range []struct{ request, body, want string }{
		{"POST " + protocol.PathRollout, `{"bundle":"` + target + `","stage":"enforce","percent":100}`, `"chosen":2,"active":2`},
		{lift, "", `"lifted":false`},
		{"POST " + protocol.PathFreeze, `{"for_ns":3600000000000,"reason":"incident"}`, ""},
		{lift, "", `"lifted":true`},
		{lift, "", `"lifted":false`},
	} {
		method, path, _ := strings.Cut(tt.request, " ")
		req := request(t, h, method, path, []byte(tt.body))
		req.Header.Set("Authorization", "Bearer "+token)
		if got, answer := send(t, h, req); got != 200 || !strings.Contains(answer, tt.want) {
			t.Errorf("%s: status %d: %s, not %s", tt.request, got, answer, tt.want)
		}
	}
}

// TestFreezeWithWrongClock freezes machines whose clocks are hours off, and checks when that ends by their clocks.
func TestFreezeWithWrongClock(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{7 * time.Hour, -7 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			h := hubtest.Start(t)
			hubNow := func() time.Time { return time.Now().Add(-off) }
			m := h.Join("one")
			h.Server.Now = hubNow
			run(t, m)
			until := hubNow().Add(30 * time.Minute).UTC().Truncate(time.Second)
			hubtest.Must(t, h.Server.Rollout.Freeze(context.Background(), &bundle.Freeze{Until: until, By: "test", Reason: "incident"}))
			var text []byte
			eventually(t, "the machine is frozen", func() bool { text, _ = os.ReadFile(filepath.Join(m.Dir(), "freeze.yaml")); return len(text) > 0 })
			_, rest, _ := strings.Cut(string(text), "until=")
			at, err := time.Parse(time.RFC3339, rest[:len("2006-01-02T15:04:05Z")])
			if left := time.Until(at); err != nil || left < 28*time.Minute || left > 31*time.Minute {
				t.Errorf("it ends in %v: %s", left, text)
			}
			eventually(t, "the hub knows", func() bool {
				known, _ := h.Server.Machines.Get(m.Machine)
				return known.Report.Frozen.Sub(until).Abs() < 5*time.Second
			})
		})
	}
}

// TestForgedBundlesStayOut lets whoever has the hub's store, but not the administrator's keys, replace what
// machines get.
func TestForgedBundlesStayOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		forge func(t *testing.T, h *hubtest.Hub)
	}{
		{"a list of bundles signed with another key", func(t *testing.T, h *hubtest.Hub) {
			other := bundle.Repository{Store: bundle.Dir(t.TempDir())}
			release := hubtest.NewKey(t)
			hubtest.Must(t, other.Create(context.Background(), bundle.Keys{Root: hubtest.NewKey(t), Release: release, Hub: h.Server.Rollout.Key()}))
			f, err := other.Store.Open(context.Background(), "targets.json")
			hubtest.Must(t, err)
			defer f.Close()
			var data bytes.Buffer
			_, err = data.ReadFrom(f)
			hubtest.Must(t, err)
			for _, name := range []string{"targets.json", "1.targets.json", "2.targets.json", "3.targets.json", "4.targets.json"} {
				_, err := h.Store.Trust.Put(context.Background(), name, data.Bytes())
				hubtest.Must(t, err)
			}
			_ = h.Server.Rollout.Freeze(context.Background(), nil) // publishes it
		}},
		{"a rollout of a bundle that nobody signed", func(t *testing.T, h *hubtest.Hub) {
			if _, err := h.Server.Rollout.Begin(context.Background(), protocol.Step{Bundle: "bundles/other-9.tar.gz", Stage: "enforce", Percent: 100}); err == nil {
				t.Error("the hub published it")
			}
		}},
		{"an old timestamp", func(t *testing.T, h *hubtest.Hub) {
			entry, err := h.Store.Trust.Get(context.Background(), "timestamp.json")
			hubtest.Must(t, err)
			hubtest.Must(t, h.Server.Rollout.Freeze(context.Background(), nil))
			time.Sleep(2 * time.Second) // machines take the newer one
			_, err = h.Store.Trust.Put(context.Background(), "timestamp.json", entry.Value())
			hubtest.Must(t, err)
		}},
		{"damaged metadata", func(t *testing.T, h *hubtest.Hub) {
			_, err := h.Store.Trust.Put(context.Background(), "timestamp.json", []byte(`{"signed":{}}`))
			hubtest.Must(t, err)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := hubtest.Start(t)
			m := h.Join("one")
			run(t, m)
			one := h.Sign(1, map[string]string{"checkrein.yaml": policy})
			begin(t, h, one, "enforce", 100, protocol.Limits{})
			active := func() string { known, _ := h.Server.Machines.Get(m.Machine); return known.Report.Bundle }
			eventually(t, "the machine runs the bundle", func() bool { return active() == one })
			tt.forge(t, h)
			time.Sleep(3 * time.Second)
			known, _ := h.Server.Machines.Get(m.Machine)
			t.Logf("refused: %s", known.Report.Refused)
			if _, err := os.Stat(filepath.Join(m.Dir(), "active", "checkrein.yaml")); err != nil || known.Report.Bundle != one {
				t.Errorf("the machine runs %q (%v)", known.Report.Bundle, err)
			}
		})
	}
}

// TestHubOfYesterday restores a hub from a backup, and checks that its machines follow it again once it
// publishes something.
func TestHubOfYesterday(t *testing.T) {
	t.Parallel()
	h := hubtest.Start(t)
	m := h.Join("one")
	run(t, m)
	one := h.Sign(1, map[string]string{"checkrein.yaml": policy})
	begin(t, h, one, "enforce", 100, protocol.Limits{})
	active := func() string { known, _ := h.Server.Machines.Get(m.Machine); return known.Report.Bundle }
	eventually(t, "the machine runs the first bundle", func() bool { return active() == one })
	h.Close()
	restore := h.Backup()
	h.Open()
	two := h.Sign(2, map[string]string{"checkrein.yaml": policy})
	begin(t, h, two, "enforce", 100, protocol.Limits{})
	eventually(t, "the machine runs the second bundle", func() bool { return active() == two })
	h.Close()
	restore()
	h.Open()
	time.Sleep(3 * time.Second)
	if link, err := os.Readlink(filepath.Join(m.Dir(), "active")); err != nil || link == "" {
		t.Fatal(err)
	}
	h.Accept() // the administrator pushes again
	begin(t, h, two, "enforce", 100, protocol.Limits{})
	eventually(t, "the machine follows the hub again", func() bool { return active() == two })
}
