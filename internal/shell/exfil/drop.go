package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// tunnel is about programs that let others into this machine.
func (t *tracer) tunnel(c *shell.Call) (shell.Effect, bool) {
	first := ""
	if len(c.Args) > 0 {
		first = c.Args[0].Text
	}
	switch first {
	case "version", "--version", "help", "--help", "-h", "-v", "status", "config", "login", "update", "list", "authtoken", "up", "down", "ip", "netcheck", "ping", "logout", "":
		if first != "" || c.Name == "ngrok" || c.Name == "cloudflared" || c.Name == "tailscale" {
			return shell.Effect{}, false
		}
	}
	switch c.Name {
	case "ngrok":
		for i := range c.Args {
			if strings.HasPrefix(c.Args[i].Text, "file:") {
				s := sending{to: facts.Host{Name: c.Name, Zone: facts.Away, Open: true}}
				s.add(t.fileWord(c, &c.Args[i]), copied)
				return s.effect(c)
			}
		}
	case "tailscale":
		if len(c.Args) > 1 && c.Args[1].Text == "status" {
			return shell.Effect{}, false
		}
		return t.tailscale(c, first)
	case "cloudflared":
		if first != "tunnel" && first != "access" || len(c.Args) > 1 && (c.Args[1].Text == "list" || c.Args[1].Text == "info") {
			return shell.Effect{}, false
		}
	case "dnscat", "dnscat2", "iodine", "ptunnel":
		return plain(c, shell.Exfiltration, shell.ExfilDNS, shell.RadiusHigh, lastHost(c), "opens a hidden tunnel from this machine"), true
	case "chisel", "gost", "rathole", "tmate", "teleconsole", "upterm":
		return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusHigh, facts.Host{}, "gives others access to this machine"), true
	}
	return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusMedium, facts.Host{}, "makes this machine reachable by others"), true
}

func (t *tracer) tailscale(c *shell.Call, first string) (shell.Effect, bool) {
	switch {
	case first == "funnel" || first == "serve":
		return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusMedium, facts.Host{}, "makes this machine reachable by others"), true
	case first == "file" && len(c.Args) > 3 && c.Args[1].Text == "cp":
		return t.toRemote(c, arguments(c)[2:])
	}
	return shell.Effect{}, false
}

// message is about programs that hand a text to a server that they are told of.
func (t *tracer) message(c *shell.Call) (shell.Effect, bool) {
	if c.Name == "duplicity" && says(c, "collection-status|list-current-files|verify") {
		return shell.Effect{}, false // which only read what is there
	}
	var s sending
	var sent load
	var w program.Walk
	for w.Start(c); w.Next(); {
		if namesServer(c.Name, w.Name) {
			s.to = facts.Farther(s.to, facts.HostOf(w.Arg.Text))
		} else {
			sent = more(sent, t.told(c, &s, w.Name, &w.Arg))
		}
	}
	if !s.to.Set() {
		return shell.Effect{}, false
	}
	s.add(sent, body)
	if fed(c) && c.Name != "redis-cli" || has(c, "-x") {
		s.add(t.input(c), body)
	} else if l := t.input(c); l.level == secret && !l.token() {
		s.add(l, body) // commands with a secret in them
	}
	return s.effect(c)
}

// namesServer reports whether an option of a message program says who gets it.
func namesServer(program, option string) bool {
	switch option {
	case "server", "h", "host", "H", "z", "bootstrap-server", "broker-list", "uri":
		return true
	case "n":
		return program == "logger"
	case "s":
		return program == "nats"
	case "u":
		return program == "redis-cli"
	}
	return false
}

// told is what a message program sends of the value of one option, or of a plain
// word.
func (t *tracer) told(c *shell.Call, s *sending, option string, v *shell.Word) load {
	switch option {
	case "n", "b", "s": // of others than namesServer knows
	case "r", "repo", "repository":
		if h, ok := remotePath(strings.TrimPrefix(v.Text, "rest:")); ok {
			s.to = facts.Farther(s.to, h)
		}
	case "f", "file":
		return t.fileWord(c, v)
	case "a", "p", "pw", "pass", "P", "password", "user", "u":
		// They are there to sign in.
		if l := t.word(v); l.level == secret && !l.token() {
			return l
		}
	case "script-args":
		if _, path, ok := strings.Cut(v.Text, "http-put.file="); ok {
			path, _, _ = strings.Cut(path, ",")
			s.to = facts.Farther(s.to, lastHost(c))
			return t.file(c, path)
		}
	case "":
		return t.argument(c, v, s)
	default:
		return t.word(v)
	}
	return load{}
}

// kcat sends files that are its arguments, or else its input.
func (t *tracer) kcat(c *shell.Call) (shell.Effect, bool) {
	var s sending
	var sent load
	produces := false
	var w program.Walk
	for w.Start(c); w.Next(); {
		switch w.Name {
		case "b":
			s.to = facts.Farther(s.to, facts.HostOf(w.Arg.Text))
		case "P", "l":
			produces = true
		case "k", "H", "t":
			sent = more(sent, t.word(&w.Arg))
		case "":
			sent = more(sent, t.fileWord(c, &w.Arg))
		}
	}
	if !produces && !fed(c) {
		return shell.Effect{}, false
	}
	s.need()
	s.add(sent, body)
	if fed(c) {
		s.add(t.input(c), body)
	}
	return s.effect(c)
}

// argument is a plain word of a message program: mostly text, with a backup a
// directory, or the place that it goes to.
func (t *tracer) argument(c *shell.Call, v *shell.Word, s *sending) load {
	switch {
	case program.Is(c.Name, program.IsBackup):
		if !says(c, "create|backup|snapshot") && c.Name != "duplicity" && c.Name != "rdiff-backup" {
			return load{}
		}
		switch v.Text {
		case "create", "backup", "snapshot", "full", "incremental":
			return load{}
		}
		place := v.Text
		if c.Name == "borg" { // repository::archive
			place, _, _ = strings.Cut(place, "::")
			if place != v.Text && !strings.Contains(place, ":") {
				return load{}
			}
		}
		if h, ok := remotePath(place); ok || strings.Contains(v.Text, "://") {
			if !ok {
				h = facts.HostOf(v.Text)
			}
			s.to = facts.Farther(s.to, h)
			return load{}
		}
		l := t.fileWord(c, v)
		if l.level == file {
			l.soft = true // a backup is made to lie elsewhere
		}
		return l
	case c.Name == "lp" || c.Name == "lpr":
		return t.fileWord(c, v)
	}
	return t.word(v)
}

// image is about pushes of images: everyday work, unless the registry is a
// dead drop.
func (t *tracer) image(c *shell.Call) (shell.Effect, bool) {
	if says(c, "login") && len(c.Args) > 1 && c.Args[0].Text != "run" && c.Args[0].Text != "exec" {
		return t.login(c)
	}
	for i := range c.Args {
		if name, ok := toolImage(c.Args[i].Text); ok && i > 0 && says(c, "run") {
			a := *c
			a.Name, a.Args = name, c.Args[i+1:]
			return t.transport(&a)
		}
		if l := t.packed(c, i); l.level == secret {
			s := sending{to: facts.Host{Zone: facts.Away}}
			s.add(l, copied)
			return s.effect(c)
		}
		if c.Args[i].Text != "push" || i+1 == len(c.Args) {
			continue
		}
		registry, _, ok := strings.Cut(c.Args[len(c.Args)-1].Text, "/")
		if h := facts.HostOf(registry); ok && h.Drop() && strings.ContainsAny(registry, ".:") {
			s := sending{to: h}
			s.add(load{level: file, what: "an image"}, copied)
			return s.effect(c)
		}
	}
	return shell.Effect{}, false
}

// packed is what a word of a call that copies images names on this machine: skopeo
// copy dir:PATH, crane push FILE, docker cp FILE with a daemon elsewhere.
func (t *tracer) packed(c *shell.Call, i int) load {
	text := c.Args[i].Text
	switch {
	case c.Name == "skopeo" && says(c, "copy|sync"):
		kind, path, ok := strings.Cut(text, ":")
		if ok && i < len(c.Args)-1 && (kind == "dir" || kind == "oci" || kind == "oci-archive" || kind == "docker-archive") {
			return t.file(c, path)
		}
	case i > 0 && c.Args[i-1].Text == "cp" && farDaemon(c), i > 0 && (c.Args[i-1].Text == "-f" || c.Args[i-1].Text == "--new_layer") && c.Name == "crane":
		return t.fileWord(c, &c.Args[i])
	}
	return load{}
}

// toolImage returns the program that an image is made for: curlimages/curl:8.
func toolImage(image string) (string, bool) {
	image = image[strings.LastIndexByte(image, '/')+1:]
	image, _, _ = strings.Cut(image, ":")
	switch image {
	case "curl", "wget", "httpie", "netcat", "socat", "rclone", "rsync":
		return image, true
	}
	return "", false
}
