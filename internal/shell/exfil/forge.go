package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// forgeEffect returns the effect of gh, hub and glab. Gists and snippets publish files; other
// subcommands matter only if they send a secret.
func (t *tracer) forgeEffect(c *shell.Call) (shell.Effect, bool) {
	list := operands(c)
	if len(list) < 2 {
		return shell.Effect{}, false
	}
	host, _ := program.Receiver(c)
	s := transfer{to: facts.Host{Name: host, Zone: facts.Away}}
	verb := list[0].Text + " " + list[1].Text
	switch verb {
	case "gist create", "gist new", "gist edit", "snippet create", "gist add":
		s.to.Open = hasArg(c, "--public") || hasArg(c, "-p")
		for i := range list[2:] {
			s.addData(t.fileWordTaint(c, &list[i+2]), copied)
		}
		if hasInput(c) {
			s.addData(t.inputTaint(c), copied)
		}
	case "release upload", "release create":
		for i := 3; i < len(list); i++ {
			l := t.fileWordTaint(c, &list[i])
			l.shareable = true // the files of a release are meant to be published
			s.addData(l, copied)
		}
	case "secret set", "variable set", "secret create":
		return t.vaultEffect(c, &s)
	case "repo create":
		if source, ok := repoSource(c); ok && hasArg(c, "--push") && t.isWideDir(source) {
			s.to.Open = true
			s.addData(taint{level: file, from: fromPath, what: source, path: source, valuable: true}, copied)
		} else if hasArg(c, "--push") && hasArg(c, "--public") {
			s.addData(taint{level: file, from: fromPath, what: "the project", shareable: true}, copied)
		}
	}
	t.addOptionFiles(c, &s, secret)
	return s.effect(c)
}

// repoSource returns the value of --source in c, the directory that a new repository is created from.
// It reports false if there is none.
func repoSource(c *shell.Call) (string, bool) {
	for i := range c.Args {
		if v, ok := strings.CutPrefix(c.Args[i].Text, "--source="); ok {
			return v, v != ""
		}
		if t := c.Args[i].Text; (t == "--source" || t == "-s") && i+1 < len(c.Args) {
			return c.Args[i+1].Text, true
		}
	}
	return "", false
}

// vaultEffect returns the effect of storing a secret in the forge's own vault. The vault is meant for
// secrets, but the secret still leaves the machine.
func (t *tracer) vaultEffect(c *shell.Call, s *transfer) (shell.Effect, bool) {
	if hasInput(c) {
		s.addData(t.inputTaint(c), body)
	}
	t.addOptionFiles(c, s, secret)
	e, ok := s.effect(c)
	if ok && s.taint.level == secret && !s.to.HidesOwner() {
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
	}
	return e, ok
}

// addOptionFiles adds the files and substitutions in options of c whose level is at least least.
func (t *tracer) addOptionFiles(c *shell.Call, s *transfer, least level) {
	var w program.Walk
	for w.Start(c); w.Next(); {
		v := &w.Arg
		var l taint
		switch w.Name {
		case "F", "body-file", "input", "notes-file", "f", "field", "raw-field", "env-file", "filename":
			path := v.Text
			if len(v.From) > 0 {
				l = t.wordTaint(v)
				break
			}
			if w.Name == "f" || w.Name == "F" || strings.HasSuffix(w.Name, "field") {
				if _, value, ok := strings.Cut(path, "=@"); ok {
					path = value
				} else if strings.IndexByte(path, '=') >= 0 {
					path = ""
				}
			}
			if path != "-" || hasInput(c) {
				l = t.fileTaint(c, path)
			}
		default:
			l = t.wordTaint(v)
		}
		if l.level >= least && l.level >= file {
			s.addData(l, body)
		}
	}
}

// gitSubcommand returns the git subcommand of c and the words after it, or "" and nil if c has none.
func gitSubcommand(c *shell.Call) (string, []shell.Word) {
	if len(c.Args) > 0 && !strings.HasPrefix(c.Args[0].Text, "-") {
		return c.Args[0].Text, c.Args[1:]
	}
	var w program.Walk
	for w.Start(c); w.Next(); {
		if w.Name == "" {
			return w.Arg.Text, w.RestArgs()
		}
	}
	return "", nil
}

// gitEffect returns the effect of a push to a URL, of patches sent by email and of serving
// repositories. It reports false for a push to a configured remote or to a forge, which is everyday
// work.
func (t *tracer) gitEffect(c *shell.Call) (shell.Effect, bool) {
	verb, rest := gitSubcommand(c)
	switch verb {
	case "push", "send-pack", "http-push":
	case "send-email", "imap-send":
		return connectEffect(c, shell.Unknown, shell.ExfilFile, shell.ImpactMedium, facts.Host{}, "emails the project's patches"), !hasArg(c, "--dry-run")
	case "daemon", "instaweb":
		return t.gitDaemonEffect(c, rest)
	default:
		return shell.Effect{}, false
	}
	call := shell.Call{Args: rest}
	if hasArg(&call, "--dry-run") || hasArg(&call, "-n") {
		return shell.Effect{}, false
	}
	s := transfer{}
	if h, ok := redirectedRemoteHost(c); ok {
		// Redirecting a remote for a single call suggests that the target is to be hidden.
		s.to = h
		s.addData(taint{level: file, from: fromOutput, what: "the project's history", valuable: !isForge(h.Name)}, copied)
		return s.effect(c)
	}
	target, ok := pushTarget(c)
	if !ok {
		return shell.Effect{}, false
	}
	h, ok := gitURLHost(target.Text)
	if !ok {
		return shell.Effect{}, false
	}
	s.to = h
	if !isForge(h.Name) {
		s.addData(taint{level: file, from: fromOutput, what: "the project's history", valuable: pushesAllBranches(rest)}, copied)
	}
	return s.effect(c)
}

// pushesAllBranches reports whether args, the words of a push, make it send every branch.
func pushesAllBranches(args []shell.Word) bool {
	for i := range args {
		switch args[i].Text {
		case "--all", "--mirror", "--branches":
			return true
		}
	}
	return false
}

// redirectedRemoteHost returns the host to which settings in -c options or environment variables
// redirect the remotes of c. It reports false if there are none.
func redirectedRemoteHost(c *shell.Call) (h facts.Host, ok bool) {
	if len(c.Args) > 0 && strings.HasPrefix(c.Args[0].Text, "-") {
		var w program.Walk
		for w.Start(c); w.Next() && w.Name != ""; {
			if w.Name == "c" {
				if to, found := remoteSettingHost(w.Arg.Text, "="); found {
					h, ok = facts.MoreRemote(h, to), true
				}
			}
		}
	}
	for i := range c.Env {
		if v := &c.Env[i]; strings.HasPrefix(v.Name, "GIT_CONFIG_KEY_") || strings.HasPrefix(v.Name, "GIT_CONFIG_VALUE_") {
			if to, found := remoteSettingHost(v.Value.Text+"=", "="); found && strings.Contains(v.Value.Text, "://") {
				h, ok = facts.MoreRemote(h, to), true
			}
		}
	}
	return h, ok
}

// remoteSettingHost returns the host to which the git setting in text, a name and a value separated by
// sep, directs remotes. It reports false for other settings.
func remoteSettingHost(text, sep string) (facts.Host, bool) {
	lower := strings.ToLower(text)
	if strings.HasPrefix(lower, "url.") {
		for _, end := range [...]string{".insteadof", ".pushinsteadof"} {
			if i := strings.Index(lower, end); i > 4 {
				return gitURLHost(text[4:i])
			}
		}
		return facts.Host{}, false
	}
	name, value, _ := strings.Cut(text, sep)
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "remote.") && (strings.HasSuffix(name, ".url") || strings.HasSuffix(name, ".pushurl")) {
		return gitURLHost(value)
	}
	return facts.Host{}, false
}

// gitDaemonEffect returns the effect of a git server of repositories. It reports false unless the
// server covers a home directory or another wide directory.
func (t *tracer) gitDaemonEffect(c *shell.Call, args []shell.Word) (shell.Effect, bool) {
	for i := range args {
		a := args[i].Text
		if _, value, ok := strings.Cut(a, "--base-path="); ok {
			a = value
		}
		if t.isWideDir(a) && a != "" {
			return connectEffect(c, shell.Exfiltration, shell.ExfilFile, shell.ImpactHigh, facts.Host{}, "serves "+a+" to anyone who connects"), true
		}
	}
	return shell.Effect{}, false
}

// pushTarget returns the repository that c pushes to, as written in the command. It reports false if c
// names none.
func pushTarget(c *shell.Call) (shell.Word, bool) {
	pushes := false
	var w program.Walk
	for w.Start(c); w.Next(); {
		switch {
		case w.Name == "repo" || w.Name == "" && pushes:
			return w.Arg, true
		case w.Name == "":
			pushes = w.Arg.Text == "push" || w.Arg.Text == "send-pack" || w.Arg.Text == "http-push"
		}
	}
	return shell.Word{}, false
}

// gitURLHost returns the host of text, the URL of a repository on another machine. It reports false
// for the name of a remote and for a directory.
func gitURLHost(text string) (facts.Host, bool) {
	if strings.HasPrefix(text, "file://") {
		return facts.Host{}, false
	}
	if strings.HasPrefix(text, "ext::") {
		return facts.Host{Zone: facts.Away}, true
	}
	if strings.Contains(text, "://") {
		return facts.HostOf(text), true
	}
	return remotePathHost(text)
}
