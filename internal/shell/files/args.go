package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// asksForHelp reports whether args is a single option that prints help or the version.
func asksForHelp(args []shell.Word) bool {
	if len(args) != 1 {
		return false
	}
	switch args[0].Text {
	case "--help", "--version", "-h":
		return true
	}
	return false
}

// hasAnyOption reports whether one of args is one of words, or begins with one of them and an equals
// sign.
func hasAnyOption(args []shell.Word, words ...string) bool {
	for i := range args {
		for _, w := range words {
			if t := args[i].Text; t == w || len(t) > len(w) && t[len(w)] == '=' && t[:len(w)] == w {
				return true
			}
		}
	}
	return false
}

// hasShortOption reports whether one of args is a group of short options with one of the letters.
func hasShortOption(args []shell.Word, letters string) bool {
	for i := range args {
		if t := args[i].Text; len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.ContainsAny(t[1:], letters) {
			return true
		}
	}
	return false
}
