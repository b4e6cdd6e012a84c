package docgen

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/guard"
)

// builtinTable returns a table of all builtins.
func builtinTable() string {
	t := newTable("builtin", "what it does", "arguments", "meant for")
	for _, b := range guard.Table() {
		events := make([]string, len(b.Events))
		for i, k := range b.Events {
			events[i] = k.String()
		}
		t.row(code(b.Name), escapeMarkdown(b.Doc), code(b.Args), codes(events))
	}
	return t.String()
}

// builtinExample returns, as a Markdown code block, a configuration that runs the first builtin of the
// table on its first event.
func builtinExample() string {
	b := guard.Table()[0]
	return fmt.Sprintf("```yaml\nversion: 1\nhooks:\n  %s:\n    - type: builtin\n      command: %s\n```", b.Events[0], b.Name)
}

// exitCodes lists the exit codes of checkrein itself.
var exitCodes = []struct {
	code int
	doc  string
}{
	{console.Done, "done; `eval` and `hook` print their verdict in the output"},
	{console.Finding, "a finding, or a failed check"},
	{console.Usage, "the command line is wrong, or `eval` cannot read its event"},
	{console.Config, "the configuration is invalid"},
	{console.Refused, "not approved, or refused"},
	{console.Ask, "`eval --exit-code`: ask (a denial is 1, anything else 0)"},
	{console.Bug, "checkrein itself is broken: a bug, or an incomplete installation"},
}

func exitTable() string {
	t := newTable("exit code", "meaning")
	for _, e := range exitCodes {
		t.row(fmt.Sprint(e.code), e.doc)
	}
	return t.String()
}
