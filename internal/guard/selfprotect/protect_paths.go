package selfprotect

import (
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/edit"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// New guards, against changes by any tool or shell route, checkrein
// itself and what makes hosts call it, and the given paths; it asks before changes
// of what the machine runs by itself. Strict denies what is otherwise asked for,
// and what nobody can follow.
func New(env Env, args []string) (builtin.Func, error) {
	strict := slices.Contains(args, "strict")
	globs := slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "strict" })
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return protectPaths(&call, &env, globs, strict), nil
	}, nil
}

func protectPaths(call *builtin.Call, env *Env, globs []string, strict bool) checkrein.Verdict {
	if !builtin.IsGated(&call.Event) || call.Event.Tool == nil {
		return checkrein.Verdict{}
	}
	tool := *call.Event.Tool
	tool.Canonical = study.Canonical(&tool)
	ev := call.Event
	ev.Tool = &tool
	parts := study.Parts(&tool, tools.Command|tools.Argv|tools.Code|tools.WritePath|tools.DeletePath|tools.ReadPath|tools.Dir|tools.Unread)
	foreign := tool.Canonical == "" || strings.HasPrefix(tool.Canonical, "mcp:")
	if !foreign && !slices.ContainsFunc(parts, func(p tools.Part) bool {
		return p.Role != tools.Dir && (p.Role != tools.ReadPath || mayBeKey(p.Text))
	}) {
		return checkrein.Verdict{}
	}
	var worst finding
	places, _ := study.Places(&ev, study.GroundOf(call), parts)
	for _, place := range bothHomes(env, places) {
		k := newGuard(call, env, place, globs, strict)
		k.typing = env.Typing != nil && env.Typing(ev.Host)
		for i := range parts {
			worst.add(k.part(&parts[i], &tool))
		}
		if foreign {
			worst.add(k.strange(&tool, parts))
			worst.add(k.typesByTool(&tool))
		}
	}
	return worst.verdict()
}

// bothHomes adds the places with the home that the system has on record, where the host
// was started with another one: what lies in the person's own stays protected.
func bothHomes(env *Env, list []shell.Place) []shell.Place {
	if env.Account == nil || len(list) == 0 {
		return list
	}
	home := env.Account()
	if home == "" || home == list[0].Home || !exists(home) {
		return list
	}
	for _, place := range list[:len(list):len(list)] {
		place.Home = home
		list = append(list, place)
	}
	return list
}

// verb is what a call does with a path in a role.
func verb(r tools.Role) string {
	switch r {
	case tools.ReadPath:
		return "read"
	case tools.DeletePath:
		return "delete"
	}
	return "write"
}

// part judges one argument of a call.
func (k *guard) part(p *tools.Part, t *checkrein.Tool) finding {
	w := finding{evidence: t.Name + " " + p.Text}
	switch p.Role {
	case tools.Dir:
	case tools.ReadPath:
		if mayBeKey(p.Text) {
			w.add(k.keyRead(p.Text))
		}
	case tools.Unread:
		w.add(k.unread(t, p))
	case tools.DeletePath:
		w.add(k.removed(p.Text))
	case tools.WritePath:
		w.add(k.touched(p.Text, touch{follow: true, results: func() ([][]byte, bool) {
			return edit.Results(t, p.Text, func(path string) ([]byte, bool) { return study.ReadBounded(k.absolute(path)) })
		}}))
	default:
		w.evidence = p.Text
		w.add(k.runs(p, t))
		return w
	}
	if w.decision != checkrein.NoOpinion {
		w.cause = &checkrein.Cause{Kind: verb(p.Role), Paths: []string{p.Text}}
	}
	return w
}

// onlyLooks are the tools of hosts that change no file, whatever their arguments.
var onlyLooks = [...]string{"read", "list", "glob", "search", "fetch", "websearch", "task", "todo"}

// maxMentions bounds the text in which paths are looked for, which costs system
// calls.
const maxMentions = 256 << 10

// unread judges a call with more arguments than are read, or deeper ones: what they
// mention may be what they change.
func (k *guard) unread(t *checkrein.Tool, p *tools.Part) finding {
	if p.Text != "" { // of a path
		return k.asked("protect/too-much", p.Text, "checkrein cannot tell where the path leads: use a shorter one")
	}
	if slices.Contains(onlyLooks[:], t.Canonical) {
		return finding{}
	}
	w := k.asked("protect/too-much", "any file that a call with too many arguments to check may change", "split it into smaller calls")
	left := maxMentions
	rawjson.Strings(t.Input, func(s string) bool {
		if strings.Contains(s, "/") {
			left -= len(s)
			if left >= 0 {
				w.add(k.mentioned(s))
			}
		}
		return left > 0 && !w.settled()
	})
	return w
}

// runs judges a command or code, and then with the scripts that it runs.
func (k *guard) runs(p *tools.Part, t *checkrein.Tool) finding {
	as := study.Of(p, t, &k.place, &k.ground)
	k.reads = as.OnlyReads
	k.said = k.literal(p, as.Calls)
	worst := k.reported(p, as.List, k.strict)
	if !worst.settled() {
		worst.add(k.calls(p.Text, as.Calls, false))
	}
	worst.add(k.typed(p, &as))
	worst.add(k.numbered(as.Calls))
	if looksUp(p.Text) && writesInCode(p.Text) {
		worst.add(ownWays)
	}
	if (k.strict || k.typing) && slices.ContainsFunc(as.List, isToldLater) {
		worst.add(finding{decision: checkrein.Deny, rule: "protect/typing", what: "interactive input to " + p.Text, way: "no hook sees what is typed into it, so pass the program its commands when you start it"})
	}
	if as.Read != nil && !worst.settled() {
		worst.add(k.reported(p, as.Read, false))
		worst.add(k.calls(p.Text, as.ReadCalls, true))
	}
	return worst
}

// isToldLater reports whether a command starts a program that does what it is told
// later.
func isToldLater(j study.Judged) bool {
	return slices.ContainsFunc(j.Report.Effects, func(e shell.Effect) bool { return e.Rule == shell.RuleWaits })
}

// reported judges what is known of a command. Strict denies what nobody can follow;
// of a long script that is no wonder.
func (k *guard) reported(p *tools.Part, list []study.Judged, strict bool) finding {
	var worst finding
	for i := range list {
		r := &list[i].Report
		cut := len(r.Effects) >= shell.MaxEffects
		found := searchOf(r)
		for i := range r.Effects {
			e := &r.Effects[i]
			cut = cut || e.Rule == shell.RuleTooMuch || len(e.Paths) >= shell.MaxPaths
			for _, path := range e.Paths {
				worst.add(k.keyRead(path).by(e))
			}
			if reads(e) && e.Rule != "config" {
				continue
			}
			worst.add(k.effect(e).by(e))
			for i := 0; i < len(e.Paths) && !worst.settled() && e.Kind != "run"; i++ {
				worst.add(k.swept(e.Paths[i], found).by(e))
			}
		}
		if cut && strict {
			worst.add(finding{decision: checkrein.Deny, rule: "protect/too-much", what: "any file that a command too long to check may change", way: "run it in parts"})
		}
		if cut || unknownPath(r) {
			worst.add(k.mentioned(p.Text))
		}
	}
	return worst
}

// unknownPath reports whether something is changed of which nobody knows before it
// runs where it lies: rm $(ls x/*).
func unknownPath(r *shell.Report) bool {
	for i := range r.Effects {
		e := &r.Effects[i]
		if !reads(e) && slices.ContainsFunc(e.Paths, func(p string) bool { return strings.ContainsRune(p, shell.Hole) }) {
			return true
		}
	}
	return false
}

// effect judges one thing that a command does.
func (k *guard) effect(e *shell.Effect) finding {
	takes := e.Kind == "delete" || e.Kind == "move"
	var worst finding
	if e.Rule == files.RuleOwn {
		worst.add(commandRefusal(e.Reason))
	}
	if e.Category == shell.GuardOff {
		worst.add(k.around(e.Rule, e.Reason))
	}
	for _, path := range e.Paths {
		var w finding
		c := touch{follow: !takes, git: strings.HasPrefix(e.Row().Name, "git-")}
		if text, ok := k.said[path]; ok && (e.Kind == "write" || e.Kind == "overwrite") {
			c.results = func() ([][]byte, bool) { return [][]byte{text}, true }
		}
		if e.Kind == "delete" {
			w = k.removed(path)
		} else {
			w = k.touched(path, c)
		}
		// Such as rights that are made narrower, or a folder that is there. Where a
		// link leads elsewhere, what was found safe is another path. Of files that only
		// a variable names it was never asked.
		if w.decision == checkrein.Ask && e.Label == shell.Safe && w.rule != "protect/settings" && !(w.isHookFinding() && !strings.HasPrefix(e.Words, "mkdir ")) && k.at(path, &k.place, c).decision == checkrein.Ask {
			w = finding{}
		}
		worst.add(w)
		worst.add(k.reach(e, path))
		worst.add(k.hidesTranscripts(e, path))
		if spreads(e) {
			worst.add(k.holds(path))
		}
	}
	if strings.HasPrefix(e.Rule, "config") && runsPrograms(e.Words) {
		worst.add(k.asked("protect/git-config", "a Git setting that makes Git run programs", "Git runs these programs with your permissions, outside the agent too"))
	}
	if len(e.Paths) == 0 && (e.Label != shell.Safe || puts(e)) && !onlyQueries(e.Words) {
		worst.add(k.mentioned(e.Words))
		worst.add(k.goneBy(e))
	}
	return worst
}

// puts reports whether a program that is harmless by itself writes where its words
// say, and these are no text for people to read.
func puts(e *shell.Effect) bool {
	words := strings.Fields(e.Words)
	if len(words) < 2 {
		return false
	}
	switch words[0] {
	case "git":
		return slices.Contains([]string{"clone", "init", "config", "worktree", "submodule", "-C"}, words[1]) || strings.HasPrefix(words[1], "--")
	case "docker", "podman", "nerdctl", "pip", "pip3", "npm", "pnpm", "yarn", "cargo", "go", "cmake", "rclone", "sftp", "socat", "mknod", "attr", "psql", "mysql", "sqlite3", "logrotate":
		return true
	}
	return false
}

// onlyQueries reports whether a command is sqlite3 that is told to change nothing, and not by one of its
// own commands or functions that do all the same.
func onlyQueries(words string) bool {
	low := strings.ToLower(words)
	return strings.HasPrefix(low, "sqlite3 ") && slices.Contains(strings.Fields(low), "-readonly") && !strings.HasSuffix(words, "…") &&
		!slices.ContainsFunc([]string{".shell", ".system", ".output", ".once", ".open", ".backup", ".save", ".excel", ".import", ".log", ".load", ".read", "attach", "writefile", "load_extension", "edit("}, func(w string) bool { return strings.Contains(low, w) })
}

// spreads reports whether an effect reaches everything below its paths.
func spreads(e *shell.Effect) bool {
	words := strings.Fields(e.Words)
	if len(words) == 0 || e.Row().Pack != shell.PackFilesystem && e.Row().Pack != shell.PackPermissions {
		return false
	}
	if strings.HasSuffix(e.Words, "…") {
		return true // some of the words are missing
	}
	switch e.Kind {
	case "delete", "move", "link":
		return true
	case "chmod", "chown":
		return slices.ContainsFunc(words, func(w string) bool {
			return w == "--recursive" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "R")
		})
	}
	switch words[0] {
	case "tar", "gtar", "bsdtar", "unzip", "rsync", "cpio", "7z", "7za", "7zz", "7zr":
		return true
	case "ln", "gln", "mount":
		return e.Kind != "write"
	case "cp", "gcp", "mv", "gmv":
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return w == "." || w == "*" || strings.HasSuffix(w, "/.") || strings.HasSuffix(w, "/*") || w == "--no-target-directory" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "T")
		})
	}
	return false
}

// reads reports whether an effect changes nothing.
func reads(e *shell.Effect) bool {
	return e.Kind == "read" || e.Kind == "list" || e.Kind == "search" || strings.HasSuffix(e.Row().Name, "-read")
}
