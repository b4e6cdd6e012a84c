package exfil

import (
	pathpkg "path"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// SequenceEffects returns the effects that only several calls of a command have together: a secret
// that is first packed or encoded into a file and then sent, or a push to a remote that was just set
// up. The calls must be in the order in which they run. Effects that [Effects] returns for a single
// call are left out.
func SequenceEffects(calls []*shell.Call, p *shell.Place) []shell.Effect {
	if len(calls) < 2 {
		return nil
	}
	var found []shell.Effect
	var repo repoChanges
	var outputHost facts.Host // the host that the output of the following calls goes to
	var open exposure
	t := tracer{place: p}
	for i, c := range calls {
		if c == nil || i >= maxCalls {
			continue
		}
		c = appletCall(c)
		t.stepsLeft, t.depth = maxSteps, 0
		if len(t.tainted) > 0 || t.unknownWord.level > clean {
			found = t.appendTaintEffects(c, found)
		}
		if program.ExpertOf(c.Name) == program.ExpertRepeater {
			t.recordArgSource(c)
		}
		if onlyRedirects(c) {
			outputHost = t.applyBlockRedirects(c, outputHost)
		} else if outputHost.Exists() && len(c.Redir) == 0 {
			s := transfer{to: outputHost}
			if l := t.outputTaint(c); l.level >= file {
				s.addData(l, socket)
			}
			if e, ok := s.effect(c); ok {
				found = append(found, e)
			}
		}
		if e, ok := repo.recordCall(&t, c); ok {
			found = append(found, e)
		}
		if e, ok := open.recordCall(&t, c); ok {
			found = append(found, e)
		}
		if len(t.tainted) < maxTainted {
			t.recordTaintedFiles(c)
		}
	}
	return found
}

const (
	maxRemotes = 8
	maxTainted = 16
	maxCalls   = 256
)

// applyBlockRedirects applies the redirections of c, which is a loop, a block or exec, to the calls
// after it. It returns the host that their output goes to, which is current if c does not redirect it.
// If their input is a secret, their unknown words hold it.
func (t *tracer) applyBlockRedirects(c *shell.Call, current facts.Host) facts.Host {
	for i := range c.Redir {
		r := &c.Redir[i]
		if addr, ok := devTCPHost(r.Target.Text); ok && r.Op != "<" {
			current = facts.HostOf(addr)
		} else if r.Op == "<" {
			if l := t.fileWordTaint(c, &r.Target); l.level == secret {
				t.unknownWord, t.unknownWord.partial = l, true
			}
		}
	}
	return current
}

// recordArgSource records the file from which xargs takes the words of the calls that it runs, if it
// contains a secret.
func (t *tracer) recordArgSource(c *shell.Call) {
	l := taint{}
	for i := range c.Redir {
		if c.Redir[i].Op == "<" {
			l = worseTaint(l, t.fileWordTaint(c, &c.Redir[i].Target))
		}
	}
	runs := false
	for i := range c.Args {
		a := c.Args[i].Text
		runs = runs || a != "" && a[0] != '-' // without a command, xargs only prints; package resolve handles that
		path, ok := strings.CutPrefix(a, "--arg-file=")
		if !ok && i > 0 && (c.Args[i-1].Text == "-a" || c.Args[i-1].Text == "--arg-file" || c.Args[i-1].Text == "::::") {
			path, ok = a, true
		}
		if ok {
			l = worseTaint(l, t.fileTaint(c, path))
		}
	}
	if l.level == secret && runs {
		t.unknownWord, t.unknownWord.partial = l, true
	}
}

// appendTaintEffects appends to found the effects of c that are worse because of tainted files,
// compared with those of c alone.
func (t *tracer) appendTaintEffects(c *shell.Call, found []shell.Effect) []shell.Effect {
	known := t.callEffects(c)
	if len(known) == 0 {
		return found
	}
	alone := tracer{place: t.place, stepsLeft: maxSteps}
	first := alone.callEffects(c)
	if len(first) > 0 && !isWorse(&known[0], &first[0]) {
		return found
	}
	return append(found, known...)
}

// recordTaintedFiles records the files that c fills with a secret.
func (t *tracer) recordTaintedFiles(c *shell.Call) {
	for i := range c.Redir {
		r := &c.Redir[i]
		if r.Op == "<" || strings.HasPrefix(r.Op, "<<") || r.Target.Text == "/dev/null" || isDigits(r.Target.Text) {
			continue
		}
		if t.outputTaint(c).level == secret {
			t.addTainted(c, r.Target.Text)
		}
		return
	}
	last := len(c.Args) - 1
	if last < 0 {
		return
	}
	switch {
	case program.Is(c.Name, program.IsCopier):
		if last > 0 && t.printedFilesTaint(&shell.Call{Args: c.Args[:last], Dir: c.Dir, Files: c.Files}, 0).level == secret {
			t.addTainted(c, c.Args[last].Text)
		}
	case program.FilesOf(c.Name) == program.FilesTee:
		if t.inputTaint(c).level == secret {
			t.addTainted(c, c.Args[last].Text)
		}
	case program.FilesOf(c.Name) == program.FilesSplit:
		if last > 0 && t.outputTaint(c).level == secret {
			t.addTainted(c, c.Args[last].Text+"*")
		}
	default:
		// A certificate or a public key made from a private key reveals nothing.
		if program.Is(c.Name, program.IsKeyTool) && !hasWords(c, "enc|smime|cms|base64|pkcs12|pkey|rsa|aes-256-cbc") || hasArg(c, "-pubout") {
			return
		}
		if target := archiveTarget(c); target != "" && t.outputTaint(c).level == secret {
			t.addTainted(c, target)
		}
	}
}

// archiveTarget returns the file that an archiver or a similar program writes, or "" if c names none.
func archiveTarget(c *shell.Call) string {
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

// addTainted adds path to the tainted files, if the whole path is known.
func (t *tracer) addTainted(c *shell.Call, path string) {
	if path != "" && path != "-" && len(path) < facts.MaxPath && !strings.ContainsRune(path, shell.Placeholder) {
		t.tainted = append(t.tainted, t.fullPath(c, path))
	}
}

// fullPath returns path as an absolute path, as far as the directory of c is known.
func (t *tracer) fullPath(c *shell.Call, path string) string {
	if path[0] != '/' && path[0] != '~' {
		dir := c.Dir
		if dir == "" && t.place != nil {
			dir = t.place.Dir
		}
		path = dir + "/" + path
	}
	return pathpkg.Clean(path)
}

// isTainted reports whether path is a tainted file, a packed copy of one, or a directory that contains
// one.
func (t *tracer) isTainted(c *shell.Call, path string) bool {
	if path == "" || len(path) > facts.MaxPath {
		return false
	}
	path = strings.TrimSuffix(t.fullPath(c, path), "/*")
	for _, s := range t.tainted {
		if start, ok := strings.CutSuffix(s, "*"); ok && strings.HasPrefix(path, start) {
			return true
		}
		if path == s || len(path) > len(s) && path[:len(s)] == s && (path[len(s)] == '/' || isPackedSuffix(path[len(s):])) {
			return true
		}
		if len(s) > len(path) && s[:len(path)] == path && s[len(path)] == '/' && !t.containsProject(path) {
			return true
		}
	}
	return false
}

// containsProject reports whether path is the current directory, one of its parents, or as wide as
// /tmp. A tainted file in such a directory does not taint the directory.
func (t *tracer) containsProject(path string) bool {
	return path == "/" || path == "/tmp" || path == "." || t.place != nil && strings.HasPrefix(t.place.Dir, path)
}

// isPackedSuffix reports whether end is a suffix that compression, encryption or encoding adds to a
// file name.
func isPackedSuffix(end string) bool {
	switch end {
	case ".gz", ".bz2", ".xz", ".zst", ".gpg", ".asc", ".enc", ".b64", ".age", ".lz4", ".zip", ".br", ".uu", ".hex":
		return true
	}
	return false
}
