package gitconfig

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

const (
	maxConfig  = 1 << 20 // size of a settings file in bytes
	maxInclude = 10      // nesting depth of includes, as in git
)

// readSettings adds the settings in the file at path and in the files that it includes. Depth is the
// number of files that include this one. A missing file has no settings. Ok is false if a file cannot
// be read or parsed.
func (r *reader) readSettings(path string, depth int) (ok bool) {
	if path == os.DevNull {
		return true
	}
	data, err := r.read(path, maxConfig)
	if err != nil {
		return isNotExist(err)
	}
	return parseConfig(string(data), func(s shell.Setting) bool {
		if s.Key != "path" || s.Section != "include" && s.Section != "includeif" {
			r.repo.Settings = append(r.repo.Settings, s)
			return true
		}
		at, ok := r.includePath(s.Value, path)
		if !ok || depth >= maxInclude {
			return false
		}
		if s.Section == "include" {
			return r.readSettings(at, depth+1)
		}
		r.readConditional(at, depth+1)
		return true
	})
}

// readConditional adds the settings in the file at path, which is included under a condition, as
// conditional ones. If they may affect pushes, it marks the repository as incomplete.
func (r *reader) readConditional(path string, depth int) {
	aside := reader{read: r.read, home: r.home}
	ok := aside.readSettings(path, depth)
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

// includePath returns the absolute path of the file path that the settings file from includes. It
// reports false if that cannot be determined.
func (r *reader) includePath(path, from string) (string, bool) {
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

// parseConfig parses text, which is in git's configuration format, and calls fn with each setting
// until fn returns false. Ok is false if fn returned false or text is invalid.
func parseConfig(text string, fn func(shell.Setting) bool) (ok bool) {
	text = strings.TrimPrefix(text, "\uFEFF")
	p := parser{text: text}
	for {
		p.skipAny("\n\r\t ")
		if p.at >= len(p.text) {
			return true
		}
		switch c := p.text[p.at]; {
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			if !p.parseHeader() {
				return false
			}
		default:
			s, good := p.parseSetting()
			if !good || !fn(s) {
				return false
			}
		}
	}
}

// ParseSettings returns the settings in text, which is in git's configuration format, up to the first invalid line.
func ParseSettings(text string) (list []shell.Setting) {
	parseConfig(text, func(s shell.Setting) bool {
		list = append(list, s)
		return true
	})
	return list
}

// A parser parses a file in git's configuration format.
type parser struct {
	text          string
	at            int    // the current offset in text
	section, name string // the current section and subsection
}

// skipAny skips bytes that are in set.
func (p *parser) skipAny(set string) {
	for p.at < len(p.text) && strings.IndexByte(set, p.text[p.at]) >= 0 {
		p.at++
	}
}

// skipLine skips the rest of the line and the newline.
func (p *parser) skipLine() {
	if i := strings.IndexByte(p.text[p.at:], '\n'); i >= 0 {
		p.at += i + 1
		return
	}
	p.at = len(p.text)
}

// parseHeader parses [section], [section "name"] or the old form [section.name]. It reports false if
// the header is invalid.
func (p *parser) parseHeader() bool {
	p.at++
	start := p.at
	for p.at < len(p.text) && (isKeyByte(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	p.section, p.name, _ = strings.Cut(strings.ToLower(p.text[start:p.at]), ".")
	if p.section == "" {
		return false
	}
	p.skipAny(" \t")
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

// parseSetting parses "key = value", or a key alone, which means true. It reports false if the line is
// invalid.
func (p *parser) parseSetting() (s shell.Setting, ok bool) {
	start := p.at
	for p.at < len(p.text) && isKeyByte(p.text[p.at]) {
		p.at++
	}
	s = shell.Setting{Section: p.section, Name: p.name, Key: strings.ToLower(p.text[start:p.at]), Value: "true"}
	if s.Section == "" || s.Key == "" {
		return s, false
	}
	p.skipAny(" \t\r")
	if p.at >= len(p.text) || p.text[p.at] == '\n' || p.text[p.at] == '#' || p.text[p.at] == ';' {
		p.skipLine()
		return s, true
	}
	if p.text[p.at] != '=' {
		return s, false
	}
	p.at++
	s.Value, ok = p.parseValue()
	return s, ok
}

// parseValue parses the value after "=", with its quotes, escapes and continued lines. It reports
// false if the value is invalid.
func (p *parser) parseValue() (string, bool) {
	p.skipAny(" \t")
	var b strings.Builder
	quoted, kept := false, 0 // kept is the length of b without trailing spaces
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
			p.skipLine()
			return b.String()[:kept], true
		case c == '"':
			quoted = !quoted
		case c == '\\':
			more, ok := p.parseEscape()
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

// parseEscape parses the escape after a backslash and returns the text that it stands for. It reports
// false if the escape is invalid.
func (p *parser) parseEscape() (string, bool) {
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

// isKeyByte reports whether c may be part of the name of a section or key.
func isKeyByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-'
}
