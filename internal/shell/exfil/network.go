package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A reach is how much of a call's words is sent to the network.
type reach uint8

const (
	silent       reach = iota // no word
	unknownReach              // depends on the host, because the program is unknown
	addresses                 // only the words that are addresses
	everything                // every word
)

// networkEffect returns the effect of c by the general rule for programs that use the network: a
// secret in a word leaves the machine, even as the name of a package, a branch or a user. It reports
// false if c sends nothing of concern. The rule for the program of c, if there is one, is applied
// before.
func (t *tracer) networkEffect(c *shell.Call) (shell.Effect, bool) {
	var s transfer
	r := reachOf(c)
	for i := range c.Args {
		w := &c.Args[i]
		if len(w.From) == 0 {
			continue
		}
		if r <= unknownReach {
			break
		}
		t.addSentWord(c, &s, w, r == everything && !(isCredentialValue(c, i) && !isBroadSecret(t.wordTaint(w))))
	}
	for i := range c.Env {
		if v := &c.Env[i]; len(v.Value.From) > 0 && strings.Contains(v.Value.Text, "://") {
			t.addSentWord(c, &s, &v.Value, false)
		}
	}
	switch {
	case r == unknownReach && t.unhandled == 2 || r == addresses && !program.Is(c.Name, program.IsContainer):
		t.addUnknownProgramSecrets(c, &s)
	case r == everything:
		t.addDatabaseVars(c, &s)
	}
	return s.effect(c)
}

// addDatabaseVars adds secrets in the environment variables that a database client sends to its
// server, such as PGUSER and PGAPPNAME.
func (t *tracer) addDatabaseVars(c *shell.Call, s *transfer) {
	for i := range c.Env {
		v := &c.Env[i]
		if len(v.Value.From) == 0 || !strings.HasPrefix(v.Name, "PG") && v.Name != "MYSQL_PWD" && v.Name != "REDISCLI_AUTH" {
			continue
		}
		h := databaseHost(c)
		if l := t.wordTaint(&v.Value); h.Exists() && l.level == secret && !l.isToken() && (isBroadSecret(l) || !facts.IsCredentialName(v.Name)) {
			s.to = facts.MoreRemote(s.to, h)
			s.addData(l, body)
		}
	}
}

// addSentWord adds the data in w, a word of c that contains the output of other calls. If
// evenNoAddress is set, w counts even if it is not an address.
func (t *tracer) addSentWord(c *shell.Call, s *transfer, w *shell.Word, evenNoAddress bool) {
	l := t.wordTaint(w)
	if l.level < about || l.level == about && !l.identifying {
		return
	}
	text := assignedValue(w.Text)
	url := strings.Contains(text, "://") || evenNoAddress && isBareAddress(text)
	h := destinationHost(c, text, url, evenNoAddress)
	ch, sent := addressChannel(text, &l, url, evenNoAddress, h.Name != "")
	if !sent && evenNoAddress && l.partial && program.ReachOf(c.Name) == program.ReachOpenssl { // which has no use for such a value
		ch, sent = body, true
	}
	if !sent || l.level < secret && !l.personal && !h.HidesOwner() && (l.level != about || ch != inHostName) {
		return
	}
	if ch == auth && !l.isToken() {
		ch = body
	}
	if !s.to.Exists() || h.Zone >= s.to.Zone {
		s.to = h
	}
	s.addData(l, ch)
}

// assignedValue returns the value of name=value. It returns the whole text if there is no equal sign
// or if the sign is part of an address.
func assignedValue(text string) string {
	name, value, ok := strings.Cut(text, "=")
	if ok && (!strings.ContainsAny(name, "/?") || strings.HasSuffix(strings.ToLower(name), "extraheader")) {
		return value
	}
	return text
}

// destinationHost returns the host that a word is sent to, which is the host in text or else the first
// one that c names. If neither is known, it returns an unknown host on another machine.
func destinationHost(c *shell.Call, text string, url, evenNoAddress bool) facts.Host {
	h := facts.HostOf(text)
	if !url && !(evenNoAddress && strings.ContainsAny(text, "./@:") && (h.Name != "" || hasUnknownHost(text)) && strings.IndexByte(text, ' ') < 0) {
		h = firstNamedHost(c)
	}
	if !h.Exists() || h.Name == "" && !url {
		return facts.Host{Zone: facts.Away}
	}
	return h
}

// addressChannel returns the part of a word by which l is sent, such as the host name or the query,
// and reports whether l is sent at all. If url is set, text is a URL. If evenNoAddress is set, the
// word is sent even if it is not an address. If named is set, the name of the host is known.
func addressChannel(text string, l *taint, url, evenNoAddress, named bool) (ch channel, sent bool) {
	switch {
	case strings.HasPrefix(text, "rtmp") && l.isToken():
		return 0, false // a stream key is meant to be part of the stream's URL
	case hasUnknownUser(text) && (url || evenNoAddress):
		return auth, true
	case hasUnknownHost(text) && url && named:
		return inHostName, true
	case url:
		return inURL, true
	}
	return body, evenNoAddress && !l.isToken() // a token in an option is a credential for signing in
}

// isBareAddress reports whether text is an address without a scheme, such as host.tld/path.
func isBareAddress(text string) bool {
	i := strings.IndexByte(text, '/')
	if i < 3 || text[0] == '.' || text[0] == '~' || strings.ContainsAny(text, " \n\\") {
		return false
	}
	dot := strings.IndexByte(text[:i], '.')
	return dot > 0 && dot < i-1
}

// firstNamedHost returns the host in the first URL, or in the first value of an option for hosts,
// among the known words of c. It returns the zero Host if there is none.
func firstNamedHost(c *shell.Call) facts.Host {
	for i := range c.Args {
		w := &c.Args[i]
		if i > maxWords {
			break
		}
		text := w.Text
		if !w.IsKnown() || len(w.From) > 0 {
			continue
		}
		if strings.Contains(text, "://") {
			if _, value, ok := strings.Cut(text, "="); ok && strings.Contains(value, "://") {
				text = value
			}
			return facts.HostOf(text)
		}
		if i > 0 && isHostOption(c.Args[i-1].Text) {
			return facts.HostOf(text)
		}
		if name, value, ok := strings.Cut(text, "="); ok && isHostOption(name) {
			return facts.HostOf(value)
		}
	}
	return facts.Host{}
}

// isHostOption reports whether the option o takes the host to connect to.
func isHostOption(o string) bool {
	switch o {
	case "-h", "--host", "--hostname", "-H", "--server", "-S", "-b", "--bootstrap-server", "--broker-list", "-u", "--url", "--uri", "--endpoint", "--endpoint-url", "--registry", "--address":
		return true
	}
	return false
}

// isBroadSecret reports whether l is a secret that is more than a single password or token, such as
// the output of a program, a private key or an .env file.
func isBroadSecret(l taint) bool {
	base := strings.ToLower(l.path[strings.LastIndexByte(l.path, '/')+1:])
	return l.level == secret && !l.isToken() && (l.from == fromOutput || strings.HasPrefix(base, "id_") || strings.HasPrefix(base, ".env") || strings.HasSuffix(base, ".env") || strings.HasPrefix(base, "credentials") || strings.HasPrefix(l.path, "/etc/"))
}

// isCredentialValue reports whether word i of c is the value of an option for passwords, tokens or
// keys.
func isCredentialValue(c *shell.Call, i int) bool {
	text := c.Args[i].Text
	if name, _, ok := strings.Cut(text, "="); ok && strings.HasPrefix(name, "-") {
		return isCredentialOption(name)
	}
	if strings.HasPrefix(text, "-p") && !strings.HasPrefix(text, "--") && program.SendsOf(c.Name) != program.SendsNames {
		return true
	}
	return i > 0 && strings.HasPrefix(c.Args[i-1].Text, "-") && isCredentialOption(c.Args[i-1].Text)
}

// isCredentialOption reports whether option takes a password, a token or a key.
func isCredentialOption(option string) bool {
	switch option {
	case "-p", "-P", "-a", "-i", "-W":
		return true
	}
	return facts.IsCredentialName(option)
}

// reachOf returns how many of its words c sends to the network.
func reachOf(c *shell.Call) reach {
	switch program.ReachOf(c.Name) {
	case program.ReachGit:
		return gitReach(c)
	case program.ReachRegistry:
		if hasWords(c, "pull|push|login|manifest|search|inspect|copy|imagetools|ls|digest|tag|list-tags") && !hasWords(c, "run|exec|build|create|compose") || usesRemoteDaemon(c) {
			return everything
		}
		return addresses
	case program.ReachJsPackages:
		if hasWords(c, "install|i|add|view|info|show|search|publish|dlx|create|ping|audit|outdated|up|update") && !hasWords(c, "run|exec|config|test") {
			return everything
		}
		return addresses
	case program.ReachGo:
		if hasWords(c, "get|install|mod download|list|run") {
			return everything
		}
		return addresses
	case program.ReachPackages:
		if hasWords(c, "install|add|download|search|show|info|pull|clone|checkout|co|ls|tap|fetch|update|upgrade|get") {
			return everything
		}
		return addresses
	case program.ReachAll:
		if storesInVault(c) {
			return silent
		}
		return everything
	case program.ReachOpenssl:
		if len(c.Args) > 0 && (strings.HasPrefix(c.Args[0].Text, "s_") || c.Args[0].Text == "ocsp" || c.Args[0].Text == "cmp" || c.Args[0].Text == "ts") {
			return everything
		}
		return silent
	}
	return serviceReach(c)
}

// serviceReach is reachOf for database clients, cloud tools and programs that only fetch. It returns
// unknownReach for a program that has no row.
func serviceReach(c *shell.Call) reach {
	switch program.ReachOf(c.Name) {
	case program.ReachDatabase:
		if h := databaseHost(c); h.Exists() && h.Zone != facts.Here {
			return everything
		}
		return addresses
	case program.ReachCloud:
		if storesInAWSVault(c) || storesInVault(c) {
			return silent
		}
		return everything
	case program.ReachCluster:
		if _, ok := optionHost(c, "-s", "--server"); ok || hasWords(c, "exec|cp|rsync") {
			return everything
		}
		return addresses
	case program.ReachAddresses:
		return addresses
	case program.ReachAnsible:
		if !hasWords(c, "localhost|local|127.0.0.1") {
			return everything
		}
		return silent
	case program.ReachMount:
		if remote := hasWords(c, "nfs|nfs4|cifs|smb3|smbfs|davfs|fuse.sshfs"); remote {
			return everything
		}
		return silent
	case program.ReachGpg:
		for i := range c.Args {
			if strings.HasPrefix(c.Args[i].Text, "--keyserver") {
				return everything
			}
		}
		return silent
	}
	if facts.LanguageOf(c.Name) == facts.Python {
		if hasWords(c, "-m pip") {
			return everything
		}
		return addresses
	}
	return unknownReach
}

// usesRemoteDaemon reports whether the docker or podman call c uses a daemon on another machine, or
// builds an image from a URL.
func usesRemoteDaemon(c *shell.Call) bool {
	if h, ok := optionHost(c, "-H", "--host"); ok {
		return h.Zone != facts.Here
	}
	for i := range c.Env {
		if v := &c.Env[i]; (v.Name == "DOCKER_HOST" || v.Name == "CONTAINER_HOST") && !strings.HasPrefix(v.Value.Text, "unix:") {
			return facts.HostOf(v.Value.Text).Zone != facts.Here
		}
	}
	last := len(c.Args) - 1
	return last > 0 && hasWords(c, "build") && strings.Contains(c.Args[last].Text, "://") && c.Args[last-1].Text[:min(1, len(c.Args[last-1].Text))] != "-"
}

// optionHost returns the host that follows the option short or long in c. It reports false if there is
// none or if it is a Unix socket.
func optionHost(c *shell.Call, short, long string) (facts.Host, bool) {
	for i := range c.Args {
		text := c.Args[i].Text
		switch name, value, eq := strings.Cut(text, "="); {
		case (text == short || text == long) && i+1 < len(c.Args):
			if value = c.Args[i+1].Text; strings.ContainsAny(value, ":.") && !strings.HasPrefix(value, "unix:") {
				return facts.HostOf(value), true
			}
		case eq && (name == short || name == long) && !strings.HasPrefix(value, "unix:"):
			return facts.HostOf(value), true
		}
	}
	return facts.Host{}, false
}

// storesInVault reports whether c stores a secret in a vault or a configuration of its owner, or signs
// in.
func storesInVault(c *shell.Call) bool {
	return hasWords(c, "secret|secrets|auth|login|env|keyvault|variable|ssh-key|gpg-key|deploy-key|config")
}

// gitReach is reachOf for git.
func gitReach(c *shell.Call) reach {
	verb, rest := gitSubcommand(c)
	switch verb {
	case "clone", "fetch", "pull", "push", "ls-remote", "submodule", "send-pack", "fetch-pack", "http-push", "http-fetch", "lfs", "subtree", "remote-https", "remote-http", "svn", "request-pull":
		return everything
	case "remote":
		if len(rest) > 0 && (rest[0].Text == "add" || rest[0].Text == "set-url" || rest[0].Text == "update") {
			return everything
		}
	case "archive":
		for i := range rest {
			if strings.HasPrefix(rest[i].Text, "--remote") {
				return everything
			}
		}
	case "config":
		return addresses
	}
	return silent
}
