package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// databaseHost returns the server that a database client connects to. It returns the zero Host if c
// names none, or a local socket, which means this machine.
func databaseHost(c *shell.Call) facts.Host {
	var h facts.Host
	for i := range c.Args {
		text := c.Args[i].Text
		if i > maxWords {
			break
		}
		switch {
		case strings.Contains(text, "://"):
			if _, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(text, "-") {
				text = value
			}
			h = facts.MoreRemote(h, facts.HostOf(text))
		case i > 0 && (c.Args[i-1].Text == "-h" || c.Args[i-1].Text == "--host"):
			h = facts.MoreRemote(h, facts.HostOf(text))
		case strings.HasPrefix(text, "--host="), strings.HasPrefix(text, "host="):
			_, text, _ = strings.Cut(text, "=")
			text, _, _ = strings.Cut(text, " ")
			h = facts.MoreRemote(h, facts.HostOf(text))
		case strings.HasPrefix(text, "-h") && len(text) > 2 && text[1] != '-':
			h = facts.MoreRemote(h, facts.HostOf(text[2:]))
		}
	}
	for _, p := range program.Parts(c) {
		if p.Role == shell.Host && isDottedName(p.Word.Text) {
			h = facts.MoreRemote(h, facts.HostOf(p.Word.Text))
		}
	}
	for i := range c.Env {
		if c.Env[i].Name == "PGHOST" || c.Env[i].Name == "MYSQL_HOST" {
			h = facts.MoreRemote(h, facts.HostOf(c.Env[i].Value.Text))
		}
	}
	if strings.HasPrefix(h.Name, "/") {
		return facts.Host{} // a local socket
	}
	return h
}

// databaseEffect returns the effect of a database client, which sends its input to the server. The
// server may pass rows to a program.
func (t *tracer) databaseEffect(c *shell.Call) (shell.Effect, bool) {
	for i := range c.Args {
		if e, ok := copyToProgramEffect(c, c.Args[i].Text); ok {
			return e, true
		}
	}
	for i := range c.Redir {
		if strings.HasPrefix(c.Redir[i].Op, "<<") {
			if e, ok := copyToProgramEffect(c, c.Redir[i].Target.Text); ok {
				return e, true
			}
		}
	}
	if c.In != nil && c.In.Complete {
		if e, ok := copyToProgramEffect(c, c.In.Text); ok {
			return e, true
		}
	}
	s := transfer{to: databaseHost(c)}
	if hasInput(c) && s.to.Exists() {
		// Piping statements into a client is common, so only a secret counts.
		if in := t.inputTaint(c); in.level == secret && !in.isToken() {
			s.addData(in, copied)
		}
	}
	if s.to.Exists() {
		for _, p := range program.Parts(c) {
			// \copy t FROM '.env' and LOAD DATA LOCAL INFILE read files of this machine.
			if p.Opt != "" && p.Word.IsKnown() && len(p.Word.Text) <= maxScript {
				if path, ok := facts.FindSecretFile(p.Word.Text); ok && strings.Contains(p.Word.Text, " ") {
					s.addData(t.fileTaint(c, path), copied)
				}
			}
		}
	}
	for i := 1; i < len(c.Args); i++ {
		if o := c.Args[i-1].Text; s.to.Exists() && (o == "--file" || o == "-f") {
			if l := t.fileWordTaint(c, &c.Args[i]); l.level == secret {
				s.addData(l, copied)
			}
		}
	}
	return s.effect(c)
}

// copyToProgramEffect returns the effect of a statement in text such as COPY … TO PROGRAM 'curl …',
// with which a database server passes rows to a program. It reports false if there is none that sends
// them away.
func copyToProgramEffect(c *shell.Call, text string) (shell.Effect, bool) {
	if len(text) > maxScript || len(text) < 16 {
		return shell.Effect{}, false
	}
	lower := strings.ToLower(text)
	at := strings.Index(lower, "program")
	if at < 0 || !strings.Contains(lower[:at], "copy") || !strings.HasSuffix(strings.TrimRight(lower[:at], " \t\n"), "to") {
		return shell.Effect{}, false
	}
	command := lower[at:]
	h := facts.Host{}
	for rest := command; rest != ""; {
		word := rest
		if i := strings.IndexAny(rest, " '\"|;\t\n$()"); i >= 0 {
			word, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		switch word {
		case "curl", "wget", "nc", "ncat", "netcat", "ssh", "scp", "socat", "mail", "sendmail", "telnet", "aws", "rsync":
			if !h.Exists() {
				h = facts.Host{Zone: facts.Away}
			}
		default:
			if strings.Contains(word, "://") {
				h = facts.HostOf(word)
			}
		}
	}
	s := transfer{to: h}
	s.addData(taint{level: file, from: fromOutput, what: "database rows", valuable: true}, socket)
	return s.effect(c)
}
