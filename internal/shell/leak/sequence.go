package leak

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
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
	var remotes [maxRemotes]shell.Word
	var line host
	n := 0
	t := tracer{place: p}
	for i, c := range calls {
		if c == nil || i >= maxCalls {
			continue
		}
		c = applet(c)
		t.budget, t.depth = budget, 0
		if len(t.spoilt) > 0 || t.hole.level > clean {
			found = t.again(c, found)
		}
		if c.Name == ":" || c.Name == "exec" || c.Name == "" {
			line = t.around(c, line)
		} else if line.set && len(c.Redir) == 0 {
			s := sending{to: line}
			if l := t.output(c); l.level >= file {
				s.add(l, socket)
			}
			if e, ok := s.effect(c); ok {
				found = append(found, e)
			}
		}
		if c.Name == "git" {
			if w, ok := newRemote(c); ok && n < maxRemotes {
				remotes[n] = w
				n++
			} else if e, ok := pushed(c, remotes[:n]); ok {
				found = append(found, e)
			}
		}
		if len(t.spoilt) < maxSpoilt {
			t.spoil(c)
		}
	}
	return found
}

const (
	maxRemotes = 4
	maxSpoilt  = 16
	maxCalls   = 256
)

// around is about redirections that hold for the calls after it: those of a
// loop, a block or exec. It returns where their output goes, if that is a
// connection.
func (t *tracer) around(c *shell.Call, line host) host {
	for i := range c.Redir {
		r := &c.Redir[i]
		if addr, ok := deviceAddress(r.Target.Text); ok && r.Op != "<" {
			line = hostOf(addr)
		} else if r.Op == "<" && c.Name == ":" {
			if l := t.fileWord(c, &r.Target); l.level == secret {
				t.hole, t.hole.picked = l, true
			}
		}
	}
	return line
}

// again looks at a call with what is now known of files. What a call on its own
// shows is left out.
func (t *tracer) again(c *shell.Call, found []shell.Effect) []shell.Effect {
	known := t.effects(c)
	if len(known) == 0 {
		return found
	}
	alone := tracer{place: t.place, budget: budget}
	first := alone.effects(c)
	if len(first) > 0 && !worse(&known[0], &first[0]) {
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
			t.note(r.Target.Text)
		}
		return
	}
	last := len(c.Args) - 1
	if last < 0 {
		return
	}
	switch c.Name {
	case "cp", "mv", "ln", "install", "rsync", "scp":
		if last > 0 && t.read(&shell.Call{Args: c.Args[:last], Dir: c.Dir}, 0).level == secret {
			t.note(c.Args[last].Text)
		}
	case "tee":
		if t.input(c).level == secret {
			t.note(c.Args[last].Text)
		}
	case "tar", "gtar", "bsdtar", "zip", "7z", "7za", "gpg", "gpg2", "openssl", "base64", "age", "dd", "xxd", "cpio", "rar", "split", "sqlite3", "git", "curl", "wget":
		t.packed(c)
	}
}

// packed notes the archive that a packer writes.
func (t *tracer) packed(c *shell.Call) {
	if target := packTarget(c); target != "" && t.output(c).level == secret {
		t.note(target)
	}
}

// packTarget returns the file that a packer writes to.
func packTarget(c *shell.Call) string {
	for i := range c.Args {
		a := c.Args[i].Text
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		switch c.Name {
		case "tar", "gtar", "bsdtar":
			if path, ok := strings.CutPrefix(a, "--file="); ok {
				return path
			}
			if a == "--file" || strings.HasSuffix(a, "f") && (a[0] == '-' || i == 0) && len(a) < 8 {
				return next
			}
		case "zip", "rar", "7z", "7za":
			if a != "" && a[0] != '-' && len(a) > 1 {
				return a
			}
		case "dd":
			if path, ok := strings.CutPrefix(a, "of="); ok {
				return path
			}
		default:
			if a == "-o" || a == "-out" || a == "--output" {
				return next
			}
			if path, ok := strings.CutPrefix(a, "--output="); ok {
				return path
			}
		}
	}
	return ""
}

// note remembers a file, if its name is known.
func (t *tracer) note(path string) {
	if path != "" && path != "-" && len(path) < maxPath && !strings.ContainsRune(path, shell.Hole) {
		t.spoilt = append(t.spoilt, path)
	}
}

// newRemote returns the name and URL, as "name url", of a remote that a call
// sets up.
func newRemote(c *shell.Call) (shell.Word, bool) {
	verb, rest := gitVerb(c)
	if verb != "remote" || len(rest) < 3 || rest[0].Text != "add" && rest[0].Text != "set-url" {
		return shell.Word{}, false
	}
	n := len(rest)
	return shell.Word{Text: rest[n-2].Text + " " + rest[n-1].Text}, true
}

// pushed judges a push to a remote that was set up before. A new project gets
// its origin in just that way, so only a doubtful host makes it more than a doubt.
func pushed(c *shell.Call, remotes []shell.Word) (shell.Effect, bool) {
	verb, rest := gitVerb(c)
	if verb != "push" || len(remotes) == 0 {
		return shell.Effect{}, false
	}
	target, ok := pushTarget(&shell.Call{Args: rest})
	if !ok {
		target.Text = "origin"
	}
	for i := range remotes {
		name, url, _ := strings.Cut(remotes[i].Text, " ")
		if name != target.Text {
			continue
		}
		h, ok := gitURL(url)
		if !ok || (name == "origin" || name == "upstream" || name == "heroku") && !h.drop() {
			continue
		}
		s := sending{to: h}
		s.add(load{level: file, from: fromOutput, what: "the project's history", soft: true}, copied)
		return s.effect(c)
	}
	return shell.Effect{}, false
}
