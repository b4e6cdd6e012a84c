package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCommands checks that every command line of checkrein in README.md and in the pages
// names commands, and flags of theirs, that the program has: by what --help prints.
func TestCommands(t *testing.T) {
	t.Parallel()
	tree := &commandTree{t: t, seen: map[string]*commandHelp{}}
	checked := 0
	for _, name := range append(pages(t), "../CONTRIBUTING.md", "../SECURITY.md") {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range parseMarkdown(string(text)) {
			for _, words := range commandLines(tree, b) {
				checked++
				if wrong := tree.check(words); wrong != "" {
					t.Errorf("%s:%d: %s: %s", name, b.Line, strings.Join(words, " "), wrong)
				}
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d command lines", checked)
	}
	for line, want := range map[string]string{
		"audit query --denied --since 1d": "", "audit query --nosuch": "no flag --nosuch", "audit nosuch": "no command audit nosuch",
		"nosuch": "no command nosuch", "hooks list -v": "", "eval --hook-pre-tool-use x": "", "redact -- make --nosuch": "", "match a --command 'git push --nosuch'": "",
	} {
		if got := tree.check(shellWords(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// A commandTree has what --help prints of the program's commands.
type commandTree struct {
	t    *testing.T
	seen map[string]*commandHelp
}

// A commandHelp has the subcommands and flags of a command.
type commandHelp struct{ commands, flags []string }

var (
	helpFlag    = regexp.MustCompile(`\B--?[a-z][a-z-]*`)
	helpCommand = regexp.MustCompile(`^  ([a-z][a-z-]*)  +[A-Z]`)
)

// help returns what --help prints of a command, nil where there is none.
func (c *commandTree) help(path ...string) *commandHelp {
	key := strings.Join(path, " ")
	if h, ok := c.seen[key]; ok {
		return h
	}
	cmd := exec.Command(filepath.Join(programs, "checkrein"), append(slices.Clone(path), "--help")...)
	cmd.Env, cmd.Dir = []string{"HOME=" + c.t.TempDir(), "COLUMNS=1000"}, c.t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		c.seen[key] = nil
		return nil
	}
	h := &commandHelp{flags: []string{"--help", "-h", "--color"}}
	part := ""
	for line := range strings.Lines(string(out)) {
		if line[0] != ' ' && strings.HasSuffix(line, ":\n") {
			part = strings.TrimSpace(line)
		}
		if part == "Usage:" || part == "Examples:" {
			continue
		}
		if m := helpCommand.FindStringSubmatch(line); m != nil && (len(path) == 0 || part == "Available Commands:") {
			h.commands = append(h.commands, m[1])
		}
		h.flags = append(h.flags, helpFlag.FindAllString(line, -1)...)
	}
	c.seen[key] = h
	return h
}

// check returns what a command line, without the program's name, names that is not there.
func (c *commandTree) check(words []string) string {
	var path []string
	h := c.help()
	for _, w := range words {
		switch name, _, _ := strings.Cut(strings.Trim(w, `[](),.:…\`), "="); {
		case w == "--" || len(path) == 0 && strings.HasPrefix(w, "_"): // which checkrein runs itself
			return ""
		case w == "-":
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "[-"):
			name = strings.TrimRight(name, "[")
			if !slices.Contains(h.flags, name) && !strings.HasPrefix(name, "--hook-") {
				return "no flag " + name
			}
		case len(h.commands) > 0 && lowerWord.MatchString(w):
			path = append(path, w)
			// Commands that help leaves out are those of the first level.
			if sub := c.help(path...); sub == nil || len(path) > 1 && !slices.Contains(h.commands, w) {
				return "no command " + strings.Join(path, " ")
			} else {
				h = sub
			}
		case len(path) > 0 && slices.Contains([]string{"classify", "redact"}, path[0]):
			return "" // the rest is another program's
		}
	}
	return ""
}

var (
	lowerWord = regexp.MustCompile(`^[a-z][a-z-]*$`)
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	program   = regexp.MustCompile(`^(?:\w+=\S* |sudo |exec |if |! )*checkrein (.*)`)
	message   = regexp.MustCompile(`^checkrein (blocked|asks|denied|stopped) `)
)

// commandLines returns the command lines of checkrein in a block: in running text those
// that a code span is, with the program's name or without, in code what is run.
func commandLines(tree *commandTree, b mdBlock) [][]string {
	var out [][]string
	texts := append([]string{b.Text}, slices.Concat(b.Rows...)...)
	if b.Kind == isComment {
		return nil
	}
	if b.Kind == isFence {
		if b.Info != "console" && b.Info != "sh" {
			return nil
		}
		for line := range strings.Lines(b.Text) {
			line, prompt := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			if b.Info == "console" && !prompt {
				continue
			}
			line, _, _ = strings.Cut(line, " #")
			for _, part := range regexp.MustCompile(`\|\|?|&&|;|\$\(`).Split(line, -1) {
				if m := program.FindStringSubmatch(strings.TrimSpace(part)); m != nil {
					out = append(out, shellWords(m[1]))
				}
			}
		}
		return out
	}
	for _, text := range texts {
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			span, named := strings.CutPrefix(strings.ReplaceAll(m[1], `\|`, "|"), "checkrein ")
			words := shellWords(span)
			if message.MatchString(m[1]) || len(words) == 0 {
				continue
			}
			// Without its name, what begins with a command and goes on with a flag or a
			// subcommand of it; git is a program too.
			if !named && (len(words) < 2 || words[0] == "git" || !slices.Contains(tree.help().commands, words[0]) ||
				!strings.HasPrefix(words[1], "--") && (len(tree.help(words[0]).commands) == 0 || !lowerWord.MatchString(words[1]))) {
				continue
			}
			out = append(out, words)
		}
	}
	return out
}

// shellWords splits a line at spaces; what is in quotes is one word, up to a pipe or a
// redirection.
func shellWords(line string) []string {
	var out []string
	for _, w := range regexp.MustCompile(`(?:[^\s'"]|'[^']*'|"[^"]*")+`).FindAllString(line, -1) {
		if strings.HasPrefix(w, "|") || strings.HasPrefix(w, "<") || strings.HasPrefix(w, ">") || w == "&" {
			break
		}
		out = append(out, w)
	}
	return out
}
