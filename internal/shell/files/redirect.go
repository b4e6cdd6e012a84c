package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// RedirectEffects returns what the redirections of c do to files. The program matters only if it
// prints nothing or noise, or reads the file itself, because the file's contents are lost then.
func RedirectEffects(c *shell.Call, p *shell.Place) []shell.Effect {
	if len(c.Redir) == 0 {
		return nil
	}
	var j job
	for i := range c.Redir {
		r := &c.Redir[i]
		if !opensForWriting(r) {
			continue
		}
		if j.c == nil {
			j = newJob(c, p)
		}
		j.judgeRedirect(r)
	}
	return j.out
}

// opensForWriting reports whether r opens a file for writing. /dev/null does not count.
func opensForWriting(r *shell.Redirect) bool {
	t := r.Target.Text
	switch r.Op {
	case ">", ">>", ">|", "&>", "&>>", "<>", "&>|":
		return t != "" && t != "/dev/null"
	case ">&":
		// >&2, >&- and >&3- do not name files.
		return t != "" && strings.Trim(t, "0123456789-") != "" && t != "/dev/null"
	}
	return false
}

// judgeRedirect judges the redirection r, which opens a file for writing.
func (j *job) judgeRedirect(r *shell.Redirect) {
	t := r.Target.Text
	if strings.HasPrefix(t, "/dev/tcp/") || strings.HasPrefix(t, "/dev/udp/") {
		return // package exfil judges network connections
	}
	for _, s := range j.writeTargets(r.Target) {
		if s.zone != inSink {
			j.addRedirect(r, s)
		}
	}
}

// addRedirect adds the effect of the redirection r on s, one of its targets.
func (j *job) addRedirect(r *shell.Redirect, s location) {
	if j.words == "" {
		j.words = redirectText(j.c, r)
	}
	switch {
	case r.Op == "<>" && r.Fd != "" && r.Fd != "0": // what is written to the descriptor overwrites the file from its beginning
		j.addWrite(s)
	case r.Op == ">>" || r.Op == "&>>" || r.Op == "<>":
		j.addAppend(s)
	case r.Fd != "2" && printsNothing(j.c):
		j.addTruncate(s)
	case r.Fd != "2" && j.overwritesWithNoise(s):
		// The earlier contents cannot be restored.
		a, v := j.lookupVerdict(&truncateVerdicts, &empties, s)
		j.addEffect(a, s, v)
	case r.Fd != "2" && j.readsTarget(r.Target.Text), r.Fd == "2" && j.isProjectSource(&s):
		// The shell empties the file before the program can read it. Error messages are not a
		// new version of a source file either.
		a, v := j.lookupVerdict(&truncateVerdicts, &empties, s)
		j.addEffect(a, s, v)
	default:
		j.addWrite(s)
	}
}

// overwritesWithNoise reports whether the call writes noise over s, a file that people write. Noise is
// random bytes, zeros, or endless repetitions of a word. In the project, new files of noise are
// ordinary, so only text and documents count there.
func (j *job) overwritesWithNoise(s location) bool {
	if !printsNoise(j.c, 0) || s.createdHere || s.kind != "" {
		return false
	}
	switch s.zone {
	case inHome, inHomeOther, inParent, inOutside:
		return true
	case inProject:
		return isDocument(s.path)
	}
	return false
}

// printsNoise reports whether c prints noise, or passes on noise from its input. depth is the number
// of calls between c and the redirection.
func printsNoise(c *shell.Call, depth int) bool {
	switch kind := program.OutputOf(c.Name); {
	case kind == program.OutputEndless:
		return true
	case program.Is(c.Name, program.IsKeyTool):
		return len(c.Args) > 0 && c.Args[0].Text == "rand" && !hasAnyOption(c.Args, "-hex", "-base64")
	case kind != program.OutputReads:
		return false
	}
	for i := range c.Args {
		if facts.IsEndlessDevice(strings.TrimPrefix(c.Args[i].Text, "if=")) {
			return true
		}
	}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" && facts.IsEndlessDevice(c.Redir[i].Target.Text) {
			return true
		}
	}
	return c.In != nil && len(c.In.From) > 0 && depth < 4 && printsNoise(c.In.From[0], depth+1)
}

// isDocument reports whether p has a name for a file that people write.
func isDocument(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	switch strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]) {
	case "go", "py", "js", "ts", "jsx", "tsx", "rb", "rs", "c", "h", "cc", "cpp", "hpp", "java", "kt", "swift", "php", "pl", "lua", "sh", "sql", "md", "txt", "html", "css", "scss", "json", "yaml", "yml", "toml", "xml", "tex", "doc", "docx", "odt", "pdf", "xls", "xlsx", "ppt", "pptx", "csv", "ipynb", "db", "sqlite", "sqlite3", "tf", "env":
		return true
	}
	return name == "Makefile" || name == "Dockerfile" || strings.HasPrefix(name, ".env")
}

// readsTarget reports whether the call, or a call before it in the pipeline, reads the file target.
func (j *job) readsTarget(target string) bool {
	return target != "" && !strings.HasPrefix(target, "/dev/") && !strings.Contains(target, placeholder) && readsFile(j.c, target, 0)
}

// maxPipe bounds how many calls of a pipeline are checked.
const maxPipe = 4

// readsFile reports whether c, or a call before it in the pipeline, reads the file target. depth is
// the number of calls after c.
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

// redirectText returns the words of c followed by the redirection r.
func redirectText(c *shell.Call, r *shell.Redirect) string {
	text := callText(c)
	if text != "" {
		text += " "
	}
	return text + r.Fd + r.Op + " " + r.Target.Text
}
