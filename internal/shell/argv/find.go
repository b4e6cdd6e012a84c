package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// maxPatterns is the maximum number of alternatives in an expression of find that are tracked. Beyond
// it, any file may match.
const maxPatterns = 16

// FindResults returns patterns for the files that find passes to the action at args[at]. There is a
// pattern for each starting point and each alternative of the expression before the action. An
// alternative without a name or path test matches all files.
func FindResults(args []shell.Word, at int) []shell.Word {
	starts, i := startingPoints(args)
	var patterns []string
	pattern, not, pruned := "", false, false
	for ; i < min(at, len(args)); i++ {
		switch t := args[i].Text; {
		case t == "!" || t == "-not":
			not = true
			continue
		case t == "-prune":
			pruned = true
		case t == "-o" || t == "-or" || t == ",":
			if !pruned {
				patterns = append(patterns, pattern)
			}
			pattern, pruned = "", false
		case t == "-exec" || t == "-execdir" || t == "-ok" || t == "-okdir":
			for i++; i < len(args) && args[i].Text != ";" && args[i].Text != "+"; i++ {
			}
		case i+1 < len(args) && strings.HasPrefix(t, "-") && (strings.HasSuffix(t, "name") || strings.HasSuffix(t, "path")):
			if i++; !not && (pattern == "" || strings.Contains(args[i].Text, "/")) {
				pattern = args[i].Text
			}
		}
		not = false
	}
	if patterns = append(patterns, pattern); slices.Contains(patterns, "") || len(patterns) > maxPatterns {
		patterns = []string{"*"}
	}
	var found []shell.Word
	for _, p := range patterns {
		found = append(found, PathsBelow(starts, p)...)
	}
	return found
}

// startingPoints returns the starting points of find, which are "." by default, and the index in args
// at which its expression begins.
func startingPoints(args []shell.Word) (starts []shell.Word, i int) {
	for ; i < len(args) && len(args[i].Text) > 1 && strings.Contains("-H -L -P -E -X -s -x -O1 -O2 -O3", args[i].Text); i++ {
	}
	for ; i < len(args); i++ {
		if t := args[i].Text; t != "" && (t[0] == '-' && len(t) > 1 || t == "(" || t == ")" || t == "!" || t == ",") {
			break
		}
		if len(starts) == maxStarts {
			starts[maxStarts-1] = expand.TruncatedWord() // for all further starting points
		} else {
			starts = append(starts, args[i])
		}
	}
	if len(starts) == 0 {
		starts = []shell.Word{{Text: "."}}
	}
	return starts, i
}

// PathsBelow returns a pattern for each of starts that matches the files below it whose names match
// pattern. Pattern must not be empty; it replaces the starting point if it is a path itself.
func PathsBelow(starts []shell.Word, pattern string) []shell.Word {
	out := make([]shell.Word, 0, len(starts))
	for _, start := range starts {
		text := strings.TrimRight(start.Text, "/") + "/" + pattern
		if pattern[0] == '/' || strings.HasPrefix(pattern, "./") || strings.HasPrefix(pattern, start.Text+"/") {
			text = pattern
		}
		out = append(out, shell.Word{Text: text, Glob: true, From: start.From})
	}
	return out
}
