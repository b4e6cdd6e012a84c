//go:build linux

package endtoend

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/clitest"
)

// TestFleetJSON compares the keys and types of the JSON that commands print about a fleet with
// testdata/json.txt, so that changes are visible in reviews. The flag -update writes the file.
func TestFleetJSON(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	f.join(1)
	m := f.machines[0]
	f.run(m.env, "checkrein", "install", "claude", "--program", f.bin+"/checkrein")
	stop := f.answerCalls(m)
	f.eventually("an answer is taken", func() bool {
		return strings.Contains(f.run(f.admin, "checkrein", "fleet", "approvals", "--json"), `"taken":`)
	})
	stop()
	m.agent.kill()
	m.agent.start() // it checks the wiring at once
	f.run(f.admin, "checkrein", "fleet", "push", f.writePolicy(1, "danger", "never", ""), "--shadow", "--max-denials", "50%", "--why", "to see it")
	f.run(f.admin, "checkrein", "fleet", "freeze", "--for", "1h", "--reason", "a test")
	f.eventually("the machine reports all of it", func() bool {
		out := f.run(f.admin, "checkrein", "fleet", "machines", "--json")
		return strings.Contains(out, `"frozen":`) && strings.Contains(out, `"last_seen":`)
	})
	f.verify()

	var out strings.Builder
	show := func(env []string, line string) {
		t.Helper()
		text := f.run(env, append([]string{"checkrein"}, strings.Fields(strings.ReplaceAll(line, "$DIR", f.dir))...)...)
		shape, err := clitest.Shape(text)
		if err != nil || shape == "" {
			t.Errorf("%s: %v", line, err)
		}
		fmt.Fprintf(&out, "=== %s\n%s\n", line, shape)
	}
	show(f.admin, "fleet approvals --json")
	show(f.admin, "fleet diff $DIR/policy1 --json")
	show(f.admin, "fleet machines --json")
	show(f.admin, "fleet records --decision deny --limit 1")
	show(f.admin, "fleet rollout --json")
	show(m.env, "fleet status --json")
	clitest.Golden(t, "json.txt", out.String())
}
