package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// device is about redirections to /dev/tcp and /dev/udp, which bash makes into
// connections.
func (t *tracer) device(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Redir {
		r := &c.Redir[i]
		addr, ok := deviceAddress(r.Target.Text)
		if !ok {
			continue
		}
		h := facts.HostOf(addr)
		if facts.AnyShell(c.Name) && !hasCommand(c) || redirects(c) && r.Op == "<>" && h.Zone != facts.Here {
			return remoteShell(c, h), true
		}
		if r.Op == "<" {
			continue
		}
		s := transfer{to: h}
		s.addLoad(t.printedBy(c), socket)
		if inHost(addr) {
			s.addLoad(t.word(&r.Target), inName)
		}
		return s.effect(c)
	}
	return shell.Effect{}, false
}

// printedBy is what a call writes to its redirections. What only prints its
// input, such as cat without a file, prints what is piped in.
func (t *tracer) printedBy(c *shell.Call) load {
	if redirects(c) {
		return t.input(c)
	}
	return t.output(c)
}

// redirects reports whether a call does nothing but redirect.
func redirects(c *shell.Call) bool { return c.Name == "" || program.Is(c.Name, program.IsRedirecting) }

// deviceAddress returns the host of /dev/tcp/HOST/PORT.
func deviceAddress(path string) (string, bool) {
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

// hasCommand reports whether a shell is given its commands by its words.
func hasCommand(c *shell.Call) bool {
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

func remoteShell(c *shell.Call, h facts.Host) shell.Effect {
	where := "somebody else"
	if h.Name != "" {
		where = h.Name
	}
	return connectEffect(c, shell.Exfiltration, shell.RemoteShell, shell.RadiusHigh, h, "gives "+where+" a shell on this machine")
}

// shell is about shells that read their commands from a connection.
func (t *tracer) shell(c *shell.Call) (shell.Effect, bool) {
	if c.In == nil || hasCommand(c) {
		return shell.Effect{}, false
	}
	for i, f := range c.In.From {
		if f == nil || i > 8 {
			break
		}
		switch program.SendsOf(f.Name) {
		case program.SendsNetcat, program.SendsSocat:
			return remoteShell(c, lastHost(f)), true
		case program.SendsOpenssl:
			if len(f.Args) > 0 && f.Args[0].Text == "s_client" {
				return remoteShell(c, facts.Host{}), true
			}
		}
	}
	return shell.Effect{}, false
}

// pipedShell reports whether a shell that reads commands prints into the call,
// or the call's own output comes back to what feeds it, through a named pipe.
func pipedShell(c *shell.Call) bool {
	if c.In == nil {
		return false
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, ">") && comesBack(c.In.From, c.Redir[i].Target.Text) {
			return true
		}
	}
	for i, f := range c.In.From {
		if f == nil || i > 8 {
			break
		}
		if program.SendsOf(f.Name) == program.SendsNetcat {
			return true // one connection into another: what was between them was a shell
		}
		if facts.AnyShell(f.Name) && !hasCommand(f) && (f.In != nil || hasArg(f, "-i") || hasArg(f, "-li") || hasArg(f, "-il") || fed(f)) {
			return true
		}
	}
	return false
}

// comesBack reports whether one of the calls reads path.
func comesBack(from []*shell.Call, path string) bool {
	if path == "" || path == "/dev/null" || number(path) {
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

// netcat is about nc, ncat and telnet: what is on their input goes out, and with
// -e a shell does.
func (t *tracer) netcat(c *shell.Call) (shell.Effect, bool) {
	var h facts.Host
	listen, runs, scan := false, false, false
	var named load
	var w program.Walk
	for w.Start(c); w.Next(); {
		switch w.Name {
		case "":
			if !h.Set() {
				h = facts.HostOf(w.Arg.Text)
				if inHost(w.Arg.Text) && h.Name != "" {
					named = t.word(&w.Arg)
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
	if (runs || pipedShell(c)) && (h.Set() || listen) {
		if listen {
			h.Name = ""
		}
		return remoteShell(c, h), true
	}
	if scan || !h.Set() {
		return shell.Effect{}, false
	}
	s := transfer{to: h}
	s.addLoad(t.input(c), socket)
	s.addLoad(named, inName)
	return s.effect(c)
}

// socat joins two addresses: a file or a program, and a connection.
func (t *tracer) socat(c *shell.Call) (shell.Effect, bool) {
	h := socatHost(c)
	if !h.Set() {
		return shell.Effect{}, false
	}
	var l load
	for i := range c.Args {
		kind, rest, _ := strings.Cut(c.Args[i].Text, ":")
		switch strings.ToUpper(kind) {
		case "EXEC", "SYSTEM", "SHELL":
			if runsShell(rest) {
				return remoteShell(c, h), true
			}
			e := connectEffect(c, shell.Unknown, shell.RemoteShell, shell.RadiusMedium, h, "gives others access to the program "+rest)
			return e, h.Zone != facts.Here
		case "FILE", "OPEN", "GOPEN":
			path, _, _ := strings.Cut(rest, ",")
			l = more(l, t.file(c, path))
		case "-", "STDIN", "STDIO":
			l = more(l, t.input(c))
		default:
			if strings.HasPrefix(kind, "/") || strings.HasPrefix(kind, "./") {
				path, _, _ := strings.Cut(kind, ",")
				l = more(l, t.file(c, path))
			}
		}
	}
	if pipedShell(c) {
		return remoteShell(c, h), true
	}
	s := transfer{to: h}
	s.addLoad(l, socket)
	return s.effect(c)
}

// socatHost returns the host of the connection among socat's addresses.
func socatHost(c *shell.Call) facts.Host {
	var h facts.Host
	for i := range c.Args {
		kind, rest, _ := strings.Cut(c.Args[i].Text, ":")
		kind = strings.ToUpper(kind)
		base, _, _ := strings.Cut(kind, "-")
		switch strings.TrimRight(base, "46") {
		case "TCP", "UDP", "OPENSSL", "SSL", "SCTP", "DTLS", "SOCKS", "SOCKS4A", "SOCKS5", "PROXY", "DCCP", "WS", "QUIC":
			if strings.Contains(kind, "LISTEN") || strings.HasSuffix(kind, "-L") || strings.Contains(kind, "RECV") {
				h = facts.Farther(h, facts.Host{Zone: facts.Away})
				continue
			}
			addr, _, _ := strings.Cut(rest, ",")
			h = facts.Farther(h, facts.HostOf(addr))
		}
	}
	return h
}

// runsShell reports whether a command line starts a shell.
func runsShell(s string) bool {
	s = strings.Trim(s, `"' `)
	if i := strings.IndexAny(s, " ,"); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimSuffix(strings.ToLower(s[strings.LastIndexAny(s, `/\`)+1:]), ".exe")
	return facts.AnyShell(s) || s == "login" || s == "su" || strings.HasPrefix(s, "python") || s == "perl"
}

// openssl sends only as s_client.
func (t *tracer) openssl(c *shell.Call) (shell.Effect, bool) {
	if len(c.Args) == 0 || c.Args[0].Text != "s_client" && c.Args[0].Text != "s_server" {
		return shell.Effect{}, false
	}
	var h facts.Host
	var named, sent load
	for i := 1; i+1 < len(c.Args); i++ {
		switch c.Args[i].Text {
		case "-connect", "--connect", "-host", "-proxy":
			h = facts.Farther(h, facts.HostOf(c.Args[i+1].Text))
			if w := &c.Args[i+1]; inHost(w.Text) && (h.Name != "" || len(w.From) > 0) {
				named = more(named, t.word(w))
			}
		case "-servername", "-psk_identity", "-alpn":
			if w := &c.Args[i+1]; len(w.From) > 0 {
				sent = more(sent, t.word(w))
			}
		}
	}
	for i := 1; i < len(c.Args) && !h.Set(); i++ {
		if a := c.Args[i].Text; strings.IndexByte(a, ':') > 0 && a[0] != '-' {
			h = facts.HostOf(a)
		}
	}
	if c.Args[0].Text == "s_server" {
		h = facts.Host{Zone: facts.Away}
	}
	if !h.Set() {
		return shell.Effect{}, false
	}
	if pipedShell(c) {
		return remoteShell(c, h), true
	}
	s := transfer{to: h}
	s.addLoad(t.input(c), socket)
	s.addLoad(named, inName)
	s.addLoad(sent, body)
	return s.effect(c)
}
