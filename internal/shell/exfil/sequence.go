package exfil

import (
	pathpkg "path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// SequenceEffects returns the effects that only several calls of a command have together: a secret
// that is first packed or encoded into a file and then sent, or a push to a remote that was just set
// up. The calls must be in the order in which they run. Effects that [Effects] returns for a single
// call are left out.
//
// written returns the files that the code of a call writes, if that code reads a secret. It may be nil.
func SequenceEffects(calls []*shell.Call, p *shell.Place, written func(*shell.Call) []string) []shell.Effect {
	if len(calls) < 2 && (p == nil || p.Fills == nil) {
		return nil
	}
	var found []shell.Effect
	var repo repoChanges
	var outputHost facts.Host // the host that the output of the following calls goes to
	var open exposure
	t := tracer{place: p}
	t.ignoresSession = (p == nil || p.Fills == nil) && !slices.ContainsFunc(calls, sendsData)
	for i, c := range calls {
		if c == nil || i >= maxCalls {
			continue
		}
		var wrote []string
		if written != nil {
			wrote = written(c)
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
			for _, path := range wrote {
				t.addTainted(c, path, taint{level: secret, what: "data that code reads"})
			}
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
		t.addTainted(c, r.Target.Text, t.outputTaint(c))
		return
	}
	last := len(c.Args) - 1
	if last < 0 {
		return
	}
	switch {
	case program.Is(c.Name, program.IsCopier):
		if last > 0 {
			t.addTainted(c, c.Args[last].Text, t.printedFilesTaint(&shell.Call{Args: c.Args[:last], Dir: c.Dir, Files: c.Files}, 0))
		}
	case program.FilesOf(c.Name) == program.FilesTee:
		t.addTainted(c, c.Args[last].Text, t.inputTaint(c))
	case program.FilesOf(c.Name) == program.FilesSplit:
		if last > 0 {
			t.addTainted(c, c.Args[last].Text+"*", t.outputTaint(c))
		}
	default:
		// A certificate or a public key made from a private key reveals nothing.
		if program.Is(c.Name, program.IsKeyTool) && !hasWords(c, "enc|smime|cms|base64|pkcs12|pkey|rsa|aes-256-cbc") || hasArg(c, "-pubout") {
			return
		}
		if target := archiveTarget(c); target != "" {
			t.addTainted(c, target, t.outputTaint(c))
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

// A taintedFile is a file that a call filled with a secret, or several if the path ends with a *.
type taintedFile struct {
	path    string // absolute, as far as it is known
	partial bool   // only a field or a line of the secret
}

// addTainted adds path, which c fills with data of the taint l, to the tainted files if l is a secret
// or an encoded copy of a personal file and the whole path is known.
func (t *tracer) addTainted(c *shell.Call, path string, l taint) {
	if (l.level == secret || l.personal && l.encoded) && path != "" && path != "-" && len(path) < facts.MaxPath && !strings.ContainsRune(path, shell.Placeholder) {
		path = t.fullPath(c, path)
		t.tainted = append(t.tainted, taintedFile{path, l.partial})
		if t.place != nil && t.place.Fills != nil {
			t.place.Fills(path, l.what, l.partial)
		}
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

// findTainted returns the tainted file that path is, is a packed copy of, or contains as a directory.
// It returns nil if there is none.
func (t *tracer) findTainted(c *shell.Call, path string) *taintedFile {
	if len(t.tainted) == 0 || path == "" || len(path) > facts.MaxPath {
		return nil
	}
	path = strings.TrimSuffix(t.fullPath(c, path), "/*")
	for i := range t.tainted {
		s := t.tainted[i].path
		if start, ok := strings.CutSuffix(s, "*"); ok && strings.HasPrefix(path, start) {
			return &t.tainted[i]
		}
		if path == s || len(path) > len(s) && path[:len(s)] == s && (path[len(s)] == '/' || isPackedSuffix(path[len(s):])) {
			return &t.tainted[i]
		}
		if len(s) > len(path) && s[:len(path)] == path && s[len(path)] == '/' && !t.containsProject(path) {
			return &t.tainted[i]
		}
	}
	return nil
}

// sessionTaint returns the taint of the file path if an earlier call of the session filled it, or a file
// that it is a packed copy of, with a secret. Otherwise, it returns the zero taint.
func (t *tracer) sessionTaint(c *shell.Call, path string) taint {
	if t.place == nil || t.place.Secret == nil || t.ignoresSession || path == "" || len(path) > facts.MaxPath || strings.ContainsRune(path, shell.Placeholder) {
		return taint{}
	}
	full := t.fullPath(c, path)
	if home := t.place.Home; home != "" && strings.HasPrefix(full, "~/") {
		full = home + full[1:]
	}
	if full[0] != '/' {
		return taint{}
	}
	source, partial := t.place.Secret(full)
	if end := pathpkg.Ext(full); source == "" && isPackedSuffix(end) {
		source, partial = t.place.Secret(strings.TrimSuffix(full, end))
	}
	if source == "" {
		return taint{}
	}
	return taint{level: secret, from: fromPath, what: path + " with " + source, path: path, partial: partial}
}

// sendsData reports whether c is a call of a program that may send files to other machines.
func sendsData(c *shell.Call) bool {
	if c == nil {
		return false
	}
	if program.SendsOf(c.Name) == program.SendsGit {
		verb, _ := gitSubcommand(c)
		return verb == "push" || verb == "send-pack" || verb == "subtree" || verb == "lfs"
	}
	to, _ := program.Receiver(c)
	return to != "" || program.SendsOf(c.Name) != 0 || c.Remote != ""
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
