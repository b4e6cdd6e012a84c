package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// serve is about servers of files that one command starts. A server of the
// project is everyday work as long as only this machine can ask it; one of a home
// or of the whole disk gives everything away.
func (t *tracer) serve(c *shell.Call) (shell.Effect, bool) {
	open, local, dir := served(c)
	if !open {
		return shell.Effect{}, false
	}
	if dir == "" {
		dir = c.Dir
	}
	if dir != "" && (facts.SecretFile(dir) || t.isTopDir(dir)) {
		if local {
			return connectEffect(c, shell.Unknown, shell.Tunnel, shell.RadiusMedium, facts.Host{}, "serves "+dir+" to programs on this machine"), true
		}
		return connectEffect(c, shell.Exfiltration, shell.ExfilSecret, shell.RadiusHigh, facts.Host{}, "serves "+dir+" to anyone who connects"), true
	}
	if local || everyday(c) || locked(c) {
		return shell.Effect{}, false
	}
	return connectEffect(c, shell.Unknown, shell.Tunnel, shell.RadiusMedium, facts.Host{}, "serves files to anyone who connects"), true
}

// listensToAll reports whether a word is an address on which all the world is heard.
func listensToAll(word string) bool {
	h := facts.HostOf(word[strings.IndexByte(word, '=')+1:])
	return h.Local() && h.Name != "0" && !facts.OnlyHere(h.Name)
}

// everyday reports whether a server is there to look at a page while it is made:
// it is not told to listen to all the world.
func everyday(c *shell.Call) bool {
	for i := range c.Args {
		if a := c.Args[i].Text; a == "--public" || listensToAll(a) {
			return false
		}
	}
	return !program.Is(c.Name, program.IsFileSharer) && !hasWords(c, "pyftpdlib|uploadserver|updog")
}

// locked reports whether a server wants a password of whoever connects.
func locked(c *shell.Call) bool {
	for i := range c.Args {
		name, value, eq := strings.Cut(c.Args[i].Text, "=")
		if !eq && i+1 < len(c.Args) {
			value = c.Args[i+1].Text
		}
		switch name {
		case "--password", "--auth", "--auth-file", "--basic-auth":
			return value != ""
		case "-a":
			return strings.Contains(value, ":") && !listensToAll(value)
		}
	}
	return false
}

// servesFiles reports whether a program can serve the files of a directory.
func servesFiles(name string) bool {
	return program.ServesOf(name) != 0 || facts.TongueOf(name) == facts.Python
}

// served finds out whether a call serves files, whether only to this machine, and
// which directory.
func served(c *shell.Call) (open, local bool, dir string) {
	switch program.ServesOf(c.Name) {
	case program.ServesPhp:
		return servedPHP(c)
	case program.ServesRuby:
		return servedRuby(c)
	case program.ServesByWord:
		if !hasWords(c, "file-server|web") {
			return false, false, ""
		}
	}
	python := facts.TongueOf(c.Name) == facts.Python
	open = !python
	for i := range c.Args {
		next := ""
		if i+1 < len(c.Args) {
			next = c.Args[i+1].Text
		}
		a := c.Args[i].Text
		if !open {
			if open = serverModule(a, next); !open && i > 1 {
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
			local = local || facts.OnlyHere(value)
		case "--directory", "-d", "-t", "-h", "--root", "-r", "--path", "--base-path", "--dir":
			dir = value
		case "-p", "--port", "-c":
		default:
			if a != "" && a[0] != '-' && (i == 0 || !valued(c.Args[i-1].Text)) && !python && !number(a) {
				dir = a
			}
		}
	}
	return open, local, dir
}

// valued reports whether an option of a server takes a value.
func valued(o string) bool {
	switch o {
	case "-p", "--port", "-l", "--listen", "-c", "-a", "--host", "-i", "-b", "--bind", "--user", "-u", "--password", "--auth", "--auth-file", "--basic-auth", "--username":
		return true
	}
	return false
}

func servedPHP(c *shell.Call) (open, local bool, dir string) {
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
			local = facts.OnlyHere(next)
		case a == "-t" || a == "--docroot":
			dir = next
		}
	}
	return open, local, dir
}

// servedRuby is about ruby -run -e httpd DIR.
func servedRuby(c *shell.Call) (open, local bool, dir string) {
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
			local = facts.OnlyHere(a[len("--bind-address="):])
		case a != "" && a[0] != '-' && !number(a):
			dir = a
		}
	}
	return open, local, dir
}

// serverModule reports whether -m names a module that serves files.
func serverModule(a, next string) bool {
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

// publish is about packages that are handed to a registry: everyday work, unless
// the registry is a dead drop.
func (t *tracer) publish(c *shell.Call) (shell.Effect, bool) {
	if hasWords(c, "registry login") {
		return t.loginEffect(c)
	}
	if !hasWords(c, "publish|upload|push|nuget push") || hasWords(c, "run|exec") {
		return shell.Effect{}, false
	}
	if hasArg(c, "--dry-run") || hasArg(c, "--help") {
		return shell.Effect{}, false
	}
	if e, ok := t.tokens(c); ok {
		return e, true
	}
	h := knownHost(c)
	for i := 1; i < len(c.Args); i++ {
		if o := c.Args[i-1].Text; !h.Set() && (o == "--repository-url" || o == "--source" || o == "--host" || o == "--index-url") {
			h = facts.HostOf(c.Args[i].Text)
		}
	}
	if !h.Set() || !h.Drop() {
		return shell.Effect{}, false
	}
	s := transfer{to: h}
	s.addLoad(load{level: file, from: fromPath, what: "a project package"}, copied)
	return s.effect(c)
}

// tokens is about tokens that npm is told to give to a host by its name:
// --//host/:_authToken=x.
func (t *tracer) tokens(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Args {
		w := &c.Args[i]
		rest, ok := strings.CutPrefix(w.Text, "--//")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if h := facts.HostOf(name); h.Drop() {
			s := transfer{to: h}
			s.addLoad(t.word(w), body)
			return s.effect(c)
		}
	}
	return shell.Effect{}, false
}
