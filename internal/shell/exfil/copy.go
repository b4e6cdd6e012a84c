package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// parseRemotePath returns the host of host:path. A colon after a slash is part of a local name, and a
// single letter before a colon is a drive.
func parseRemotePath(text string) (h facts.Host, ok bool) {
	for _, scheme := range [...]string{"scp://", "sftp://", "ssh://", "rsync://", "ftp://"} {
		if strings.HasPrefix(text, scheme) {
			return facts.HostOf(text), true
		}
	}
	if strings.HasPrefix(text, "[") || strings.Contains(text, "@[") {
		addr, _, ok := strings.Cut(text, "]:")
		return facts.HostOf(addr + "]"), ok
	}
	i := strings.IndexByte(text, ':')
	if i <= 0 || i == 1 && facts.Letter(text[0]) && len(text) > 2 && (text[2] == '\\' || text[2] == '/') {
		return facts.Host{}, false
	}
	if slash := strings.IndexByte(text, '/'); slash >= 0 && slash < i {
		return facts.Host{}, false
	}
	return facts.HostOf(text[:i]), true
}

// copyEffect returns the effect of a copy of args[:last] to args[last].
func (t *tracer) copyEffect(c *shell.Call, args []shell.Word) (shell.Effect, bool) {
	if len(args) < 2 {
		return shell.Effect{}, false
	}
	target := args[len(args)-1]
	h, ok := parseRemotePath(target.Text)
	if !ok {
		if target.IsKnown() || strings.HasPrefix(target.Text, "/") || strings.HasPrefix(target.Text, ".") {
			return shell.Effect{}, false
		}
		// The target is unknown: a secret counts as sent, a file may be.
		h = facts.Host{Zone: facts.Away}
	}
	s := transfer{to: h}
	for i := range args[:len(args)-1] {
		w := &args[i]
		if _, remote := parseRemotePath(w.Text); remote {
			continue
		}
		l := t.fileWordLoad(c, w)
		if l.level < file && (len(w.From) > 0 || hasInput(c)) {
			l = worseLoad(load{level: file, what: "unknown files"}, t.inputLoad(c))
		}
		l.shareable = l.shareable || !ok || deletesExtra(c)
		s.addLoad(l, copied)
	}
	return s.effect(c)
}

// deletesExtra reports whether a copy also deletes files at the target or the source. Package rules
// reports the deletion, which is worse; sending ordinary files must not outrank it.
func deletesExtra(c *shell.Call) bool {
	for i := range c.Args {
		a := c.Args[i].Text
		if (a == "-e" || a == "--rsh") && i+1 < len(c.Args) && runsShell(c.Args[i+1].Text) {
			return true // the shell is what counts, and it sends nothing
		}
		if strings.HasPrefix(a, "--del") || a == "sync" && program.SendsOf(c.Name) == program.SendsBucket || a == "--remove" || a == "-d" && hasArg(c, "rsync") || a == "--remove-source-files" {
			return true
		}
	}
	return false
}

// maxArgs bounds the arguments of one call that are kept.
const maxArgs = 1024

// operands returns the words that are neither options nor their values. Of very many, it returns the
// first ones and the last one.
func operands(c *shell.Call) []shell.Word {
	var list []shell.Word
	var w program.Walk
	for w.Start(c); w.Next(); {
		if w.Name != "" {
			continue
		}
		if len(list) >= maxArgs {
			list = list[:maxArgs-1]
		}
		list = append(list, w.Arg)
	}
	return list
}

// scpEffect returns the effect of scp.
func (t *tracer) scpEffect(c *shell.Call) (shell.Effect, bool) {
	return t.copyEffect(c, operands(c))
}

// rsyncEffect returns the effect of rsync, except in a dry run.
func (t *tracer) rsyncEffect(c *shell.Call) (shell.Effect, bool) {
	if hasArg(c, "--dry-run") || hasArg(c, "--list-only") || hasShortOption(c, 'n') {
		return shell.Effect{}, false
	}
	return t.copyEffect(c, operands(c))
}

// hasShortOption reports whether a letter is among the short options of c.
func hasShortOption(c *shell.Call, b byte) bool {
	for i := range c.Args {
		a := c.Args[i].Text
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, b) > 0 && strings.IndexByte(a, '=') < 0 {
			return true
		}
	}
	return false
}

// sshEffect returns the effect of ssh, which sends its input and the substitutions in its command.
func (t *tracer) sshEffect(c *shell.Call) (shell.Effect, bool) {
	var h facts.Host
	var command load
	script, forward := false, false
	var w program.Walk
	for w.Start(c); w.Next(); {
		switch {
		case w.Name == "R":
			forward = true
		case w.Name == "o":
			command = worseLoad(command, sendEnvLoad(w.Arg.Text))
		case w.Name != "":
		case !h.Set():
			h = facts.HostOf(w.Arg.Text)
		default:
			// the remaining words are the remote command
			command = worseLoad(command, t.wordLoad(&w.Arg))
			script = script || runsShell(strings.TrimPrefix(w.Arg.Text, "sudo "))
		}
	}
	if !h.Set() {
		return shell.Effect{}, false
	}
	s := transfer{to: h}
	if command.level > unclear {
		s.addLoad(command, body)
	}
	if forward {
		// A remote forward lets others connect, even without input.
		s.addLoad(load{level: unclear, what: "data from a port on this machine"}, body)
	}
	if hasInput(c) {
		in := t.inputLoad(c)
		in.shareable = in.shareable || script && in.level == file
		s.addLoad(in, copied)
	}
	return s.effect(c)
}

// sendEnvLoad returns the environment variables that a setting of ssh sends.
func sendEnvLoad(setting string) load {
	const name = "sendenv"
	if len(setting) <= len(name) || !strings.EqualFold(setting[:len(name)], name) {
		return load{}
	}
	for _, v := range strings.FieldsFunc(setting[len(name):], func(r rune) bool { return r == ' ' || r == '=' || r == ',' }) {
		if v == "*" || facts.SecretName(v) {
			return load{level: secret, from: fromVariable, what: "$" + v, vendor: facts.SecretOwner(v)}
		}
	}
	return load{}
}

// ftpHost returns the host that an ftp program connects to: the first argument that is not a command.
func ftpHost(c *shell.Call) facts.Host {
	for _, w := range operands(c) {
		a := w.Text
		if a == "" || isDigits(a) || strings.ContainsAny(a, " \n") {
			continue
		}
		if isFTPSend(a) {
			break
		}
		return facts.HostOf(strings.TrimLeft(a, `\/`))
	}
	return facts.Host{}
}

// ftpEffect returns the effect of an ftp program, which takes its commands as text: put sends.
func (t *tracer) ftpEffect(c *shell.Call) (shell.Effect, bool) {
	s := transfer{to: ftpHost(c)}
	for i := range c.Args {
		w := &c.Args[i]
		t.addFTPCommands(c, &s, w.Text)
		if isFTPSend(w.Text) && i+1 < len(c.Args) {
			s.requireHost()
			s.addLoad(t.fileWordLoad(c, &c.Args[i+1]), copied)
		}
		if i > 1 && strings.Contains(c.Args[i-1].Text, "://") && c.Args[i-2].Text == "-u" {
			s.to = facts.Farther(s.to, facts.HostOf(c.Args[i-1].Text))
			s.addLoad(t.fileWordLoad(c, w), copied)
		}
		// busybox: tftp -p -l file host
		if w.Text == "-l" && hasArg(c, "-p") && i+1 < len(c.Args) {
			s.addLoad(t.fileWordLoad(c, &c.Args[i+1]), copied)
		}
		if len(w.From) > 0 {
			if l := t.callsLoad(w.From); !l.isToken() || i == 0 || c.Args[i-1].Text != "-u" && c.Args[i-1].Text != "-U" {
				s.addLoad(l, body)
			}
		}
	}
	for i := range c.Redir {
		if r := &c.Redir[i]; strings.HasPrefix(r.Op, "<<") {
			t.addFTPCommands(c, &s, r.Target.Text)
		}
	}
	if c.In != nil {
		if c.In.Complete {
			t.addFTPCommands(c, &s, c.In.Text)
		}
		for i, f := range c.In.From {
			if f == nil || i > 4 {
				break
			}
			for j := range f.Args {
				if j > 16 {
					break
				}
				t.addFTPCommands(c, &s, f.Args[j].Text)
			}
		}
	}
	return s.effect(c)
}

// requireHost sets an unknown remote host if there is no host.
func (s *transfer) requireHost() {
	if !s.to.Set() {
		s.to = facts.Host{Zone: facts.Away}
	}
}

// isFTPSend reports whether a command of an ftp program sends files.
func isFTPSend(s string) bool {
	switch strings.ToLower(s) {
	case "put", "mput", "send", "reput", "append":
		return true
	}
	return false
}

// addFTPCommands adds the files that commands of an ftp program send. Commands are separated by
// newlines or semicolons.
func (t *tracer) addFTPCommands(c *shell.Call, s *transfer, text string) {
	if len(text) > maxScript || !strings.ContainsAny(text, " \t") {
		return
	}
	for text != "" {
		line := text
		if i := strings.IndexAny(text, ";\n"); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else if i := strings.Index(text, `\n`); i >= 0 {
			line, text = text[:i], text[i+2:]
		} else {
			text = ""
		}
		command, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch {
		case command == "open" && rest != "":
			addr, _, _ := strings.Cut(rest, " ")
			s.to = facts.Farther(s.to, facts.HostOf(addr))
		case command == "mirror" && (strings.Contains(rest, "-R") || strings.Contains(rest, "--reverse")):
			s.requireHost()
			l := load{level: file, from: fromPath, what: "a directory"}
			for rest != "" {
				word, tail, _ := strings.Cut(rest, " ")
				if rest = tail; word != "" && word[0] != '-' {
					l = t.fileLoad(c, word)
					break
				}
			}
			s.addLoad(l, copied)
		case isFTPSend(command):
			s.requireHost()
			for rest != "" && rest[0] == '-' {
				option, tail, _ := strings.Cut(rest, " ")
				if rest = tail; option == "-O" || option == "-o" {
					_, rest, _ = strings.Cut(tail, " ") // the remote directory
				}
			}
			path, _, _ := strings.Cut(rest, " ")
			s.addLoad(t.fileLoad(c, path), copied)
		}
	}
}

// maxScript is the largest text that is searched for commands.
const maxScript = 16 << 10

// tarEffect returns the effect of tar, for which an archive HOST:FILE is on another machine.
func (t *tracer) tarEffect(c *shell.Call) (shell.Effect, bool) {
	if hasArg(c, "--force-local") {
		return shell.Effect{}, false
	}
	var s transfer
	var files []int
	for i := range c.Args {
		text := c.Args[i].Text
		name, isFile := strings.CutPrefix(text, "--file=")
		if !isFile && strings.HasPrefix(text, "-") {
			continue
		}
		if h, ok := parseRemotePath(name); ok && s.to.Name == "" && !strings.Contains(name, "://") {
			s.to = h
		} else if i > 0 || strings.ContainsRune(text, '/') {
			files = append(files, i)
		}
	}
	if s.to.Name == "" {
		return shell.Effect{}, false
	}
	for _, i := range files {
		s.addLoad(t.fileWordLoad(c, &c.Args[i]), copied)
	}
	return s.effect(c)
}
