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
	Private   bool     `json:"private"`   // unless there is a policy file, only added lines are scanned, and only for secrets
	Dir       string   `json:"dir"`       // the directory from which git runs hooks
	Program   string   `json:"program"`   // the program that the user's state names; "" means the one in PATH
	Chained   []string `json:"chained"`   // hooks that existed before and still run
	Problems  []string `json:"problems"`  // reasons why something is not scanned
	Notes     []string `json:"notes"`
}

// Status returns whether git runs checkrein's hooks in the repository, and what prevents them from
// scanning.
func (s *Site) Status(ctx context.Context) (*Status, error) {
	active, err := s.activeDir(ctx)
	if err != nil {
		return nil, err
	}
	st := &Status{Dir: active, Installed: true, Chained: []string{}, Problems: []string{}, Notes: []string{}}
	if rel, err := filepath.Rel(s.repo.Top, active); err == nil && filepath.IsLocal(rel) {
		st.Dir = filepath.ToSlash(rel)
	}
	for _, name := range OurHooks {
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

// checkScript checks the script of the hook name in dir, and adds problems and notes.
func (st *Status) checkScript(dir, name string) {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	switch {
	case err != nil || !isOurScript(text):
		if st.Installed = false; name != OurHooks[0] {
			st.Problems = append(st.Problems, "the "+name+" hook is missing or does not call checkrein: run 'checkrein git install' again")
		}
		return
	case UsesConfiguredProgram(text):
		st.Problems = append(st.Problems, name+" is from an older version and runs the program that the git setting checkrein.program names, so anyone who changes that setting can disable it: run 'checkrein git install' and commit the script")
	case string(text) != hookScript(name, isPrivateScript(text)):
		st.Notes = append(st.Notes, name+" is from another version of checkrein: to update it, run 'checkrein git install'")
	}
	st.Private = isPrivateScript(text)
	if info, err := os.Stat(path); err == nil && !isExecutable(info) {
		st.Problems = append(st.Problems, name+" is not executable, so git does not run it: run 'checkrein git install' again")
	}
}

// addChained adds the hooks that existed before to st, and notes about hooks that were added later and
// do not run.
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
	for _, name := range slices.Concat(OurHooks, otherHooks) {
		if info, err := os.Stat(filepath.Join(active, name+beside)); err == nil && isExecutable(info) {
			st.Chained = append(st.Chained, filepath.Join(active, name+beside))
		}
	}
	return nil
}

// checkOtherTrees adds problems about other working trees, whose branch may lack the scripts, and a
// note about submodules, which have their own hooks.
func (s *Site) checkOtherTrees(ctx context.Context, st *Status, active string) error {
	trees, err := s.repo.ListWorktrees(ctx)
	if err != nil {
		return err
	}
	rel, relErr := filepath.Rel(s.repo.Top, active)
	for _, tree := range trees {
		if relErr != nil || !filepath.IsLocal(rel) {
			break // all working trees use the same directory
		}
		if _, err := os.Stat(filepath.Join(tree, rel, OurHooks[0])); err != nil {
			st.Problems = append(st.Problems, fmt.Sprintf("the working tree %s has no %s, so nothing is scanned there: commit the directory and merge it", tree, filepath.ToSlash(rel)))
		}
	}
	modules, err := s.repo.ListSubmodules(ctx)
	if err == nil && len(modules) > 0 {
		st.Notes = append(st.Notes, fmt.Sprintf("submodules have their own hooks: run 'checkrein git install' in %s", strings.Join(modules, ", ")))
	}
	return err
}

// managerWarnings returns warnings about hook managers that write hooks themselves, with advice on how
// to keep them and checkrein from undoing each other's changes.
func (s *Site) managerWarnings(active string) []string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, err := os.Stat(s.absPath(name))
			return err == nil
		})
	}
	const see = ". It is better to add the lines that 'checkrein docs boundary' shows to its own configuration file"
	var out []string
	if has(".husky") || strings.Contains(filepath.ToSlash(active), "/.husky") {
		out = append(out, "husky sets core.hooksPath again each time packages are installed, and then nothing is scanned"+see)
	}
	if has("lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", "lefthook.toml", "lefthook.json") {
		out = append(out, "lefthook's hooks are chained, but 'lefthook install' fails while core.hooksPath is set"+see)
	}
	if has(".pre-commit-config.yaml", ".pre-commit-config.yml") {
		out = append(out, "pre-commit's hooks are chained, but 'pre-commit install' fails while core.hooksPath is set"+see)
	}
	return out
}
