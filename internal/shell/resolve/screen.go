package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// socat walks the addresses that are programs: EXEC:x, SYSTEM:x.
func (w wrappers) socat(c *command) {
	w.emit(c)
	for _, a := range c.words[1:] {
		kind, text, ok := strings.Cut(a.Text, ":")
		if !ok {
			continue
		}
		switch strings.ToUpper(kind) {
		case "EXEC":
			text, _, _ = strings.Cut(text, ",")
		case "SYSTEM", "SHELL":
			// Options may follow, each behind a comma.
			for _, o := range [...]string{",pty", ",stderr", ",setsid", ",sane", ",fork", ",reuseaddr", ",ctty", ",sigint", ",nofork", ",pipes"} {
				text, _, _ = strings.Cut(text, o)
			}
		default:
			continue
		}
		w.handed(c, shell.Word{Text: strings.Trim(text, `"'`), From: a.From})
	}
}

// screen takes off screen, and walks what it types into another one.
func (w wrappers) screen(c *command) bool {
	args := c.words[1:]
	for i, a := range args {
		if a.Text != "-X" {
			continue
		}
		rest := args[i+1:]
		if len(rest) > 1 && (rest[0].Text == "stuff" || rest[0].Text == "exec") {
			text := joined(rest[1:], " ")
			text.Text = strings.NewReplacer("^M", "\n", `\n`, "\n", `\r`, "\n", `\015`, "\n", `\012`, "\n").Replace(text.Text)
			if text.Known() {
				w.noProgram(c)
			} else {
				w.emit(c)
			}
			w.handed(c, text)
			return true
		}
		w.emit(c)
		return true
	}
	f := flags{args: args, wr: &wrapper{short: "SceEhpstTU", long: "-Logfile"}}
	rest := f.read()
	if len(rest) == 0 {
		w.emit(c)
		return true
	}
	w.walkOpenings(c)
	if hasWord(args, "-L") && strings.Contains(rest[0].Text, "/") && len(rest) > 1 {
		w.inner(c, wordsOf([]string{"tee", rest[0].Text}, nil)) // older ones: -L FILE
		rest = rest[1:]
	}
	c.words, c.plain = rest, true
	return false
}
