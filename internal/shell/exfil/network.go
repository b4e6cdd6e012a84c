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
	silent       reach = iota // nothing
	unknownReach              // unknown program, which may be given a host
	addresses                 // the addresses among the words
	everything                // all words
)

// networkEffect returns the effect of any program that uses the network, whatever its options mean: a
// secret in its words leaves the machine, even as the name of a package, a branch or a user. Programs
// with a rule of their own are judged by that first.
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
		t.addAddress(c, &s, w, r == everything && !(isAuthOption(c, i) && !isBroadSecret(t.wordLoad(w))))
	}
	for i := range c.Env {
		if v := &c.Env[i]; len(v.Value.From) > 0 && strings.Contains(v.Value.Text, "://") {
			t.addAddress(c, &s, &v.Value, false)
		}
	}
	switch {
	case r == unknownReach && t.unhandled == 2 || r == addresses && !program.Is(c.Name, program.IsContainer):
		t.addUnknownProgram(c, &s)
	case r == everything:
		t.addDatabaseVars(c, &s)
	}
	return s.effect(c)
}

// addDatabaseVars adds the variables that a database client sends to its server: PGUSER, PGAPPNAME.
func (t *tracer) addDatabaseVars(c *shell.Call, s *transfer) {
	for i := range c.Env {
		v := &c.Env[i]
		if len(v.Value.From) == 0 || !strings.HasPrefix(v.Name, "PG") && v.Name != "MYSQL_PWD" && v.Name != "REDISCLI_AUTH" {
			continue
		}
		h := databaseHost(c)
		if l := t.wordLoad(&v.Value); h.Set() && l.level == secret && !l.isToken() && (isBroadSecret(l) || !facts.IsCredentialName(v.Name)) {
			s.to = facts.Farther(s.to, h)
			s.addLoad(l, body)
		}
	}
}

// addAddress adds a word that contains the output of calls. If all is set, the word counts even if it
// is not an address.
func (t *tracer) addAddress(c *shell.Call, s *transfer, w *shell.Word, all bool) {
	l := t.wordLoad(w)
	if l.level < about || l.level == about && !l.identifying {
		return
	}
	text := assignedValue(w.Text)
	url := strings.Contains(text, "://") || all && isBareAddress(text)
	h := addressHost(c, text, url, all)
	ch, sent := addressChannel(text, &l, url, all, h.Name != "")
	if !sent || l.level < secret && !h.Drop() && (l.level != about || ch != inName) {
		return
	}
	if ch == auth && !l.isToken() {
		ch = body
	}
	if !s.to.Set() || h.Zone >= s.to.Zone {
		s.to = h
	}
	s.addLoad(l, ch)
}

// assignedValue returns the value of name=value, unless the sign is part of an address.
func assignedValue(text string) string {
	name, value, ok := strings.Cut(text, "=")
	if ok && (!strings.ContainsAny(name, "/?") || strings.HasSuffix(strings.ToLower(name), "extraheader")) {
		return value
	}
	return text
}

// addressHost returns the host that a word is sent to: the one in the word, or else the first one that
// the call names.
func addressHost(c *shell.Call, text string, url, all bool) facts.Host {
	h := facts.HostOf(text)
	if !url && !(all && strings.ContainsAny(text, "./@:") && (h.Name != "" || hasUnknownHost(text)) && strings.IndexByte(text, ' ') < 0) {
		h = firstKnownHost(c)
	}
	if !h.Set() || h.Name == "" && !url {
		return facts.Host{Zone: facts.Away}
	}
	return h
}

// addressChannel returns the part of a word by which l is sent, and reports whether it is sent. Named
// is set if the host is known.
func addressChannel(text string, l *load, url, all, named bool) (ch channel, sent bool) {
	switch {
	case strings.HasPrefix(text, "rtmp") && l.isToken():
		return 0, false // the key of a stream is part of its URL
	case hasUnknownUser(text) && (url || all):
		return auth, true
	case hasUnknownHost(text) && url && named:
		return inName, true
	case url:
		return inURL, true
	}
	return body, all && !l.isToken() // a token in an option is for signing in
}

// isBareAddress reports whether a word is an address without a scheme: host.tld/path.
func isBareAddress(text string) bool {
	i := strings.IndexByte(text, '/')
	if i < 3 || text[0] == '.' || text[0] == '~' || strings.ContainsAny(text, " \n\\") {
		return false
	}
	dot := strings.IndexByte(text[:i], '.')
	return dot > 0 && dot < i-1
}

// firstKnownHost returns the first known host among the words of c.
func firstKnownHost(c *shell.Call) facts.Host {
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

// isHostOption reports whether the value of an option is the host to talk to.
func isHostOption(o string) bool {
	switch o {
	case "-h", "--host", "--hostname", "-H", "--server", "-S", "-b", "--bootstrap-server", "--broker-list", "-u", "--url", "--uri", "--endpoint", "--endpoint-url", "--registry", "--address":
		return true
	}
	return false
}

// isBroadSecret reports whether a secret is more than a single password could be.
func isBroadSecret(l load) bool {
	base := strings.ToLower(l.path[strings.LastIndexByte(l.path, '/')+1:])
	return l.level == secret && !l.isToken() && (l.from == fromOutput || strings.HasPrefix(base, "id_") || strings.HasPrefix(base, ".env") || strings.HasSuffix(base, ".env") || strings.HasPrefix(base, "credentials") || strings.HasPrefix(l.path, "/etc/"))
}

// isAuthOption reports whether the word i is the value of an option for passwords, tokens or keys.
func isAuthOption(c *shell.Call, i int) bool {
	text := c.Args[i].Text
	if name, _, ok := strings.Cut(text, "="); ok && strings.HasPrefix(name, "-") {
		return isAuthName(name)
	}
	if strings.HasPrefix(text, "-p") && !strings.HasPrefix(text, "--") && program.SendsOf(c.Name) != program.SendsNames {
		return true
	}
	return i > 0 && strings.HasPrefix(c.Args[i-1].Text, "-") && isAuthName(c.Args[i-1].Text)
}

// isAuthName reports whether an option is for passwords, tokens or keys.
func isAuthName(option string) bool {
	switch option {
	case "-p", "-P", "-a", "-i", "-W":
		return true
	}
	return facts.IsCredentialName(option)
}

// reachOf returns how much of the words of c is sent.
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
		if len(c.Args) > 0 && (strings.HasPrefix(c.Args[0].Text, "s_") || c.Args[0].Text == "ocsp" || c.Args[0].Text == "ts") {
			return everything
		}
		return silent
	}
	return serviceReach(c)
}

// serviceReach is reachOf for databases, clouds and programs that only fetch.
func serviceReach(c *shell.Call) reach {
	switch program.ReachOf(c.Name) {
	case program.ReachDatabase:
		if h := databaseHost(c); h.Set() && h.Zone != facts.Here {
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

// usesRemoteDaemon reports whether docker talks to a daemon on another machine, or builds from a URL.
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

// optionHost returns the host in the value of an option of c.
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

// storesInVault reports whether c stores a secret in a vault of its owner.
func storesInVault(c *shell.Call) bool {
	return hasWords(c, "secret|secrets|auth|login|env|keyvault|variable|ssh-key|gpg-key|deploy-key|config")
}

// gitReach is reachOf for git.
func gitReach(c *shell.Call) reach {
	verb, rest := gitVerb(c)
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
