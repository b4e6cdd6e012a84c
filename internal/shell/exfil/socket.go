package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// devTCPEffect returns the effect of redirections to /dev/tcp and /dev/udp, which bash turns into
// connections. It reports false if c has none or if they are harmless.
func (t *tracer) devTCPEffect(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Redir {
		r := &c.Redir[i]
		addr, ok := devTCPHost(r.Target.Text)
		if !ok {
			continue
		}
		h := facts.HostOf(addr)
		if facts.IsAnyShell(c.Name) && !hasShellCommand(c) || onlyRedirects(c) && r.Op == "<>" && h.Zone != facts.Here {
			return remoteShellEffect(c, h), true
		}
		if r.Op == "<" {
			continue
		}
		s := transfer{to: h}
		s.addData(t.redirectOutputTaint(c), socket)
		if hasUnknownHost(addr) {
			s.addData(t.wordTaint(&r.Target), inHostName)
		}
		return s.effect(c)
	}
	return shell.Effect{}, false
}

// redirectOutputTaint returns the worst taint that c writes to its redirections. A call that only
// redirects, such as exec, passes on its standard input.
func (t *tracer) redirectOutputTaint(c *shell.Call) taint {
	if onlyRedirects(c) {
		return t.inputTaint(c)
	}
	return t.outputTaint(c)
}

// onlyRedirects reports whether c has no program, or one such as exec that does nothing but redirect.
func onlyRedirects(c *shell.Call) bool {
	return c.Name == "" || program.Is(c.Name, program.IsRedirecting)
}

// devTCPHost returns HOST of /dev/tcp/HOST/PORT or /dev/udp/HOST/PORT. It reports false for other
// paths.
func devTCPHost(path string) (string, bool) {
	if !strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "//dev") && !strings.HasPrefix(path, "/./") {
		return "", false
	}
	i := strings.Index(path, "/tcp/")
	if i < 0 {
		i = strings.Index(path, "/udp/")
	}
	if i < 0 {
		return "", false
	}
	rest := path[i+len("/tcp/"):]
	name, _, _ := strings.Cut(rest, "/")
	return name, true
}

// hasShellCommand reports whether the words of the shell call c contain its commands or name a script.
func hasShellCommand(c *shell.Call) bool {
	for i := range c.Args {
		a := c.Args[i].Text
		if a == "" || a[0] != '-' {
			return i == 0 || c.Args[i-1].Text != "-o"
		}
		if len(a) > 1 && a[1] != '-' && strings.IndexByte(a, 'c') > 0 {
			return true
		}
	}
	return false
}

// remoteShellEffect returns the effect of giving the host h a shell on this machine.
func remoteShellEffect(c *shell.Call, h facts.Host) shell.Effect {
	where := "another machine"
	if h.Name != "" {
		where = h.Name
	}
	return connectEffect(c, shell.Exfiltration, shell.RemoteShell, shell.ImpactHigh, h, "gives "+where+" a shell on this machine")
}

// shellOnSocketEffect returns the effect of a shell that reads its commands from a network connection.
// It reports false for any other shell.
func (t *tracer) shellOnSocketEffect(c *shell.Call) (shell.Effect, bool) {
	if c.In == nil || hasShellCommand(c) {
		return shell.Effect{}, false
	}
	for i, f := range c.In.From {
		if f == nil || i > 8 {
			break
		}
		switch program.SendsOf(f.Name) {
		case program.SendsNetcat, program.SendsSocat:
			return remoteShellEffect(c, lastHost(f)), true
		case program.SendsOpenssl:
			if len(f.Args) > 0 && f.Args[0].Text == "s_client" {
				return remoteShellEffect(c, facts.Host{}), true
			}
		}
	}
	return shell.Effect{}, false
}

// isFedByShell reports whether the output of an interactive shell is piped into c, or the output of c
// goes back to a shell through a named pipe.
func isFedByShell(c *shell.Call) bool {
	if c.In == nil {
		return false
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, ">") && readsPath(c.In.From, c.Redir[i].Target.Text) {
			return true
		}
	}
	for i, f := range c.In.From {
		if f == nil || i > 8 {
			break
		}
		if program.SendsOf(f.Name) == program.SendsNetcat {
			return true // a shell runs between two connections that are piped together
		}
		if facts.IsAnyShell(f.Name) && !hasShellCommand(f) && (f.In != nil || hasArg(f, "-i") || hasArg(f, "-li") || hasArg(f, "-il") || hasInput(f)) {
			return true
		}
	}
	return false
}

// readsPath reports whether one of the calls in from names path as a word or reads it by redirection.
func readsPath(from []*shell.Call, path string) bool {
	if path == "" || path == "/dev/null" || isDigits(path) {
		return false
	}
	for i, f := range from {
		if f == nil || i > 8 {
			break
		}
		if hasArg(f, path) {
			return true
		}
		for j := range f.Redir {
			if f.Redir[j].Op == "<" && f.Redir[j].Target.Text == path {
				return true
			}
		}
	}
	return false
}

// netcatEffect returns the effect of nc, ncat and telnet, which send their input or, with options such
// as -e, give access to a program.
func (t *tracer) netcatEffect(c *shell.Call) (shell.Effect, bool) {
	var h facts.Host
	listen, runs, scan := false, false, false
	var named taint
	var w program.Walk
	for w.Start(c); w.Next(); {
		switch w.Name {
		case "":
			if !h.Exists() {
				h = facts.HostOf(w.Arg.Text)
				if hasUnknownHost(w.Arg.Text) && h.Name != "" {
					named = t.wordTaint(&w.Arg)
				}
			}
		case "l", "listen":
			listen = true
		case "z":
			scan = true
		default:
			runs = runs || w.Arg.Text != "" && (w.Role == "command" || w.Name == "lua-exec")
		}
	}
	if listen {
		h = facts.Host{Name: "whoever connects", Zone: facts.Away}
	}
	if (runs || isFedByShell(c)) && (h.Exists() || listen) {
		if listen {
			h.Name = ""
		}
		return remoteShellEffect(c, h), true
	}
	if scan || !h.Exists() {
		return shell.Effect{}, false
	}
	s := transfer{to: h}
	s.addData(t.inputTaint(c), socket)
	s.addData(named, inHostName)
	return s.effect(c)
}

// socatEffect returns the effect of socat, which connects two addresses, such as a file or a program
// and a network connection.
func (t *tracer) socatEffect(c *shell.Call) (shell.Effect, bool) {
	h := socatHost(c)
	if !h.Exists() {
		return shell.Effect{}, false
	}
	var l taint
	for i := range c.Args {
		kind, rest, _ := strings.Cut(c.Args[i].Text, ":")
		switch strings.ToUpper(kind) {
		case "EXEC", "SYSTEM", "SHELL":
			if startsShell(rest) {
				return remoteShellEffect(c, h), true
			}
			e := connectEffect(c, shell.Unknown, shell.RemoteShell, shell.ImpactMedium, h, "gives others access to the program "+rest)
			return e, h.Zone != facts.Here
		case "FILE", "OPEN", "GOPEN":
			path, _, _ := strings.Cut(rest, ",")
			l = worseTaint(l, t.fileTaint(c, path))
		case "-", "STDIN", "STDIO":
			l = worseTaint(l, t.inputTaint(c))
		default:
			if strings.HasPrefix(kind, "/") || strings.HasPrefix(kind, "./") {
				path, _, _ := strings.Cut(kind, ",")
				l = worseTaint(l, t.fileTaint(c, path))
			}
		}
	}
	if isFedByShell(c) {
		return remoteShellEffect(c, h), true
	}
	s := transfer{to: h}
	s.addData(l, socket)
	return s.effect(c)
}

// socatHost returns the host of the network connection among the addresses of socat. It returns an
// unknown host on another machine if socat listens, and the zero Host if there is no connection.
func socatHost(c *shell.Call) facts.Host {
	var h facts.Host
	for i := range c.Args {
		kind, rest, _ := strings.Cut(c.Args[i].Text, ":")
		kind = strings.ToUpper(kind)
		base, _, _ := strings.Cut(kind, "-")
		switch strings.TrimRight(base, "46") {
		case "TCP", "UDP", "OPENSSL", "SSL", "SCTP", "DTLS", "SOCKS", "SOCKS4A", "SOCKS5", "PROXY", "DCCP", "WS", "QUIC":
			if strings.Contains(kind, "LISTEN") || strings.HasSuffix(kind, "-L") || strings.Contains(kind, "RECV") {
				h = facts.MoreRemote(h, facts.Host{Zone: facts.Away})
				continue
			}
			addr, _, _ := strings.Cut(rest, ",")
			h = facts.MoreRemote(h, facts.HostOf(addr))
		}
	}
	return h
}

// startsShell reports whether the command line s starts a shell or an interpreter such as Python.
func startsShell(s string) bool {
	s = strings.Trim(s, `"' `)
	if i := strings.IndexAny(s, " ,"); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimSuffix(strings.ToLower(s[strings.LastIndexAny(s, `/\`)+1:]), ".exe")
	return facts.IsAnyShell(s) || s == "login" || s == "su" || strings.HasPrefix(s, "python") || s == "perl"
}

// opensslSocketEffect returns the effect of openssl s_client and s_server. It reports false for
// other subcommands.
func (t *tracer) opensslSocketEffect(c *shell.Call) (shell.Effect, bool) {
	if len(c.Args) == 0 || c.Args[0].Text != "s_client" && c.Args[0].Text != "s_server" {
		return shell.Effect{}, false
	}
	var h facts.Host
	var named, sent taint
	for i := 1; i+1 < len(c.Args); i++ {
		switch c.Args[i].Text {
		case "-connect", "--connect", "-host", "-proxy":
			h = facts.MoreRemote(h, facts.HostOf(c.Args[i+1].Text))
			if w := &c.Args[i+1]; hasUnknownHost(w.Text) && (h.Name != "" || len(w.From) > 0) {
				named = worseTaint(named, t.wordTaint(w))
			}
		case "-servername", "-psk_identity", "-alpn":
			if w := &c.Args[i+1]; len(w.From) > 0 {
				sent = worseTaint(sent, t.wordTaint(w))
			}
		}
	}
	for i := 1; i < len(c.Args) && !h.Exists(); i++ {
		if a := c.Args[i].Text; strings.IndexByte(a, ':') > 0 && a[0] != '-' {
			h = facts.HostOf(a)
		}
	}
	if c.Args[0].Text == "s_server" {
		h = facts.Host{Zone: facts.Away}
	}
	if !h.Exists() {
		return shell.Effect{}, false
	}
	if isFedByShell(c) {
		return remoteShellEffect(c, h), true
	}
	s := transfer{to: h}
	s.addData(t.inputTaint(c), socket)
	s.addData(named, inHostName)
	s.addData(sent, body)
	return s.effect(c)
}
