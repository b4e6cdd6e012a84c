package prove_test

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// caught are the rows on which a lie is caught.
var caught = map[fakehost.Lie][]capability.Row{
	fakehost.RunsDenied:         denials,
	fakehost.RunsDeniedInSecret: append(slices.Clone(denials), capability.AskEditor),
	fakehost.FiresLate:          append(slices.Clone(denials), capability.AskEditor, capability.Rewrite),
	fakehost.IgnoresOutput:      {capability.OutputReplaced},
	fakehost.FiresForShell:      {capability.DenyWrite, capability.DenyEdit, capability.DenyMCP, capability.OutputReplaced, capability.SelfProtection},
	fakehost.OtherVersion:       {capability.Version},
	fakehost.SkipsSubagents:     {capability.DenySubagent},
	fakehost.SwallowsStop:       {capability.StopBlocked, capability.StopCap},
	fakehost.IgnoresRewrite:     {capability.Rewrite},
	fakehost.DropsContext:       {capability.ContextSession, capability.ContextPrompt, capability.ContextCall, capability.ContextResult},
	fakehost.IgnoresPromptBlock: {capability.PromptBlocked},
	fakehost.IgnoresExit:        {capability.FaultMissing, capability.FaultCrash},
	fakehost.Impatient:          {capability.Latency},
	fakehost.IgnoresAsk:         {capability.AskEditor}, // without an editor or a terminal it is told to deny
	fakehost.FiresTwice:         {capability.AskedOnce},
}

// denials are all rows on which a call must not run.
var denials = []capability.Row{
	capability.DenyShell, capability.DenyWrite, capability.DenyEdit, capability.DenyMCP, capability.DenySubagent, capability.DenyEditor, capability.Ask,
	capability.FaultMissing, capability.FaultCrash, capability.FaultHang, capability.FaultGarbage, capability.SelfProtection, capability.Latency,
}

// rowsWithoutEvents returns the rows that a host without any events does not honour.
func rowsWithoutEvents() []capability.Row {
	var rows []capability.Row
	for _, f := range capability.Facts() {
		if f.Row != capability.Version {
			rows = append(rows, f.Row)
		}
	}
	return rows
}

// TestLiars proves a host for each lie. It is caught on the rows that the lie is about, and all other
// rows are like those of an honest host.
func TestLiars(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	for _, lie := range fakehost.Lies() {
		t.Run(string(lie), func(t *testing.T) {
			t.Parallel()
			p, err := prove.Run(t.Context(), installFakeHost(t, program, fakehost.Build{Lies: []fakehost.Lie{lie}}), prove.Options{Programs: programs})
			if err != nil {
				t.Fatal(err)
			}
			var got []capability.Row
			for _, o := range p.Outcomes {
				if o.Result != capability.Honoured {
					t.Logf("%s %-16s %-12s %s", lie, o.Row, o.Result, o.Said)
					got = append(got, o.Row)
				}
			}
			want := slices.Clone(caught[lie])
			if lie == fakehost.Silent {
				want = rowsWithoutEvents()
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("caught on %q, want %q", got, want)
			}
		})
	}
}
