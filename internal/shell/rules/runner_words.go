package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// runnerText is the command behind npx and its like when it is one that deletes
// files, and the text of npx -c: those are judged like any command. "" = none.
func runnerText(c *shell.Call) string {
	switch c.Name {
	case "make", "gmake":
		return makeText(c)
	case "rimraf", "del", "del-cli", "trash-cli", "shx":
		if asksHelp(c.Args) {
			return ""
		}
		var b strings.Builder
		fileTool(&b, c.Name, c.Args)
		return b.String()
	case "npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "lerna":
	default:
		return ""
	}
	for i := range c.Args {
		t := c.Args[i].Text
		if (t == "-c" || t == "--call") && i+1 < len(c.Args) && (c.Name == "npx" || c.Args[0].Text == "exec" || c.Args[0].Text == "x") {
			return c.Args[i+1].Text
		}
		if strings.HasPrefix(t, "--call=") {
			return t[len("--call="):]
		}
	}
	words, ok := carried(c)
	if !ok || len(words) == 0 || !isFileTool(toolName(words[0].Text)) || asksHelp(words[1:]) {
		return ""
	}
	var b strings.Builder
	fileTool(&b, toolName(words[0].Text), words[1:])
	return b.String()
}

// asksHelp reports whether help or the version is all that is asked for.
func asksHelp(words []shell.Word) bool {
	return len(words) == 1 && listed("-h --help --version -v", words[0].Text)
}

// fileTool writes the command that does what a tool for files does.
func fileTool(b *strings.Builder, name string, words []shell.Word) {
	switch name {
	case "rimraf", "del", "del-cli":
		b.WriteString("rm -rf")
		for len(words) > 0 && strings.HasPrefix(words[0].Text, "-") {
			words = words[1:]
		}
	case "trash-cli":
		b.WriteString("trash")
	case "shx":
	default:
		b.WriteString(name)
	}
	quoteAll(b, words)
}

// makeText is what a makefile on make's own words or input runs: --eval and -f -.
func makeText(c *shell.Call) string {
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
			return recipe(value)
		}
	}
	text := ""
	if readsMakefile(c) {
		eachInput(c, func(t string) { text += recipe(t) })
	}
	return text
}

// readsMakefile reports whether make reads its makefile from standard input.
func readsMakefile(c *shell.Call) bool {
	for i := range c.Args {
		t := c.Args[i].Text
		if t == "-f-" || t == "--file=-" || t == "--makefile=-" || t == "-" && i > 0 && (c.Args[i-1].Text == "-f" || c.Args[i-1].Text == "--file") || t == "/dev/stdin" {
			return true
		}
	}
	return false
}

// recipe is the shell text of a makefile: the lines that begin with a tab.
func recipe(makefile string) string {
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

// makeInput knows make that reads a makefile from its input.
func makeInput(c *shell.Call) ([]shell.Effect, bool) {
	if !readsMakefile(c) {
		return nil, false
	}
	return one(c, shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Rule: "make-input", Radius: shell.RadiusUnknown, Reason: "runs a makefile written in the command itself"})
}
