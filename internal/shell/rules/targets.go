package rules

import (
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// LowerForTests lowers the impact of the losses among effects, those of c, if c acts on something of
// this machine that is named as made for tests or development. runner is the call before c, which may
// run it in a container.
func LowerForTests(effects []shell.Effect, c, runner *shell.Call, p *shell.Place) {
	for i := range effects {
		e := &effects[i]
		if e.Label != shell.Destructive || e.Impact == shell.ImpactLow || e.Own != nil || e.Uncertain || !e.Row().Target {
			continue
		}
		if !actsOnTests(c, runner, p) {
			return
		}
		e.Impact, e.Reason = shell.ImpactLow, e.Reason+", in what is local and named as a test"
	}
}

// actsOnTests reports whether c acts on something of this machine that is named as made for tests or
// development.
func actsOnTests(c, runner *shell.Call, p *shell.Place) bool {
	in := program.Surroundings{Getenv: p.Getenv}
	if c.Remote != "" {
		if runner == nil || c.Depth <= runner.Depth || !program.Is(runner.Name, program.IsContainerRunner) || usesRemoteDaemon(runner) || parseTaskName(c.Remote).live {
			return false
		}
		in.Container = c.Remote
	}
	sure := eachInput(c, func(text string) { in.Inputs = append(in.Inputs, text) })
	for i := range c.Files {
		in.Inputs = append(in.Inputs, c.Files[i].Text)
		sure = sure && c.Files[i].Complete
	}
	for range maxRunners {
		words, ok := nestedWords(c)
		if !ok || len(words) == 0 {
			break
		}
		if c, ok = nestedCall(c, words); !ok {
			return false
		}
	}
	r := program.ReadingOf(substituteHead(unwrapKubectl(c)))
	return sure && r.IsTestTarget(&in)
}
