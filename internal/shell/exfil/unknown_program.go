package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// addUnknownProgramSecrets adds the secrets that the unknown program of c may send to the remote host
// that c names: those in its words, in files that they name and on standard input. A single token is
// assumed to be for signing in.
func (t *tracer) addUnknownProgramSecrets(c *shell.Call, s *transfer) {
	if isLocalProgram(c.Name) {
		return
	}
	h, far := remoteHost(c)
	for i := range c.Args {
		w := &c.Args[i]
		if i > maxWords {
			break
		}
		if len(w.From) > 0 {
			t.addSubstitutedWord(c, s, i, h, far)
		} else if path, ok := sentFile(c, i); ok && far {
			if l := t.fileTaint(c, path); l.level == secret || h.HidesOwner() && path != w.Text {
				s.to = facts.MoreRemote(s.to, h)
				s.addData(l, copied)
			}
		}
	}
	for _, p := range program.Parts(c) {
		if p.Role != shell.Payload || !far {
			continue
		}
		if l := t.textTaint(c, &p.Word); l.level == secret && !l.isToken() {
			s.to = facts.MoreRemote(s.to, h)
			s.addData(l, copied)
		}
	}
	if far && hasInput(c) && !strings.Contains(longOptions(c), "stdin") {
		if l := t.inputTaint(c); isBroadSecret(l) {
			s.to = facts.MoreRemote(s.to, h)
			s.addData(l, body)
		}
	}
}

// addSubstitutedWord adds the secret in word i of c, which contains the output of other calls. It is
// sent to the host in the word, or else to h if far is set.
func (t *tracer) addSubstitutedWord(c *shell.Call, s *transfer, i int, h facts.Host, far bool) {
	w := &c.Args[i]
	l := t.wordTaint(w)
	if l.level != secret || l.isToken() && !l.partial || (isCredentialValue(c, i) || isUnknownCredential(w.Text)) && !isBroadSecret(l) {
		return
	}
	text := w.Text
	if name, value, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, "/?:") {
		text = value
	}
	ch := body
	if strings.Contains(text, "://") || mixesDataAndHost(text) {
		if own := facts.HostOf(text); own.Zone != facts.Here && (own.Name != "" || !far) {
			h, far = own, true
		}
		if ch = inURL; hasUnknownHost(text) && h.Name != "" {
			ch = inHostName
		}
	}
	if far {
		s.to = facts.MoreRemote(s.to, h)
		s.addData(l, ch)
	}
}

// mixesDataAndHost reports whether text consists of unknown data and a host name: DATA.host.tld,
// DATA@host.tld, host.tld:port/DATA.
func mixesDataAndHost(text string) bool {
	if strings.ContainsAny(text, " \n\t") || text == "" {
		return false
	}
	if rest, ok := strings.CutPrefix(text, string(shell.Placeholder)); ok {
		return rest != "" && (rest[0] == '.' && strings.IndexByte(rest[1:], '.') > 0 || rest[0] == '@' && isDottedName(rest[1:]))
	}
	host, _, ok := strings.Cut(text, "/")
	return ok && strings.IndexByte(host, ':') > 0 && isDottedName(host)
}

// remoteHost returns the most remote host that words or environment variables of c name by a URL, an
// option, a port or a user. It reports whether that is a host other than this machine.
func remoteHost(c *shell.Call) (facts.Host, bool) {
	var h facts.Host
	for i := range c.Args {
		w := &c.Args[i]
		if i > maxWords {
			break
		}
		if !w.IsKnown() || len(w.From) > 0 || strings.ContainsAny(w.Text, " \n") || isLocalURL(w.Text) {
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
			h = facts.MoreRemote(h, facts.HostOf(text))
		case i > 0 && isLikelyHostOption(c.Args[i-1].Text) && isDottedName(text):
			h = facts.MoreRemote(h, facts.HostOf(text))
		case eq && isLikelyHostOption(name) && isDottedName(value):
			h = facts.MoreRemote(h, facts.HostOf(value))
		case isHostAddress(text):
			h = facts.MoreRemote(h, facts.HostOf(text))
		}
	}
	for i := range c.Env {
		if v := &c.Env[i]; facts.IsServerVar(v.Name) && v.Value.IsKnown() && !strings.HasPrefix(v.Value.Text, "/") {
			h = facts.MoreRemote(h, facts.HostOf(v.Value.Text))
		}
	}
	return h, h.Exists() && h.Zone != facts.Here
}

// isLikelyHostOption is isHostOption for programs whose options are unknown. It accepts more names.
func isLikelyHostOption(o string) bool {
	switch strings.TrimLeft(o, "-") {
	case "s", "d", "z", "C", "a", "addr", "http-addr", "endpoints", "endpoints-url", "master", "remote", "target", "node", "broker", "brokers", "proxy", "api-url", "base-url", "connect", "to", "domain", "keyserver", "v", "hosts":
		return strings.HasPrefix(o, "-")
	}
	if !strings.HasPrefix(o, "-") {
		return false
	}
	lower := strings.ToLower(o)
	return isHostOption(o) || isHostOption("-"+o) || strings.HasSuffix(lower, "host") || strings.HasSuffix(lower, "server") || strings.HasSuffix(lower, "endpoint")
}

// isDottedName reports whether text contains a dot and can be a host name, as opposed to a path.
func isDottedName(text string) bool {
	i := strings.IndexByte(text, '.')
	return i > 0 && i < len(text)-1 && strings.IndexByte(text, '/') < 0 && !facts.IsSecretFile(text)
}

// isHostAddress reports whether text is host.tld:port, an IPv4 address or user@host.tld.
func isHostAddress(text string) bool {
	if facts.IsIPAddress(text) {
		return strings.Count(text, ".") == 3
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 && isDigits(text[i+1:]) {
		return isDottedName(text[:i])
	}
	i := strings.IndexByte(text, '@')
	return i > 0 && text[0] != '-' && isDottedName(text[i+1:])
}

// sentFile returns the file that word i of c names, and reports whether c is likely to send it. The
// word is @file, the value of an option for data, or a plain argument.
func sentFile(c *shell.Call, i int) (string, bool) {
	text := c.Args[i].Text
	if text == "" || strings.Contains(text, "://") || strings.Contains(c.Name, "env") || precedesDoubleDash(c, i) {
		return "", false
	}
	if path, ok := strings.CutPrefix(text, "@"); ok {
		return path, path != ""
	}
	if name, value, ok := strings.Cut(text, "="); ok {
		if path, at := strings.CutPrefix(value, "@"); at {
			return path, path != ""
		}
		return value, isDataOption(name) && value != ""
	}
	if text[0] == '-' {
		return "", false
	}
	if i > 0 && strings.HasPrefix(c.Args[i-1].Text, "-") {
		return text, isDataOption(c.Args[i-1].Text)
	}
	return text, facts.IsSecretFile(text) && !isTLSFile(text)
}

// isTLSFile reports whether path has an extension of keys and certificates for TLS.
func isTLSFile(path string) bool {
	path = strings.ToLower(path)
	for _, end := range [...]string{".pem", ".key", ".crt", ".p12", ".pfx", ".jks"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// precedesDoubleDash reports whether word i of c comes before a --, which separates it from a command
// that uses the host.
func precedesDoubleDash(c *shell.Call, i int) bool {
	for j := i + 1; j < len(c.Args) && j < maxWords; j++ {
		if c.Args[j].Text == "--" {
			return true
		}
	}
	return false
}

// isDataOption reports whether the option o takes a file or data to send.
func isDataOption(o string) bool {
	switch o {
	case "-f", "-T", "-F", "--file", "--upload", "--attach", "--attachment", "--upload-file", "--data", "--data-file", "--data-binary", "--body", "--body-file", "--payload", "--payload-file",
		"--input", "--input-file", "--message-file", "--from-file", "--form", "--src", "--source", "--send", "--put", "--content", "--post-file", "-post", "-body", "-data", "-file", "--from-env-file":
		return true
	}
	return false
}

// isLocalProgram reports whether the program name only works on this machine, even with URLs among its
// words. Its output and the files that it writes are traced by other functions.
func isLocalProgram(name string) bool {
	if facts.IsAnyShell(name) {
		return true
	}
	switch outputKind(name) {
	case 0, program.OutputDumps, program.OutputGit, program.OutputLists, program.OutputFetches, program.OutputUname, program.OutputQueries:
	case program.OutputReduces:
		return !program.Is(name, program.IsContainer)
	default:
		return true
	}
	return program.Is(name, program.IsLocal)
}
