package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/validate"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/spf13/cobra"
)

// starter is the content of a new checkrein.yaml.
const starter = `# checkrein: hooks for AI agents. Every key is explained in
# 'checkrein docs configuration'; 'checkrein validate' says what is wrong.
version: 1

# All packs of guards are on by default; 'checkrein packs' lists them. An entry here
# changes one pack and leaves the others as they are: this one denies calls with medium
# impact. In a project's file, an entry can only make a pack stricter.
# packs:
#   - {name: git, medium: deny}

hooks:
  # Before a tool runs. A rule starts no process.
  pre_tool_use:
    - name: ask-before-push-to-main
      type: rule
      if: {command: {regex: '\bgit\b.* push\b.*\b(main|master)\b'}}
      decision: ask
      reason: "This goes to the branch that everyone works from: {{command}}"
    # A command gets the event as JSON on stdin and answers with JSON, or with
    # exit code 2 and its reason on stderr.
    # - name: my-guard
    #   type: command
    #   matcher: "shell|write"
    #   command: ./scripts/guard.sh

  # What the model is told at the start of every turn.
  turn_start:
    - {name: tell-date, type: builtin, command: add_date}
    # - {name: tell-git-status, type: builtin, command: add_git_status}

  # Keep the agent working until the tests pass.
  # stop:
  #   - {name: tests, type: command, timeout: 300, command: "make test >&2 || exit 2"}
`

// starterTest is the content of a new checkrein_test.yaml.
const starterTest = `# Cases for checkrein.yaml: 'checkrein test' tries them, and 'checkrein docs policy'
# explains every key. Nothing in a command is executed.
cases:
  - name: a push to main asks
    command: git push origin main
    expect: {answer: asked, rule: ask-before-push-to-main}
  - name: a push to a branch passes
    command: git push origin my-branch
    expect: {answer: pass}
  - name: a forced push is denied by the default guards
    command: git push --force origin main
    expect: {answer: denied, rule: git/push-force}
  - name: the model is told the date
    event: {hook_event_name: turn_start}
    expect: {context: "Today's date"}
`

// initFlags holds the flags of the init command.
type initFlags struct{ user, include, force, dryRun, noInput bool }

// InitCommand returns the init command.
func InitCommand(env *console.Env) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use: "init", Short: "Write a starter file",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return runInit(env, &f) },
	}
	cmd.Flags().BoolVar(&f.user, "user", false, "write your own file instead of the project's")
	cmd.Flags().BoolVar(&f.include, "include", false, "include the hook files that were found, without asking")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the file instead of writing it")
	cmd.Flags().BoolVar(&f.noInput, "no-input", false, "do not ask any questions")
	return cmd
}

// runInit writes a starter file for the project or the user, or prints it with --dry-run.
func runInit(env *console.Env, f *initFlags) error {
	path := filepath.Join(env.Dir, "checkrein.yaml")
	if f.user {
		dir, err := base.UserDir(env)
		if err != nil {
			return err
		}
		path = filepath.Join(dir, "checkrein.yaml")
	}
	// The user's own files need no approval, and neither do the files that they include.
	if f.user && !f.dryRun {
		if err := base.RequirePerson(env, base.ByHand); err != nil {
			return err
		}
	}
	if base.FileExists(path) && !f.force && !f.dryRun {
		return &base.Exit{Code: console.Refused, Err: fmt.Errorf("%s already exists: to replace it, add --force", path)}
	}
	lines, note := includeLines(env, f, path)
	if base.IsInterrupted(env) {
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	text := starter + lines
	tests := strings.TrimSuffix(path, ".yaml") + "_test.yaml"
	if f.dryRun {
		fmt.Fprintf(env.Stderr, "would write %s and %s\n%s", path, tests, note)
		_, err := fmt.Fprint(env.Stdout, text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return &base.Exit{Code: console.Refused, Err: err}
	}
	if err := state.ReplaceFile(path, []byte(text), 0o644); err != nil {
		return &base.Exit{Code: console.Refused, Err: err}
	}
	wrote := path
	if !base.FileExists(tests) || f.force {
		if err := state.ReplaceFile(tests, []byte(starterTest), 0o644); err != nil {
			return &base.Exit{Code: console.Refused, Err: err}
		}
		wrote += " and " + tests
	}
	fmt.Fprintf(env.Stdout, `wrote %s
%snext:
  checkrein validate             checks the file after you change it
  checkrein test                 tries the file on the calls in checkrein_test.yaml
  checkrein hooks                lists all hooks that apply here, and which wait for your approval
  checkrein hooks approve --all  shows what would run, then asks; no hook of a project runs before
  checkrein status               shows which agents call checkrein
`, wrote, note)
	return nil
}

// hookFilesIn returns the hook files of hosts below dir that declare hooks, even if they have
// mistakes. where selects files of a project or of a home directory. Hosts run these hooks themselves,
// and checkrein does not read the files unless they are included.
func hookFilesIn(dir string, where hosts.Where) []hosts.HookFile {
	var out []hosts.HookFile
	for _, f := range hosts.HookFiles {
		f.Path = filepath.Join(dir, filepath.FromSlash(f.Path))
		file, _ := validate.ReadHookFile(f.Path, "")
		if f.Where&where != 0 && slices.ContainsFunc(file.Hooks, func(h checkrein.Hook) bool { return !h.Implied }) {
			out = append(out, f)
		}
	}
	return out
}

// hookFilePaths returns the paths of files.
func hookFilePaths(files []hosts.HookFile) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

// includeLines returns an include section that lists the hook files that were found, and a line about
// it to print. The section is commented out unless the user wants it. Both are "" if no files were
// found.
func includeLines(env *console.Env, f *initFlags, path string) (lines, note string) {
	root := config.ProjectRoot(env.Dir)
	files := append(hookFilePaths(hookFilesIn(root, hosts.Project)), agentFiles(root)...)
	if f.user {
		files = hookFilePaths(hookFilesIn(environ.Home(env.Environ), hosts.Home))
	}
	if len(files) == 0 {
		return "", ""
	}
	ask := base.Asker(env)
	live := f.include || !f.noInput && ask != nil && ask("Found hooks in "+strings.Join(files, ", ")+". Include them?")
	var b strings.Builder
	b.WriteString("\n# Hooks from other systems, used unchanged.\n")
	lead, note := "# ", "not included (to include them, use --include): "
	if live {
		lead, note = "", "includes "
	}
	b.WriteString(lead + "include:\n")
	for i, name := range files {
		if rel, err := filepath.Rel(filepath.Dir(path), name); err == nil && filepath.IsLocal(rel) {
			files[i] = filepath.ToSlash(rel)
		}
		fmt.Fprintf(&b, "%s  - %q\n", lead, files[i])
	}
	return b.String(), note + strings.Join(files, ", ") + "\n"
}

// maxEntries is how many entries of a directory agentFiles examines.
const maxEntries = 200

// agentFiles returns the agent files of docker-agent in dir that declare hooks.
func agentFiles(dir string) []string {
	names, _, _ := state.ListDir(dir, maxEntries)
	var out []string
	for _, name := range names {
		if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" || strings.HasPrefix(name, "checkrein") {
			continue
		}
		path := filepath.Join(dir, name)
		file, _ := validate.ReadHookFile(path, "")
		if slices.ContainsFunc(file.Hooks, func(h checkrein.Hook) bool { return h.Dialect == "docker-agent" && !h.Implied }) {
			out = append(out, path)
		}
	}
	return out
}
