package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Redirects reports what the redirections of a call do to files. The call's
// program does not matter, but for those that print nothing: they are a way to
// empty a file.
func Redirects(c *shell.Call, p *shell.Place) []shell.Effect {
	if len(c.Redir) == 0 {
		return nil
	}
	var j job
	for i := range c.Redir {
		r := &c.Redir[i]
		if !writing(r) {
			continue
		}
		if j.c == nil {
			j = newJob(c, p)
		}
		j.redirect(r)
	}
	return j.out
}

// writing reports whether a redirection opens a file for writing.
func writing(r *shell.Redirect) bool {
	t := r.Target.Text
	switch r.Op {
	case ">", ">>", ">|", "&>", "&>>", "<>", "&>|":
		return t != "" && t != "/dev/null"
	case ">&":
		// >&2, >&- and >&3- are not files.
		return t != "" && strings.Trim(t, "0123456789-") != "" && t != "/dev/null"
	}
	return false
}

func (j *job) redirect(r *shell.Redirect) {
	t := r.Target.Text
	if strings.HasPrefix(t, "/dev/tcp/") || strings.HasPrefix(t, "/dev/udp/") {
		return // what leaves the machine is judged elsewhere
	}
	for _, s := range j.spots(r.Target) {
		if s.zone != inSink {
			j.redirectTo(r, s)
		}
	}
}

func (j *job) redirectTo(r *shell.Redirect, s spot) {
	if j.words == "" {
		j.words = redirectText(j.c, r)
	}
	switch {
	case r.Op == "<>" && r.Fd == "1": // it writes over the beginning
		j.written(s)
	case r.Op == ">>" || r.Op == "&>>" || r.Op == "<>":
		j.appended(s)
	case r.Fd != "2" && printsNothing(j.c):
		j.emptied(s)
	case r.Fd != "2" && j.noisy(s):
		// Nothing can be made of what stood there before.
		a, v := j.outcome(&emptyTo, &empties, s)
		j.mark(a, s, v)
	case r.Fd != "2" && j.readsItself(r.Target.Text), r.Fd == "2" && j.sourced(&s):
		// The shell empties the file before the program can read it; and what a program
		// complains about is no source.
		a, v := j.outcome(&emptyTo, &empties, s)
		j.mark(a, s, v)
	default:
		j.written(s)
	}
}

// noisy reports whether a call prints noise over a file that people write: random
// bytes, zeros, or one word without end. In the project a new file of noise is an
// ordinary thing to make, so there only text and documents count.
func (j *job) noisy(s spot) bool {
	if !printsNoise(j.c, 0) || s.own || s.kind != "" {
		return false
	}
	switch s.zone {
	case inHome, inHomeOther, inParent, inOutside:
		return true
	case inProject:
		return document(s.path)
	}
	return false
}

// printsNoise reports whether what a call prints is noise, also when it only
// passes it on.
func printsNoise(c *shell.Call, depth int) bool {
	switch kind := program.OutputOf(c.Name); {
	case kind == program.OutputEndless:
		return true
	case program.Is(c.Name, program.IsKeyTool):
		return len(c.Args) > 0 && c.Args[0].Text == "rand" && !has(c.Args, "-hex", "-base64")
	case kind != program.OutputReads:
		return false
	}
	for i := range c.Args {
		if facts.Endless(strings.TrimPrefix(c.Args[i].Text, "if=")) {
			return true
		}
	}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" && facts.Endless(c.Redir[i].Target.Text) {
			return true
		}
	}
	return c.In != nil && len(c.In.From) > 0 && depth < 4 && printsNoise(c.In.From[0], depth+1)
}

// document reports whether a file is one that people write, by its name.
func document(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "go", "py", "js", "ts", "jsx", "tsx", "rb", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt", "swift", "php", "pl", "lua", "sh", "sql", "md", "txt", "html", "css", "scss", "json", "yaml", "yml", "toml", "xml", "tex", "doc", "docx", "odt", "pdf", "xls", "xlsx", "ppt", "pptx", "csv", "ipynb", "db", "sqlite", "sqlite3", "tf", "env":
		return true
	}
	return name == "Makefile" || name == "Dockerfile" || strings.HasPrefix(name, ".env")
}

// readsItself reports whether a program, or one before it in the pipe, reads the very
// file that is written.
func (j *job) readsItself(target string) bool {
	return target != "" && !strings.HasPrefix(target, "/dev/") && !strings.Contains(target, holeText) && readsFile(j.c, target, 0)
}

// maxPipe is how far back in a pipe is looked.
const maxPipe = 4

func readsFile(c *shell.Call, target string, depth int) bool {
	for i := range c.Redir {
		if r := &c.Redir[i]; r.Op == "<" && r.Target.Text == target {
			return true
		}
	}
	parts := program.Parts(c)
	for i := range parts {
		if parts[i].Role == shell.Reads && parts[i].Word.Text == target {
			return true
		}
	}
	if n := len(c.Args); n > 0 && c.Args[n-1].Text == target && program.OutputOf(c.Name) == program.OutputSelects {
		return true
	}
	return c.In != nil && len(c.In.From) > 0 && c.In.From[0] != nil && depth < maxPipe && readsFile(c.In.From[0], target, depth+1)
}

// redirectText is the call with the redirection.
func redirectText(c *shell.Call, r *shell.Redirect) string {
	text := callText(c)
	if text != "" {
		text += " "
	}
	return text + r.Fd + r.Op + " " + r.Target.Text
}
