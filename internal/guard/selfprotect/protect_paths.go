package selfprotect

import (
	"context"
	"path/filepath"
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

// New returns the builtin that denies changes, by any tool or shell command, to checkrein itself, to
// the settings that make hosts call it, and to paths that match args. It asks before changes to files
// that the machine runs by itself. The argument "strict" makes it deny instead of ask, and deny
// commands that are too long to check.
func New(env Env, args []string) (builtin.Func, error) {
	strict := slices.Contains(args, "strict")
	globs := slices.DeleteFunc(slices.Clone(args), func(s string) bool { return s == "strict" })
	return func(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
		return protectPaths(&call, &env, globs, strict), nil
	}, nil
}

// protectPaths returns the guard's verdict for a call.
func protectPaths(call *builtin.Call, env *Env, globs []string, strict bool) checkrein.Verdict {
	if !builtin.IsGated(&call.Event) || call.Event.Tool == nil {
		return checkrein.Verdict{}
	}
	tool := *call.Event.Tool
	tool.Canonical = study.CanonicalName(&tool)
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
	places, _ := study.Places(&ev, study.NewCallEnv(call), parts)
	for _, place := range addAccountHome(env, places) {
		k := newGuard(call, env, place, globs, strict)
		k.typing = env.LetsType != nil && env.LetsType(ev.Host)
		for i := range parts {
			worst.merge(k.checkPart(&parts[i], &tool))
		}
		planted := study.PlantedCommands(&tool, parts, &place)
		for i := range planted {
			worst.merge(k.checkCommand(&planted[i], &tool))
		}
		if foreign {
			worst.merge(k.checkUnknownTool(&tool, parts))
			worst.merge(k.checkTypingTool(&tool))
		}
	}
	return worst.verdict()
}

// addAccountHome adds to list the same places with the home directory that the system has on record,
// if the host was started with another one, so that the user's real home directory stays protected.
func addAccountHome(env *Env, list []shell.Place) []shell.Place {
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

// roleVerb returns what a call does with a path in the role r: read, delete or write.
func roleVerb(r tools.Role) string {
	switch r {
	case tools.ReadPath:
		return "read"
	case tools.DeletePath:
		return "delete"
	}
	return "write"
}

// checkPart returns the finding for p, one argument of t.
func (k *guard) checkPart(p *tools.Part, t *checkrein.Tool) finding {
	w := finding{evidence: t.Name + " " + p.Text}
	switch p.Role {
	case tools.Dir:
	case tools.ReadPath:
		if mayBeKey(p.Text) {
			w.merge(k.checkKeyRead(p.Text))
		}
	case tools.Unread:
		w.merge(k.checkUnread(t, p))
	case tools.DeletePath:
		w.merge(k.checkRemoval(p.Text))
	case tools.WritePath:
		w.merge(k.checkChange(p.Text, pathChange{follow: true, results: func() ([][]byte, bool) {
			return edit.Results(t, p.Text, func(path string) ([]byte, bool) { return study.ReadBounded(k.absPath(path)) })
		}}))
	default:
		w.evidence = p.Text
		w.merge(k.checkCommand(p, t))
		return w
	}
	if w.decision != checkrein.NoOpinion {
		w.cause = &checkrein.Cause{Kind: roleVerb(p.Role), Paths: []string{p.Text}}
	}
	return w
}

// readOnlyTools lists the tools of hosts that do not change files, whatever their arguments are.
var readOnlyTools = [...]string{"read", "list", "glob", "search", "fetch", "websearch", "task", "todo"}

// maxMentions limits how much text is searched for paths, because each path costs system calls.
const maxMentions = 256 << 10

// checkUnread returns the finding for a call that was not fully read because it has too many or too
// deeply nested arguments, or a path that is too long. It may change any path that it mentions.
func (k *guard) checkUnread(t *checkrein.Tool, p *tools.Part) finding {
	if p.Text != "" { // a path that is too long
		return k.askFinding("protect/too-much", p.Text, "checkrein cannot tell where the path leads: use a shorter one")
	}
	if slices.Contains(readOnlyTools[:], t.Canonical) {
		return finding{}
	}
	w := k.askFinding("protect/too-much", "any file that a call with too many arguments to check may change", "split it into smaller calls")
	left := maxMentions
	rawjson.EachStringValue(t.Input, func(s string) bool {
		if strings.Contains(s, "/") {
			left -= len(s)
			if left >= 0 {
				w.merge(k.checkMentions(s))
			}
		}
		return left > 0 && !w.isStrictest()
	})
	return w
}

// checkCommand returns the finding for p, a command or code, including the scripts that it runs.
func (k *guard) checkCommand(p *tools.Part, t *checkrein.Tool) finding {
	as := study.Analyze(p, t, &k.place, &k.ground)
	k.reads = as.OnlyReads
	k.written = as.Written
	worst := k.checkReports(p, as.List, k.strict)
	for i := range as.Planted {
		planted := *k
		worst.merge(planted.checkCommand(&as.Planted[i], t))
	}
	if !worst.isStrictest() {
		worst.merge(k.checkCalls(p.Text, as.Calls, false))
	}
	worst.merge(k.checkTyping(p, &as))
	worst.merge(k.checkPIDs(as.Calls))
	if looksUpOwnProgram(p.Text) && codeChangesFiles(p.Text) {
		worst.merge(searchFinding)
	}
	if (k.strict || k.typing) && slices.ContainsFunc(as.List, waitsForInput) {
		worst.merge(finding{decision: checkrein.Deny, rule: "protect/typing", what: "interactive input to " + p.Text, advice: "no hook sees what is typed into it, so pass the program its commands when you start it"})
	}
	if as.Read != nil && !worst.isStrictest() {
		worst.merge(k.checkReports(p, as.Read, false))
		worst.merge(k.checkCalls(p.Text, as.ReadCalls, true))
	}
	return worst
}

// waitsForInput reports whether the command of j starts a program that reads its commands from later
// input.
func waitsForInput(j study.PartReport) bool {
	return slices.ContainsFunc(j.Report.Effects, func(e shell.Effect) bool { return e.Rule == shell.RuleWaits })
}

// checkReports returns the finding for the effects in list. If strict is set, it denies commands that
// are too long to check; for scripts, which are often long, it is not set.
func (k *guard) checkReports(p *tools.Part, list []study.PartReport, strict bool) finding {
	var worst finding
	for i := range list {
		r := &list[i].Report
		cut := len(r.Effects) >= shell.MaxEffects
		found := findSearchCommand(r)
		for i := range r.Effects {
			e := &r.Effects[i]
			cut = cut || e.Rule == shell.RuleTooMuch || len(e.Paths) >= shell.MaxPaths
			for _, path := range e.Paths {
				worst.merge(k.checkKeyRead(path).withCause(e))
			}
			if isReadEffect(e) && e.Rule != "config" {
				continue
			}
			worst.merge(k.checkEffect(e).withCause(e))
			for i := 0; i < len(e.Paths) && !worst.isStrictest() && e.Kind != "run"; i++ {
				worst.merge(k.checkPattern(e.Paths[i], found).withCause(e))
			}
		}
		if cut && strict {
			worst.merge(finding{decision: checkrein.Deny, rule: "protect/too-much", what: "any file that a command too long to check may change", advice: "split it into several commands"})
		}
		if cut || changesUnknownPath(r) {
			worst.merge(k.checkMentions(p.Text))
		}
	}
	return worst
}

// changesUnknownPath reports whether a command changes a path that is unknown until it runs, as rm
// $(ls x/*) does.
func changesUnknownPath(r *shell.Report) bool {
	for i := range r.Effects {
		e := &r.Effects[i]
		if !isReadEffect(e) && slices.ContainsFunc(e.Paths, func(p string) bool { return strings.ContainsRune(p, shell.Placeholder) }) {
			return true
		}
	}
	return false
}

// checkEffect returns the finding for one effect of a command.
func (k *guard) checkEffect(e *shell.Effect) finding {
	takes := e.Kind == "delete" || e.Kind == "move"
	var worst finding
	if e.Rule == files.RuleOwn {
		worst.merge(ownCommandFinding(e.Reason))
	}
	if e.Category == shell.GuardOff {
		worst.merge(k.bypassFinding(e.Rule, e.Reason))
	}
	for _, path := range e.Paths {
		var w finding
		c := pathChange{follow: !takes, git: strings.HasPrefix(e.Row().Name, "git-")}
		if text, ok := k.written[filepath.Clean(k.absPath(path))]; ok && e.Kind != "delete" {
			c.results = func() ([][]byte, bool) { return [][]byte{text}, true }
		}
		if e.Kind == "delete" {
			w = k.checkRemoval(path)
		} else {
			w = k.checkChange(path, c)
		}
		// Do not ask about safe effects, such as narrower permissions or mkdir of an existing
		// directory. The label does not count if a symlink leads to another path, or if only
		// an environment variable names the file: the study did not consider these.
		if w.decision == checkrein.Ask && e.Label == shell.Safe && w.rule != "protect/settings" &&
			(w.rule != ruleAgentCommands && w.rule != ruleRunLater || e.Kind == "chmod" || e.Kind == "chown") && !(w.isHookFinding() && !strings.HasPrefix(e.Words, "mkdir ")) && k.checkPath(path, &k.place, c).decision == checkrein.Ask {
			w = finding{}
		}
		worst.merge(w)
		worst.merge(k.checkPartialPath(e, path))
		worst.merge(k.checkHidden(e, path))
		if affectsTree(e) {
			worst.merge(k.checkTree(path))
		}
	}
	if strings.HasPrefix(e.Rule, "config") && configRunsPrograms(e.Words) {
		worst.merge(k.askFinding("protect/git-config", "a Git setting that makes Git run programs", "Git runs these programs with your permissions, outside the agent too"))
	}
	if len(e.Paths) == 0 && (e.Label != shell.Safe || writesOperands(e)) && !isReadOnlySQLite(e.Words) {
		worst.merge(k.checkMentions(e.Words))
		worst.merge(k.checkRemovedWords(e))
	}
	return worst
}

// writesOperands reports whether e is a call of a program that counts as harmless but writes to paths
// among its words.
func writesOperands(e *shell.Effect) bool {
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

// isReadOnlySQLite reports whether words run sqlite3 with -readonly and without commands or functions
// that write files nevertheless.
func isReadOnlySQLite(words string) bool {
	low := strings.ToLower(words)
	return strings.HasPrefix(low, "sqlite3 ") && slices.Contains(strings.Fields(low), "-readonly") && !strings.HasSuffix(words, "…") &&
		!slices.ContainsFunc([]string{".shell", ".system", ".output", ".once", ".open", ".backup", ".save", ".excel", ".import", ".log", ".load", ".read", "attach", "writefile", "load_extension", "edit("}, func(w string) bool { return strings.Contains(low, w) })
}

// affectsTree reports whether an effect reaches everything below its paths.
func affectsTree(e *shell.Effect) bool {
	words := strings.Fields(e.Words)
	if len(words) == 0 || e.Row().Pack != shell.PackFilesystem && e.Row().Pack != shell.PackPermissions {
		return false
	}
	if strings.HasSuffix(e.Words, "…") {
		return true // the words are truncated
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

// isReadEffect reports whether an effect changes nothing.
func isReadEffect(e *shell.Effect) bool {
	return e.Kind == "read" || e.Kind == "list" || e.Kind == "search" || strings.HasSuffix(e.Row().Name, "-read")
}
