package conduct

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/guard/study"
)

func TestDenialMemory(t *testing.T) {
	t.Parallel()
	ask := func(n int, ev checkrein.Event) checkrein.Verdict {
		v, err := denyRepeats(&builtin.Call{Event: ev, Dir: "/home/u/p", Machine: builtin.Machine{Home: "/home/u"}},
			func(*checkrein.Event, string, []study.Touch) (int, string) { return n, "no" })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ev := guardtest.ShellEvent("Bash", "command", "rm -rf src")
	if v := ask(0, ev); !v.IsZero() {
		t.Errorf("the first time: %+v", v)
	}
	if v := ask(1, ev); v.Decision != checkrein.Deny || v.Halt || !strings.Contains(v.Reason, "denied before (no)") {
		t.Errorf("the second time: %+v", v)
	}
	if v := ask(2, ev); v.Decision != checkrein.Deny || !v.Halt {
		t.Errorf("the third time: %+v", v)
	}
	ev.Session.ID = ""
	if v := ask(2, ev); !v.IsZero() {
		t.Errorf("without a session: %+v", v)
	}
}
