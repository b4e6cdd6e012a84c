package guard

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

func TestDenialMemory(t *testing.T) {
	t.Parallel()
	ask := func(n int, ev checkrein.Event) checkrein.Verdict {
		v, err := denialMemory(&Call{Event: ev, Dir: "/home/u/p", Machine: Machine{Home: "/home/u"}},
			func(*checkrein.Event, string, []Touch) (int, string) { return n, "no" })
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	ev := shellEvent("Bash", "command", "rm -rf src")
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

// TestEffectKey shows that the same effect has the same key in other words, and
// another one has not.
func TestEffectKey(t *testing.T) {
	t.Parallel()
	key := func(command string) string {
		ev := shellEvent("Bash", "command", command)
		return EffectKey(&ev, Ground{Dir: "/home/u/p", Home: "/home/u"})
	}
	for _, c := range []string{"rm -fr ./src", "sudo rm -r -f /home/u/p/src", "d=src; r''m -rf $d", "bash -c 'rm -rf src'", "cd src/.. && rm -rf -- src"} {
		if key(c) != key("rm -rf src") {
			t.Errorf("%s: %q, want %q", c, key(c), key("rm -rf src"))
		}
	}
	for _, c := range []string{"rm -rf doc", "ls src", "git push --force"} {
		if key(c) == key("rm -rf src") {
			t.Errorf("%s has the key of another effect", c)
		}
	}
}
