package setup

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/validate"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

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

type initFlags struct{ user, include, force, dryRun, noInput bool }

func InitCommand(env *console.Env) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use: "init", Short: "Write a starter file, and show what was found and what to do next",
		Example: `  checkrein init                # ./checkrein.yaml, for this project
  checkrein init --user         # your own file, for every project
  checkrein init --include      # include the hook files that were found, without asking`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return initialise(env, &f) },
	}
	cmd.Flags().BoolVar(&f.user, "user", false, "write your own file instead of the project's")
	cmd.Flags().BoolVar(&f.include, "include", false, "include the hook files that were found, without asking")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the file instead of writing it")
	cmd.Flags().BoolVar(&f.noInput, "no-input", false, "do not ask any questions")
	return cmd
}

func initialise(env *console.Env, f *initFlags) error {
	path := filepath.Join(env.Dir, "checkrein.yaml")
	if f.user {
		dir, err := base.UserDir(env)
		if err != nil {
			return err
		}
		path = filepath.Join(dir, "checkrein.yaml")
	}
	// A person's own files need no approval, nor does what they include.
	if f.user && !f.dryRun {
		if err := base.RequirePerson(env, base.ByHand); err != nil {
			return err
		}
	}
	if base.FileExists(path) && !f.force && !f.dryRun {
		surveyOf(env, f.user).print(env.Stdout)
		return &base.Exit{Code: console.Refused, Err: fmt.Errorf("%s already exists: to replace it, add --force", path)}
	}
	lines, included := includeLines(env, f, path)
	text := starter + lines
	if f.dryRun {
		fmt.Fprintf(env.Stderr, "would write %s\n", path)
		s := surveyOf(env, f.user, included...)
		if len(included) > 0 && !f.user {
			s.then("checkrein hooks approve --all", lookFirst)
		}
		s.print(env.Stderr)
		_, err := fmt.Fprint(env.Stdout, text)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return &base.Exit{Code: console.Refused, Err: err}
	}
	if err := state.Replace(path, []byte(text), 0o644); err != nil {
		return &base.Exit{Code: console.Refused, Err: err}
	}
	fmt.Fprintf(env.Stdout, "wrote %s\n", path)
	s := surveyOf(env, f.user)
	s.written(path)
	s.print(env.Stdout)
	return nil
}

// found lists the files of a project or of a person's home that hold hooks which a host runs
// itself, also those with mistakes in them, by their paths below dir. They are not read by
// themselves, and a project's are not a person's to include everywhere.
func found(dir string, where hosts.Where) []hosts.HookFile {
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

func paths(files []hosts.HookFile) []string {
	var out []string
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

// includeLines returns the file's include section with what was found, and the files that it
// includes: its lines are comments unless the person wants them.
func includeLines(env *console.Env, f *initFlags, path string) (lines string, included []string) {
	root := config.ProjectRoot(env.Dir)
	files := append(paths(found(root, hosts.Project)), agentFiles(root)...)
	if f.user {
		files = paths(found(environ.Home(env.Environ), hosts.Home))
	}
	if len(files) == 0 {
		return "", nil
	}
	ask := base.Asker(env)
	live := f.include || !f.noInput && ask != nil && ask("Found hooks in "+strings.Join(files, ", ")+". Include them?")
	var b strings.Builder
	b.WriteString("\n# Hooks from other systems, used unchanged.\n")
	lead := "# "
	if live {
		lead, included = "", files
	}
	b.WriteString(lead + "include:\n")
	for _, name := range files {
		if rel, err := filepath.Rel(filepath.Dir(path), name); err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
		}
		fmt.Fprintf(&b, "%s  - %q\n", lead, name)
	}
	return b.String(), included
}

// A survey is what other systems left here, and what a person would do next.
type survey struct {
	hooks [][2]string // those of the file that init wrote: the name, and when it runs
	found [][2]string // where, and what it is
	next  [][2]string // a command, and why

	included []string // the files that checkrein reads, or would
}

func (s *survey) find(where, format string, args ...any) {
	s.found = append(s.found, [2]string{where, fmt.Sprintf(format, args...)})
}

func (s *survey) then(command, why string) {
	if !slices.ContainsFunc(s.next, func(n [2]string) bool { return n[0] == command }) {
		s.next = append(s.next, [2]string{command, why})
	}
}

func (s *survey) print(w io.Writer) {
	table := func(title string, rows [][2]string) {
		if len(rows) == 0 {
			return
		}
		width := 0
		for _, r := range rows {
			width = max(width, len(r[0]))
		}
		fmt.Fprintln(w, title)
		for _, r := range rows {
			fmt.Fprintf(w, "  %-*s  %s\n", min(width, 44), visible.Line(r[0]), visible.Line(r[1]))
		}
	}
	table("its hooks, and when they run:", s.hooks)
	table("found:", s.found)
	table("next:", s.next)
}

// written tells what the file does that was just written, and how to go on with it.
func (s *survey) written(path string) {
	file, _ := validate.ReadHookFile(path, "")
	for i := range file.Hooks {
		if h := &file.Hooks[i]; !h.Implied {
			s.hooks = append(s.hooks, [2]string{h.Label(), checkrein.ContractOf(h.On).When})
		}
	}
	s.then("checkrein validate", "checks the file after you change it")
	s.then("checkrein hooks", "lists all hooks that apply here")
}

const lookFirst = "shows what would run, then asks; no hook runs before you approve it"

// surveyOf looks at the project and the person's own files. Included are the files that a
// file that is not written yet would include.
func surveyOf(env *console.Env, user bool, included ...string) *survey {
	s := &survey{included: included}
	k, err := base.OpenKit(env, app.Options{})
	if err != nil { // which init itself does not need
		return s
	}
	for _, f := range k.Files() {
		s.included = append(s.included, f.Path)
	}
	s.read(k)
	if user {
		s.byHosts(environ.Home(env.Environ), hosts.Home)
	} else {
		s.agents(env, k.Root())
		s.byHosts(k.Root(), hosts.Project)
		s.git(env, k.Root())
		s.policies(env, k.Root())
	}
	s.hosts(env)
	return s
}

// read tells of the files of other systems that count by themselves.
func (s *survey) read(k *app.Kit) {
	count := map[string]int{}
	var order []string
	about := map[string]string{}
	waits, broken := map[string]bool{}, map[string]bool{}
	where := func(path, dialect string) string {
		if dialect == "hookmd" {
			path = filepath.Dir(filepath.Dir(path)) // the folder of the folders
		}
		return base.RelativePath(k.Root(), path)
	}
	for _, f := range k.Files() {
		if f.Dialect != "hookmd" && f.Dialect != "starchild" {
			continue
		}
		at := where(f.Path, f.Dialect)
		if _, seen := about[at]; !seen {
			order = append(order, at)
		}
		about[at] = map[string]string{"hookmd": "HOOK.md", "starchild": "starchild"}[f.Dialect]
		count[at] += f.Hooks
		broken[at] = broken[at] || f.Err != nil
	}
	all := k.Hooks()
	for i := range all {
		h := &all[i]
		if h.From.File == "" || h.Implied || h.Broken != "" || !k.NeedsApproval(h) {
			continue
		}
		if state, _ := k.Approval(h); state != engine.Approved {
			waits[where(h.From.File, h.Dialect)] = true
			s.then("checkrein hooks approve --all", lookFirst)
		}
	}
	for _, at := range order {
		state := "active"
		switch {
		case broken[at]:
			state = "parts of it are invalid"
			s.then("checkrein validate", "shows each error with its line")
		case waits[at]:
			state = "waiting for your approval"
		}
		s.find(at, "%s in %s format, used unchanged; %s", base.Amount(count[at], "hook"), about[at], state)
	}
	for _, o := range hooks.SwitchedOff(k) {
		s.find(base.RelativePath(k.Root(), o.Path), "shell_hooks.enabled: false in this file keeps %s off", base.Amount(o.Hooks, "hook"))
		s.then("checkrein hooks on", "switches those hooks on")
	}
}

// agents tells of docker-agent's files.
func (s *survey) agents(env *console.Env, root string) {
	for _, path := range agentFiles(root) {
		name := base.RelativePath(root, path)
		file, _ := validate.ReadHookFile(path, "")
		s.find(name, "a docker-agent agent file, with %s", base.Amount(hooksIn(&file), "hook"))
		at := approval.ShellQuote(base.RelativePath(env.Dir, path))
		if config.InRepository(path) {
			s.then("checkrein hooks approve -c "+at+" --all", lookFirst)
		}
		why := "runs the agent"
		if !slices.Contains(s.included, path) {
			why += "; to use its hooks for every agent, include the file in checkrein.yaml"
		}
		s.then("checkrein run "+at, why)
	}
}

// byHosts adds the files whose hooks a host runs by itself.
func (s *survey) byHosts(root string, where hosts.Where) {
	for _, f := range found(root, where) {
		what := "to use them for every agent, include the file in checkrein.yaml"
		if slices.Contains(s.included, f.Path) {
			what = "checkrein runs them for other agents only"
		}
		by, _ := host.Named(f.Host)
		s.find(base.RelativePath(root, f.Path), "hooks that %s runs itself; %s", by.Title, what)
	}
}

// git tells of hooks that git runs, and of tracked ones that it does not.
func (s *survey) git(env *console.Env, root string) {
	l, err := hooks.GitLayer(context.Background(), env, root)
	if err != nil || l == nil {
		return
	}
	install := "checkrein git install"
	if l.Setting != "" && filepath.IsLocal(l.Setting) {
		install += " --dir " + approval.ShellQuote(l.Setting)
	}
	ours := false
	for _, h := range l.Hooks {
		ours = ours || h.Ours
	}
	for _, h := range l.Hooks {
		if !h.Ours {
			s.find(base.RelativePath(root, h.Path), "an existing git hook; it will still run, before checkrein's")
		}
	}
	if !ours && l.Setting == "" && base.FileExists(filepath.Join(root, "hooks", "pre-push")) {
		s.find("hooks/pre-push", "git does not run this hook, because core.hooksPath is not set")
		s.then("git config core.hooksPath hooks", "makes git run it")
		install = "checkrein git install --dir hooks"
	}
	if base.FileExists(filepath.Join(root, "policies", "public-repo.json")) {
		install += " --public"
	}
	if !ours {
		s.then(install, "scans what is committed and pushed")
	}
}

// policies tells of policies for scans.
func (s *survey) policies(env *console.Env, root string) {
	names, _, _ := state.List(filepath.Join(root, "policies"), mostLooked)
	for _, name := range names {
		path := filepath.Join(root, "policies", name)
		if filepath.Ext(name) != ".json" {
			continue
		}
		if _, err := policy.Load(path, env.Now()); err == nil {
			s.find("policies/"+name, "a scan policy")
			s.then("checkrein scan --policy "+approval.ShellQuote("policies/"+name)+" .", "scans with this policy")
		}
	}
}

// hosts tells of hosts that are here and do not ask checkrein.
func (s *survey) hosts(env *console.Env) {
	m, err := base.Machine(env)
	if err != nil {
		return
	}
	for _, name := range m.Present() {
		if r, err := m.Status(name); err == nil && len(r.Installed) == 0 {
			s.find(r.Title, "is on this machine, but does not call checkrein")
			s.then("checkrein install "+name, "makes "+r.Title+" call checkrein, so that everything above applies to it")
		}
	}
}

// mostLooked is how many entries of a directory are looked at.
const mostLooked = 200

// agentFiles lists docker-agent's files at the top of a directory that hold hooks.
func agentFiles(dir string) []string {
	names, _, _ := state.List(dir, mostLooked)
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

// hooksIn counts the hooks that a file says.
func hooksIn(f *checkrein.File) int {
	n := 0
	for i := range f.Hooks {
		if !f.Hooks[i].Implied {
			n++
		}
	}
	return n
}
