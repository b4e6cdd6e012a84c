package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A request is what a call of curl or one of its kin sends.
type request struct {
	c      *shell.Call
	to     facts.Host
	body   load
	auth   load
	url    load
	name   load
	stdin  bool          // the body is read from standard input
	signIn bool          // the URL is one to sign in at
	plain  bool          // a URL is not encrypted, so that a proxy reads all
	config string        // options come from this file
	made   []*shell.Call // that print that file
	secure bool          // options come from standard input, as is right for passwords
}

// curl sends by -d, -F, -T, by headers and by the URL itself.
func (t *tracer) curl(c *shell.Call) (shell.Effect, bool) {
	r := request{c: c}
	for i := range c.Args {
		if a := c.Args[i].Text; strings.Contains(a, "://") && signIn(a) && i < maxArgs {
			r.signIn = true // the URL may come after the data
		}
	}
	var w program.Walk
	for w.Start(c); w.Next(); {
		r.option(t, w.Name, &w.Arg)
	}
	if r.config != "" {
		r.readConfig(t)
	}
	return r.done(t)
}

// option takes one option of curl, or with an empty name a URL.
func (r *request) option(t *tracer, name string, v *shell.Word) {
	switch strings.TrimPrefix(name, "expand-") {
	case "", "url":
		r.target(t, v)
	case "d", "data", "data-binary", "data-ascii", "json":
		r.data(t, v)
	case "data-raw", "form-string", "A", "user-agent", "e", "referer", "X", "request", "request-target", "Q", "quote", "mail-from", "mail-rcpt":
		r.body = worseLoad(r.body, t.wordLoad(v))
	case "data-urlencode", "url-query", "variable":
		r.encoded(t, v)
	case "F", "form":
		r.form(t, v)
	case "T", "upload-file":
		r.addUploads(t, v)
	case "H", "header", "proxy-header":
		r.header(t, v)
	case "b", "cookie":
		r.addCookies(t, v)
	case "u", "user", "oauth2-bearer", "proxy-user", "U", "tlsuser", "tlspassword":
		r.auth = worseLoad(r.auth, t.wordLoad(v))
	case "netrc-file":
		if l := t.fileWordLoad(r.c, v); l.level == secret && !strings.HasSuffix(v.Text, "netrc") {
			r.auth = worseLoad(r.auth, l)
		}
	case "K", "config":
		r.config, r.secure = v.Text, isStdin(v.Text)
		r.made = v.From
		if r.config == "" {
			r.config = string(shell.Hole)
		}
	case "x", "proxy", "preproxy", "socks5", "socks5-hostname", "socks4", "socks4a", "proxy1.0", "doh-url":
		r.target(t, v)
	case "connect-to", "resolve":
		r.redirected(v.Text)
	default:
		// Whatever else it is, a whole file of secrets has no business in it.
		if len(v.From) > 0 {
			if l := t.wordLoad(v); l.level == secret && !l.isToken() {
				r.body = worseLoad(r.body, l)
			}
		}
	}
}

// target takes a URL: where it leads to, and what is hidden in it.
func (r *request) target(t *tracer, v *shell.Word) {
	h := facts.HostOf(v.Text)
	r.to = facts.Farther(r.to, h)
	r.signIn = r.signIn || signIn(v.Text)
	r.plain = r.plain || !strings.HasPrefix(v.Text, "https:")
	hole := strings.IndexRune(v.Text, shell.Hole)
	if hole < 0 && len(v.From) == 0 {
		return
	}
	l := t.wordLoad(v)
	if l.level == unclear && hasInput(r.c) {
		// A loop or xargs puts what is piped in into the URL.
		l = worseLoad(l, t.inputLoad(r.c))
	}
	if i := strings.IndexByte(afterScheme(v.Text), '?'); i >= 0 && hole >= 0 && strings.Contains(afterScheme(v.Text)[i:], string(shell.Hole)) {
		l.encoded = true
	}
	l.shareable = l.shareable || named(v.Text)
	if inHost(v.Text) {
		if h.Name == "" && (l.level < secret && !l.encoded || l.isToken()) {
			return // it says where to go, and goes nowhere itself
		}
		if h.Name != "" && h.Zone != facts.Here {
			r.name = worseLoad(r.name, l)
			return
		}
	}
	if inUser(v.Text) && l.isToken() {
		r.auth = worseLoad(r.auth, l) // https://user:token@host is how people sign in
		return
	}
	r.url = worseLoad(r.url, l)
}

// inUser reports whether a part of a URL's user and password is not known.
func inUser(url string) bool {
	user, _, _ := facts.Split(url)
	return strings.ContainsRune(user, shell.Hole)
}

// parseLogin reports whether a URL is where people trade a password for a token.
func signIn(url string) bool {
	url = strings.ToLower(url)
	for _, w := range [...]string{"/login", "/oauth", "/token", "/auth", "/session", "/signin", "/sign-in"} {
		if strings.Contains(url, w) {
			return true
		}
	}
	return false
}

// named reports whether the part that is not known is the value of a parameter
// that is there for it: ?api_key=…
func named(text string) bool {
	i := strings.IndexRune(text, shell.Hole)
	if i < 2 {
		return false
	}
	name := strings.TrimRight(text[:i], `="':{ `)
	return facts.ForCredential(name[strings.LastIndexAny(name, `?&/;,{"' =`)+1:])
}

func afterScheme(url string) string {
	if i := strings.Index(url, "://"); i >= 0 {
		return url[i+3:]
	}
	return url
}

// inHost reports whether a part of a URL's host is not known.
func inHost(url string) bool {
	_, addr, _ := facts.Split(url)
	return strings.ContainsRune(addr, shell.Hole)
}

// data takes the value of -d: text, or @file.
func (r *request) data(t *tracer, v *shell.Word) {
	if path, ok := strings.CutPrefix(v.Text, "@"); ok {
		before := r.body
		r.body = load{}
		r.file(t, v, path)
		r.body.shareable = r.body.shareable || structured(path)
		r.body = worseLoad(before, r.body)
		return
	}
	r.text(t, v)
}

// structured reports whether a file looks like the body of a request to an API.
func structured(path string) bool {
	for _, end := range [...]string{".json", ".xml", ".graphql", ".gql"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// text takes words that are sent as they are.
func (r *request) text(t *tracer, v *shell.Word) {
	l := t.wordLoad(v)
	if l.level == unclear && len(v.From) == 0 && hasInput(r.c) {
		l = worseLoad(l, t.inputLoad(r.c))
	}
	l.shareable = l.shareable || named(v.Text) && r.signIn
	r.body = worseLoad(r.body, l)
}

// file takes the content of a file, or of standard input.
func (r *request) file(t *tracer, v *shell.Word, path string) {
	if path == "-" || path == "/dev/stdin" || path == "." && v.Text == "." {
		r.stdin = true
		return
	}
	w := *v
	w.Text = path
	l := t.fileWordLoad(r.c, &w)
	if len(v.From) == 0 && !v.Known() && hasInput(r.c) {
		// xargs: the names of the files are piped in.
		l = worseLoad(l, t.inputLoad(r.c))
		if r.c.In != nil {
			l = worseLoad(l, searchHitsLoad(r.c.In.From))
		}
	}
	r.body = worseLoad(r.body, l)
}

// encoded takes the value of --data-urlencode: text, name=text, @file, name@file.
func (r *request) encoded(t *tracer, v *shell.Word) {
	at, eq := strings.IndexByte(v.Text, '@'), strings.IndexByte(v.Text, '=')
	if at >= 0 && (eq < 0 || at < eq) {
		r.file(t, v, v.Text[at+1:])
		return
	}
	r.text(t, v)
}

// form takes the value of -F: name=text, name=@file or name=<file.
func (r *request) form(t *tracer, v *shell.Word) {
	_, value, _ := strings.Cut(v.Text, "=")
	value = strings.TrimLeft(value, `"'`)
	if value == "" || value[0] != '@' && value[0] != '<' {
		r.text(t, v)
		return
	}
	value, _, _ = strings.Cut(value[1:], ";")
	for value != "" {
		path, rest, _ := strings.Cut(value, ",")
		value = rest
		r.file(t, v, path)
	}
}

// header takes a header. Some are there for tokens.
func (r *request) header(t *tracer, v *shell.Word) {
	if path, ok := strings.CutPrefix(v.Text, "@"); ok {
		l := t.fileWordLoad(r.c, &shell.Word{Text: path, From: v.From})
		if l.level == secret {
			r.auth = worseLoad(r.auth, l)
		}
		return
	}
	l := t.wordLoad(v)
	if l.level <= unclear {
		r.auth = worseLoad(r.auth, l)
		return
	}
	name, _, _ := strings.Cut(v.Text, ":")
	if facts.ForCredential(name) {
		r.auth = worseLoad(r.auth, l)
		return
	}
	r.body = worseLoad(r.body, l)
}

// redirected takes HOST:PORT:ADDRESS, which sends a request for one host to another.
func (r *request) redirected(v string) {
	for range 2 {
		_, rest, ok := strings.Cut(v, ":")
		if !ok {
			return
		}
		v = rest
	}
	if v != "" {
		r.to = facts.Farther(r.to, facts.HostOf(v))
	}
}

// proxied takes a variable of the call: a proxy gets what the request has in it, even
// one for this machine.
func (r *request) proxied(t *tracer, v *shell.Variable) {
	if !facts.Proxy(v.Name) || v.Value.Text == "" {
		return
	}
	if l := t.wordLoad(&v.Value); l.level == secret && !l.isToken() {
		r.body = worseLoad(r.body, l)
		r.to = facts.Farther(r.to, facts.HostOf(v.Value.Text))
	}
	if name := strings.ToLower(v.Name); r.plain && name != "https_proxy" && r.to.Set() {
		r.to = facts.Farther(r.to, facts.HostOf(v.Value.Text))
	}
}

// done judges all that was collected.
func (r *request) done(t *tracer) (shell.Effect, bool) {
	for i := range r.c.Env {
		r.proxied(t, &r.c.Env[i])
	}
	s := transfer{to: r.to}
	if r.config != "" && !r.secure {
		s.need()
		r.body = worseLoad(r.body, load{level: unclear, what: "data specified in an options file"})
	}
	if s.to.Zone <= facts.Here {
		return shell.Effect{}, false
	}
	s.addLoad(r.body, body)
	s.addLoad(r.auth, auth)
	s.addLoad(r.url, inURL)
	s.addLoad(r.name, inName)
	if r.stdin || hasInput(r.c) && !r.secure {
		l := t.inputLoad(r.c)
		// Who pipes a secret into curl means to send it, even when the option that
		// reads it is missing; other input is only sent when it is asked for.
		if r.stdin || l.level == secret && l.from != fromVariable {
			s.addLoad(l, body)
		}
	}
	return s.effect(r.c)
}
