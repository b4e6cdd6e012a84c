package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// shellInside knows a shell that is opened in a container and given nothing to
// run, and other programs that wait for a person there.
func shellInside(c *shell.Call) bool {
	if readTask(c.Remote).live {
		return false // what is in use is nothing to try things in
	}
	if c.In != nil || len(c.Redir) > 0 {
		return false
	}
	for i := range c.Args {
		if t := c.Args[i].Text; t != "-i" && t != "-l" && t != "-il" && t != "-li" && t != "--login" && t != "-" {
			return false
		}
	}
	return c.Name == "psql" || c.Name == "ghci" || facts.Shell(c.Name) || facts.Interpreter(c.Name)
}

// Inside reports whether a call that nobody knows needs no judging, because the
// one before it runs it in a container: a shell for a person, or a program of a
// container that goes when it ends. What the container can reach is the runner's
// own effect.
func Inside(c, runner *shell.Call) bool {
	if runner == nil || c.Depth <= runner.Depth {
		return false
	}
	if !program.Is(runner.Name, program.IsContainerRunner) {
		return false
	}
	r := readingOf(runner)
	if r.own("-u=root -u=0* --user=root --user=0* --privileged") {
		return false
	}
	if len(r.Words) > r.Extra && r.Words[r.Extra].Text == "run" && r.own("--rm") && !r.own("--network=host --net=host --mount --volumes-from --device --pid --ipc") && allKnown(c.Args) {
		return mountsLittle(&r)
	}
	return shellInside(c)
}

// mountsLittle reports whether a container sees nothing of the machine but what is
// temporary.
func mountsLittle(r *reading) bool {
	for i := range r.Flags {
		f := &r.Flags[i]
		if f.Name != "v" && f.Name != "volume" {
			continue
		}
		if from, _, ok := strings.Cut(f.Value, ":"); ok && !strings.HasPrefix(from, "/tmp/") {
			return false
		}
	}
	return true
}
