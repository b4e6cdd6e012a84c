package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
	"github.com/zricethezav/gitleaks/v8/sources"
)

// boundary holds checkrein's scan of a tree and of a history against gitleaks',
// and the tree's against reading it from git.
func boundary(program, tree, history string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "boundary")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if tree == "" {
		if tree, err = librarySource(); err != nil {
			return err
		}
	}
	repo := filepath.Join(dir, "repo")
	if err := commit(repo, tree); err != nil {
		return err
	}
	b := bench{program: program, dir: dir}
	fmt.Printf("tree: %s\n", b.size(repo))
	ours, err := b.ours(repo, "scan", "--json", ".")
	if err != nil {
		return err
	}
	if err := b.floor(repo); err != nil {
		return err
	}
	theirs, err := b.gitleaks(func(d *detect.Detector) sources.Source {
		return &sources.Files{Config: &d.Config, Path: repo, Sema: d.Sema}
	})
	if err != nil {
		return err
	}
	compare("tree", ours, theirs, repo)

	clone := filepath.Join(dir, "clone") // packed, as clones are
	if out, err := exec.Command("git", "clone", "-q", "--no-local", history, clone).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w\n%s", err, out)
	}
	history = clone
	fmt.Printf("history: %s\n", b.size(history))
	if ours, err = b.ours(history, "scan", "--json", "--commits", "HEAD"); err != nil {
		return err
	}
	log, err := sources.NewGitLogCmd(history, "HEAD")
	if err != nil {
		return err
	}
	theirs, err = b.gitleaks(func(d *detect.Detector) sources.Source {
		return &sources.Git{Cmd: log, Config: &d.Config, Remote: &sources.RemoteInfo{}, Sema: d.Sema}
	})
	if err != nil {
		return err
	}
	compare("history", ours, theirs, history)
	return nil
}

// commit makes a packed repository with the tree in one commit.
func commit(repo, tree string) error {
	if err := copyTree(repo, tree); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A", "-f"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "tree"}, {"repack", "-adq"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
	}
	return nil
}

type bench struct {
	program, dir string
	cpu          time.Duration // of checkrein's last scan
}

// A place is where something was found.
type place struct {
	Path string
	Line int
}

// ours runs checkrein with nothing remembered, a few times, and keeps the best.
func (b *bench) ours(dir string, args ...string) ([]place, error) {
	b.cpu = time.Hour
	var out []byte
	for i := range 3 {
		cmd := exec.Command(b.program, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+filepath.Join(b.dir, fmt.Sprint("state", i, len(args))))
		began := time.Now()
		got, err := cmd.Output()
		took := time.Since(began)
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			return nil, fmt.Errorf("checkrein %v: %w\n%s", args, err, exit.Stderr)
		}
		if cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); cpu < b.cpu {
			b.cpu, out = cpu, got
			fmt.Printf("  checkrein %s: %.2f s, %.2f s of CPU\n", strings.Join(args, " "), took.Seconds(), cpu.Seconds())
		}
	}
	var v struct {
		Findings []place
		Allowed  []place
	}
	err := json.Unmarshal(out, &v)
	return append(v.Findings, v.Allowed...), err
}

// floor prints how much longer checkrein took than git takes to read the tree.
func (b *bench) floor(repo string) error {
	list := exec.Command("git", "ls-tree", "-r", "--format=%(objectname)", "HEAD")
	list.Dir = repo
	ids, err := list.Output()
	if err != nil {
		return err
	}
	best := time.Hour
	for range 3 {
		cmd := exec.Command("git", "cat-file", "--batch", "--buffer")
		cmd.Dir, cmd.Stdin = repo, bytes.NewReader(ids)
		if err := cmd.Run(); err != nil {
			return err
		}
		best = min(best, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	fmt.Printf("  git cat-file --batch: %.2f s of CPU; checkrein takes %.1f times that\n", best.Seconds(), b.cpu.Seconds()/best.Seconds())
	return nil
}

// gitleaks runs gitleaks in this process.
func (b *bench) gitleaks(source func(*detect.Detector) sources.Source) ([]report.Finding, error) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return nil, err
	}
	before, began := used(), time.Now()
	list, err := detector.DetectSource(context.Background(), source(detector))
	cpu := used() - before
	fmt.Printf("  gitleaks: %.1f s, %.1f s of CPU: %.0f times checkrein's\n", time.Since(began).Seconds(), cpu.Seconds(), cpu.Seconds()/b.cpu.Seconds())
	return list, err
}

// used is the CPU time of this process and of its children that have ended.
func used() time.Duration {
	total := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(who, &r) == nil {
			total += time.Duration(r.Utime.Nano() + r.Stime.Nano())
		}
	}
	return total
}

// size returns how large a repository is.
func (b *bench) size(repo string) string {
	count := func(args ...string) int {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		out, _ := cmd.Output()
		return bytes.Count(out, []byte("\n"))
	}
	return fmt.Sprintf("%d commits, %d files", count("rev-list", "HEAD"), count("ls-files"))
}

// compare prints what gitleaks finds and checkrein does not, by rule.
func compare(what string, ours []place, theirs []report.Finding, root string) {
	have := map[string][]int{}
	for _, p := range ours {
		have[p.Path] = append(have[p.Path], p.Line)
	}
	missed, n := map[string][]string{}, 0
	for _, f := range theirs {
		path := f.File
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsAbs(path) {
			path = rel
		}
		if strings.HasPrefix(path, ".git/") {
			continue
		}
		n++
		found := false
		for _, line := range have[path] {
			found = found || line >= f.StartLine-1 && line <= f.EndLine+1 // its first line is 0 in some sources
		}
		if !found {
			missed[f.RuleID] = append(missed[f.RuleID], fmt.Sprintf("%s:%d", path, f.StartLine))
		}
	}
	fmt.Printf("  findings in the %s: gitleaks %d, checkrein %d\n", what, n, len(ours))
	rules := make([]string, 0, len(missed))
	for rule := range missed {
		rules = append(rules, rule)
	}
	sort.Strings(rules)
	for _, rule := range rules {
		list := missed[rule]
		fmt.Printf("  gitleaks finds and checkrein does not: %s %d: %s\n", rule, len(list), strings.Join(list[:min(len(list), 40)], " "))
	}
}
