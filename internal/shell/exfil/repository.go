package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A repository is what the calls of one command did to a git repository: a secret
// that is committed leaves with the push.
type repository struct {
	staged    load
	committed load
	signed    load       // a secret that is the author's name
	bent      facts.Host // where settings lead the remotes
	remotes   [maxRemotes]remote
	n         int
}

// A remote is one that the command set up.
type remote struct {
	name string
	url  shell.Word
}

// take looks at one call. It returns an effect for a push that takes more along
// than the call shows.
func (r *repository) take(t *tracer, c *shell.Call) (shell.Effect, bool) {
	switch program.SendsOf(c.Name) {
	case program.SendsGit:
		return r.git(t, c)
	case program.SendsForge:
		if r.committed.level == secret && hasWords(c, "repo create --push|repo sync|push") {
			return r.leaves(c, facts.Host{Name: "github.com", Zone: facts.Away})
		}
	case program.SendsPublish:
		if l := t.lying(); l.level == secret && hasWords(c, "publish|upload|push") && !hasArg(c, "--dry-run") {
			s := transfer{to: facts.Host{Name: "a registry", Zone: facts.Away}}
			s.addLoad(l, copied)
			return s.effect(c)
		}
	}
	return shell.Effect{}, false
}

// git looks at one call of git.
func (r *repository) git(t *tracer, c *shell.Call) (shell.Effect, bool) {
	verb, rest := gitVerb(c)
	switch verb {
	case "add", "stage":
		r.staged = heavier(r.staged, t.added(c, rest))
	case "commit", "commit-tree":
		r.commit(t, c, rest)
	case "tag", "notes", "branch", "checkout", "switch", "update-ref", "hash-object", "merge", "stash":
		r.committed = heavier(r.committed, t.recorded(c, rest))
	case "rm", "reset", "restore":
		r.staged = load{}
	case "config":
		r.config(rest)
		if l := t.recorded(c, rest); l.level == secret && !l.isToken() && hasWords(c, "user.name|user.email|author.name|author.email|committer.name|committer.email") {
			r.signed = l
		}
	case "remote":
		if len(rest) > 2 && (rest[0].Text == "add" || rest[0].Text == "set-url") && r.n < maxRemotes {
			r.remotes[r.n] = remote{rest[len(rest)-2].Text, rest[len(rest)-1]}
			r.n++
		}
	case "push", "send-pack", "subtree", "lfs":
		call := shell.Call{Args: rest}
		if !hasArg(&call, "--dry-run") && !hasArg(&call, "-n") && (verb == "push" || verb == "send-pack" || hasArg(&call, "push")) {
			return r.push(c, &call)
		}
	}
	return shell.Effect{}, false
}

// commit takes in what is staged, who signs it and what it is called.
func (r *repository) commit(t *tracer, c *shell.Call, rest []shell.Word) {
	r.committed = heavier(r.committed, heavier(heavier(r.staged, r.signed), t.recorded(c, c.Args)))
	for i := range c.Env {
		if l := t.wordLoad(&c.Env[i].Value); l.level == secret && strings.HasPrefix(c.Env[i].Name, "GIT_") {
			r.committed = heavier(r.committed, l)
		}
	}
	if call := (shell.Call{Args: rest}); bundled(&call, 'a') || hasArg(&call, "--all") {
		r.committed = heavier(r.committed, t.lying())
	}
}

// config notes settings that lead remotes elsewhere: url.X.insteadOf.
func (r *repository) config(args []shell.Word) {
	for i := range args {
		text := args[i].Text
		if i+1 < len(args) {
			text += " " + args[i+1].Text
		}
		if h, ok := remoteSettingHost(text, " "); ok && !isForge(h.Name) {
			r.bent = facts.Farther(r.bent, h)
		}
	}
}

// push judges a push by what was committed and where the remote leads.
func (r *repository) push(c, rest *shell.Call) (shell.Effect, bool) {
	target, given := pushTarget(c)
	if !given {
		target.Text = "origin"
	}
	h, ok := parseGitURL(target.Text)
	name := ""
	if !ok {
		name = target.Text
		for i := range r.remotes[:r.n] {
			if r.remotes[i].name == name {
				h, ok = parseGitURL(r.remotes[i].url.Text)
			}
		}
	}
	if r.committed.level < secret && r.staged.level == secret && !r.staged.shareable {
		r.committed = r.staged // who pushes next means to commit it too
	}
	if r.committed.level == secret {
		return r.leaves(c, h)
	}
	s := transfer{to: h}
	if r.bent.Set() {
		s.to, ok, name = r.bent, true, "bent"
	}
	if !ok || name == "" {
		return shell.Effect{}, false
	}
	// A new project gets its origin in just that way, so only a doubtful host or
	// everything at once makes it more than a doubt.
	if (name == "origin" || name == "upstream" || isForge(s.to.Name)) && !s.to.Drop() {
		return shell.Effect{}, false
	}
	l := load{level: file, from: fromOutput, what: "the project's history", shareable: true}
	if !isForge(s.to.Name) && (pushesAllBranches(rest.Args) || name == "bent") {
		l.shareable, l.valuable = false, true
	}
	s.addLoad(l, copied)
	return s.effect(c)
}

// leaves is the effect of a push with a secret in it.
func (r *repository) leaves(c *shell.Call, h facts.Host) (shell.Effect, bool) {
	if !h.Set() {
		h = facts.Host{Name: "the remote", Zone: facts.Away}
	}
	s := transfer{to: h}
	s.addLoad(r.committed, copied)
	e, ok := s.effect(c)
	if ok && r.committed.shareable {
		e.Label, e.Radius = shell.Unknown, shell.RadiusMedium
	}
	return e, ok
}

// added is what `git add` stages, as far as it is a secret.
func (t *tracer) added(c *shell.Call, args []shell.Word) load {
	var all load
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
			return load{}
		default:
			if a != "" && a[0] != '-' {
				all = heavier(all, t.stages(c, &args[i]))
			}
		}
	}
	if wide {
		all = heavier(all, t.lying())
		if force && all.level < secret {
			all = load{level: secret, from: fromPath, what: "files that Git ignores", shareable: true}
		}
	}
	return all
}

// stages is the secret in one file that is staged.
func (t *tracer) stages(c *shell.Call, w *shell.Word) load {
	l := t.fileWordLoad(c, w)
	byName := l.path == w.Text && !t.isTainted(c, w.Text)
	if l.level != secret || byName && harmless(w.Text) {
		return load{}
	}
	l.shareable = byName && facts.OftenCommitted(w.Text) && !t.isOutsideProject(c, w.Text)
	return l
}

// heavier returns the load that matters more to a repository.
func heavier(a, b load) load {
	if b.level > a.level || b.level == a.level && a.shareable && !b.shareable {
		return b
	}
	return a
}

// lying returns the secrets that the command left lying in the project under a
// name that gives nothing away. What is called .env is ignored by custom.
func (t *tracer) lying() load {
	root := ""
	if t.place != nil {
		root = t.place.Root
	}
	for _, s := range t.tainted {
		if root != "" && !strings.HasPrefix(s, root+"/") || facts.SecretFile(s) {
			continue
		}
		return load{level: secret, from: fromPath, what: s, path: s}
	}
	return load{}
}

// recorded is the secret in the words of a git call that end up in history: a
// message, a name of a branch, a file given as text.
func (t *tracer) recorded(c *shell.Call, args []shell.Word) load {
	var all load
	for i := range args {
		w := &args[i]
		if !t.spendStep() {
			break
		}
		if len(w.From) > 0 {
			if l := t.wordLoad(w); l.level == secret {
				all = heavier(all, l)
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
			if l := t.fileLoad(c, path); l.level == secret && !harmless(path) {
				all = heavier(all, l)
			}
		}
	}
	return all
}

// harmless reports whether a file with a secret's name is one that people commit
// without harm: a key for tests, or what is encrypted.
func harmless(path string) bool {
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

// doors are a server of files and a tunnel that one command opens together: then
// the files are there for everybody.
type doors struct {
	server, tunnel bool
}

func (d *doors) take(t *tracer, c *shell.Call) (shell.Effect, bool) {
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
		if servesFiles(c.Name) {
			open, _, _ := parseServer(c)
			d.server = d.server || open
		}
	}
	if was || !d.server || !d.tunnel {
		return shell.Effect{}, false
	}
	return connectEffect(c, shell.Exfiltration, shell.ExfilFile, shell.RadiusMedium, facts.Host{}, "serves this machine's files to others through a tunnel"), true
}
