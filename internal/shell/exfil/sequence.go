package exfil

import (
	pathpkg "path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Sequence returns what calls send away that no single one of them shows: a
// secret that is first packed or encoded into a file and then sent, and a push to
// a remote that was set up a moment before. The calls are those of one command,
// in the order in which they run. What [Effects] finds is not repeated.
func Sequence(calls []*shell.Call, p *shell.Place) []shell.Effect {
	if len(calls) < 2 {
		return nil
	}
	var found []shell.Effect
	var repo repository
	var line facts.Host
	var open doors
	t := tracer{place: p}
	for i, c := range calls {
		if c == nil || i >= maxCalls {
			continue
		}
		c = appletCall(c)
		t.budget, t.depth = budget, 0
		if len(t.spoilt) > 0 || t.hole.level > clean {
			found = t.again(c, found)
		}
		if program.ExpertOf(c.Name) == program.ExpertRepeater {
			t.spread(c)
		}
		if redirects(c) {
			line = t.around(c, line)
		} else if line.Set() && len(c.Redir) == 0 {
			s := transfer{to: line}
			if l := t.output(c); l.level >= file {
				s.addLoad(l, socket)
			}
			if e, ok := s.effect(c); ok {
				found = append(found, e)
			}
		}
		if e, ok := repo.take(&t, c); ok {
			found = append(found, e)
		}
		if e, ok := open.take(&t, c); ok {
			found = append(found, e)
		}
		if len(t.spoilt) < maxSpoilt {
			t.spoil(c)
		}
	}
	return found
}

const (
	maxRemotes = 8
	maxSpoilt  = 16
	maxCalls   = 256
)

// around is about redirections that hold for the calls after it: those of a
// loop, a block or exec. It returns where their output goes, if that is a
// connection.
func (t *tracer) around(c *shell.Call, line facts.Host) facts.Host {
	for i := range c.Redir {
		r := &c.Redir[i]
		if addr, ok := deviceAddress(r.Target.Text); ok && r.Op != "<" {
			line = facts.HostOf(addr)
		} else if r.Op == "<" {
			if l := t.fileWord(c, &r.Target); l.level == secret {
				t.hole, t.hole.picked = l, true
			}
		}
	}
	return line
}

// spread is about xargs -a FILE: the words of the calls after it come from there.
func (t *tracer) spread(c *shell.Call) {
	l := load{}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" {
			l = more(l, t.fileWord(c, &c.Redir[i].Target))
		}
	}
	runs := false
	for i := range c.Args {
		a := c.Args[i].Text
		runs = runs || a != "" && a[0] != '-' // without a command its words are printed, and resolved as such
		path, ok := strings.CutPrefix(a, "--arg-file=")
		if !ok && i > 0 && (c.Args[i-1].Text == "-a" || c.Args[i-1].Text == "--arg-file" || c.Args[i-1].Text == "::::") {
			path, ok = a, true
		}
		if ok {
			l = more(l, t.file(c, path))
		}
	}
	if l.level == secret && runs {
		t.hole, t.hole.picked = l, true
	}
}

// again looks at a call with what is now known of files. What a call on its own
// shows is left out.
func (t *tracer) again(c *shell.Call, found []shell.Effect) []shell.Effect {
	known := t.callEffects(c)
	if len(known) == 0 {
		return found
	}
	alone := tracer{place: t.place, budget: budget}
	first := alone.callEffects(c)
	if len(first) > 0 && !isWorse(&known[0], &first[0]) {
		return found
	}
	return append(found, known...)
}

// spoil notes the files that a call fills with a secret.
func (t *tracer) spoil(c *shell.Call) {
	for i := range c.Redir {
		r := &c.Redir[i]
		if r.Op == "<" || strings.HasPrefix(r.Op, "<<") || r.Target.Text == "/dev/null" || number(r.Target.Text) {
			continue
		}
		if t.output(c).level == secret {
			t.note(c, r.Target.Text)
		}
		return
	}
	last := len(c.Args) - 1
	if last < 0 {
		return
	}
	switch {
	case program.Is(c.Name, program.IsCopier):
		if last > 0 && t.read(&shell.Call{Args: c.Args[:last], Dir: c.Dir, Files: c.Files}, 0).level == secret {
			t.note(c, c.Args[last].Text)
		}
	case program.FilesOf(c.Name) == program.FilesTee:
		if t.input(c).level == secret {
			t.note(c, c.Args[last].Text)
		}
	case program.FilesOf(c.Name) == program.FilesSplit:
		if last > 0 && t.output(c).level == secret {
			t.note(c, c.Args[last].Text+"*")
		}
	default:
		// What makes a certificate or a public key of a private one gives nothing away.
		if program.Is(c.Name, program.IsKeyTool) && !hasWords(c, "enc|smime|cms|base64|pkcs12|pkey|rsa|aes-256-cbc") || hasArg(c, "-pubout") {
			return
		}
		if target := packTarget(c); target != "" && t.output(c).level == secret {
			t.note(c, target)
		}
	}
}

// packTarget returns the file that a packer writes to.
func packTarget(c *shell.Call) string {
	kind, words := program.FilesOf(c.Name), 0
	var w program.Walk
	for w.Start(c); w.Next(); {
		text := w.Arg.Text
		switch {
		case kind == program.FilesTar && (w.Name == "f" || w.Name == "file"):
			return text
		case w.Name != "":
		case kind == program.FilesDd && strings.HasPrefix(text, "of="):
			return text[len("of="):]
		case kind == program.FilesZip, kind == program.FilesSevenZip && words == 1:
			return text
		default:
			words++
		}
	}
	parts := program.Parts(c)
	for i := range parts {
		if parts[i].Role == shell.Writes {
			return parts[i].Word.Text
		}
	}
	return ""
}

// note remembers a file, if its name is known.
func (t *tracer) note(c *shell.Call, path string) {
	if path != "" && path != "-" && len(path) < facts.MaxPath && !strings.ContainsRune(path, shell.Hole) {
		t.spoilt = append(t.spoilt, t.full(c, path))
	}
}

// full returns a path as seen from the root, as far as the place is known.
func (t *tracer) full(c *shell.Call, path string) string {
	if path[0] != '/' && path[0] != '~' {
		dir := c.Dir
		if dir == "" && t.place != nil {
			dir = t.place.Dir
		}
		path = dir + "/" + path
	}
	return pathpkg.Clean(path)
}

// isSpoilt reports whether a path is one of the spoilt files, one packed in its
// place, or a directory that holds one.
func (t *tracer) isSpoilt(c *shell.Call, path string) bool {
	if path == "" || len(path) > facts.MaxPath {
		return false
	}
	path = strings.TrimSuffix(t.full(c, path), "/*")
	for _, s := range t.spoilt {
		if start, ok := strings.CutSuffix(s, "*"); ok && strings.HasPrefix(path, start) {
			return true
		}
		if path == s || len(path) > len(s) && path[:len(s)] == s && (path[len(s)] == '/' || packedName(path[len(s):])) {
			return true
		}
		if len(s) > len(path) && s[:len(path)] == path && s[len(path)] == '/' && !t.home(path) {
			return true
		}
	}
	return false
}

// home reports whether a path is the project itself or above it: that it holds a
// spoilt file says little.
func (t *tracer) home(path string) bool {
	return path == "/" || path == "/tmp" || path == "." || t.place != nil && strings.HasPrefix(t.place.Dir, path)
}

// packedName reports whether what follows a file's name is what packers add.
func packedName(end string) bool {
	switch end {
	case ".gz", ".bz2", ".xz", ".zst", ".gpg", ".asc", ".enc", ".b64", ".age", ".lz4", ".zip", ".br", ".uu", ".hex":
		return true
	}
	return false
}
