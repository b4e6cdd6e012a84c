package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// PrivateReads returns the effect of a call that prints or copies a private file (see [PrivateKind]).
// A client that uses its own key is fine: only programs that show or copy the content of a file count,
// by the roles in their rows.
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
	l.checkParts(c)
	l.checkSpecial(c)
	for i := range c.Redir {
		if c.Redir[i].Op == "<" && showsInput(c.Name) {
			l.check(c.Redir[i].Target.Text)
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

// A privateSearch finds the first private file that a call shows.
type privateSearch struct {
	place  shell.Place
	links  symlinkReader
	path   string // the first private file; "" until one is found
	what   string
	copies bool
}

// check reports whether text names a private file, or one was found before.
func (l *privateSearch) check(text string) bool {
	if l.path != "" {
		return true
	}
	if w, ok := PrivateKind(text, &l.place); ok {
		l.path, l.what = absolutePath(toSlash(text), &l.place), w
		return true
	}
	return l.checkSymlink(text)
}

// checkSymlink is check for paths that lead to a private file through symlinks.
func (l *privateSearch) checkSymlink(text string) bool {
	if to, w, ok := l.links.privateTarget(text); ok {
		l.path, l.what = to, w
	}
	return l.path != ""
}

// checkParts checks the files that c shows, by the roles in its row. A copy from one private place to
// another does not count.
func (l *privateSearch) checkParts(c *shell.Call) {
	if onlyInspectsKey(c) {
		return
	}
	parts := program.Parts(c)
	for i := range parts {
		if r := parts[i].Role; r == shell.Host || r == shell.URL {
			return // data that is sent is judged by its destination
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
			if l.checkFile(p.Word.Text, p.Opt != "") || checkSearch(&p.Word, l.check) {
				if to, _ := program.Receiver(c); to != "" {
					l.path = "" // data that is sent is judged by its destination
				}
				return
			}
		}
	}
}

// checkFile checks a name that may follow @, file://, man: or, in an option, the keyword of a setting:
// Include FILE.
func (l *privateSearch) checkFile(text string, option bool) bool {
	if _, rest, ok := strings.Cut(text, " "); ok && option && l.check(rest) {
		return true
	}
	text = strings.TrimPrefix(text, "@")
	text = strings.TrimPrefix(text, "file://")
	return l.check(strings.TrimPrefix(text, "man:"))
}

// checkSpecial checks programs that name their files in ways of their own, and file:// URLs.
func (l *privateSearch) checkSpecial(c *shell.Call) {
	switch {
	case program.Is(c.Name, program.IsSystemDatabase):
		for i := range c.Args {
			l.check("/etc/" + c.Args[i].Text)
		}
	case program.FilesOf(c.Name) == program.FilesDd:
		for i := range c.Args {
			if v, ok := strings.CutPrefix(c.Args[i].Text, "if="); ok {
				l.check(v)
			}
		}
	case program.SendsOf(c.Name) == program.SendsSocat:
		for i := range c.Args {
			if _, v, ok := strings.Cut(c.Args[i].Text, ":"); ok {
				l.check(v)
			}
		}
	}
	if facts.IsInterpreter(c.Name) {
		checkQuoted(c, l.check, l.checkSymlink)
	}
	for i := range c.Args {
		if t := c.Args[i].Text; strings.HasPrefix(t, "file://") {
			l.check(t[len("file://"):])
		}
	}
}

// onlyInspectsKey reports whether a call only prints facts about a key: its public half, its validity.
func onlyInspectsKey(c *shell.Call) bool {
	return program.Is(c.Name, program.IsKeyTool) && (hasArg(c, "-pubout") || hasArg(c, "-noout") || hasArg(c, "-check") || hasArg(c, "-modulus"))
}

// showsInput reports whether a program shows its standard input, even if only in error messages.
func showsInput(name string) bool {
	return program.InputRole(name) == shell.Reads || facts.IsInterpreter(name)
}

// checkSearch calls check for the file names that a search in w looks for.
func checkSearch(w *shell.Word, check func(string) bool) bool {
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

// maxCode is the largest size of code that is searched.
const maxCode = 1 << 14

// checkQuoted checks the string literals in code on the command line.
func checkQuoted(c *shell.Call, check, checkSymlink func(string) bool) {
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
			if strings.HasPrefix(text, "/.") && check("~"+text) { // home + "/.ssh/id_rsa"
				return
			}
			t = rest
		}
	}
}
