package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// remotePathHost returns the host of host:path or of a URL for copying. It reports false if text is a
// local path: a colon after a slash is part of a file name, and a single letter before a colon is a
// drive.
func remotePathHost(text string) (h facts.Host, ok bool) {
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
	if i <= 0 || i == 1 && facts.IsLetter(text[0]) && len(text) > 2 && (text[2] == '\\' || text[2] == '/') {
		return facts.Host{}, false
	}
	if slash := strings.IndexByte(text, '/'); slash >= 0 && slash < i {
		return facts.Host{}, false
	}
	return facts.HostOf(text[:i]), true
}

// copyEffect returns the effect of copying all other args to the last one. It reports false if the
// last one is a path on this machine.
func (t *tracer) copyEffect(c *shell.Call, args []shell.Word) (shell.Effect, bool) {
	if len(args) < 2 {
		return shell.Effect{}, false
	}
	target := args[len(args)-1]
	h, ok := remotePathHost(target.Text)
	if !ok {
		if target.IsKnown() || strings.HasPrefix(target.Text, "/") || strings.HasPrefix(target.Text, ".") {
			return shell.Effect{}, false
		}
		// The target is unknown. A secret counts as sent, and an ordinary file as possibly sent.
		h = facts.Host{Zone: facts.Away}
	}
	s := transfer{to: h}
	for i := range args[:len(args)-1] {
		w := &args[i]
		if _, remote := remotePathHost(w.Text); remote {
			continue
		}
		l := t.fileWordTaint(c, w)
		if l.level < file && (len(w.From) > 0 || hasInput(c)) {
			l = worseTaint(taint{level: file, what: "unknown files"}, t.inputTaint(c))
		}
		l.shareable = l.shareable || !ok || hasWorseEffect(c)
		s.addData(l, copied)
	}
	return s.effect(c)
}

// hasWorseEffect reports whether the copy c also deletes files at the target or the source, or runs a
// shell. Package rules reports those effects, and sending ordinary files must not outrank them.
func hasWorseEffect(c *shell.Call) bool {
	for i := range c.Args {
		a := c.Args[i].Text
		if (a == "-e" || a == "--rsh") && i+1 < len(c.Args) && startsShell(c.Args[i+1].Text) {
			return true // the shell is the effect that counts; it sends nothing
		}
		if strings.HasPrefix(a, "--del") || a == "sync" && program.SendsOf(c.Name) == program.SendsBucket || a == "--remove" || a == "-d" && hasArg(c, "rsync") || a == "--remove-source-files" {
			return true
		}
	}
	return false
}

// maxArgs is the largest number of arguments of one call that are kept.
const maxArgs = 1024

// operands returns the words of c that are neither options nor their values. If there are more than
// maxArgs, it returns the first ones and the last one.
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

// scpEffect returns the effect of a call of scp.
func (t *tracer) scpEffect(c *shell.Call) (shell.Effect, bool) {
	return t.copyEffect(c, operands(c))
}

// rsyncEffect returns the effect of a call of rsync. It reports false for a dry run.
func (t *tracer) rsyncEffect(c *shell.Call) (shell.Effect, bool) {
	if hasArg(c, "--dry-run") || hasArg(c, "--list-only") || hasShortOption(c, 'n') {
		return shell.Effect{}, false
	}
	return t.copyEffect(c, operands(c))
}

// hasShortOption reports whether c has the short option letter, alone or bundled with others.
func hasShortOption(c *shell.Call, letter byte) bool {
	for i := range c.Args {
		a := c.Args[i].Text
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, letter) > 0 && strings.IndexByte(a, '=') < 0 {
			return true
		}
	}
	return false
}

// sshEffect returns the effect of ssh, which sends its standard input and the substitutions in the
// remote command.
func (t *tracer) sshEffect(c *shell.Call) (shell.Effect, bool) {
	var h facts.Host
	var command taint
	script, forward := false, false
	var w program.Walk
	for w.Start(c); w.Next(); {
		switch {
		case w.Name == "R":
			forward = true
		case w.Name == "o":
			command = worseTaint(command, sendEnvTaint(w.Arg.Text))
		case w.Name != "":
		case !h.Exists():
			h = facts.HostOf(w.Arg.Text)
		default:
			// the remaining words are the remote command
			command = worseTaint(command, t.wordTaint(&w.Arg))
			script = script || startsShell(strings.TrimPrefix(w.Arg.Text, "sudo "))
		}
	}
	if !h.Exists() {
		return shell.Effect{}, false
	}
	s := transfer{to: h}
	if command.level > unclear {
		s.addData(command, body)
	}
	if forward {
		// Remote forwarding lets others connect to a port of this machine, even if ssh has no input.
		s.addData(taint{level: unclear, what: "data from a port on this machine"}, body)
	}
	if hasInput(c) {
		in := t.inputTaint(c)
		in.shareable = in.shareable || script && in.level == file
		s.addData(in, copied)
	}
	return s.effect(c)
}

// sendEnvTaint returns the first secret environment variable that the ssh option SendEnv in setting
// sends. It returns the zero taint if there is none.
func sendEnvTaint(setting string) taint {
	const name = "sendenv"
	if len(setting) <= len(name) || !strings.EqualFold(setting[:len(name)], name) {
		return taint{}
	}
	for _, v := range strings.FieldsFunc(setting[len(name):], func(r rune) bool { return r == ' ' || r == '=' || r == ',' }) {
		if v == "*" || facts.IsSecretName(v) {
			return taint{level: secret, from: fromVariable, what: "$" + v, vendor: facts.SecretOwner(v)}
		}
	}
	return taint{}
}

// ftpHost returns the host that an FTP client connects to, which is its first argument unless that is
// a command. It returns the zero Host if there is none.
func ftpHost(c *shell.Call) facts.Host {
	for _, w := range operands(c) {
		a := w.Text
		if a == "" || isDigits(a) || strings.ContainsAny(a, " \n") {
			continue
		}
		if isFTPSendCommand(a) {
			break
		}
		return facts.HostOf(strings.TrimLeft(a, `\/`))
	}
	return facts.Host{}
}

// ftpEffect returns the effect of an FTP client. It takes its commands as text in words or on standard
// input, and commands such as put send files.
func (t *tracer) ftpEffect(c *shell.Call) (shell.Effect, bool) {
	s := transfer{to: ftpHost(c)}
	for i := range c.Args {
		w := &c.Args[i]
		t.addFTPCommands(c, &s, w.Text)
		if isFTPSendCommand(w.Text) && i+1 < len(c.Args) {
			s.ensureHost()
			s.addData(t.fileWordTaint(c, &c.Args[i+1]), copied)
		}
		if i > 1 && strings.Contains(c.Args[i-1].Text, "://") && c.Args[i-2].Text == "-u" {
			s.to = facts.MoreRemote(s.to, facts.HostOf(c.Args[i-1].Text))
			s.addData(t.fileWordTaint(c, w), copied)
		}
		// In busybox, tftp -p -l FILE HOST sends a file.
		if w.Text == "-l" && hasArg(c, "-p") && i+1 < len(c.Args) {
			s.addData(t.fileWordTaint(c, &c.Args[i+1]), copied)
		}
		if len(w.From) > 0 {
			if l := t.callsTaint(w.From); !l.isToken() || i == 0 || c.Args[i-1].Text != "-u" && c.Args[i-1].Text != "-U" {
				s.addData(l, body)
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

// ensureHost sets the destination to an unknown host on another machine if it is not set.
func (s *transfer) ensureHost() {
	if !s.to.Exists() {
		s.to = facts.Host{Zone: facts.Away}
	}
}

// isFTPSendCommand reports whether s is a command of an FTP client that sends files.
func isFTPSendCommand(s string) bool {
	switch strings.ToLower(s) {
	case "put", "mput", "send", "reput", "append":
		return true
	}
	return false
}

// addFTPCommands adds the files that the FTP commands in text send, and the host that they open.
// Commands are separated by newlines or semicolons.
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
			s.to = facts.MoreRemote(s.to, facts.HostOf(addr))
		case command == "mirror" && (strings.Contains(rest, "-R") || strings.Contains(rest, "--reverse")):
			s.ensureHost()
			l := taint{level: file, from: fromPath, what: "a directory"}
			for rest != "" {
				word, tail, _ := strings.Cut(rest, " ")
				if rest = tail; word != "" && word[0] != '-' {
					l = t.fileTaint(c, word)
					break
				}
			}
			s.addData(l, copied)
		case isFTPSendCommand(command):
			s.ensureHost()
			for rest != "" && rest[0] == '-' {
				option, tail, _ := strings.Cut(rest, " ")
				if rest = tail; option == "-O" || option == "-o" {
					_, rest, _ = strings.Cut(tail, " ") // the remote directory
				}
			}
			path, _, _ := strings.Cut(rest, " ")
			s.addData(t.fileTaint(c, path), copied)
		}
	}
}

// maxScript is the largest size of text, in bytes, that is searched for commands.
const maxScript = 16 << 10

// tarToRemoteEffect returns the effect of tar, which reads and writes an archive named HOST:FILE on
// another machine.
func (t *tracer) tarToRemoteEffect(c *shell.Call) (shell.Effect, bool) {
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
		if h, ok := remotePathHost(name); ok && s.to.Name == "" && !strings.Contains(name, "://") {
			s.to = h
		} else if i > 0 || strings.ContainsRune(text, '/') {
			files = append(files, i)
		}
	}
	if s.to.Name == "" {
		return shell.Effect{}, false
	}
	for _, i := range files {
		s.addData(t.fileWordTaint(c, &c.Args[i]), copied)
	}
	return s.effect(c)
}
