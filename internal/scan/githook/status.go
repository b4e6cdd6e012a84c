package githook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Status describes whether git calls checkrein.
type Status struct {
	Installed bool     `json:"installed"` // git runs our scripts
	Private   bool     `json:"private"`   // only added lines are scanned, and only for secrets, unless there is a policy file
	Dir       string   `json:"dir"`       // the directory whose hooks git runs
	Program   string   `json:"program"`   // as the user's state names it; "" means the one in PATH
	Chained   []string `json:"chained"`   // hooks that existed before and run
	Problems  []string `json:"problems"`  // reasons why something is not scanned
	Notes     []string `json:"notes"`
}

// Status returns the status of a repository.
func (s *Site) Status(ctx context.Context) (*Status, error) {
	active, err := s.activeDir(ctx)
	if err != nil {
		return nil, err
	}
	st := &Status{Dir: active, Installed: true, Chained: []string{}, Problems: []string{}, Notes: []string{}}
	if rel, err := filepath.Rel(s.repo.Top, active); err == nil && filepath.IsLocal(rel) {
		st.Dir = filepath.ToSlash(rel)
	}
	for _, name := range Ours {
		st.checkScript(active, name)
	}
	if !st.Installed {
		n, err := s.readNote()
		if err == nil && n != nil {
			st.Problems = append(st.Problems, fmt.Sprintf("the hooks were installed in %s, but git runs those in %s: run 'checkrein git install' again", n.Dir, st.Dir))
		}
		return st, err
	}
	for _, dir := range s.states {
		if st.Program = readProgram(dir); st.Program != "" {
			break
		}
	}
	if st.Program != "" {
		if info, err := os.Stat(st.Program); err != nil || !isExecutable(info) {
			st.Notes = append(st.Notes, fmt.Sprintf("%s, the program that git's hooks should run, is missing: the checkrein in PATH is used", st.Program))
		}
	}
	setting, ok, err := s.repo.Setting(ctx, keyProgram)
	if err != nil {
		return nil, err
	}
	if ok {
		st.Notes = append(st.Notes, fmt.Sprintf("checkrein.program = %s is no longer used: to remove it, run 'checkrein git install'", setting))
	}
	if err := s.addChained(ctx, st, active); err != nil {
		return nil, err
	}
	return st, s.checkOtherTrees(ctx, st, active)
}

// checkScript checks one of our scripts.
func (st *Status) checkScript(dir, name string) {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	switch {
	case err != nil || !isOurScript(text):
		if st.Installed = false; name != Ours[0] {
			st.Problems = append(st.Problems, "the hook "+name+" is missing, or does not call checkrein")
		}
		return
	case UsesConfiguredProgram(text):
		st.Problems = append(st.Problems, name+" is of an older version and runs what git config checkrein.program names, so anyone who sets that silences it: run 'checkrein git install' and commit the script")
	case string(text) != hookScript(name, isPrivateScript(text)):
		st.Notes = append(st.Notes, name+" is of another version of checkrein: 'checkrein git install' renews it")
	}
	st.Private = isPrivateScript(text)
	if info, err := os.Stat(path); err == nil && !isExecutable(info) {
		st.Problems = append(st.Problems, name+" is not executable, so git does not run it: run 'checkrein git install' again")
	}
}

// addChained adds the hooks that existed before, and notes about later ones that nothing calls.
func (s *Site) addChained(ctx context.Context, st *Status, active string) error {
	before, ok, err := s.repo.Setting(ctx, keyBefore)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.common, "hooks")
	if ok {
		dir = s.resolveHooksPath(before)
	}
	for _, name := range activeHooks(dir) {
		text, err := os.ReadFile(filepath.Join(active, name))
		if dir != active && err == nil && isOurScript(text) {
			st.Chained = append(st.Chained, filepath.Join(dir, name))
		} else if dir != active && err != nil {
			st.Notes = append(st.Notes, fmt.Sprintf("%s does not run: to chain it, run 'checkrein git install'", filepath.Join(dir, name)))
		}
	}
	for _, name := range slices.Concat(Ours, otherHooks) {
		if info, err := os.Stat(filepath.Join(active, name+beside)); err == nil && isExecutable(info) {
			st.Chained = append(st.Chained, filepath.Join(active, name+beside))
		}
	}
	return nil
}

// checkOtherTrees checks other working trees, whose branch may lack the scripts, and submodules, which
// have hooks of their own.
func (s *Site) checkOtherTrees(ctx context.Context, st *Status, active string) error {
	trees, err := s.repo.ListWorktrees(ctx)
	if err != nil {
		return err
	}
	rel, relErr := filepath.Rel(s.repo.Top, active)
	for _, tree := range trees {
		if relErr != nil || !filepath.IsLocal(rel) {
			break // one directory for all working trees
		}
		if _, err := os.Stat(filepath.Join(tree, rel, Ours[0])); err != nil {
			st.Problems = append(st.Problems, fmt.Sprintf("the working tree %s has no %s, so nothing is scanned there: commit the directory and merge it", tree, filepath.ToSlash(rel)))
		}
	}
	modules, err := s.repo.ListSubmodules(ctx)
	if err == nil && len(modules) > 0 {
		st.Notes = append(st.Notes, fmt.Sprintf("submodules have their own hooks: run 'checkrein git install' in %s", strings.Join(modules, ", ")))
	}
	return err
}

// managerWarnings returns warnings about programs that write hooks themselves, with advice so that
// neither undoes the other.
func (s *Site) managerWarnings(active string) []string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, err := os.Stat(s.absPath(name))
			return err == nil
		})
	}
	const see = "; checkrein docs boundary has the lines for its own file, which is the better way"
	var out []string
	if has(".husky") || strings.Contains(filepath.ToSlash(active), "/.husky") {
		out = append(out, "husky sets core.hooksPath again with every install of packages, and then nothing is scanned"+see)
	}
	if has("lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json") {
		out = append(out, "lefthook's hooks are chained, but 'lefthook install' does not like core.hooksPath"+see)
	}
	if has(".pre-commit-config.yaml", ".pre-commit-config.yml") {
		out = append(out, "pre-commit's hooks are chained, but 'pre-commit install' refuses to work beside core.hooksPath"+see)
	}
	return out
}
