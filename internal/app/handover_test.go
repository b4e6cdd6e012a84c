package app_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/handover"
	"github.com/checkrein/checkrein/internal/sys/build"
)

// newTask returns a command hook that another process handed over.
func newTask(script string) handover.Task {
	with, _ := json.Marshal(map[string]string{"command": script})
	return handover.Task{Build: build.Version, Event: newShellCall("s"), Hook: checkrein.Hook{ID: "h", On: checkrein.PreToolUse, Run: "command", With: with,
		Async: true, Match: "nothing", If: checkrein.Condition(`{"command":{"is":"never"}}`), From: checkrein.Origin{Scope: checkrein.ScopeProject, Approval: true}}}
}

func taskLine(t *testing.T, v any) []byte {
	t.Helper()
	b, err := handover.EncodeLine(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (p testMachine) openBare() *app.Kit { return p.open(func(o *app.Options) { o.NoConfig = true }) }

// A step is always answered, with an answer or a fault.
func TestStepAlwaysAnswers(t *testing.T) {
	t.Parallel()
	late := newTask("exec sleep 60")
	late.Deadline = time.Now().Add(50 * time.Millisecond)
	other := newTask("true")
	other.Build = "another"
	elsewhere := newTask("true")
	elsewhere.Event.Kind = checkrein.Stop
	for _, tt := range []struct {
		name  string
		line  []byte
		want  checkrein.Decision
		fault string
	}{
		{"an answer", taskLine(t, newTask("echo why >&2; exit 2")), checkrein.Deny, ""},
		{"a fault", taskLine(t, newTask("exit 3")), 0, "exit code 3"},
		{"late", taskLine(t, late), 0, "the time limit for all of this event's hooks has passed"},
		{"another build", taskLine(t, other), 0, "install both from the same build"},
		{"another event", taskLine(t, elsewhere), 0, "the hook does not handle stop"},
		{"no task", []byte("{"), 0, "reading the task"},
		{"nothing", nil, 0, "reading the task"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := handover.DecodeOutcome(newTestMachine(t).openBare().RunStep(t.Context(), tt.line))
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Errorf("got %v, want %q", err, tt.fault)
				}
				return
			}
			if err != nil || got.Decision != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// A redo of a hook that another process counts is not counted again.
func TestStepCountsNothing(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	stop := newTask("exit 2")
	stop.Hook.On, stop.Event.Kind, stop.Event.Tool = checkrein.Stop, checkrein.Stop, nil
	p.openBare().RunStep(t.Context(), taskLine(t, stop))
	if files, _ := os.ReadDir(p.path("state/sessions")); len(files) != 0 {
		t.Errorf("%d files were written", len(files))
	}
}

func TestAsyncLog(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	k := p.openBare()
	for _, script := range []string{"echo said >&2", "exit 3", "echo no >&2; exit 2", `echo '{"decision":"deny"}'`} {
		if err := k.RunAsync(t.Context(), taskLine(t, newTask(script))); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.RunAsync(t.Context(), []byte("{")); err == nil {
		t.Error("a task that cannot be read is no error")
	}
	log, err := os.ReadFile(p.path("state/log/async.log"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	if len(lines) != 4 {
		t.Fatalf("got %s", log)
	}
	wantText(t, lines[2], `"ended":"done","log":"no"`)
	wantText(t, lines[3], `"said":"{\"decision\":\"deny\"}"`)
	wantText(t, lines[0], `"ended":"done","log":"said"`)
	wantText(t, lines[1], `"ended":"failed: exit code 3"`)
}
