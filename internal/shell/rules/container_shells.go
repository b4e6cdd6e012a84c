package rules

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// IsContainerShell reports whether c needs no judging because runner opens it in a container for a
// person: a shell or an interpreter without anything to run. The effect of runner covers what the
// container can reach.
func IsContainerShell(c, runner *shell.Call) bool {
	if runner == nil || c.Depth <= runner.Depth || !program.Is(runner.Name, program.IsContainerRunner) {
		return false
	}
	r := newReading(runner)
	if r.hasAnyFlag("-u=root -u=0* --user=root --user=0* --privileged") || c.In != nil || len(c.Redir) > 0 {
		return false
	}
	for i := range c.Args {
		if !inListFold("-i -l -il -li --login -", c.Args[i].Text) {
			return false
		}
	}
	// A container in production is no place to experiment.
	return (facts.IsShell(c.Name) || facts.IsInterpreter(c.Name)) && !parseTaskName(c.Remote).live
}
