package study

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

// TestEffectKey shows that the same effect has the same key in other words, and
// another one has not.
func TestEffectKey(t *testing.T) {
	t.Parallel()
	key := func(command string) string {
		ev := guardtest.ShellEvent("Bash", "command", command)
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
