package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// PrivateReads returns the effect of a call that prints or copies a private file (see [PrivateKind]),
// or nil. A client that uses its own key does not count: by the roles in their rows, only programs
// that print or copy the content of a file do.
func PrivateReads(c *shell.Call, p *shell.Place) []shell.Effect {
	if c == nil || c.Remote != "" {
		return nil
	}
	c = appletCall(c)
	l := privateSearch{links: symlinkReader{left: maxSymlinks}}
	if p != nil {
		l.place = *p
	}
	if c.Dir != "" {
		l.place.Dir = c.Dir
	}
	l.links.place = &l.place
	l.checkRowFiles(c)
	l.checkUnusualArgs(c)
	for i := range c.Redir {
		if c.Redir[i].Op == "<" && showsInput(c.Name) {
			l.checkPath(c.Redir[i].Target.Text)
		}
	}
	if l.path == "" {
		return nil
	}
	verb := "prints "
	if l.copies {
		verb = "copies "
	}
	return []shell.Effect{{
		Label: shell.Unknown, Kind: "read", Category: shell.SecretFileRead, Rule: c.Name, Impact: shell.ImpactMedium,
		Paths: []string{l.path}, Words: callText(c), Reason: verb + l.what + ": " + l.path,
	}}
}

// A privateSearch finds the first private file that a call prints or copies.
type privateSearch struct {
	place  shell.Place
	links  symlinkReader
	path   string // the first private file; "" until one is found
	what   string // what the file contains, from [PrivateKind]
	copies bool   // the call copies the file instead of printing it
}

// checkPath records the file text if it is the first private one, and reports whether one was found
// now or before.
func (l *privateSearch) checkPath(text string) bool {
	if l.path != "" {
		return true
	}
	if w, ok := PrivateKind(text, &l.place); ok {
		l.path, l.what = absolutePath(toSlash(text), &l.place), w
		return true
	}
	return l.checkSymlink(text)
}

// checkSymlink is checkPath for a path that leads to a private file through symlinks.
func (l *privateSearch) checkSymlink(text string) bool {
	if to, w, ok := l.links.privateTarget(text); ok {
		l.path, l.what = to, w
	}
	return l.path != ""
}

// checkRowFiles checks the files that c prints or copies by the roles in the row of its program. A
// copy from one private place to another does not count.
func (l *privateSearch) checkRowFiles(c *shell.Call) {
	if onlyInspectsKey(c) {
		return
	}
	parts := program.Parts(c)
	for i := range parts {
		if r := parts[i].Role; r == shell.Host || r == shell.URL {
			return // Effects judges data that is sent, by its destination
		}
	}
	if last := len(parts) - 1; last > 0 && parts[last].Opt == "" && parts[last-1].Role == shell.Reads {
		switch to := &parts[last]; to.Role {
		case shell.Writes, shell.Into, shell.Plain:
			if _, kept := PrivateKind(to.Word.Text, &l.place); kept {
				return
			}
			l.copies = true
		}
	}
	for i := range parts {
		switch p := &parts[i]; p.Role {
		case shell.Reads, shell.Edits:
			if l.checkPrefixedPath(p.Word.Text, p.Opt != "") || checkFoundFiles(&p.Word, l.checkPath) {
				if to, _ := program.Receiver(c); to != "" {
					l.path = "" // Effects judges data that is sent, by its destination
				}
				return
			}
		}
	}
}

// checkPrefixedPath is checkPath for text that may start with @, file:// or man:. If option is set,
// text may also be a setting such as Include FILE.
func (l *privateSearch) checkPrefixedPath(text string, option bool) bool {
	if _, rest, ok := strings.Cut(text, " "); ok && option && l.checkPath(rest) {
		return true
	}
	text = strings.TrimPrefix(text, "@")
	text = strings.TrimPrefix(text, "file://")
	return l.checkPath(strings.TrimPrefix(text, "man:"))
}

// checkUnusualArgs checks file:// URLs, code on the command line, and the words of programs that name
// files in an unusual way, such as if=FILE.
func (l *privateSearch) checkUnusualArgs(c *shell.Call) {
	switch {
	case program.Is(c.Name, program.IsSystemDatabase):
		for i := range c.Args {
			l.checkPath("/etc/" + c.Args[i].Text)
		}
	case program.FilesOf(c.Name) == program.FilesDd:
		for i := range c.Args {
			if v, ok := strings.CutPrefix(c.Args[i].Text, "if="); ok {
				l.checkPath(v)
			}
		}
	case program.SendsOf(c.Name) == program.SendsSocat:
		for i := range c.Args {
			if _, v, ok := strings.Cut(c.Args[i].Text, ":"); ok {
				l.checkPath(v)
			}
		}
	}
	if facts.IsInterpreter(c.Name) {
		checkStringLiterals(c, l.checkPath, l.checkSymlink)
	}
	for i := range c.Args {
		if t := c.Args[i].Text; strings.HasPrefix(t, "file://") {
			l.checkPath(t[len("file://"):])
		}
	}
}

// onlyInspectsKey reports whether c only prints facts about a key, such as its public half or its
// validity.
func onlyInspectsKey(c *shell.Call) bool {
	return program.Is(c.Name, program.IsKeyTool) && (hasArg(c, "-pubout") || hasArg(c, "-noout") || hasArg(c, "-check") || hasArg(c, "-modulus"))
}

// showsInput reports whether the program name prints its standard input, if only in error messages.
func showsInput(name string) bool {
	return program.InputRole(name) == shell.Reads || facts.IsInterpreter(name)
}

// checkFoundFiles calls check for the file names that find and similar programs in w search for. It
// reports whether a call of check did.
func checkFoundFiles(w *shell.Word, check func(string) bool) bool {
	for _, f := range w.From {
		if f == nil || f.Name != "find" && f.Name != "fd" && f.Name != "locate" && f.Name != "mdfind" {
			continue
		}
		for i := range f.Args {
			name := strings.TrimLeft(f.Args[i].Text, "*/")
			if len(name) < 3 || name[0] == '-' || f.Name == "find" && (i == 0 || !strings.HasSuffix(f.Args[i-1].Text, "name") && !strings.HasSuffix(f.Args[i-1].Text, "path")) {
				continue
			}
			if check("~/"+name) || check("~/"+name+"/x") || strings.HasPrefix(name, "id_") && check("~/.ssh/"+name) {
				return true
			}
		}
	}
	return false
}

// maxCode is the largest size of code, in bytes, that is searched for paths.
const maxCode = 1 << 14

// checkStringLiterals calls check and checkSymlink for the string literals in code on the command line
// that look like paths, until one reports true.
func checkStringLiterals(c *shell.Call, check, checkSymlink func(string) bool) {
	for i := range c.Args {
		t := c.Args[i].Text
		if i == 0 || len(t) > maxCode || !strings.ContainsAny(t, `'"`) || !strings.HasPrefix(c.Args[i-1].Text, "-") {
			continue
		}
		if strings.Contains(t, "key_filename") || strings.Contains(t, "IdentityFile") || strings.Contains(t, "os.stat(") || strings.Contains(t, "exists(") {
			continue
		}
		for t != "" {
			at := strings.IndexAny(t, `'"`)
			if at < 0 {
				break
			}
			text, rest, ok := strings.Cut(t[at+1:], t[at:at+1])
			if !ok {
				break
			}
			if text != "" && (text[0] == '~' || text[0] == '/' || text[0] == '.') && check(text) {
				return
			}
			if strings.Contains(text, "/") && !strings.ContainsAny(text, " \n") && checkSymlink(text) {
				return
			}
			if strings.HasPrefix(text, "/.") && check("~"+text) { // as in home + "/.ssh/id_rsa"
				return
			}
			t = rest
		}
	}
}
