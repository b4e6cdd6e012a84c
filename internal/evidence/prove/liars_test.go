package prove_test

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/caps"
	"github.com/checkrein/checkrein/internal/lab/fakehost"
	"github.com/checkrein/checkrein/internal/lab/fakehost/faketest"
)

// caught are the rows on which a lie is caught.
var caught = map[fakehost.Lie][]caps.Row{
	fakehost.RunsDenied:         denials,
	fakehost.RunsDeniedInSecret: append(slices.Clone(denials), caps.AskEditor),
	fakehost.FiresLate:          append(slices.Clone(denials), caps.AskEditor, caps.Rewrite),
	fakehost.IgnoresOutput:      {caps.OutputReplaced},
	fakehost.FiresForShell:      {caps.DenyWrite, caps.DenyEdit, caps.DenyMCP, caps.OutputReplaced, caps.SelfProtection},
	fakehost.OtherVersion:       {caps.Version},
	fakehost.SkipsSubagents:     {caps.DenySubagent},
	fakehost.SwallowsStop:       {caps.StopBlocked, caps.StopCap},
	fakehost.IgnoresRewrite:     {caps.Rewrite},
	fakehost.DropsContext:       {caps.ContextSession, caps.ContextPrompt, caps.ContextCall, caps.ContextResult},
	fakehost.IgnoresPromptBlock: {caps.PromptBlocked},
	fakehost.IgnoresExit:        {caps.FaultMissing, caps.FaultCrash},
	fakehost.Impatient:          {caps.Latency},
	fakehost.IgnoresAsk:         {caps.AskEditor}, // without an editor or a terminal it is told to deny
	fakehost.FiresTwice:         {caps.AskedOnce},
}

// denials are all rows on which a call must not run.
var denials = []caps.Row{
	caps.DenyShell, caps.DenyWrite, caps.DenyEdit, caps.DenyMCP, caps.DenySubagent, caps.DenyEditor, caps.Ask,
	caps.FaultMissing, caps.FaultCrash, caps.FaultHang, caps.FaultGarbage, caps.SelfProtection, caps.Latency,
}

// everything is what a host does not do that fires nothing.
func everything() []caps.Row {
	var rows []caps.Row
	for _, f := range caps.Facts() {
		if f.Row != caps.Version {
			rows = append(rows, f.Row)
		}
	}
	return rows
}

// TestLiars proves a host of each lie: it is caught on the rows that the lie is about,
// and every other row is as that of an honest host.
func TestLiars(t *testing.T) {
	t.Parallel()
	program, programs := faketest.Program(t), faketest.Checkrein(t)
	for _, lie := range fakehost.Lies() {
		t.Run(string(lie), func(t *testing.T) {
			t.Parallel()
			p, err := prove.Run(t.Context(), find(t, program, fakehost.Build{Lies: []fakehost.Lie{lie}}), prove.Options{Programs: programs})
			if err != nil {
				t.Fatal(err)
			}
			var got []caps.Row
			for _, o := range p.Outcomes {
				if o.Result != caps.Honoured {
					t.Logf("%s %-16s %-12s %s", lie, o.Row, o.Result, o.Said)
					got = append(got, o.Row)
				}
			}
			want := slices.Clone(caught[lie])
			if lie == fakehost.Silent {
				want = everything()
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("caught on %q, want %q", got, want)
			}
		})
	}
}
