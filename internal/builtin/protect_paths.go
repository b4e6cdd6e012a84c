package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/shell"
)

// newProtectPaths denies writes, moves, deletions and permission changes, by any
// tool or shell route, to what guards the machine and to the given paths.
func newProtectPaths(args []string) (Func, error) {
	return func(_ context.Context, call Call) (checkrein.Verdict, error) { return protectPaths(&call, args), nil }, nil
}

func protectPaths(call *Call, patterns []string) checkrein.Verdict {
	if call.Event.Kind != checkrein.PreToolUse || call.Event.Tool == nil {
		return checkrein.Verdict{}
	}
	tool := *call.Event.Tool
	tool.Canonical = served(canonical(&tool))
	if typed := typedCommand(&tool); typed != nil {
		tool.Canonical, tool.Input = "shell", typed
	}
	ev := call.Event
	ev.Tool = &tool
	k := newKeeper(call, &ev, patterns)
	if tool.Canonical == "shell" {
		return k.shell(&ev)
	}
	if !writes(&tool) {
		return checkrein.Verdict{}
	}
	for _, path := range pathsOf(&tool) {
		if what, ok := k.touches(path, true); ok {
			return protectedVerdict(what, "fs-modify", tool.Name+" "+path)
		}
	}
	return checkrein.Verdict{}
}

func protectedVerdict(what, category, evidence string) checkrein.Verdict {
	why := what + " is protected"
	return checkrein.Verdict{Decision: checkrein.Deny, Reason: blocked(why, evidence), Metadata: metadata(shell.RadiusHigh.String(), category, why)}
}

// shell judges the commands of a call: first as they stand, then with the scripts
// that they run.
func (k *keeper) shell(ev *checkrein.Event) checkrein.Verdict {
	for _, command := range ev.Tool.Commands() {
		for _, follow := range [...]bool{false, true} {
			place := k.place
			place.Real = func(path string) string { return realPath(path, false) }
			if follow {
				place.Read = readScript
			}
			for _, r := range reports(command, place, ev.Tool.Name) {
				if what, category, ok := k.objects(&r, !follow); ok {
					return protectedVerdict(what, category, command)
				}
				if what, ok := k.mentioned(command); ok && unknownPath(&r) {
					return protectedVerdict(what, "fs-modify", command)
				}
			}
		}
	}
	return checkrein.Verdict{}
}

// objects says what a report changes that is protected. One that leaves something
// out counts as if it did when it is the command's own: of a long script that is
// no wonder.
func (k *keeper) objects(r *shell.Report, whole bool) (what, category string, ok bool) {
	for i := range r.Effects {
		e := &r.Effects[i]
		if reads(e) && e.Rule != "config" {
			continue
		}
		if what, ok := k.changes(e); ok {
			return what, e.Row().Name, true
		}
		if e.Rule == shell.RuleWaits {
			return "what may be typed into " + e.Words, e.Row().Name, true
		}
		if whole && (e.Rule == shell.RuleTooMuch || len(e.Paths) >= shell.MaxPaths) {
			return "what may be changed by a command too long to follow", e.Row().Name, true
		}
	}
	if whole && len(r.Effects) >= shell.MaxEffects {
		return "what may be changed by a command too long to follow", "run", true
	}
	return "", "", false
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

// changes says what an effect changes that is protected.
func (k *keeper) changes(e *shell.Effect) (string, bool) {
	takes := e.Kind == "delete" || e.Kind == "move"
	for _, path := range e.Paths {
		if what, ok := k.touches(path, !takes); ok {
			return what, true
		}
		if project, ok := spreads(e); ok {
			if what, ok := k.holds(path, project); ok {
				return what, true
			}
		}
	}
	if e.Category == shell.GitConfig && changesHooks(e.Words) {
		return "git-hooks", true
	}
	if len(e.Paths) == 0 && (e.Label != shell.Safe || puts(e)) {
		return k.mentioned(e.Words)
	}
	return "", false
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

// spreads reports whether an effect reaches everything below its paths, and
// whether that is so in a project, too: people unpack archives there.
func spreads(e *shell.Effect) (project, ok bool) {
	words := strings.Fields(e.Words)
	if len(words) == 0 || e.Row().Pack != shell.PackFilesystem && e.Row().Pack != shell.PackPermissions {
		return false, false
	}
	if strings.HasSuffix(e.Words, "…") {
		return true, true // some of the words are missing
	}
	switch e.Kind {
	case "delete", "move", "link":
		return true, true
	case "chmod", "chown":
		return true, slices.ContainsFunc(words, func(w string) bool {
			return w == "--recursive" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "R")
		})
	}
	switch words[0] {
	case "tar", "gtar", "bsdtar", "unzip", "rsync", "cpio", "7z", "7za", "7zz", "7zr":
		return false, true
	case "ln", "gln", "mount":
		return true, e.Kind != "write"
	case "cp", "gcp", "mv", "gmv":
		return false, slices.ContainsFunc(words[1:], func(w string) bool {
			return w == "." || w == "*" || strings.HasSuffix(w, "/.") || strings.HasSuffix(w, "/*")
		})
	}
	return false, false
}

// changesHooks reports whether git config sets, or unsets, what decides which hooks
// git runs.
func changesHooks(words string) bool {
	list := strings.Fields(strings.ToLower(words))
	for i, w := range list {
		if w == "core.hookspath" || w == "include.path" || strings.HasPrefix(w, "includeif.") {
			return i+1 < len(list) || strings.Contains(words, "unset") || strings.Contains(words, "--remove")
		}
	}
	return slices.ContainsFunc(list, func(w string) bool { return strings.HasSuffix(w, "-section") && slices.Contains(list, "core") })
}

// reads reports whether an effect changes nothing.
func reads(e *shell.Effect) bool {
	return e.Kind == "read" || e.Kind == "list" || e.Kind == "search" || strings.HasSuffix(e.Row().Name, "-read")
}

// served is the canonical name of a tool of a server that calls its tools by
// other systems' names.
func served(name string) string {
	if rest, ok := strings.CutPrefix(name, "mcp:"); ok {
		_, tool, _ := strings.Cut(rest, "/")
		if known := checkrein.CanonicalTool(tool); known != "" {
			return known
		}
		for _, word := range [...]string{"command", "shell", "bash", "terminal", "exec"} {
			if strings.Contains(strings.ToLower(tool), word) {
				return "shell"
			}
		}
	}
	return name
}

// typedCommand is the input of a shell call that does what a tool types into a
// program which is running; nil for other tools.
func typedCommand(t *checkrein.Tool) []byte {
	switch t.Name {
	case "write_bash", "write_powershell", "write_stdin", "process":
	default:
		return nil
	}
	for _, name := range [...]string{"input", "chars", "data", "text", "keys"} {
		if s := rawjson.GetText(t.Input, name); s != "" {
			o := rawjson.Object{'{'}
			o.Text("command", strings.NewReplacer("{enter}", "\n", "\r", "\n").Replace(s))
			o.Close()
			return o
		}
	}
	return nil
}

// writes reports whether a tool changes files.
func writes(t *checkrein.Tool) bool {
	switch t.Canonical {
	case "write", "edit", "patch":
		return true
	}
	rest, ok := strings.CutPrefix(t.Canonical, "mcp:")
	if !ok {
		return false
	}
	_, tool, _ := strings.Cut(strings.ToLower(rest), "/")
	for _, word := range [...]string{"write", "edit", "move", "delete", "remove", "rename", "create", "append", "insert", "replace", "patch", "copy", "save", "put", "upload", "truncate", "chmod", "link", "update", "set_", "mkdir"} {
		if strings.Contains(tool, word) {
			return true
		}
	}
	return false
}

// pathsOf are the paths that a tool's arguments name.
func pathsOf(t *checkrein.Tool) []string { return t.Paths() }
