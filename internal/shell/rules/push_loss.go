package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// describeLoss describes which branches p overwrites and deletes. All of them must be known.
func (p *push) describeLoss() string {
	var over, gone []string
	for _, one := range p.refs {
		name := strings.TrimPrefix(one.ref, "refs/heads/")
		if one.delete {
			gone = append(gone, name)
		} else {
			over = append(over, name)
		}
	}
	text := ""
	if len(over) > 0 {
		text = "overwrites " + strings.Join(over, ", ")
	}
	if len(gone) > 0 {
		if text != "" {
			text += " and "
		}
		text += "deletes " + strings.Join(gone, ", ")
	}
	return text + " on " + p.remote
}

// unknownReason returns why the destination of p is unknown. It hides that git would refuse the push,
// because git may accept it a moment later.
func (p *push) unknownReason() string {
	if strings.HasPrefix(p.unknown, "git refuses") {
		return "Git's settings do not name it"
	}
	return p.unknown
}

// neutralPushFlags lists the flags of git push that do not change which data is lost.
const neutralPushFlags = "f force u set-upstream v verbose q quiet progress no-progress 4 6 ipv4 ipv6 porcelain thin no-thin no-pager paginate p P no-optional-locks d delete C"

// pushSubject returns the subject of the effect of p, which is the same for every spelling of the
// push. It returns "" if flags, settings or variables that are not checked may change what p affects.
func (r *reading) pushSubject(repo *shell.Repo, p *push) string {
	if len(r.Call.Env) > 0 || hasPushOverrides(repo, p.remote) {
		return ""
	}
	var more []string
	for i := range r.Flags {
		f := &r.Flags[i]
		if facts.InList(neutralPushFlags, f.Name) && (!f.Set || f.Early) {
			continue
		}
		text := f.Raw
		if f.Set {
			text += "=" + f.Value
		}
		if f.Early || f.Set && program.IsFalse(f.Value) || strings.HasPrefix(f.Name, "no-") && f.Name != "no-verify" || f.Name == "verify" || f.Short && len(f.Raw) > 2 {
			return "" // the order of flags matters, or the flag is one of git itself
		}
		more = append(more, text)
	}
	parts := make([]string, 0, len(p.refs))
	for _, one := range p.refs {
		name := strings.TrimPrefix(one.ref, "refs/heads/")
		switch {
		case one.delete:
			parts = append(parts, "no "+name)
		case one.from != one.ref:
			parts = append(parts, name+" from "+strings.TrimPrefix(one.from, "refs/heads/"))
		default:
			parts = append(parts, name)
		}
	}
	slices.Sort(parts)
	slices.Sort(more)
	on := strings.Join(parts, ", ") + " of " + p.remote + " (" + pushAddress(repo, p.remote) + ") by " + repo.Common
	if len(more) > 0 {
		on += " with " + strings.Join(more, " ")
	}
	return on
}

// hasPushOverrides reports whether settings other than the URL of remote affect where its pushes go,
// or which programs run for them.
func hasPushOverrides(repo *shell.Repo, remote string) bool {
	if slices.ContainsFunc(repo.Conditional, func(s shell.Setting) bool { return s.Section == "url" }) {
		return true
	}
	return slices.ContainsFunc(repo.Settings, func(s shell.Setting) bool {
		switch s.Section {
		case "core":
			return s.Key == "sshcommand" || s.Key == "gitproxy"
		case "remote":
			return s.Name == remote && (s.Key == "receivepack" || s.Key == "proxy")
		}
		return false
	})
}

// pushAddress returns the URL that remote's pushes go to, without user and password.
func pushAddress(repo *shell.Repo, remote string) string {
	return withoutUser(repo.PushURL(remote))
}

// withoutUser returns url without user and password. It returns text without a scheme unchanged.
func withoutUser(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + "/" + path
}

// A deleteCommand describes a command that deletes objects by name, so that names and flags determine
// what it deletes.
type deleteCommand struct {
	program    string // the name in the table of programs
	subcommand string // the words after the program, with alternatives separated by |
	noun       string // the kind of object that is deleted
	flags      string // the flags that are understood; with any other flag, the subject is unknown
	maxNames   int    // the maximum number of names; 0 means any number
}

var deleteCommands = [...]deleteCommand{
	{program: "docker", subcommand: "volume rm|remove", noun: "volume", flags: "f force"},
	{program: "docker", subcommand: "rm", noun: "container", flags: "f force v volumes"},
	{program: "docker", subcommand: "container rm|remove", noun: "container", flags: "f force v volumes"},
	{program: "docker", subcommand: "network rm|remove", noun: "network", flags: "f force"},
	{program: "docker", subcommand: "image rm|remove", noun: "image", flags: "f force"},
	{program: "docker", subcommand: "rmi", noun: "image", flags: "f force"},
	{program: "dropdb", noun: "database", flags: "if-exists h host p port U username", maxNames: 1},
	{program: "dropuser", noun: "user", flags: "if-exists h host p port U username", maxNames: 1},
	{program: "kubectl", subcommand: "delete namespace|namespaces|ns", noun: "namespace", flags: "context kubeconfig wait ignore-not-found"},
	{program: "kubectl", subcommand: "delete persistentvolumeclaim|persistentvolumeclaims|pvc", noun: "volume claim", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", subcommand: "delete persistentvolume|persistentvolumes|pv", noun: "volume", flags: "context kubeconfig wait ignore-not-found"},
	{program: "kubectl", subcommand: "delete statefulset|statefulsets|sts", noun: "stateful set", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", subcommand: "delete deployment|deployments|deploy", noun: "deployment", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", subcommand: "delete pod|pods|po", noun: "pod", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", subcommand: "delete secret|secrets", noun: "secret", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "git", subcommand: "branch", noun: "branch", flags: "D d delete f force q quiet"},
	{program: "git", subcommand: "tag", noun: "tag", flags: "d delete"},
}

// deletedSubject returns a text that identifies the objects that the call deletes, which is the same
// for any order and synonym. It returns "" if the call is not one of deleteCommands or not fully
// known.
func (s *search) deletedSubject(r *reading) string {
	c := r.Call
	if r.Open || r.Loose || r.Dash >= 0 || len(c.Env) > 0 || c.Remote != "" || c.Elevated || c.In != nil {
		return ""
	}
	for i := range deleteCommands {
		n := &deleteCommands[i]
		if n.program != r.Name {
			continue
		}
		at, ok := n.firstNameIndex(r)
		if !ok {
			continue
		}
		names := make([]string, 0, len(r.Words)-at)
		for _, w := range r.Words[at:] {
			if !w.IsKnown() || w.Glob || len(w.From) > 0 || w.Text == "" || strings.ContainsAny(w.Text, " \t\n") || strings.ContainsAny(w.Text, ",/") && n.program == "kubectl" {
				return ""
			}
			names = append(names, w.Text)
		}
		flags, ok := n.sortedFlags(r)
		if !ok || len(names) == 0 || n.maxNames > 0 && len(names) > n.maxNames {
			return ""
		}
		slices.Sort(names)
		on := c.Name + " " + n.noun + " " + strings.Join(slices.Compact(names), " ") + flags
		if n.program == "git" {
			repo, _ := s.repository(r)
			if repo == nil {
				return ""
			}
			on += " of " + repo.Common
		}
		return on
	}
	return ""
}

// firstNameIndex returns the index of the first name in the words of r. It reports false if r is a
// different command.
func (n *deleteCommand) firstNameIndex(r *reading) (index int, ok bool) {
	at := 0
	for rest := n.subcommand; rest != ""; at++ {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		if at >= len(r.Words) || !program.MatchesOneOf(one, r.Words[at].Text) {
			return 0, false
		}
	}
	return at, true
}

// sortedFlags returns the flags of r in a canonical order. It reports false if one is not listed in
// n.flags, or is present twice, because then the order matters.
func (n *deleteCommand) sortedFlags(r *reading) (string, bool) {
	list := make([]string, 0, len(r.Flags))
	for i := range r.Flags {
		f := &r.Flags[i]
		if !facts.InList(n.flags, f.Name) || strings.Contains(f.Value, placeholder) || strings.ContainsAny(f.Value, " \t\n") || f.Set && program.IsFalse(f.Value) {
			return "", false
		}
		list = append(list, " -"+f.Name)
		if f.Set {
			list[i] += "=" + f.Value
		}
		for k := range i {
			if r.Flags[k].Name == f.Name {
				return "", false
			}
		}
	}
	slices.Sort(list)
	return strings.Join(list, ""), true
}

// setSubjects sets the subject of effects that delete named objects.
func (s *search) setSubjects(r *reading, effects []shell.Effect) {
	for i := range effects {
		if e := &effects[i]; e.Label == shell.Destructive && e.Kind == "delete" && len(e.Paths) == 0 && e.Subject == "" || e.Kind == "drop" && e.Rule == "dropdb" {
			e.Subject = s.deletedSubject(r)
		}
	}
}

// addForcedPush adds the effect of a push that git's settings may force although it has no force flag:
// by a refspec with +, a mirror remote, or settings in variables.
func (s *search) addForcedPush(r *reading) {
	if len(s.found) > 0 || len(r.Words) == 0 || r.Words[0].Text != "push" {
		return
	}
	c, why := r.Call, ""
	for i := range c.Env {
		if name := c.Env[i].Name; strings.HasPrefix(name, "GIT_CONFIG") && name != "GIT_CONFIG_NOSYSTEM" {
			why = "the variable " + name + " changes Git's settings"
		}
	}
	for i := range c.Args {
		if strings.HasPrefix(c.Args[i].Text, "--config-env") {
			why = "--config-env changes Git's settings"
		}
	}
	if repo, _ := s.repository(r); why == "" && repo != nil {
		remote := defaultPushRemote(repo)
		if len(r.Words) > 1 {
			remote = r.Words[1].Text
		}
		switch specs := repo.GetAll("remote", remote, "push"); {
		case repo.Bool("remote", remote, "mirror"):
			why = "the remote is a mirror"
		case len(r.Words) < 3 && slices.ContainsFunc(specs, func(spec string) bool { return strings.HasPrefix(spec, "+") }):
			why = "the repository's settings force it"
		}
	}
	if why != "" {
		s.known = true
		s.addEffect(shell.Effect{Label: shell.Destructive, Kind: "push", Category: shell.GitHistory, Rule: "push-force", Impact: shell.ImpactHigh, Words: callText(c), ContextBound: true, Reason: "overwrites history on the remote, because " + why})
	}
}

// refinePush adjusts the effect e of an overwriting push to its destination. Overwriting a single
// branch that others do not build on has less impact.
func (s *search) refinePush(r *reading, e *shell.Effect) {
	repo, unknown := s.repository(r)
	p := r.resolvePush(repo, unknown)
	if e.Rule == "push-lease" && (p.unknown != "" || len(p.refs) > 1) && s.refineLease(r, e, repo, p) {
		return
	}
	if p.unknown != "" {
		which := "which"
		if p.remote != "" {
			which = "which repository's"
		}
		e.Reason, e.ContextBound = e.Reason+"; checkrein cannot tell "+which+" branch, because "+p.unknownReason(), true
		return
	}
	e.Subject, e.Reason = r.pushSubject(repo, &p), p.describeLoss()
	e.ContextBound = e.Subject == ""
	if e.Rule == "push-lease" {
		e.Reason += ", unless someone else has pushed"
	}
	switch {
	case len(p.refs) != 1 || isProtectedBranch(repo, p.remote, p.refs[0].ref):
	case p.refs[0].commit:
		e.Reason += " with a commit that no branch here names"
	default:
		e.Category, e.Impact = shell.GitPushBranch, shell.ImpactMedium
	}
}

// refinePushDelete adjusts the effect e of a push that deletes branches to their names. Deleting a
// branch that others build on has a high impact.
func (s *search) refinePushDelete(r *reading, e *shell.Effect) {
	repo, unknown := s.repository(r)
	if p := r.resolvePush(repo, unknown); p.unknown == "" {
		e.Subject, e.Reason = r.pushSubject(repo, &p), p.describeLoss()
		if len(p.refs) == 1 && e.Impact != shell.ImpactHigh && !isProtectedBranch(repo, p.remote, p.refs[0].ref) {
			e.Category, e.Impact = shell.GitPushBranch, shell.ImpactMedium
		}
	}
	e.ContextBound = e.Subject == ""
	if len(r.Words) < 3 || e.Impact == shell.ImpactHigh {
		return
	}
	for i := range r.Words[2:] {
		name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(r.Words[2+i].Text, "+"), ":"), "refs/heads/")
		if hasProtectedName(name) || repo != nil && repo.Default(r.Words[1].Text) == "refs/heads/"+name {
			e.Impact = shell.ImpactHigh
			if e.Subject == "" {
				e.Reason = "deletes a remote branch that others build on: " + name
			}
			return
		}
	}
}
