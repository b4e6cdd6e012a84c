package gitconfig

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxConfig  = 1 << 20 // bytes of a file of settings
	maxInclude = 10      // as git has it
)

// settings reads a file of settings with those that it includes. A file that is
// not there has none; ok is false when one cannot be read or understood.
func (r *reader) settings(path string, depth int) (ok bool) {
	if path == os.DevNull {
		return true
	}
	data, err := r.read(path, maxConfig)
	if err != nil {
		return missing(err)
	}
	return parse(string(data), func(s shell.Setting) bool {
		if s.Key != "path" || s.Section != "include" && s.Section != "includeif" {
			r.repo.Settings = append(r.repo.Settings, s)
			return true
		}
		at, ok := r.included(s.Value, path)
		if !ok || depth >= maxInclude {
			return false
		}
		if s.Section == "include" {
			return r.settings(at, depth+1)
		}
		r.conditional(at, depth+1)
		return true
	})
}

// conditional looks whether a file that is included under a condition says
// anything about pushes: then nothing is known of them.
func (r *reader) conditional(path string, depth int) {
	aside := reader{read: r.read, home: r.home}
	ok := aside.settings(path, depth)
	r.unread = r.unread || !ok || aside.unread
	r.repo.Conditional = append(append(r.repo.Conditional, aside.repo.Settings...), aside.repo.Conditional...)
	if !ok || aside.repo.Incomplete {
		r.repo.Incomplete = true
		return
	}
	for i := range aside.repo.Settings {
		switch aside.repo.Settings[i].Section {
		case "push", "remote", "branch", "submodule", "extensions":
			r.repo.Incomplete = true
		}
	}
}

// included is the path that a file of settings names.
func (r *reader) included(path, from string) (string, bool) {
	switch {
	case path == "" || strings.HasPrefix(path, "%("):
		return "", false
	case strings.HasPrefix(path, "~/"):
		return filepath.Join(r.home, path[2:]), r.home != ""
	case path[0] == '~':
		return "", false
	case filepath.IsAbs(path):
		return path, true
	}
	return filepath.Join(filepath.Dir(from), path), true
}

// parse reads git's configuration format and hands over each setting until fn
// returns false. ok is false when it did, and for a text that is none.
func parse(text string, fn func(shell.Setting) bool) (ok bool) {
	text = strings.TrimPrefix(text, "\uFEFF")
	p := parser{text: text}
	for {
		p.space("\n\r\t ")
		if p.at >= len(p.text) {
			return true
		}
		switch c := p.text[p.at]; {
		case c == '#' || c == ';':
			p.line()
		case c == '[':
			if !p.header() {
				return false
			}
		default:
			s, good := p.setting()
			if !good || !fn(s) {
				return false
			}
		}
	}
}

// A parser goes over the text of a file of settings.
type parser struct {
	text          string
	at            int
	section, name string
}

func (p *parser) space(set string) {
	for p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
}

// line skips what is left of a line.
func (p *parser) line() {
	if i := strings.IndexByte(p.text[p.at:], '\n'); i >= 0 {
		p.at += i + 1
		return
	}
	p.at = len(p.text)
}

// header reads [section], [section "name"] and the old [section.name].
func (p *parser) header() bool {
	p.at++
	start := p.at
	for p.at < len(p.text) && (isKey(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	p.section, p.name, _ = strings.Cut(strings.ToLower(p.text[start:p.at]), ".")
	if p.section == "" {
		return false
	}
	p.space(" \t")
	if p.at < len(p.text) && p.text[p.at] == '"' {
		var b strings.Builder
		for p.at++; ; p.at++ {
			if p.at >= len(p.text) || p.text[p.at] == '\n' {
				return false
			}
			c := p.text[p.at]
			if c == '"' {
				break
			}
			if c == '\\' {
				if p.at++; p.at >= len(p.text) || p.text[p.at] == '\n' {
					return false
				}
				c = p.text[p.at]
			}
			b.WriteByte(c)
		}
		p.name = b.String()
		p.at++
	}
	if p.at >= len(p.text) || p.text[p.at] != ']' {
		return false
	}
	p.at++
	return true
}

// setting reads "key = value" or a key alone, which means true.
func (p *parser) setting() (s shell.Setting, ok bool) {
	start := p.at
	for p.at < len(p.text) && isKey(p.text[p.at]) {
		p.at++
	}
	s = shell.Setting{Section: p.section, Name: p.name, Key: strings.ToLower(p.text[start:p.at]), Value: "true"}
	if s.Section == "" || s.Key == "" {
		return s, false
	}
	p.space(" \t\r")
	if p.at >= len(p.text) || p.text[p.at] == '\n' || p.text[p.at] == '#' || p.text[p.at] == ';' {
		p.line()
		return s, true
	}
	if p.text[p.at] != '=' {
		return s, false
	}
	p.at++
	s.Value, ok = p.value()
	return s, ok
}

// value reads what follows "=": quotes, escapes and lines that go on.
func (p *parser) value() (string, bool) {
	p.space(" \t")
	var b strings.Builder
	quoted, kept := false, 0 // kept is how much of b counts: spaces at the end do not
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '\n':
			return b.String()[:kept], !quoted
		case c == '\r' && p.at < len(p.text) && p.text[p.at] == '\n':
			continue
		case !quoted && (c == ' ' || c == '\t'):
			b.WriteByte(c)
			continue
		case !quoted && (c == '#' || c == ';'):
			p.line()
			return b.String()[:kept], true
		case c == '"':
			quoted = !quoted
		case c == '\\':
			more, ok := p.escaped()
			if !ok {
				return "", false
			}
			b.WriteString(more)
		default:
			b.WriteByte(c)
		}
		kept = b.Len()
	}
	return b.String()[:kept], !quoted
}

// escaped reads what follows a backslash.
func (p *parser) escaped() (string, bool) {
	if p.at >= len(p.text) {
		return "", false
	}
	c := p.text[p.at]
	p.at++
	switch c {
	case '\r':
		if p.at < len(p.text) && p.text[p.at] == '\n' {
			p.at++
			return "", true
		}
		return "", false
	case '\n':
		return "", true
	case 't':
		return "\t", true
	case 'n':
		return "\n", true
	case 'b':
		return "\b", true
	case '\\', '"':
		return string(c), true
	}
	return "", false
}

func isKey(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}
