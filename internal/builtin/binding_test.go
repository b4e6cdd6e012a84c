package builtin

import (
	"testing"

	"github.com/checkrein/checkrein/internal/grant"
)

// What a grant is about is the same for other spellings, and only the text itself
// where words do not tell all.
func TestBind(t *testing.T) {
	t.Parallel()
	bind := func(command string) grant.Binding {
		ev := shellEvent("Bash", "command", command)
		return Bind(&ev, Ground{Dir: "/home/u/p", Home: "/home/u"})
	}
	for _, same := range [][2]string{
		{"docker volume rm a b", "docker volume remove b a"}, {"rm -rf src", "rm -r -f ./src"}, {"kubectl delete ns a", "kubectl delete namespace a"},
	} {
		a, b := bind(same[0]), bind(same[1])
		if len(a.Deeds) == 0 || len(a.Deeds) != len(b.Deeds) || !sameDeed(&a.Deeds[0], &b.Deeds[0]) {
			t.Errorf("%q: %+v and %+v", same, a.Deeds, b.Deeds)
		}
	}
	for _, command := range []string{
		"DOCKER_HOST=prod docker volume rm a", "export DOCKER_HOST=prod; docker volume rm a", "ssh prod docker volume rm a", "echo 'DROP TABLE a' | psql", "cd /other && git stash clear", "docker volume rm $x",
	} {
		if b := bind(command); len(b.Deeds) != 0 || b.Text == "" {
			t.Errorf("%s is about more than its text: %+v", command, b.Deeds)
		}
	}
}
