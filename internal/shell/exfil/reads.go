package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Reads reports whether a call prints or copies what opens other doors. To use a key
// with its own client is what it is for: only programs that show or copy what is
// in a file count, which their rows say by the role of its name.
func Reads(c *shell.Call, p *shell.Place) []shell.Effect {
	if c == nil || c.Remote != "" {
		return nil
	}
	c = appletCall(c)
	l := looker{links: symlinkReader{left: maxSymlinks}}
	if p != nil {
		l.place = *p
	}
	if c.Dir != "" {
		l.place.Dir = c.Dir
	}
	l.links.place = &l.place
	l.parts(c)
	l.special(c)
	for i := range c.Redir {
		if c.Redir[i].Op == "<" && showsInput(c.Name) {
			l.look(c.Redir[i].Target.Text)
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
		Label: shell.Unknown, Kind: "read", Category: shell.SecretFileRead, Rule: c.Name, Radius: shell.RadiusMedium,
		Paths: []string{l.path}, Words: callText(c), Reason: verb + l.what + ": " + l.path,
	}}
}

// A looker looks for the first file of a call that opens other doors.
type looker struct {
	place  shell.Place
	links  symlinkReader
	path   string // where it is; "" = none so far
	what   string
	copies bool
}

// look reports whether such a file is found, now or before.
func (l *looker) look(text string) bool {
	if l.path != "" {
		return true
	}
	if w, ok := PrivateKind(text, &l.place); ok {
		l.path, l.what = absolutePath(toSlash(text), &l.place), w
		return true
	}
	return l.linked(text)
}

// linked is look for links only.
func (l *looker) linked(text string) bool {
	if to, w, ok := l.links.privateTarget(text); ok {
		l.path, l.what = to, w
	}
	return l.path != ""
}

// parts looks at the files that a call shows, by the roles that its row gives them.
// What is copied to where such things are kept stays there.
func (l *looker) parts(c *shell.Call) {
	if onlyTests(c) {
		return
	}
	parts := program.Parts(c)
	for i := range parts {
		if r := parts[i].Role; r == shell.Host || r == shell.URL {
			return // what it sends is judged by where it goes
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
			if l.file(p.Word.Text, p.Opt != "") || found(&p.Word, l.look) {
				if to, _ := program.To(c); to != "" {
					l.path = "" // what it sends is judged by where it goes
				}
				return
			}
		}
	}
}

// file looks at a name that may stand behind @, file://, man: or, in an option, the
// word of a setting: Include FILE.
func (l *looker) file(text string, option bool) bool {
	if _, rest, ok := strings.Cut(text, " "); ok && option && l.look(rest) {
		return true
	}
	text = strings.TrimPrefix(text, "@")
	text = strings.TrimPrefix(text, "file://")
	return l.look(strings.TrimPrefix(text, "man:"))
}

// special is about programs that name their files in ways of their own, and about
// addresses that are files.
func (l *looker) special(c *shell.Call) {
	switch {
	case program.Is(c.Name, program.IsSystemDatabase):
		for i := range c.Args {
			l.look("/etc/" + c.Args[i].Text)
		}
	case program.FilesOf(c.Name) == program.FilesDd:
		for i := range c.Args {
			if v, ok := strings.CutPrefix(c.Args[i].Text, "if="); ok {
				l.look(v)
			}
		}
	case program.SendsOf(c.Name) == program.SendsSocat:
		for i := range c.Args {
			if _, v, ok := strings.Cut(c.Args[i].Text, ":"); ok {
				l.look(v)
			}
		}
	}
	if facts.Interpreter(c.Name) {
		quoted(c, l.look, l.linked)
	}
	for i := range c.Args {
		if t := c.Args[i].Text; strings.HasPrefix(t, "file://") {
			l.look(t[len("file://"):])
		}
	}
}

// onlyTests reports whether a call only says something about a key: its public half,
// whether it is sound.
func onlyTests(c *shell.Call) bool {
	return program.Is(c.Name, program.IsKeyTool) && (hasArg(c, "-pubout") || hasArg(c, "-noout") || hasArg(c, "-check") || hasArg(c, "-modulus"))
}

// showsInput reports whether a program shows what is on its standard input, be it in
// what it complains about.
func showsInput(name string) bool {
	return program.Input(name) == shell.Reads || facts.Interpreter(name)
}

// found looks at the names that a search is for whose finds a word stands for.
func found(w *shell.Word, look func(string) bool) bool {
	for _, f := range w.From {
		if f == nil || f.Name != "find" && f.Name != "fd" && f.Name != "locate" && f.Name != "mdfind" {
			continue
		}
		for i := range f.Args {
			name := strings.TrimLeft(f.Args[i].Text, "*/")
			if len(name) < 3 || name[0] == '-' || f.Name == "find" && (i == 0 || !strings.HasSuffix(f.Args[i-1].Text, "name") && !strings.HasSuffix(f.Args[i-1].Text, "path")) {
				continue
			}
			if look("~/"+name) || look("~/"+name+"/x") || strings.HasPrefix(name, "id_") && look("~/.ssh/"+name) {
				return true
			}
		}
	}
	return false
}

// maxCode bounds the code that is looked through.
const maxCode = 1 << 14

// quoted looks at the texts in quotes in code that is given on the command line.
func quoted(c *shell.Call, look, linked func(string) bool) {
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
			if text != "" && (text[0] == '~' || text[0] == '/' || text[0] == '.') && look(text) {
				return
			}
			if strings.Contains(text, "/") && !strings.ContainsAny(text, " \n") && linked(text) {
				return
			}
			if strings.HasPrefix(text, "/.") && look("~"+text) { // home + "/.ssh/id_rsa"
				return
			}
			t = rest
		}
	}
}
