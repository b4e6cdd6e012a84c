package study

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/guard/edit"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
)

// JudgeWrites judges the existing files outside the project that a tool call overwrites or moves as if a
// redirection or mv did it. It omits new files, and protected ones, whose new contents self-protection
// judges.
func JudgeWrites(ev *checkrein.Event, at CallEnv) []PartReport {
	t := ev.Tool
	if t == nil || CanonicalName(t) == "shell" {
		return nil
	}
	parts := Parts(t, tools.WritePath|tools.Dir)
	if !slices.ContainsFunc(parts, func(p tools.Part) bool { return p.Role == tools.WritePath }) {
		return nil
	}
	var out []PartReport
	list, _ := Places(ev, at, parts)
	for i := range list {
		place := list[i]
		place.Real = ResolveParents
		for _, text := range writeCommands(t, parts, &place) {
			for _, r := range JudgePart(&tools.Part{Role: tools.Command, Text: text, Lang: "shell"}, t, &place) {
				r.Command = shortenCommand(t.Name + " " + text)
				out = append(out, r)
			}
		}
	}
	return out
}

// writeCommands returns commands that lose the same files outside the project as the call t, with the
// arguments parts, does at the place p.
func writeCommands(t *checkrein.Tool, parts []tools.Part, p *shell.Place) []string {
	var out, moved []string
	to, n := "", 0
	for i := range parts {
		if part := &parts[i]; part.Role == tools.WritePath {
			path := expandHome(part.Text, p)
			if !part.From {
				to, n = tools.Quote(path), n+1
				if op := overwriteOperator(t, part.Text, path, p); op != "" && len(out) < maxBatch {
					out = append(out, op+to)
				}
			} else if len(moved) < maxBatch {
				moved = append(moved, tools.Quote(path))
			}
		}
	}
	if len(moved) > 0 && n == 1 {
		out = []string{"mv -- " + strings.Join(moved, " ") + " " + to}
	}
	return out
}

// overwriteOperator returns the command and the redirection that change the file path as the call t does,
// which names it as name. It returns "" if no file outside the project is overwritten.
func overwriteOperator(t *checkrein.Tool, name, path string, p *shell.Place) string {
	abs := path
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(p.Dir, abs)
	}
	real := RealPath(abs, true)
	if p.Root != "" && InDir(real, RealPath(p.Root, true)) || pathKind(real) != shell.PathFile {
		return ""
	}
	if _, protected := files.ProtectedKind(abs, &shell.Call{}, p); protected {
		return ""
	}
	before, _ := ReadBounded(real)
	results, known := edit.Results(t, name, func(string) ([]byte, bool) { return before, before != nil })
	switch {
	case known && !slices.ContainsFunc(results, func(after []byte) bool { return len(after) > 0 || len(before) == 0 }):
		return ": > "
	case known && !slices.ContainsFunc(results, func(after []byte) bool { return !bytes.HasPrefix(after, before) }):
		return "echo x >> "
	}
	return "echo x > "
}
