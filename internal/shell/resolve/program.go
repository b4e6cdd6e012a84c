package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// another handles a program that the text itself put where it is found: a copy of
// another program, or a script. done and ok are as builtin's.
func (w *walker) another(c *command, path string) (done, ok bool) {
	var f *file
	if strings.Contains(path, "/") {
		f = w.fileAt(path, &c.context)
	} else {
		f = w.onPath(path)
	}
	if f == nil || f.dir {
		return false, false
	}
	if f.prog != "" {
		return false, w.renamed(c, f, path)
	}
	return w.script(c, f)
}

// renamed puts the program's own name in the place of the one that it was given.
func (w *walker) renamed(c *command, f *file, path string) bool {
	name := programName(path)
	switch programName(f.prog) {
	case name:
		return false
	case "busybox", "toybox", "coreutils":
		if guess(name, name, false) != "" {
			return false // they do what their name says
		}
	}
	words := append([]shell.Word{{Text: f.prog, Glob: expand.IsPattern(f.prog)}}, c.words[1:]...)
	c.words, c.plain = words, true
	return true
}

// checkPath notes when programs are first looked for where anybody can have put
// them.
func (w *walker) checkPath(c *command) {
	v := w.st.find("PATH")
	if v == nil || v.Gone || strings.Contains(c.words[0].Text, "/") {
		return
	}
	switch c.words[0].Text {
	case "echo", "printf", "test", "[", "pwd", "kill", "type", "ulimit", "jobs", "time":
		return // the shell does it itself
	}
	path := v.Word.Text
	for w.step() {
		first, rest, more := strings.Cut(path, ":")
		if strings.HasPrefix(first, hole) && strings.Trim(first, hole) == "" || standardDir(first) {
			return // from here on everything is as it was
		}
		if !trustedDir(first, w.place.Dir) {
			full := w.rawSpot(first, &c.context)
			if first == "" {
				first = "the working directory"
			}
			reason := "puts " + brief(first) + " first in PATH, so programs there can replace the usual ones"
			if facts.Open(full) && !within(full, w.place.Root) && !within(full, w.place.Dir) {
				w.opaque("PATH="+brief(v.Word.Text), reason)
			} else {
				w.unknown("PATH="+brief(v.Word.Text), reason)
			}
			return
		}
		if !more {
			return
		}
		path = rest
	}
}

// standardDir reports whether a directory holds the system's own programs.
func standardDir(dir string) bool {
	for _, d := range programDirs {
		if dir == d {
			return true
		}
	}
	return false
}

// ordinaryDir reports whether programs are looked for in a directory without
// anybody's doing.
func ordinaryDir(dir string) bool {
	if standardDir(dir) {
		return true
	}
	switch dir {
	case "/opt/homebrew/bin", "/opt/homebrew/sbin", "/snap/bin", "/usr/games", "/usr/local/games":
		return true
	}
	for _, tail := range [...]string{"/.local/bin", "/bin", "/go/bin", "/.cargo/bin", "/.npm-global/bin", "/.bun/bin", "/.deno/bin"} {
		if home, ok := strings.CutSuffix(dir, tail); ok && (strings.HasPrefix(home, "/home/") || strings.HasPrefix(home, "/Users/") || home == "/root" || home == "~") && strings.Count(home, "/") <= 2 {
			return true
		}
	}
	return false
}

// trustedDir reports whether a directory is one that people put before others in
// PATH: it is made for programs and lies where not everybody writes.
func trustedDir(dir, here string) bool {
	dir = strings.TrimRight(dir, "/")
	if facts.Open(dir) && !(here != "" && strings.HasPrefix(dir, here+"/")) {
		return false
	}
	_, base, _ := cutLast(dir)
	switch base {
	case "bin", ".bin", "sbin", "shims", "Scripts", "scripts", "tools", "libexec", "cmd", "games", "ccache", "current", "utils":
		return true
	}
	return strings.HasSuffix(base, "-bin") || strings.HasSuffix(base, hole)
}

// hash walks hash -p file name, which makes a name mean a file.
func (w *walker) hash(args []shell.Word) {
	for i, a := range args {
		if a.Text != "-p" || i+2 >= len(args) {
			continue
		}
		c := content{text: hole, old: true, prog: args[i+1].Text}
		if f := w.file(args[i+1].Text); f != nil {
			if c = f.content; c.text == "" {
				c.text = hole
			}
		}
		for _, name := range args[i+2:] {
			w.write("/usr/bin/"+name.Text, &w.st.context, c, false)
		}
		return
	}
}
