package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// walkSocat walks socat, and reports addresses that are programs, such as EXEC:x and SYSTEM:x.
func (w wrappers) walkSocat(c *command) {
	w.emitCall(c)
	if slices.ContainsFunc(c.words[1:], func(a shell.Word) bool {
		kind, _, _ := strings.Cut(strings.ToUpper(a.Text), ":")
		return kind == "EXEC" || kind == "SYSTEM" || kind == "SHELL"
	}) {
		w.reportOpaque(displayWords(c.words), "connects a stream to a program that checkrein does not read")
	}
}

// unwrapScreen replaces c by the command that screen runs. It reports commands that screen -X sends to
// another session, because they are not read. The result is that of [walker.resolveNext].
func (w wrappers) unwrapScreen(c *command) bool {
	args := c.words[1:]
	if argv.HasWord(args, "-X") {
		w.emitCall(c)
		if argv.HasWord(args, "stuff") || argv.HasWord(args, "exec") {
			w.reportOpaque(displayWords(c.words), "sends commands to screen that checkrein does not read")
		}
		return true
	}
	f := argv.FlagReader{Args: args, Options: &argv.Options{Short: "SceEhpstTU", Long: "-Logfile"}}
	rest := f.Operands()
	if len(rest) == 0 {
		w.emitCall(c)
		return true
	}
	w.walkNestedRules(c)
	c.words, c.skipFunctions = rest, true
	return false
}
