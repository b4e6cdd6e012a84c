package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// serveEffect returns the effect of the file server that c starts. It reports false for a preview of
// the project, which is everyday work; serving a home directory or the whole disk is exfiltration.
func (t *tracer) serveEffect(c *shell.Call) (shell.Effect, bool) {
	open, local, dir := parseServer(c)
	if !open {
		return shell.Effect{}, false
	}
	if dir == "" {
		dir = c.Dir
	}
	if dir != "" && (facts.IsSecretFile(dir) || t.isWideDir(dir)) {
		if local {
			return connectEffect(c, shell.Unknown, shell.Tunnel, shell.ImpactMedium, facts.Host{}, "serves "+dir+" to programs on this machine"), true
		}
		return connectEffect(c, shell.Exfiltration, shell.ExfilSecret, shell.ImpactHigh, facts.Host{}, "serves "+dir+" to anyone who connects"), true
	}
	if local || isPreviewServer(c) || requiresPassword(c) {
		return shell.Effect{}, false
	}
	return connectEffect(c, shell.Unknown, shell.Tunnel, shell.ImpactMedium, facts.Host{}, "serves files to anyone who connects"), true
}

// listensBeyondLoopback reports whether word, an address to listen on, accepts connections from other
// machines.
func listensBeyondLoopback(word string) bool {
	h := facts.HostOf(word[strings.IndexByte(word, '=')+1:])
	return h.IsLocal() && h.Name != "0" && !facts.IsLoopback(h.Name)
}

// isPreviewServer reports whether the server c is one for previews of pages and does not listen on a
// public address.
func isPreviewServer(c *shell.Call) bool {
	for i := range c.Args {
		if a := c.Args[i].Text; a == "--public" || listensBeyondLoopback(a) {
			return false
		}
	}
	return !program.Is(c.Name, program.IsFileSharer) && !hasWords(c, "pyftpdlib|uploadserver|updog")
}

// requiresPassword reports whether the options of the server c make clients send a password.
func requiresPassword(c *shell.Call) bool {
	for i := range c.Args {
		name, value, eq := strings.Cut(c.Args[i].Text, "=")
		if !eq && i+1 < len(c.Args) {
			value = c.Args[i+1].Text
		}
		switch name {
		case "--password", "--auth", "--auth-file", "--basic-auth":
			return value != ""
		case "-a":
			return strings.Contains(value, ":") && !listensBeyondLoopback(value)
		}
	}
	return false
}

// canServeFiles reports whether the program name can serve the files of a directory.
func canServeFiles(name string) bool {
	return program.ServesOf(name) != 0 || facts.LanguageOf(name) == facts.Python
}

// parseServer reports whether c serves files (open), and only to this machine (local). It returns the
// directory that c names, or "" if it names none.
func parseServer(c *shell.Call) (open, local bool, dir string) {
	switch program.ServesOf(c.Name) {
	case program.ServesPhp:
		return parsePHPServer(c)
	case program.ServesRuby:
		return parseRubyServer(c)
	case program.ServesByWord:
		if !hasWords(c, "file-server|web") {
			return false, false, ""
		}
	}
	python := facts.LanguageOf(c.Name) == facts.Python
	open = !python
	for i := range c.Args {
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		a := c.Args[i].Text
		if !open {
			if open = isServerModule(a, next); !open && i > 1 {
				return false, false, ""
			}
			continue
		}
		name, value, eq := strings.Cut(a, "=")
		if !eq {
			value = next
		}
		switch name {
		case "--bind", "-b", "-i", "--interfaces", "-a", "--host", "--listen", "-l", "--addr":
			local = local || facts.IsLoopback(value)
		case "--directory", "-d", "-t", "-h", "--root", "-r", "--path", "--base-path", "--dir":
			dir = value
		case "-p", "--port", "-c":
		default:
			if a != "" && a[0] != '-' && (i == 0 || !serverOptionTakesValue(c.Args[i-1].Text)) && !python && !isDigits(a) {
				dir = a
			}
		}
	}
	return open, local, dir
}

// serverOptionTakesValue reports whether the option o of a file server takes a value other than the
// directory.
func serverOptionTakesValue(o string) bool {
	switch o {
	case "-p", "--port", "-l", "--listen", "-c", "-a", "--host", "-i", "-b", "--bind", "--user", "-u", "--password", "--auth", "--auth-file", "--basic-auth", "--username":
		return true
	}
	return false
}

// parsePHPServer is parseServer for php -S ADDRESS.
func parsePHPServer(c *shell.Call) (open, local bool, dir string) {
	for i := range c.Args {
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		switch a := c.Args[i].Text; {
		case strings.HasPrefix(a, "-S"):
			if open = true; len(a) > 2 {
				next = a[2:]
			}
			local = facts.IsLoopback(next)
		case a == "-t" || a == "--docroot":
			dir = next
		}
	}
	return open, local, dir
}

// parseRubyServer is parseServer for ruby -run -e httpd DIR.
func parseRubyServer(c *shell.Call) (open, local bool, dir string) {
	run := false
	for i := range c.Args {
		a := c.Args[i].Text
		run = run || a == "-run" || a == "-rrun" || a == "-run.rb"
		if !open {
			open = run && (a == "-ehttpd" || a == "httpd" && i > 0 && strings.HasSuffix(c.Args[i-1].Text, "e"))
			continue
		}
		switch {
		case strings.HasPrefix(a, "--bind-address="):
			local = facts.IsLoopback(a[len("--bind-address="):])
		case a != "" && a[0] != '-' && !isDigits(a):
			dir = a
		}
	}
	return open, local, dir
}

// isServerModule reports whether a is the Python option -m with a module that serves files. The module
// is in a itself or in next, the word after it.
func isServerModule(a, next string) bool {
	module, ok := strings.CutPrefix(a, "-m")
	if !ok {
		return false
	}
	if module == "" {
		module = next
	}
	switch module {
	case "http.server", "SimpleHTTPServer", "CGIHTTPServer", "pyftpdlib", "uploadserver", "updog":
		return true
	}
	return false
}

// publishEffect returns the effect of uploading a package to a registry. It reports false unless the
// registry is a dead drop, because publishing is everyday work.
func (t *tracer) publishEffect(c *shell.Call) (shell.Effect, bool) {
	if hasWords(c, "registry login") {
		return t.loginEffect(c)
	}
	if !hasWords(c, "publish|upload|push|nuget push") || hasWords(c, "run|exec") {
		return shell.Effect{}, false
	}
	if hasArg(c, "--dry-run") || hasArg(c, "--help") {
		return shell.Effect{}, false
	}
	if e, ok := t.npmTokenEffect(c); ok {
		return e, true
	}
	h := firstNamedHost(c)
	for i := 1; i < len(c.Args); i++ {
		if o := c.Args[i-1].Text; !h.Exists() && (o == "--repository-url" || o == "--source" || o == "--host" || o == "--index-url") {
			h = facts.HostOf(c.Args[i].Text)
		}
	}
	if !h.Exists() || !h.HidesOwner() {
		return shell.Effect{}, false
	}
	s := transfer{to: h}
	s.addData(taint{level: file, from: fromPath, what: "a project package"}, copied)
	return s.effect(c)
}

// npmTokenEffect returns the effect of an option such as --//host/:_authToken=x, with which npm sends
// a token to host. It reports false unless host is a dead drop.
func (t *tracer) npmTokenEffect(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Args {
		w := &c.Args[i]
		rest, ok := strings.CutPrefix(w.Text, "--//")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if h := facts.HostOf(name); h.HidesOwner() {
			s := transfer{to: h}
			s.addData(t.wordTaint(w), body)
			return s.effect(c)
		}
	}
	return shell.Effect{}, false
}
