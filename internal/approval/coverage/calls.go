package coverage

import (
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// StartsPrograms reports whether h is of a kind that starts programs: a command, or a builtin hook
// that is configured with one.
func StartsPrograms(h *checkrein.Hook) bool {
	switch h.Run {
	case "command":
		return true
	case "builtin":
		return len(builtinCommand(h)) > 0
	}
	return false
}

// A Call is a program that a hook starts, together with its first argument.
type Call struct{ Program, First string }

// Calls returns the programs that the text of h starts without doubt, including those behind wrappers
// such as env and timeout and those in text passed to a shell. It omits programs that run on another
// machine. It reads no files.
func Calls(h *checkrein.Hook) []Call {
	var t *resolve.Trace
	switch text, argv := shellText(h), plainArgv(h); {
	case text != "":
		t = resolve.TraceText(text, shell.Place{}, &resolve.InitialState{})
	case len(argv) > 0:
		t = resolve.TraceWords(quotedWords(argv), shell.Place{}, &resolve.InitialState{})
	default:
		return nil
	}
	var out []Call
	for i := range t.Starts {
		s := &t.Starts[i]
		if !s.Word.IsKnown() || s.Call.Remote != "" {
			continue
		}
		c := Call{Program: s.Call.Path}
		if len(s.Call.Args) > 0 {
			c.First = s.Call.Args[0].Text
		}
		out = append(out, c)
	}
	return out
}

// quotedWords returns argv as words that no shell expands.
func quotedWords(argv []string) []shell.Word {
	words := make([]shell.Word, len(argv))
	for i, a := range argv {
		words[i] = shell.Word{Text: a, Quoted: true}
	}
	return words
}

// PlaceAt returns the Place of hooks that run in root with the environment of this process.
func PlaceAt(root string) Place {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // paths that need it stay unknown
	}
	return Place{Root: root, Top: environ.RepoTop(root), Home: home}
}

// StartedPaths returns the paths of the programs that the text of h starts by a path with a slash,
// whether or not they exist. Scripts that are passed to interpreters are left out, since they need not
// be executable. It returns nil for a hook that runs a directory of scripts.
func StartedPaths(h *checkrein.Hook, p Place, disk *DiskView) []string {
	if hookFolder(h) != "" {
		return nil
	}
	var out []string
	planHook(h, p, disk, func(path string) {
		if !slices.Contains(out, path) {
			out = append(out, path)
		}
	})
	return out
}

// ExistingFiles returns the existing regular files that h would run.
func ExistingFiles(h *checkrein.Hook, p Place) []string {
	var disk DiskView
	var out []string
	for _, part := range PlanFor(h, p, &disk).Parts {
		if disk.Kind(part.Path) == Regular && !slices.Contains(out, part.Path) {
			out = append(out, part.Path)
		}
	}
	return out
}

// FilesInProject returns the [ExistingFiles] of h, a hook of the project at root.
func FilesInProject(root string, h *checkrein.Hook) []string {
	return ExistingFiles(h, PlaceAt(strings.TrimSpace(root)))
}
