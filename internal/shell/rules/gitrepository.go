package rules

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// repository returns the repository that a call of git works on, in its state before the command, with
// the settings that the call adds. It returns nil if words or variables may select another one; then
// unknown is the reason.
func (s *search) repository(r *reading) (repo *shell.Repo, unknown string) {
	return s.repositoryBy(r, func(p *shell.Place) func(string) *shell.Repo { return p.Repo })
}

// repositoryBy is repository with the function of the place that field returns in place of [shell.Place.Repo].
func (s *search) repositoryBy(r *reading, field func(*shell.Place) func(string) *shell.Repo) (repo *shell.Repo, unknown string) {
	const none = "no Git repository was found here"
	p, c := s.place, r.Call
	if p == nil || !path.IsAbs(p.Dir) {
		return nil, none
	}
	open := field(p)
	switch {
	case open == nil:
		return nil, none
	case c.Remote != "" || c.Elevated:
		return nil, "the command runs as another user or on another machine"
	}
	at := s.gitStart(r)
	if at.unknown != "" {
		return nil, at.unknown
	}
	repo = open(at.dir)
	if repo == nil {
		return nil, none
	}
	if path.Clean(at.dir) != path.Clean(p.Dir) {
		if here := open(p.Dir); here == nil || here.Common != repo.Common {
			return nil, "the command works on another repository"
		}
	}
	if len(at.settings) > 0 {
		same := *repo
		same.Settings = slices.Concat(repo.Settings, at.settings)
		repo = &same
	}
	return repo, ""
}

// gitStart returns where the git command r searches for its repository.
func (s *search) gitStart(r *reading) gitStart {
	at := gitStart{dir: s.place.Dir}
	if r.Call.Dir != "" {
		at.dir = absoluteDir(r.Call.Dir, s.place)
	}
	if at.applyVariables(r.Call); at.unknown == "" {
		at.applyFlags(r)
	}
	at.enterGitDir()
	if at.unknown == "" && (strings.Contains(at.dir, placeholder) || !path.IsAbs(at.dir)) {
		at.unknown = "the directory of the command is unknown"
	}
	return at
}

// absoluteDir returns dir, the directory of a call, joined to that of p if it is relative, as that of
// env -C is. It returns dir unchanged if it is unknown or leads up.
func absoluteDir(dir string, p *shell.Place) string {
	if path.IsAbs(dir) || p == nil || !path.IsAbs(p.Dir) || strings.HasPrefix(dir, "~") || strings.Contains(dir, "..") || strings.Contains(dir, placeholder) {
		return dir
	}
	return path.Join(p.Dir, dir)
}

// workTree returns a directory of the working tree on which the git command r works, or "" if that is
// unknown or may be several.
func (s *search) workTree(r *reading) string {
	c := r.Call
	if s.place == nil || !path.IsAbs(s.place.Dir) || c.Remote != "" || c.Elevated || len(c.Dirs) > 0 {
		return ""
	}
	// Settings that lead a push elsewhere do not matter here, but another repository or working tree does.
	for i := range c.Env {
		if name := c.Env[i].Name; name == "GIT_DIR" || name == "GIT_WORK_TREE" || name == "GIT_INDEX_FILE" || name == "GIT_COMMON_DIR" {
			return ""
		}
	}
	at := s.gitStart(r)
	if at.git != "" || slices.ContainsFunc(r.Flags, func(f program.Flag) bool { return f.Name == "work-tree" || f.Name == "git-dir" }) {
		return ""
	}
	if strings.Contains(at.dir, placeholder) || !path.IsAbs(at.dir) {
		return ""
	}
	return at.dir
}

// A gitStart is where git searches for its repository, by its flags and environment variables.
type gitStart struct {
	dir      string
	git, by  string          // the .git directory that a flag or variable names, and the name of that flag or variable
	settings []shell.Setting // settings that take precedence over those in files
	unknown  string          // why the repository or its settings are unknown, or ""
}

// neutralGitFlags lists the flags of git itself that change neither the repository nor the destination
// of a push.
const neutralGitFlags = "p P paginate no-pager literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs " +
	"no-optional-locks no-replace-objects no-lazy-fetch no-advice attr-source work-tree"

// applyFlags applies the flags before the subcommand of r, in their order.
func (g *gitStart) applyFlags(r *reading) {
	subcommand := r.subcommandIndex()
	for i := range r.Flags {
		f := &r.Flags[i]
		switch {
		case f.At > subcommand:
		case f.Short && f.Name == "C" && !strings.Contains(f.Value, ".."): // git resolves symlinks before ..
			if !path.IsAbs(f.Value) {
				f.Value = path.Join(g.dir, f.Value)
			}
			g.dir = f.Value
		case f.Short && f.Name == "c":
			key, value, set := strings.Cut(f.Value, "=")
			if !set {
				value = "true"
			}
			g.addSetting(key, value, "-c "+key)
		case f.Name == "config-env":
			key, _, _ := strings.Cut(f.Value, "=")
			g.addSetting(key, placeholder, "--config-env "+key)
		case f.Name == "git-dir" && f.Set:
			g.git, g.by = f.Value, f.Raw
		case facts.InList(neutralGitFlags, f.Name):
		default:
			g.unknown = f.Raw + " may lead Git to another repository or program"
		}
		if g.unknown != "" {
			return
		}
	}
}

// subcommandIndex returns the index of the subcommand in the arguments, or their number if there is
// none. The flags before it are those of git itself.
func (r *reading) subcommandIndex() int {
	for i := range r.Call.Args {
		isValue := slices.ContainsFunc(r.Flags, func(f program.Flag) bool { return f.Set && f.At == i })
		if len(r.Words) > 0 && r.Call.Args[i].Text == r.Words[0].Text && !isValue {
			return i
		}
	}
	return len(r.Call.Args)
}

// maxEnvSettings is the largest number of settings in variables that are read.
const maxEnvSettings = 100

// applyVariables applies the environment variables that are set for c.
func (g *gitStart) applyVariables(c *shell.Call) {
	values := map[string]string{}
	for i := range c.Env {
		name, value := c.Env[i].Name, c.Env[i].Value.Text
		values[name] = value
		switch {
		case name == "GIT_DIR":
			g.git, g.by = value, name
		case name == "GIT_CONFIG_COUNT", name == "GIT_WORK_TREE",
			strings.HasPrefix(name, "GIT_CONFIG_KEY_"), strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
		case strings.HasPrefix(name, "GIT_") && !shell.IsHarmlessGitVar(name) || name == "HOME" || name == "XDG_CONFIG_HOME":
			g.unknown = name + " may lead Git to another repository or other settings"
			return
		}
	}
	count, given := values["GIT_CONFIG_COUNT"]
	n, err := strconv.Atoi(count)
	if given && (err != nil || n < 0 || n > maxEnvSettings) {
		g.unknown = "GIT_CONFIG_COUNT is unknown"
		return
	}
	for i := 0; i < n && g.unknown == ""; i++ {
		key := "GIT_CONFIG_KEY_" + strconv.Itoa(i)
		g.addSetting(values[key], values["GIT_CONFIG_VALUE_"+strconv.Itoa(i)], key)
	}
}

// enterGitDir sets g.dir to the working tree of the .git directory that a flag or variable names, if
// one does.
func (g *gitStart) enterGitDir() {
	dir := g.git
	switch {
	case dir == "" || g.unknown != "":
		return
	case !path.IsAbs(dir):
		dir = path.Join(g.dir, dir)
	}
	if path.Base(dir) != ".git" || strings.Contains(g.git, placeholder) || strings.Contains(g.git, "..") {
		g.unknown = g.by + " may lead Git to another repository"
		return
	}
	g.dir = path.Dir(dir)
}

// addSetting adds a setting that affects the destination of a push. If its value is unknown, or if it
// changes the address, the repository becomes unknown. The word that sets it is by.
func (g *gitStart) addSetting(key, value, by string) {
	s, ok := shell.ParseSetting(key, value)
	if !ok || strings.Contains(key, placeholder) {
		g.unknown = "one of Git's settings is unknown"
		return
	}
	refs, address := affectsPush(&s)
	switch {
	case address, refs && strings.Contains(value, placeholder):
		g.unknown = by + " changes where pushes go"
	case refs:
		g.settings = append(g.settings, s)
	}
}

// affectsPush reports whether s can change the refs that a push changes (refs), and whether it can
// change the repository or the address (address).
func affectsPush(s *shell.Setting) (refs, address bool) {
	switch s.Section {
	case "push", "branch":
		return true, false
	case "remote":
		return true, s.Name != "" && s.Key != "push" && s.Key != "mirror"
	case "core":
		return false, s.Key == "worktree" || s.Key == "bare"
	case "url", "submodule", "extensions", "include", "includeif", "alias":
		return false, true
	}
	return false, false
}
