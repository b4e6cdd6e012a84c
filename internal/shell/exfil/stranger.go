package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// stranger is the law for programs that nobody knows and that are given a far host: a
// secret among their words, in a file that these name or on standard input goes there.
// One token is what they sign in with.
func (t *tracer) stranger(c *shell.Call, s *transfer) {
	if staysHere(c.Name) {
		return
	}
	h, far := farHost(c)
	for i := range c.Args {
		w := &c.Args[i]
		if i > maxWords {
			break
		}
		if len(w.From) > 0 {
			t.strangeWord(c, s, i, h, far)
		} else if path, ok := sentFile(c, i); ok && far {
			if l := t.file(c, path); l.level == secret || h.Drop() && path != w.Text {
				s.to = facts.Farther(s.to, h)
				s.addLoad(l, copied)
			}
		}
	}
	for _, p := range program.Parts(c) {
		if p.Role != shell.Payload || !far {
			continue
		}
		if l := t.textLoad(c, &p.Word); l.level == secret && !l.isToken() {
			s.to = facts.Farther(s.to, h)
			s.addLoad(l, copied)
		}
	}
	if far && fed(c) && !strings.Contains(longOptions(c), "stdin") {
		if l := t.input(c); broad(l) {
			s.to = facts.Farther(s.to, h)
			s.addLoad(l, body)
		}
	}
}

// strangeWord judges a word that has the output of calls in it.
func (t *tracer) strangeWord(c *shell.Call, s *transfer, i int, h facts.Host, far bool) {
	w := &c.Args[i]
	l := t.word(w)
	if l.level != secret || l.isToken() || (authOption(c, i) || named(w.Text)) && !broad(l) {
		return
	}
	text := w.Text
	if name, value, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, "/?:") {
		text = value
	}
	ch := body
	if strings.Contains(text, "://") || bothParts(text) {
		if own := facts.HostOf(text); own.Zone != facts.Here && (own.Name != "" || !far) {
			h, far = own, true
		}
		if ch = inURL; inHost(text) && h.Name != "" {
			ch = inName
		}
	}
	if far {
		s.to = facts.Farther(s.to, h)
		s.addLoad(l, ch)
	}
}

// bothParts reports whether a word is made of what is not known and of a host's name:
// DATA.host.tld, DATA@host.tld, host.tld:port/DATA.
func bothParts(text string) bool {
	if strings.ContainsAny(text, " \n\t") || text == "" {
		return false
	}
	if rest, ok := strings.CutPrefix(text, string(shell.Hole)); ok {
		return rest != "" && (rest[0] == '.' && strings.IndexByte(rest[1:], '.') > 0 || rest[0] == '@' && dotted(rest[1:]))
	}
	host, _, ok := strings.Cut(text, "/")
	return ok && strings.IndexByte(host, ':') > 0 && dotted(host)
}

// farHost returns a host that is not this machine and that the words of a call, or
// its variables, name as one: by a URL, an option, a port or a user.
func farHost(c *shell.Call) (facts.Host, bool) {
	var h facts.Host
	for i := range c.Args {
		w := &c.Args[i]
		if i > maxWords {
			break
		}
		if !w.Known() || len(w.From) > 0 || strings.ContainsAny(w.Text, " \n") || isLocalURL(w.Text) {
			continue
		}
		text := w.Text
		name, value, eq := strings.Cut(text, "=")
		switch {
		case strings.Contains(text, "://"):
			if eq && strings.Contains(value, "://") && !strings.Contains(name, "://") {
				text = value
			}
			if isLocalURL(text) {
				continue
			}
			h = facts.Farther(h, facts.HostOf(text))
		case i > 0 && strangeHost(c.Args[i-1].Text) && dotted(text):
			h = facts.Farther(h, facts.HostOf(text))
		case eq && strangeHost(name) && dotted(value):
			h = facts.Farther(h, facts.HostOf(value))
		case hostAndPort(text):
			h = facts.Farther(h, facts.HostOf(text))
		}
	}
	for i := range c.Env {
		if v := &c.Env[i]; facts.LeadsAway(v.Name) && v.Value.Known() && !strings.HasPrefix(v.Value.Text, "/") {
			h = facts.Farther(h, facts.HostOf(v.Value.Text))
		}
	}
	return h, h.Set() && h.Zone != facts.Here
}

// strangeHost is hostOption for programs whose options are not known.
func strangeHost(o string) bool {
	switch strings.TrimLeft(o, "-") {
	case "s", "d", "z", "C", "a", "addr", "http-addr", "endpoints", "endpoints-url", "master", "remote", "target", "node", "broker", "brokers", "proxy", "api-url", "base-url", "connect", "to", "domain", "keyserver", "v", "hosts":
		return strings.HasPrefix(o, "-")
	}
	if !strings.HasPrefix(o, "-") {
		return false
	}
	lower := strings.ToLower(o)
	return hostOption(o) || hostOption("-"+o) || strings.HasSuffix(lower, "host") || strings.HasSuffix(lower, "server") || strings.HasSuffix(lower, "endpoint")
}

// dotted reports whether a text can be the name of a far host, and is no path.
func dotted(text string) bool {
	i := strings.IndexByte(text, '.')
	return i > 0 && i < len(text)-1 && strings.IndexByte(text, '/') < 0 && !facts.SecretFile(text)
}

// hostAndPort reports whether a text is host.tld:port, a number of a host, or
// user@host.tld.
func hostAndPort(text string) bool {
	if facts.IsNumber(text) {
		return strings.Count(text, ".") == 3
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 && number(text[i+1:]) {
		return dotted(text[:i])
	}
	i := strings.IndexByte(text, '@')
	return i > 0 && text[0] != '-' && dotted(text[i+1:])
}

// sentFile returns the file that the word names when it is there to be sent: @file, the
// value of an option for data, or a plain argument.
func sentFile(c *shell.Call, i int) (string, bool) {
	text := c.Args[i].Text
	if text == "" || strings.Contains(text, "://") || strings.Contains(c.Name, "env") || behindDashes(c, i) {
		return "", false
	}
	if path, ok := strings.CutPrefix(text, "@"); ok {
		return path, path != ""
	}
	if name, value, ok := strings.Cut(text, "="); ok {
		if path, at := strings.CutPrefix(value, "@"); at {
			return path, path != ""
		}
		return value, dataOption(name) && value != ""
	}
	if text[0] == '-' {
		return "", false
	}
	if i > 0 && strings.HasPrefix(c.Args[i-1].Text, "-") {
		return text, dataOption(c.Args[i-1].Text)
	}
	return text, facts.SecretFile(text) && !forTLS(text)
}

// forTLS reports whether a file is most likely the key of a connection, or one that
// the program writes.
func forTLS(path string) bool {
	path = strings.ToLower(path)
	for _, end := range [...]string{".pem", ".key", ".crt", ".p12", ".pfx", ".jks"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// behindDashes reports whether a word comes before --, behind which there is a
// command that has the host for itself.
func behindDashes(c *shell.Call, i int) bool {
	for j := i + 1; j < len(c.Args) && j < maxWords; j++ {
		if c.Args[j].Text == "--" {
			return true
		}
	}
	return false
}

// dataOption reports whether an option's value is a file to send.
func dataOption(o string) bool {
	switch o {
	case "-f", "-T", "-F", "--file", "--upload", "--attach", "--attachment", "--upload-file", "--data", "--data-file", "--data-binary", "--body", "--body-file", "--payload", "--payload-file",
		"--input", "--input-file", "--message-file", "--from-file", "--form", "--src", "--source", "--send", "--put", "--content", "--post-file", "-post", "-body", "-data", "-file", "--from-env-file":
		return true
	}
	return false
}

// staysHere reports whether a program only works on this machine, whatever addresses
// are among its words: what it prints and writes is followed elsewhere.
func staysHere(name string) bool {
	if facts.AnyShell(name) {
		return true
	}
	switch outputOf(name) {
	case 0, program.OutputDumps, program.OutputGit, program.OutputLists, program.OutputFetches, program.OutputUname, program.OutputQueries:
	case program.OutputReduces:
		return !program.Is(name, program.IsContainer)
	default:
		return true
	}
	return program.Is(name, program.IsLocal)
}
