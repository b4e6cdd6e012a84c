package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A repoChanges collects what the calls of one command do to a git repository, because a secret that
// one call commits leaves the machine when a later call pushes.
type repoChanges struct {
	staged       taint      // the worst secret that is staged
	committed    taint      // the worst secret that is committed
	authorSecret taint      // a secret used as the author's name
	redirect     facts.Host // the host to which settings redirect the remotes
	remotes      [maxRemotes]remote
	numRemotes   int
}

// A remote is a git remote that the command added or changed.
type remote struct {
	name string
	url  shell.Word
}

// recordCall records what c does to the repository. If c pushes or publishes, it returns the effect of
// sending the recorded secrets, which c alone does not show; otherwise it reports false.
func (r *repoChanges) recordCall(t *tracer, c *shell.Call) (shell.Effect, bool) {
	switch program.SendsOf(c.Name) {
	case program.SendsGit:
		return r.recordGitCall(t, c)
	case program.SendsForge:
		if r.committed.level == secret && hasWords(c, "repo create --push|repo sync|push") {
			return r.leakEffect(c, facts.Host{Name: "github.com", Zone: facts.Away})
		}
	case program.SendsPublish:
		if l := t.disguisedSecret(); l.level == secret && hasWords(c, "publish|upload|push") && !hasArg(c, "--dry-run") {
			s := transfer{to: facts.Host{Name: "a registry", Zone: facts.Away}}
			s.addData(l, copied)
			return s.effect(c)
		}
	}
	return shell.Effect{}, false
}

// recordGitCall is recordCall for calls of git.
func (r *repoChanges) recordGitCall(t *tracer, c *shell.Call) (shell.Effect, bool) {
	verb, rest := gitSubcommand(c)
	switch verb {
	case "add", "stage":
		r.staged = worseCommit(r.staged, t.stagedTaint(c, rest))
	case "commit", "commit-tree":
		r.recordCommit(t, c, rest)
	case "tag", "notes", "branch", "checkout", "switch", "update-ref", "hash-object", "merge", "stash":
		r.committed = worseCommit(r.committed, t.historyTaint(c, rest))
	case "rm", "reset", "restore":
		r.staged = taint{}
	case "config":
		r.recordRedirects(rest)
		if l := t.historyTaint(c, rest); l.level == secret && !l.isToken() && hasWords(c, "user.name|user.email|author.name|author.email|committer.name|committer.email") {
			r.authorSecret = l
		}
	case "remote":
		if len(rest) > 2 && (rest[0].Text == "add" || rest[0].Text == "set-url") && r.numRemotes < maxRemotes {
			r.remotes[r.numRemotes] = remote{rest[len(rest)-2].Text, rest[len(rest)-1]}
			r.numRemotes++
		}
	case "push", "send-pack", "subtree", "lfs":
		call := shell.Call{Args: rest}
		if !hasArg(&call, "--dry-run") && !hasArg(&call, "-n") && (verb == "push" || verb == "send-pack" || hasArg(&call, "push")) {
			return r.pushEffect(c, &call)
		}
	}
	return shell.Effect{}, false
}

// recordCommit records the secrets in a commit: in the staged files, the author's name and the
// message. The words after the subcommand are in rest.
func (r *repoChanges) recordCommit(t *tracer, c *shell.Call, rest []shell.Word) {
	r.committed = worseCommit(r.committed, worseCommit(worseCommit(r.staged, r.authorSecret), t.historyTaint(c, c.Args)))
	for i := range c.Env {
		if l := t.wordTaint(&c.Env[i].Value); l.level == secret && strings.HasPrefix(c.Env[i].Name, "GIT_") {
			r.committed = worseCommit(r.committed, l)
		}
	}
	if call := (shell.Call{Args: rest}); hasShortOption(&call, 'a') || hasArg(&call, "--all") {
		r.committed = worseCommit(r.committed, t.disguisedSecret())
	}
}

// recordRedirects records the host of git settings in args that redirect remotes, such as
// url.X.insteadOf.
func (r *repoChanges) recordRedirects(args []shell.Word) {
	for i := range args {
		text := args[i].Text
		if i+1 < len(args) {
			text += " " + args[i+1].Text
		}
		if h, ok := remoteSettingHost(text, " "); ok && !isForge(h.Name) {
			r.redirect = facts.MoreRemote(r.redirect, h)
		}
	}
}

// pushEffect returns the effect of a push by the secrets that were committed and the host of the
// remote. The words after the subcommand are in rest. It reports false if the push is harmless.
func (r *repoChanges) pushEffect(c, rest *shell.Call) (shell.Effect, bool) {
	target, given := pushTarget(c)
	if !given {
		target.Text = "origin"
	}
	h, ok := gitURLHost(target.Text)
	name := ""
	if !ok {
		name = target.Text
		for i := range r.remotes[:r.numRemotes] {
			if r.remotes[i].name == name {
				h, ok = gitURLHost(r.remotes[i].url.Text)
			}
		}
	}
	if r.committed.level < secret && r.staged.level == secret && !r.staged.shareable {
		r.committed = r.staged // a push after staging implies a commit
	}
	if r.committed.level == secret {
		return r.leakEffect(c, h)
	}
	s := transfer{to: h}
	if r.redirect.Exists() {
		s.to, ok, name = r.redirect, true, "redirected"
	}
	if !ok || name == "" {
		return shell.Effect{}, false
	}
	// The origin of a new project is set up this way too, so a push to a remote called origin
	// or upstream, or to a forge, counts only if the host is a dead drop.
	if (name == "origin" || name == "upstream" || isForge(s.to.Name)) && !s.to.HidesOwner() {
		return shell.Effect{}, false
	}
	l := taint{level: file, from: fromOutput, what: "the project's history", shareable: true}
	if !isForge(s.to.Name) && (pushesAllBranches(rest.Args) || name == "redirected") {
		l.shareable, l.valuable = false, true
	}
	s.addData(l, copied)
	return s.effect(c)
}

// leakEffect returns the effect of pushing the committed secret to h.
func (r *repoChanges) leakEffect(c *shell.Call, h facts.Host) (shell.Effect, bool) {
	if !h.Exists() {
		h = facts.Host{Name: "the remote", Zone: facts.Away}
	}
	s := transfer{to: h}
	s.addData(r.committed, copied)
	e, ok := s.effect(c)
	if ok && r.committed.shareable {
		e.Label, e.Impact = shell.Unknown, shell.ImpactMedium
	}
	return e, ok
}

// stagedTaint returns the worst secret that `git add` stages, or the zero taint if there is none.
func (t *tracer) stagedTaint(c *shell.Call, args []shell.Word) taint {
	var all taint
	force, wide := false, false
	for i := range args {
		if !t.spendStep() {
			break
		}
		switch a := args[i].Text; a {
		case "-f", "--force":
			force = true
		case "-Af", "-fA":
			force, wide = true, true
		case "-A", "--all", ".", "*", ":/":
			wide = true
		case "-n", "--dry-run":
			return taint{}
		default:
			if a != "" && a[0] != '-' {
				all = worseCommit(all, t.stagedFileTaint(c, &args[i]))
			}
		}
	}
	if wide {
		all = worseCommit(all, t.disguisedSecret())
		if force && all.level < secret {
			all = taint{level: secret, from: fromPath, what: "files that Git ignores", shareable: true}
		}
	}
	return all
}

// stagedFileTaint returns the secret in the file that w names, or the zero taint if the file has none
// or may be committed without harm.
func (t *tracer) stagedFileTaint(c *shell.Call, w *shell.Word) taint {
	l := t.fileWordTaint(c, w)
	byName := l.path == w.Text && t.findTainted(c, w.Text) == nil && t.sessionTaint(c, w.Text).level < secret
	if l.level != secret || byName && isHarmlessSecretFile(w.Text) {
		return taint{}
	}
	l.shareable = byName && facts.IsOftenCommitted(w.Text) && !t.isOutsideProject(c, w.Text)
	return l
}

// worseCommit returns a or b, whichever is worse to commit. If they are equally bad, it returns a.
func worseCommit(a, b taint) taint {
	if b.level > a.level || b.level == a.level && a.shareable && !b.shareable {
		return b
	}
	return a
}

// disguisedSecret returns a secret that the command wrote into the project under an innocent name, or
// the zero taint. A file with the name of a secret, such as .env, does not count, because projects
// usually ignore it.
func (t *tracer) disguisedSecret() taint {
	root := ""
	if t.place != nil {
		root = t.place.Root
	}
	for _, s := range t.tainted {
		if root != "" && !strings.HasPrefix(s.path, root+"/") || facts.IsSecretFile(s.path) {
			continue
		}
		return taint{level: secret, from: fromPath, what: s.path, path: s.path}
	}
	return taint{}
}

// historyTaint returns the worst secret in args, words of a git call that become part of the history:
// a message, a branch name, a file with a message.
func (t *tracer) historyTaint(c *shell.Call, args []shell.Word) taint {
	var all taint
	for i := range args {
		w := &args[i]
		if !t.spendStep() {
			break
		}
		if len(w.From) > 0 {
			if l := t.wordTaint(w); l.level == secret {
				all = worseCommit(all, l)
			}
			continue
		}
		path, ok := strings.CutPrefix(w.Text, "--file=")
		if !ok && i > 0 && (args[i-1].Text == "-F" || args[i-1].Text == "--file" || args[i-1].Text == "-w") {
			path, ok = w.Text, true
		}
		if !ok && strings.HasPrefix(w.Text, "-F") {
			path, ok = w.Text[2:], true
		}
		if ok && path != "" {
			if l := t.fileTaint(c, path); l.level == secret && !isHarmlessSecretFile(path) {
				all = worseCommit(all, l)
			}
		}
	}
	return all
}

// isHarmlessSecretFile reports whether the file path can be committed without harm although it has the
// name of a secret, such as a key for tests or an encrypted file.
func isHarmlessSecretFile(path string) bool {
	path = strings.ToLower(path)
	for _, end := range [...]string{".enc", ".gpg", ".age", ".asc", ".sops.yaml", ".sops.yml", ".sops.json", ".enc.yaml", ".enc.yml", ".enc.json", ".pub", ".md", ".sealed"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	for rest := path; rest != ""; {
		part, tail, _ := strings.Cut(rest, "/")
		rest = tail
		switch part {
		case "test", "tests", "testdata", "fixtures", "__fixtures__", "__tests__", "spec", "examples", "example", "docs", "e2e", "mocks", "__mocks__", "vendor", "node_modules", "templates":
			return true
		}
	}
	return false
}

// An exposure records whether the calls of one command start a file server and open a tunnel. Together
// they let anyone read the files.
type exposure struct {
	server, tunnel bool
}

// recordCall records whether c starts a file server or opens a tunnel. If c completes the pair, it
// returns the effect; otherwise it reports false.
func (d *exposure) recordCall(t *tracer, c *shell.Call) (shell.Effect, bool) {
	was := d.server && d.tunnel
	switch program.SendsOf(c.Name) {
	case program.SendsTunnel:
		_, ok := t.tunnelEffect(c)
		d.tunnel = d.tunnel || ok
	case program.SendsSsh:
		for i := range c.Args {
			d.tunnel = d.tunnel || strings.HasPrefix(c.Args[i].Text, "-R")
		}
	default:
		if canServeFiles(c.Name) {
			open, _, _ := parseServer(c)
			d.server = d.server || open
		}
	}
	if was || !d.server || !d.tunnel {
		return shell.Effect{}, false
	}
	return connectEffect(c, shell.Exfiltration, shell.ExfilFile, shell.ImpactMedium, facts.Host{}, "serves this machine's files to others through a tunnel"), true
}
