package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A report prints its sections for people or its data as JSON, and has the messages for both.
func TestReport(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	env := &console.Env{Stdout: &out, Now: time.Now, Environ: []string{"HOME=/home/ann"}}
	r := report.New(env)
	r.AddMessage(term.Bad, "state", message.New("/home/ann/x is gone", message.RunYourself("checkrein install", "to restore it")))
	table := &term.Table{Columns: []term.Column{{}, {}}}
	table.AddRow([]term.Span{term.P("codex")}, []term.Span{term.P("user")})
	r.AddMessageBelow(table, term.Warn, "codex", message.New("it is silent", message.Do("look")))
	r.Table(0, table)
	r.BeginSection("The decision")
	r.Item("reason", "one\ntwo")
	r.Item("empty", "")
	r.Blank()
	r.AddFinding(term.Good, "", message.New("all else is well"), []term.Span{term.P("since noon")})
	const text = `✗ state: ~/x is gone
    checkrein install  # to restore it, in your own terminal
codex  user
    ! it is silent
        look

The decision
  reason     one
             two

  ✓ all else is well
    since noon
`
	if err := r.Print(env, false, nil); err != nil || out.String() != text {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), text)
	}
	out.Reset()
	const data = `{"messages":[{"level":"error","about":"state","what":"/home/ann/x is gone","remedies":[{"command":"checkrein install","text":"to restore it","own_terminal":true}]},` +
		`{"level":"warn","about":"codex","what":"it is silent","remedies":[{"text":"look"}]},{"level":"ok","what":"all else is well"}]}` + "\n"
	if err := r.Print(env, true, map[string]any{"messages": r.Messages}); err != nil || out.String() != data {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), data)
	}
}
