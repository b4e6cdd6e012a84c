package githook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Status records whether git asks checkrein.
type Status struct {
	Installed bool     `json:"installed"` // git runs our scripts
	Private   bool     `json:"private"`   // only secrets in what is added are looked for, unless there is a policy file
	Dir       string   `json:"dir"`       // whose hooks git runs
	Program   string   `json:"program"`   // that the person's state names; "" = PATH's
	Chained   []string `json:"chained"`   // hooks that were there before and run
	Problems  []string `json:"problems"`  // because of which something is not scanned
	Notes     []string `json:"notes"`
}

// Status looks at a repository.
func (s *Site) Status(ctx context.Context) (*Status, error) {
	active, err := s.active(ctx)
	if err != nil {
		return nil, err
	}
	st := &Status{Dir: active, Installed: true, Chained: []string{}, Problems: []string{}, Notes: []string{}}
	if rel, err := filepath.Rel(s.repo.Top, active); err == nil && filepath.IsLocal(rel) {
		st.Dir = filepath.ToSlash(rel)
	}
	for _, name := range Ours {
		st.script(active, name)
	}
	if !st.Installed {
		n, err := s.note()
		if err == nil && n != nil {
			st.Problems = append(st.Problems, fmt.Sprintf("the hooks were installed in %s, but git runs those in %s: run 'checkrein git install' again", n.Dir, st.Dir))
		}
		return st, err
	}
	for _, dir := range s.states {
		if st.Program = named(dir); st.Program != "" {
			break
		}
	}
	if st.Program != "" {
		if info, err := os.Stat(st.Program); err != nil || !runs(info) {
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
	if err := s.chained(ctx, st, active); err != nil {
		return nil, err
	}
	return st, s.elsewhere(ctx, st, active)
}

// script looks at one of our scripts.
func (st *Status) script(dir, name string) {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	switch {
	case err != nil || !isOurs(text):
		if st.Installed = false; name != Ours[0] {
			st.Problems = append(st.Problems, "the hook "+name+" is missing, or does not call checkrein")
		}
		return
	case Led(text):
		st.Problems = append(st.Problems, name+" is of an older version and runs what git config checkrein.program names, so anyone who sets that silences it: run 'checkrein git install' and commit the script")
	case string(text) != script(name, isPrivate(text)):
		st.Notes = append(st.Notes, name+" is of another version of checkrein: 'checkrein git install' renews it")
	}
	st.Private = isPrivate(text)
	if info, err := os.Stat(path); err == nil && !runs(info) {
		st.Problems = append(st.Problems, name+" is not executable, so git does not run it: run 'checkrein git install' again")
	}
}

// chained lists the hooks that were there before, and those that came later and
// nothing passes on to.
func (s *Site) chained(ctx context.Context, st *Status, active string) error {
	before, ok, err := s.repo.Setting(ctx, keyBefore)
	if err != nil {
		return err
	}
	dir := filepath.Join(s.common, "hooks")
	if ok {
		dir = s.hookDir(before)
	}
	for _, name := range present(dir) {
		text, err := os.ReadFile(filepath.Join(active, name))
		if dir != active && err == nil && isOurs(text) {
			st.Chained = append(st.Chained, filepath.Join(dir, name))
		} else if dir != active && err != nil {
			st.Notes = append(st.Notes, fmt.Sprintf("%s does not run: to chain it, run 'checkrein git install'", filepath.Join(dir, name)))
		}
	}
	for _, name := range slices.Concat(Ours, others) {
		if info, err := os.Stat(filepath.Join(active, name+beside)); err == nil && runs(info) {
			st.Chained = append(st.Chained, filepath.Join(active, name+beside))
		}
	}
	return nil
}

// elsewhere looks at other working trees, whose branch may not have the scripts,
// and at submodules, which have hooks of their own.
func (s *Site) elsewhere(ctx context.Context, st *Status, active string) error {
	trees, err := s.repo.Worktrees(ctx)
	if err != nil {
		return err
	}
	rel, relErr := filepath.Rel(s.repo.Top, active)
	for _, tree := range trees {
		if relErr != nil || !filepath.IsLocal(rel) {
			break // one directory for all of them
		}
		if _, err := os.Stat(filepath.Join(tree, rel, Ours[0])); err != nil {
			st.Problems = append(st.Problems, fmt.Sprintf("the working tree %s has no %s, so nothing is scanned there: commit the directory and merge it", tree, filepath.ToSlash(rel)))
		}
	}
	modules, err := s.repo.Submodules(ctx)
	if err == nil && len(modules) > 0 {
		st.Notes = append(st.Notes, fmt.Sprintf("submodules have their own hooks: run 'checkrein git install' in %s", strings.Join(modules, ", ")))
	}
	return err
}

// managers are programs that write hooks themselves, with what to do so that
// neither undoes the other.
func (s *Site) managers(active string) []string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			_, err := os.Stat(s.path(name))
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
