package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// closingParen is where the bracket closes that was opened before text.
func closingParen(text string) int {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// socat walks the addresses that are programs: EXEC:x, SYSTEM:x.
func (w *walker) socat(c *command) {
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

// nix takes off nix develop -c, nix shell -c and nix run X#program -- words.
func (w *walker) nix(c *command) bool {
	args := c.words[1:]
	subs := wrapper{sub: "develop shell run", long: "--option --extra-experimental-features --experimental-features"}
	at := subcommand(args, &subs)
	if at < 0 {
		w.emit(c)
		return true
	}
	rest := args[at+1:]
	for i, a := range rest {
		switch {
		case args[at].Text != "run" && (a.Text == "-c" || a.Text == "--command") && i+1 < len(rest):
			c.words, c.plain = rest[i+1:], true
			return false
		case args[at].Text == "run" && strings.Contains(a.Text, "#"):
			prog := a.Text[strings.IndexByte(a.Text, '#')+1:]
			words := rest[i+1:]
			if len(words) > 0 && words[0].Text == "--" {
				words = words[1:]
			}
			c.words, c.plain = append([]shell.Word{{Text: prog[strings.LastIndexByte(prog, '.')+1:]}}, words...), true
			return false
		case a.Text == "--":
			w.emit(c)
			return true
		}
	}
	w.emit(c)
	return true
}

// daemon takes off start-stop-daemon, which names the program by an option.
func (w *walker) daemon(c *command) bool {
	args := c.words[1:]
	var prog, rest []shell.Word
	for i, a := range args {
		name, val, given := strings.Cut(a.Text, "=")
		switch {
		case a.Text == "--":
			rest = args[i+1:]
		case facts.InList("--exec --startas -x -a", name) && given:
			prog = []shell.Word{{Text: val, From: a.From}}
		case facts.InList("--exec --startas -x -a", name) && i+1 < len(args):
			prog = args[i+1 : i+2]
		}
		if rest != nil {
			break
		}
	}
	if len(prog) == 0 || hasWord(args, "--stop") || hasWord(args, "-K") {
		w.emit(c)
		return true
	}
	c.words, c.plain = append(prog[:1:1], rest...), true
	return false
}

// screen takes off screen, and walks what it types into another one.
func (w *walker) screen(c *command) bool {
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

// systemsManager walks the commands in aws ssm send-command --parameters, which
// is commands=x, commands=["x","y"] or JSON.
func (w *walker) systemsManager(c *command) {
	for i, a := range c.words[1:] {
		text, ok := strings.CutPrefix(a.Text, "--parameters=")
		if !ok && a.Text == "--parameters" && i+2 < len(c.words) {
			text, ok = c.words[i+2].Text, true
		}
		if !ok {
			continue
		}
		_, text, ok = strings.Cut(text, "commands")
		if !ok {
			continue
		}
		inner := w.elsewhere(c, "ssm")
		text = strings.TrimLeft(text, "\"' \t:=[")
		text = strings.TrimRight(text, "\"' \t]}")
		for one := range strings.SplitSeq(text, `","`) {
			w.handed(&inner, shell.Word{Text: strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(one), From: a.From})
		}
	}
}

// fishInit walks fish -C TEXT, which runs before the rest, and takes it off.
func (w *walker) fishInit(c *command) {
	words := c.words
	for i := 1; i+1 < len(words); i++ {
		if t := words[i].Text; t != "-C" && t != "--init-command" {
			continue
		}
		w.handed(c, words[i+1])
		c.words = append(words[:i:i], words[i+2:]...)
		return
	}
}

// runParts walks run-parts in a directory of programs: it runs those whose names fit
// with the arguments that it is given.
func (w *walker) runParts(c *command) {
	w.emit(c)
	args := c.words[1:]
	if len(args) == 0 || hasWord(args, "--test") || hasWord(args, "--list") {
		return
	}
	dir := strings.TrimRight(args[len(args)-1].Text, "/")
	if base := dir[strings.LastIndexByte(dir, '/')+1:]; base != "bin" && base != "sbin" {
		return
	}
	var handed []shell.Word
	keyed(args, "--arg -a", func(v shell.Word) { handed = append(handed, v) })
	name := ""
	keyed(args, "--regex", func(v shell.Word) { name = strings.Trim(v.Text, "^$()") })
	if name == "" || strings.ContainsAny(name, `.*+?[]|(){}\`+hole) {
		w.opaque(show(c.words), "runs every matching program in a directory")
		return
	}
	w.inner(c, append([]shell.Word{{Text: dir + "/" + name}}, handed...))
}
