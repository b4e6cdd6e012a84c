package rules

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// IsContainerShell reports whether c is an interactive shell or interpreter that runner opens in a
// container, with nothing to run yet. Such a call needs no judgement, because the effect of runner
// covers what the container can reach.
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
	// An interactive shell in a container of a production system is judged.
	return (facts.IsShell(c.Name) || facts.IsInterpreter(c.Name)) && !parseTaskName(c.Remote).live
}
