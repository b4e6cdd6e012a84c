package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// socat reports the addresses that are programs: EXEC:x, SYSTEM:x.
func (w wrappers) socat(c *command) {
	w.emit(c)
	if slices.ContainsFunc(c.words[1:], func(a shell.Word) bool {
		kind, _, _ := strings.Cut(strings.ToUpper(a.Text), ":")
		return kind == "EXEC" || kind == "SYSTEM" || kind == "SHELL"
	}) {
		w.opaque(show(c.words), "connects a program that checkrein does not read")
	}
}

// screen takes off screen. What it types into another one is not read.
func (w wrappers) screen(c *command) bool {
	args := c.words[1:]
	if argv.Has(args, "-X") {
		w.emit(c)
		if argv.Has(args, "stuff") || argv.Has(args, "exec") {
			w.opaque(show(c.words), "hands screen commands that checkrein does not read")
		}
		return true
	}
	f := argv.Reader{Args: args, Options: &argv.Options{Short: "SceEhpstTU", Long: "-Logfile"}}
	rest := f.Read()
	if len(rest) == 0 {
		w.emit(c)
		return true
	}
	w.walkOpenings(c)
	c.words, c.plain = rest, true
	return false
}
