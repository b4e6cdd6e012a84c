package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
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
	if hasWord(args, "-X") {
		w.emit(c)
		if hasWord(args, "stuff") || hasWord(args, "exec") {
			w.opaque(show(c.words), "hands screen commands that checkrein does not read")
		}
		return true
	}
	f := flags{args: args, wr: &wrapper{short: "SceEhpstTU", long: "-Logfile"}}
	rest := f.read()
	if len(rest) == 0 {
		w.emit(c)
		return true
	}
	w.walkOpenings(c)
	c.words, c.plain = rest, true
	return false
}
