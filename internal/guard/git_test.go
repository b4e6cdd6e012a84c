package guard

import (
	"fmt"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// A trap is a repository that is set up so that Git may run a program.
type trap struct {
	*machine
	repo, script, marker string
	touched              int
}

// setConfig changes a setting of the repository.
func (tr *trap) setConfig(key, value string) { tr.t.Helper(); tr.git(tr.repo, "config", key, value) }

// writeFile writes a file below the top of the repository.
func (tr *trap) writeFile(name, body string) {
	tr.t.Helper()
	guardtest.WriteFile(tr.t, filepath.Join(tr.repo, name), body)
}

// isSprung reports whether the program ran, and resets the trap.
func (tr *trap) isSprung() bool { return os.Remove(tr.marker) == nil }

// TestHostileRepository checks that a repository cannot make checkrein start a program. Each trap must
// first work with plain git, because otherwise the case would prove nothing.
func TestHostileRepository(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	tests := []struct {
		name   string
		set    func(*trap)
		git    []string // the plain git command that springs the trap
		silent bool     // the builtins add no context for such a repository
	}{
		{"fsmonitor", func(tr *trap) { tr.setConfig("core.fsmonitor", tr.script) }, []string{"status"}, false},
		{"external diff", func(tr *trap) { tr.setConfig("diff.external", tr.script) }, []string{"diff"}, false},
		{"textconv", func(tr *trap) {
			tr.setConfig("diff.evil.textconv", tr.script)
			tr.writeFile(".gitattributes", "*.txt diff=evil\n")
		}, []string{"diff"}, false},
		{"diff driver", func(tr *trap) {
			tr.setConfig("diff.evil.command", tr.script)
			tr.writeFile(".git/info/attributes", "*.txt diff=evil\n")
		}, []string{"diff"}, false},
		{"hook", func(tr *trap) { tr.hook(".git/hooks") }, []string{"diff"}, false},
		{"hooks elsewhere", func(tr *trap) {
			tr.hook("hooks")
			tr.setConfig("core.hooksPath", filepath.Join(tr.repo, "hooks"))
		}, []string{"diff"}, false},
		{"clean filter", func(tr *trap) { tr.filter("clean", "evil") }, []string{"status"}, false},
		{"process filter", func(tr *trap) { tr.filter("process", "evil") }, []string{"diff"}, false},
		{"filter with dots", func(tr *trap) { tr.filter("clean", "e.v.IL") }, []string{"diff"}, false},
		{"required filter", func(tr *trap) {
			tr.filter("clean", "evil")
			tr.setConfig("filter.evil.required", "true")
		}, []string{"diff"}, false},
		{"filter that no option can name", func(tr *trap) { tr.filter("clean", "a=b") }, []string{"diff"}, true},
		{"filter of an included file", func(tr *trap) {
			tr.writeFile("inc", "[filter \"evil\"]\n\tclean = "+tr.script+"\n")
			tr.setConfig("include.path", "../inc")
			tr.writeFile(".gitattributes", "*.txt filter=evil\n")
		}, []string{"diff"}, false},
		{"filter of a worktree's file", func(tr *trap) {
			tr.setConfig("extensions.worktreeConfig", "true")
			tr.writeFile(".git/config.worktree", "[filter \"evil\"]\n\tclean = "+tr.script+"\n")
			tr.writeFile(".gitattributes", "*.txt filter=evil\n")
		}, []string{"diff"}, false},
		{"submodule", (*trap).addSubmodule, []string{"status"}, false},
		{"signature", (*trap).addSignature, []string{"log"}, false},
		{"missing object", (*trap).makePartialClone, []string{"diff"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrap(t)
			tt.set(tr)
			tr.tryGit(tr.repo, tt.git...) // errors of the script do not matter
			if !tr.isSprung() {
				t.Skip("this git does not fall for it: ", tr.git(tr.repo, "version"))
			}
			tr.touch()
			status := tr.contextOf(tr.repo, "add_git_status")
			tr.contextOf(tr.repo, "add_git_diff")
			tr.touch()
			tr.contextOf(tr.repo, "add_git_diff", "full")
			tr.contextOf(tr.repo, "add_recent_commits")
			if tr.isSprung() {
				t.Error("the program ran")
			}
			if silent := status == ""; silent != tt.silent || !silent && !strings.Contains(status+"\n", "\n M a.txt\n") {
				t.Errorf("status: %q", status)
			}
		})
	}
}

// newTrap returns a repository with one changed file and one that only looks changed.
func newTrap(t *testing.T) *trap {
	t.Helper()
	tr := &trap{machine: newMachine(t)}
	tr.repo = tr.machine.newRepo(map[string]string{"a.txt": "one\n", "same.txt": "one\n"})
	dir := guardtest.TempDir(t)
	tr.script, tr.marker = filepath.Join(dir, "evil"), filepath.Join(dir, "marker")
	tr.writeProgram(tr.script, "cat")
	tr.writeFile("a.txt", "changed\n")
	tr.touch()
	return tr
}

// touch sets the time of same.txt to one that it never had, in whole hours because Git may compare
// seconds only.
func (tr *trap) touch() {
	tr.t.Helper()
	tr.touched++
	then := time.Now().Add(-time.Duration(tr.touched) * time.Hour)
	if err := os.Chtimes(filepath.Join(tr.repo, "same.txt"), then, then); err != nil {
		tr.t.Fatal(err)
	}
}

// writeProgram writes a program that creates the marker and then runs the command then.
func (tr *trap) writeProgram(path, then string) {
	tr.t.Helper()
	guardtest.WriteFile(tr.t, path, fmt.Sprintf("#!/bin/sh\n: >'%s'\n%s\n", tr.marker, then))
	if err := os.Chmod(path, 0o755); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr *trap) hook(dir string) {
	tr.writeProgram(filepath.Join(tr.repo, dir, "post-index-change"), "exit 0")
}

func (tr *trap) filter(key, name string) {
	tr.setConfig("filter."+name+"."+key, tr.script)
	tr.writeFile(".git/info/attributes", "*.txt filter="+name+"\n")
}

// addSubmodule puts the trap into the configuration of a nested repository.
func (tr *trap) addSubmodule() {
	sub := filepath.Join(tr.repo, "sub")
	tr.git(tr.repo, "clone", "-q", tr.repo, "sub")
	tr.git(tr.repo, "add", "sub")
	tr.git(sub, "config", "filter.evil.clean", tr.script)
	guardtest.WriteFile(tr.t, filepath.Join(sub, ".git", "info", "attributes"), "*.txt filter=evil\n")
	guardtest.WriteFile(tr.t, filepath.Join(sub, "a.txt"), "changed\n")
}

// addSignature creates a commit with a signature that Git tries to check.
func (tr *trap) addSignature() {
	tr.setConfig("gpg.program", tr.script)
	tr.setConfig("log.showSignature", "true")
	body := tr.git(tr.repo, "cat-file", "commit", "HEAD")
	head, message, _ := strings.Cut(body, "\n\n")
	file := filepath.Join(filepath.Dir(tr.script), "commit")
	guardtest.WriteFile(tr.t, file, head+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n"+message+"\n")
	commit := tr.git(tr.repo, "hash-object", "-t", "commit", "-w", file)
	tr.git(tr.repo, "update-ref", "refs/heads/main", commit)
}

// makePartialClone makes the repository a partial clone whose server program is the trap.
func (tr *trap) makePartialClone() {
	hash := tr.git(tr.repo, "rev-parse", "HEAD:a.txt")
	if err := os.Remove(filepath.Join(tr.repo, ".git", "objects", hash[:2], hash[2:])); err != nil {
		tr.t.Fatal(err)
	}
	tr.writeProgram(tr.script, "exit 1") // one that waits for a client waits for ever
	tr.setConfig("core.repositoryFormatVersion", "1")
	tr.setConfig("extensions.partialClone", "origin")
	tr.setConfig("remote.origin.url", tr.repo)
	tr.setConfig("remote.origin.promisor", "true")
	tr.setConfig("remote.origin.uploadpack", tr.script)
}

// TestTrustedFilter checks that the user's own filters keep working, unless the repository defines
// some as well.
func TestTrustedFilter(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the filter is a shell script")
	}
	tests := []struct {
		name string
		set  func(*trap)
		runs bool
	}{
		{"alone", func(*trap) {}, true},
		{"beside a filter of the repository", func(tr *trap) { tr.setConfig("filter.other.smudge", "cat") }, false},
		{"with an extension of the repository", func(tr *trap) { tr.setConfig("lfs.extension.x.clean", "evil") }, false},
		{"with other settings of the repository", func(tr *trap) { tr.setConfig("lfs.repositoryFormatVersion", "0") }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrap(t)
			global := filepath.Join(tr.env.Home, "gitconfig")
			guardtest.WriteFile(t, global, "[filter \"lfs\"]\n\tclean = "+tr.script+"\n\trequired = true\n")
			i := slices.Index(tr.env.Environ, "GIT_CONFIG_GLOBAL=/dev/null")
			tr.env.Environ[i] = "GIT_CONFIG_GLOBAL=" + global
			tr.writeFile(".git/info/attributes", "*.txt filter=lfs\n")
			tt.set(tr)
			if got := tr.contextOf(tr.repo, "add_git_status"); got != "Current git status:\n\n## main\n M a.txt" {
				t.Errorf("status: %q", got)
			}
			if got := tr.isSprung(); got != tt.runs {
				t.Errorf("the filter ran: %v, want %v", got, tt.runs)
			}
		})
	}
}

func TestMain(m *testing.M) {
	if _, err := exec.LookPath("git"); err != nil {
		fmt.Fprintln(os.Stderr, "the tests of this package need git:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
