package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A request collects the data that a call of curl or a similar program sends. For each channel it
// holds the worst data only.
type request struct {
	c           *shell.Call
	to          facts.Host
	body        taint
	auth        taint         // in headers and options for credentials
	url         taint         // in the path or the query of a URL
	hostName    taint         // in the name of the host
	stdin       bool          // the body is read from standard input
	signsIn     bool          // a URL is one for signing in
	unencrypted bool          // a URL is not HTTPS, so a proxy can read the whole request
	config      string        // the file with further options, or ""
	configFrom  []*shell.Call // the calls that print the options, if config is a process substitution
	configStdin bool          // further options are read from standard input, which is the safe way to pass passwords
}

// curlEffect returns the effect of curl, which sends data with options such as -d, -F and -T, in
// headers and in the URL.
func (t *tracer) curlEffect(c *shell.Call) (shell.Effect, bool) {
	r := request{c: c}
	for i := range c.Args {
		if a := c.Args[i].Text; strings.Contains(a, "://") && isSignInURL(a) && i < maxArgs {
			r.signsIn = true // the URL may come after the data
		}
	}
	var w program.Walk
	for w.Start(c); w.Next(); {
		r.addCurlOption(t, w.Name, &w.Arg)
	}
	if r.config != "" {
		r.addConfigOptions(t)
	}
	return r.effect(t)
}

// addCurlOption adds the data that the curl option name with the value v sends. If name is empty, v is
// a URL.
func (r *request) addCurlOption(t *tracer, name string, v *shell.Word) {
	switch strings.TrimPrefix(name, "expand-") {
	case "", "url":
		r.addURL(t, v)
	case "d", "data", "data-binary", "data-ascii", "json":
		r.addData(t, v)
	case "data-raw", "form-string", "A", "user-agent", "e", "referer", "X", "request", "request-target", "Q", "quote", "mail-from", "mail-rcpt":
		r.body = worseTaint(r.body, t.wordTaint(v))
	case "data-urlencode", "url-query", "variable":
		r.addURLEncoded(t, v)
	case "F", "form":
		r.addForm(t, v)
	case "T", "upload-file":
		r.addUploads(t, v)
	case "H", "header", "proxy-header":
		r.addHeader(t, v)
	case "b", "cookie":
		r.addCookies(t, v)
	case "u", "user", "oauth2-bearer", "proxy-user", "U", "tlsuser", "tlspassword":
		r.auth = worseTaint(r.auth, t.wordTaint(v))
	case "netrc-file":
		if l := t.fileWordTaint(r.c, v); l.level == secret && !strings.HasSuffix(v.Text, "netrc") {
			r.auth = worseTaint(r.auth, l)
		}
	case "K", "config":
		r.config, r.configStdin = v.Text, isStdin(v.Text)
		r.configFrom = v.From
		if r.config == "" {
			r.config = string(shell.Placeholder)
		}
	case "x", "proxy", "preproxy", "socks5", "socks5-hostname", "socks4", "socks4a", "proxy1.0", "doh-url":
		r.addURL(t, v)
	case "connect-to", "resolve":
		r.addConnectTo(v.Text)
	default:
		// A whole file of secrets does not belong in any option.
		if len(v.From) > 0 {
			if l := t.wordTaint(v); l.level == secret && !l.isToken() {
				r.body = worseTaint(r.body, l)
			}
		}
	}
}

// addURL adds the host of the URL v and the data that is substituted in it.
func (r *request) addURL(t *tracer, v *shell.Word) {
	h := facts.HostOf(v.Text)
	r.to = facts.MoreRemote(r.to, h)
	r.signsIn = r.signsIn || isSignInURL(v.Text)
	r.unencrypted = r.unencrypted || !strings.HasPrefix(v.Text, "https:")
	unknown := strings.ContainsRune(v.Text, shell.Placeholder)
	if !unknown && len(v.From) == 0 {
		return
	}
	l := t.wordTaint(v)
	if l.level == unclear && hasInput(r.c) {
		// A loop or xargs inserts its input into the URL.
		l = worseTaint(l, t.inputTaint(r.c))
	}
	if i := strings.IndexByte(afterScheme(v.Text), '?'); i >= 0 && unknown && strings.Contains(afterScheme(v.Text)[i:], string(shell.Placeholder)) {
		l.encoded = true
	}
	l.shareable = l.shareable || isUnknownCredential(v.Text)
	if hasUnknownHost(v.Text) {
		if h.Name == "" && (l.level < secret && !l.encoded || l.isToken()) {
			return // the data is a whole host name, which is looked up and not sent
		}
		if h.Name != "" && h.Zone != facts.Here {
			r.hostName = worseTaint(r.hostName, l)
			return
		}
	}
	if hasUnknownUser(v.Text) && l.isToken() {
		r.auth = worseTaint(r.auth, l) // https://user:token@host is a usual way to sign in
		return
	}
	r.url = worseTaint(r.url, l)
}

// hasUnknownUser reports whether the user name or the password in url contains a placeholder.
func hasUnknownUser(url string) bool {
	user, _, _ := facts.SplitURL(url)
	return strings.ContainsRune(user, shell.Placeholder)
}

// isSignInURL reports whether url looks like one at which a client exchanges a password for a token.
func isSignInURL(url string) bool {
	url = strings.ToLower(url)
	for _, w := range [...]string{"/login", "/oauth", "/token", "/auth", "/session", "/signin", "/sign-in"} {
		if strings.Contains(url, w) {
			return true
		}
	}
	return false
}

// isUnknownCredential reports whether the first placeholder in text is the value of a parameter for
// credentials, such as ?api_key=….
func isUnknownCredential(text string) bool {
	i := strings.IndexRune(text, shell.Placeholder)
	if i < 2 {
		return false
	}
	name := strings.TrimRight(text[:i], `="':{ `)
	return facts.IsCredentialName(name[strings.LastIndexAny(name, `?&/;,{"' =`)+1:])
}

// afterScheme returns the part of url after "://", or url if it has no scheme.
func afterScheme(url string) string {
	if i := strings.Index(url, "://"); i >= 0 {
		return url[i+3:]
	}
	return url
}

// hasUnknownHost reports whether the host name in url contains a placeholder.
func hasUnknownHost(url string) bool {
	_, addr, _ := facts.SplitURL(url)
	return strings.ContainsRune(addr, shell.Placeholder)
}

// addData adds the value v of -d, which is text or @file.
func (r *request) addData(t *tracer, v *shell.Word) {
	if path, ok := strings.CutPrefix(v.Text, "@"); ok {
		before := r.body
		r.body = taint{}
		r.addFile(t, v, path)
		r.body.shareable = r.body.shareable || isAPIBody(path)
		r.body = worseTaint(before, r.body)
		return
	}
	r.addText(t, v)
}

// isAPIBody reports whether path has an extension that is common for the body of an API request.
func isAPIBody(path string) bool {
	for _, end := range [...]string{".json", ".xml", ".graphql", ".gql"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// addText adds v, which is sent literally.
func (r *request) addText(t *tracer, v *shell.Word) {
	l := t.wordTaint(v)
	if l.level == unclear && len(v.From) == 0 && hasInput(r.c) {
		l = worseTaint(l, t.inputTaint(r.c))
	}
	l.shareable = l.shareable || isUnknownCredential(v.Text) && r.signsIn
	r.body = worseTaint(r.body, l)
}

// addFile adds the content of the file path, which the word v names, or of standard input if path is -
// or /dev/stdin.
func (r *request) addFile(t *tracer, v *shell.Word, path string) {
	if path == "-" || path == "/dev/stdin" || path == "." && v.Text == "." {
		r.stdin = true
		return
	}
	w := *v
	w.Text = path
	l := t.fileWordTaint(r.c, &w)
	if len(v.From) == 0 && !v.IsKnown() && hasInput(r.c) {
		// xargs reads the names of the files from its input.
		l = worseTaint(l, t.inputTaint(r.c))
		if r.c.In != nil {
			l = worseTaint(l, searchHitsTaint(r.c.In.From))
		}
	}
	r.body = worseTaint(r.body, l)
}

// addURLEncoded adds the value v of --data-urlencode, which is text, name=text, @file or name@file.
func (r *request) addURLEncoded(t *tracer, v *shell.Word) {
	at, eq := strings.IndexByte(v.Text, '@'), strings.IndexByte(v.Text, '=')
	if at >= 0 && (eq < 0 || at < eq) {
		r.addFile(t, v, v.Text[at+1:])
		return
	}
	r.addText(t, v)
}

// addForm adds the value v of -F, which is name=text, name=@file or name=<file.
func (r *request) addForm(t *tracer, v *shell.Word) {
	_, value, _ := strings.Cut(v.Text, "=")
	value = strings.TrimLeft(value, `"'`)
	if value == "" || value[0] != '@' && value[0] != '<' {
		r.addText(t, v)
		return
	}
	value, _, _ = strings.Cut(value[1:], ";")
	for value != "" {
		path, rest, _ := strings.Cut(value, ",")
		value = rest
		r.addFile(t, v, path)
	}
}

// addHeader adds the header v, or the headers in a file if v is @file. Data in a header for
// credentials counts as credentials; data in any other header counts as part of the body.
func (r *request) addHeader(t *tracer, v *shell.Word) {
	if path, ok := strings.CutPrefix(v.Text, "@"); ok {
		l := t.fileWordTaint(r.c, &shell.Word{Text: path, From: v.From})
		if l.level == secret {
			r.auth = worseTaint(r.auth, l)
		}
		return
	}
	l := t.wordTaint(v)
	if l.level <= unclear {
		r.auth = worseTaint(r.auth, l)
		return
	}
	name, _, _ := strings.Cut(v.Text, ":")
	if facts.IsCredentialName(name) {
		r.auth = worseTaint(r.auth, l)
		return
	}
	r.body = worseTaint(r.body, l)
}

// addConnectTo adds the ADDRESS of HOST:PORT:ADDRESS in v, to which curl sends requests for HOST.
func (r *request) addConnectTo(v string) {
	for range 2 {
		_, rest, ok := strings.Cut(v, ":")
		if !ok {
			return
		}
		v = rest
	}
	if v != "" {
		r.to = facts.MoreRemote(r.to, facts.HostOf(v))
	}
}

// addProxy adds the proxy that the environment variable v sets, if it sets one. A proxy receives the
// content of an unencrypted request, even of one to this machine.
func (r *request) addProxy(t *tracer, v *shell.Variable) {
	if !facts.IsProxyVar(v.Name) || v.Value.Text == "" {
		return
	}
	if l := t.wordTaint(&v.Value); l.level == secret && !l.isToken() {
		r.body = worseTaint(r.body, l)
		r.to = facts.MoreRemote(r.to, facts.HostOf(v.Value.Text))
	}
	if name := strings.ToLower(v.Name); r.unencrypted && name != "https_proxy" && r.to.Exists() {
		r.to = facts.MoreRemote(r.to, facts.HostOf(v.Value.Text))
	}
}

// effect returns the effect of sending the collected data. It reports false if the request stays on
// this machine or sends nothing of concern.
func (r *request) effect(t *tracer) (shell.Effect, bool) {
	for i := range r.c.Env {
		r.addProxy(t, &r.c.Env[i])
	}
	s := transfer{to: r.to}
	if r.config != "" && !r.configStdin {
		s.ensureHost()
		r.body = worseTaint(r.body, taint{level: unclear, what: "data specified in an options file"})
	}
	if s.to.Zone <= facts.Here {
		return shell.Effect{}, false
	}
	s.addData(r.body, body)
	s.addData(r.auth, auth)
	s.addData(r.url, inURL)
	s.addData(r.hostName, inHostName)
	if r.stdin || hasInput(r.c) && !r.configStdin {
		l := t.inputTaint(r.c)
		// A secret that is piped into curl counts as sent, even without an option that reads
		// standard input. Other input counts only with such an option.
		if r.stdin || l.level == secret && l.from != fromVariable {
			s.addData(l, body)
		}
	}
	return s.effect(r.c)
}

// sendingConfigEffect returns the effect of a redirection into settings of curl or wget, as ~/.curlrc,
// if the text that c prints names a file of secrets or a personal file: every later call sends it. It
// reports false if there is none.
func sendingConfigEffect(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Redir {
		target := c.Redir[i].Target.Text
		base := target[strings.LastIndexByte(target, '/')+1:]
		if !strings.HasPrefix(c.Redir[i].Op, ">") || !strings.Contains(base, "curlrc") && !strings.Contains(base, "wgetrc") {
			continue
		}
		texts := make([]string, 0, len(c.Args)+len(c.Redir))
		for j := range c.Args[:min(len(c.Args), maxWords)] {
			texts = append(texts, c.Args[j].Text)
		}
		for j := range c.Redir {
			if strings.HasPrefix(c.Redir[j].Op, "<<") {
				texts = append(texts, c.Redir[j].Target.Text)
			}
		}
		for _, text := range texts {
			if path, ok := sentByConfig(text); ok {
				reason := "makes every later download send " + path
				e := connectEffect(c, shell.Exfiltration, shell.ExfilSecret, shell.ImpactHigh, facts.Host{}, reason)
				e.Paths = []string{path}
				return e, true
			}
		}
	}
	return shell.Effect{}, false
}

// sentByConfig returns the file of secrets or the personal file that a line of the settings in text
// sends. It reports false if there is none.
func sentByConfig(text string) (path string, ok bool) {
	if len(text) > maxScript {
		return "", false
	}
	for line := range strings.Lines(strings.ReplaceAll(text, `\n`, "\n")) {
		key := strings.TrimLeft(line, " \t-")
		key = key[:len(key)-len(strings.TrimLeft(key, "abcdefghijklmnopqrstuvwxyz_-"))]
		switch key {
		case "data", "data-binary", "data-ascii", "data-urlencode", "json", "form", "upload-file",
			"d", "F", "T", "post_file", "body_file", "header", "cookie":
			values := strings.ReplaceAll(line[strings.Index(line, key)+len(key):], "@", " ")
			if path, ok = facts.FindSecretFile(values); !ok {
				path, ok = facts.FindPersonalFile(values, "")
			}
			if ok {
				return path, true
			}
		}
	}
	return "", false
}
