package rules

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// loses describes in words what a push overwrites and deletes, all of which is known.
func (p *push) loses() string {
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

// said is why it is not known where a push goes. What git would refuse now it may
// do a moment later.
func (p *push) said() string {
	if strings.HasPrefix(p.why, "git refuses") {
		return "Git's settings do not name it"
	}
	return p.why
}

// plainPush are the flags of git push that change nothing of what is lost.
const plainPush = "f force u set-upstream v verbose q quiet progress no-progress 4 6 ipv4 ipv6 porcelain thin no-thin no-pager paginate p P no-optional-locks d delete C"

// pushOn names what a push is about, all of which is known: the same for every way
// to spell it. It is "" where flags or variables have a say that is not looked at.
func (r *reading) pushOn(repo *shell.Repo, p *push) string {
	if len(r.Call.Env) > 0 || led(repo, p.remote) {
		return ""
	}
	var more []string
	for i := range r.Flags {
		f := &r.Flags[i]
		if facts.InList(plainPush, f.Name) && (!f.Set || f.Early) {
			continue
		}
		text := f.Raw
		if f.Set {
			text += "=" + f.Value
		}
		if f.Early || f.Set && program.IsFalse(f.Value) || strings.HasPrefix(f.Name, "no-") && f.Name != "no-verify" || f.Name == "verify" || f.Short && len(f.Raw) > 2 {
			return "" // the order counts, or it is a setting
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

// led reports whether settings beside a remote's address say where its pushes go, or
// what runs for them.
func led(repo *shell.Repo, remote string) bool {
	if slices.ContainsFunc(repo.Perhaps, func(s shell.Setting) bool { return s.Section == "url" }) {
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

// pushAddress is where a remote's pushes go, without a name and a password.
func pushAddress(repo *shell.Repo, remote string) string {
	return withoutUser(repo.PushAddress(remote))
}

// withoutUser returns an address without a name and a password.
func withoutUser(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	host, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + host[strings.LastIndexByte(host, '@')+1:] + "/" + path
}

// A naming is a command whose words are names of things, and that with the flags
// say all that it loses.
type naming struct {
	program string // as in the table of programs
	verbs   string // the words of the command, alternatives with |
	noun    string
	flags   string // that it may have, with their values; others have a say that is not looked at
	most    int    // how many names it takes; 0 = any number
}

var namings = [...]naming{
	{program: "docker", verbs: "volume rm|remove", noun: "volume", flags: "f force"},
	{program: "docker", verbs: "rm", noun: "container", flags: "f force v volumes"},
	{program: "docker", verbs: "container rm|remove", noun: "container", flags: "f force v volumes"},
	{program: "docker", verbs: "network rm|remove", noun: "network", flags: "f force"},
	{program: "docker", verbs: "image rm|remove", noun: "image", flags: "f force"},
	{program: "docker", verbs: "rmi", noun: "image", flags: "f force"},
	{program: "dropdb", noun: "database", flags: "if-exists h host p port U username", most: 1},
	{program: "dropuser", noun: "user", flags: "if-exists h host p port U username", most: 1},
	{program: "kubectl", verbs: "delete namespace|namespaces|ns", noun: "namespace", flags: "context kubeconfig wait ignore-not-found"},
	{program: "kubectl", verbs: "delete persistentvolumeclaim|persistentvolumeclaims|pvc", noun: "volume claim", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", verbs: "delete persistentvolume|persistentvolumes|pv", noun: "volume", flags: "context kubeconfig wait ignore-not-found"},
	{program: "kubectl", verbs: "delete statefulset|statefulsets|sts", noun: "stateful set", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", verbs: "delete deployment|deployments|deploy", noun: "deployment", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", verbs: "delete pod|pods|po", noun: "pod", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "kubectl", verbs: "delete secret|secrets", noun: "secret", flags: "context kubeconfig n namespace wait ignore-not-found"},
	{program: "git", verbs: "branch", noun: "branch", flags: "D d delete f force q quiet"},
	{program: "git", verbs: "tag", noun: "tag", flags: "d delete"},
}

// nameOn names what the call's effects are about where its words are names: the
// same in whatever order they come, and by whatever synonym. "" = only the words
// say it.
func (s *search) nameOn(r *reading) string {
	c := r.Call
	if r.Open || r.Loose || r.Dash >= 0 || len(c.Env) > 0 || c.Remote != "" || c.Elevated || c.In != nil {
		return ""
	}
	for i := range namings {
		n := &namings[i]
		if n.program != r.Name {
			continue
		}
		at, ok := n.names(r)
		if !ok {
			continue
		}
		names := make([]string, 0, len(r.Words)-at)
		for _, w := range r.Words[at:] {
			if !w.Known() || w.Glob || len(w.From) > 0 || w.Text == "" || strings.ContainsAny(w.Text, " \t\n") || strings.ContainsAny(w.Text, ",/") && n.program == "kubectl" {
				return ""
			}
			names = append(names, w.Text)
		}
		flags, ok := n.given(r)
		if !ok || len(names) == 0 || n.most > 0 && len(names) > n.most {
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

// names returns where the names begin, if the call is such a command.
func (n *naming) names(r *reading) (int, bool) {
	at := 0
	for rest := n.verbs; rest != ""; at++ {
		var one string
		one, rest, _ = strings.Cut(rest, " ")
		if at >= len(r.Words) || !program.OneOf(one, r.Words[at].Text) {
			return 0, false
		}
	}
	return at, true
}

// given are the flags of a call in one order. It reports false where one is not
// looked at, or given twice: then the order counts.
func (n *naming) given(r *reading) (string, bool) {
	list := make([]string, 0, len(r.Flags))
	for i := range r.Flags {
		f := &r.Flags[i]
		if !facts.InList(n.flags, f.Name) || strings.Contains(f.Value, hole) || strings.ContainsAny(f.Value, " \t\n") || f.Set && program.IsFalse(f.Value) {
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

// about fills in what effects are about, where the names in the call say it.
func (s *search) about(r *reading, effects []shell.Effect) {
	for i := range effects {
		if e := &effects[i]; e.Label == shell.Destructive && e.Kind == "delete" && len(e.Paths) == 0 && e.On == "" || e.Kind == "drop" && e.Rule == "dropdb" {
			e.On = s.nameOn(r)
		}
	}
}

// forcedBySettings finds a push without a word of force that git's settings make
// one: remote.*.push with a +, a mirror, settings in variables.
func (s *search) forcedBySettings(r *reading) {
	if len(s.found) > 0 || len(r.Words) == 0 || r.Words[0].Text != "push" {
		return
	}
	c, why := r.Call, ""
	for i := range c.Env {
		if name := c.Env[i].Name; strings.HasPrefix(name, "GIT_CONFIG") && name != "GIT_CONFIG_NOSYSTEM" {
			why = "Git settings in the variable " + name
		}
	}
	for i := range c.Args {
		if strings.HasPrefix(c.Args[i].Text, "--config-env") {
			why = "Git settings from a variable"
		}
	}
	if repo, _ := s.repository(r); why == "" && repo != nil {
		remote := pushRemote(repo)
		if len(r.Words) > 1 {
			remote = r.Words[1].Text
		}
		switch specs := repo.All("remote", remote, "push"); {
		case repo.Is("remote", remote, "mirror"):
			why = "the remote is a mirror"
		case len(r.Words) < 3 && slices.ContainsFunc(specs, func(spec string) bool { return strings.HasPrefix(spec, "+") }):
			why = "the repository's settings force it"
		}
	}
	if why != "" {
		s.known = true
		s.keep(shell.Effect{Label: shell.Destructive, Kind: "push", Category: shell.GitHistory, Rule: "push-force", Radius: shell.RadiusHigh, Words: wordsOf(c), Exact: true, Reason: "overwrites history on the remote, because " + why})
	}
}

// pushLoss judges a push that overwrites by where it goes: one branch that others
// do not build on is one's own to overwrite.
func (s *search) pushLoss(r *reading, e *shell.Effect) {
	repo, unknown := s.repository(r)
	p := r.pushes(repo, unknown)
	if p.why != "" {
		which := "which"
		if p.remote != "" {
			which = "whose"
		}
		e.Reason, e.Exact = e.Reason+"; checkrein cannot tell "+which+" branch, because "+p.said(), true
		return
	}
	e.On, e.Reason = r.pushOn(repo, &p), p.loses()
	e.Exact = e.On == ""
	if e.Rule == "push-lease" {
		e.Reason += ", unless someone else has pushed"
	}
	switch {
	case len(p.refs) != 1 || isProtectedBranch(repo, p.remote, p.refs[0].ref):
	case p.refs[0].commit:
		e.Reason += " with a commit that no branch here names"
	case p.refs[0].delete:
		e.Radius = shell.RadiusMedium
	default:
		e.Category, e.Radius = shell.GitPushBranch, shell.RadiusMedium
	}
}

// pushDeletes judges the names that a push deletes.
func (s *search) pushDeletes(r *reading, e *shell.Effect) {
	repo, unknown := s.repository(r)
	if p := r.pushes(repo, unknown); p.why == "" {
		e.On, e.Reason = r.pushOn(repo, &p), p.loses()
	}
	e.Exact = e.On == ""
	if len(r.Words) < 3 || e.Radius == shell.RadiusHigh {
		return
	}
	for i := range r.Words[2:] {
		name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(r.Words[2+i].Text, "+"), ":"), "refs/heads/")
		if hasProtectedName(name) || repo != nil && repo.Default(r.Words[1].Text) == "refs/heads/"+name {
			e.Radius = shell.RadiusHigh
			if e.On == "" {
				e.Reason = "deletes a remote branch that others build on: " + name
			}
			return
		}
	}
}
