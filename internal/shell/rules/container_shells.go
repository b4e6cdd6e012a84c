package rules

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Inside reports whether a call that nobody knows needs no judging, because the
// one before it opens it in a container for a person: a shell or an interpreter that
// is given nothing to run. What the container can reach is the runner's own effect.
func Inside(c, runner *shell.Call) bool {
	if runner == nil || c.Depth <= runner.Depth || !program.Is(runner.Name, program.IsContainerRunner) {
		return false
	}
	r := readingOf(runner)
	if r.own("-u=root -u=0* --user=root --user=0* --privileged") || c.In != nil || len(c.Redir) > 0 {
		return false
	}
	for i := range c.Args {
		if !listed("-i -l -il -li --login -", c.Args[i].Text) {
			return false
		}
	}
	// What is in use is nothing to try things in.
	return (facts.Shell(c.Name) || facts.Interpreter(c.Name)) && !readTask(c.Remote).live
}
