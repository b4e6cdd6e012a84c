package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// runnerCommand returns the shell command that npx or a similar program runs if that can delete files,
// or "".
func runnerCommand(c *shell.Call) string {
	words, ok := nestedWords(c)
	if !ok || len(words) == 0 {
		return ""
	}
	name := toolName(words[0].Text)
	if !isFileTool(name) {
		return ""
	}
	return fileToolCommand(name, words[1:])
}

// isHelpOnly reports whether words are a single flag that prints help or the version.
func isHelpOnly(words []shell.Word) bool {
	return len(words) == 1 && inListFold("-h --help --version -v", words[0].Text)
}

// fileToolCommand returns a shell command that has the same effect as the file tool name with words,
// or "" if the call only prints help.
func fileToolCommand(name string, words []shell.Word) string {
	if isHelpOnly(words) {
		return ""
	}
	var b strings.Builder
	switch program.NestsOf(name) {
	case program.NestsDeleter:
		b.WriteString("rm -rf")
		for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
			words = words[1:]
		}
	case program.NestsTrash:
		b.WriteString("trash")
	case program.NestsShellX:
	default:
		b.WriteString(name)
	}
	appendQuoted(&b, words)
	return b.String()
}

// makeCommands returns the shell commands of a makefile that make reads from --eval or from standard
// input, or "".
func makeCommands(c *shell.Call) string {
	for i := range c.Args {
		t := c.Args[i].Text
		value, is := strings.CutPrefix(t, "--eval=")
		if (t == "--eval" || t == "-E") && i+1 < len(c.Args) {
			value, is = c.Args[i+1].Text, true
		}
		if is {
			if _, rest, ok := strings.Cut(value, "$(shell "); ok {
				return strings.TrimSuffix(strings.TrimSpace(rest), ")")
			}
			return recipeCommands(value)
		}
	}
	text := ""
	if readsMakefileFromInput(c) {
		eachInput(c, func(t string) { text += recipeCommands(t) })
	}
	return text
}

// readsMakefileFromInput reports whether make reads its makefile from standard input.
func readsMakefileFromInput(c *shell.Call) bool {
	for i := range c.Args {
		t := c.Args[i].Text
		if t == "-f-" || t == "--file=-" || t == "--makefile=-" || t == "-" && i > 0 && (c.Args[i-1].Text == "-f" || c.Args[i-1].Text == "--file") || t == "/dev/stdin" {
			return true
		}
	}
	return false
}

// recipeCommands returns the recipes in makefile as shell text. A recipe is in lines that begin with a
// tab, or follows a semicolon after a target.
func recipeCommands(makefile string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(makefile, "\n") {
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			b.WriteString(strings.TrimLeft(rest, "@-+ "))
			b.WriteByte('\n')
		} else if _, rest, ok := strings.Cut(line, ";"); ok && strings.Contains(line, ":") {
			b.WriteString(strings.TrimLeft(rest, "@-+ "))
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// makeInputEffects returns the effects of make with a makefile on standard input. It reports false if
// there is none.
func makeInputEffects(c *shell.Call) ([]shell.Effect, bool) {
	if !readsMakefileFromInput(c) {
		return nil, false
	}
	return singleEffect(c, shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Rule: "make-input", Impact: shell.ImpactUnknown, Reason: "runs a makefile written in the command itself"})
}
