package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/gitconfig"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// worstSubject returns the subject and the reason of the worst effect of command, run in dir.
func (l *lab) worstSubject(dir, command string) (on, reason string) {
	c := &shell.Call{}
	for i, w := range strings.Fields(command) {
		if i == 0 {
			c.Name, c.Path = w, w
		} else {
			c.Args = append(c.Args, shell.Word{Text: strings.Trim(w, "'")})
		}
	}
	p := &shell.Place{Dir: dir, Root: dir, Home: l.home, Repo: func(dir string) *shell.Repo { return gitconfig.Read(dir, l.home, l.environ) }}
	effects, _ := Effects(c, p)
	if len(effects) == 0 {
		return "", ""
	}
	return effects[0].Subject, effects[0].Reason
}

// TestPushSubject checks that all spellings of a push have the same subject, and that other pushes
// have others.
func TestPushSubject(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.git(l.dir, "remote", "add", "fork", "../fork.git")
	l.git(l.dir, "checkout", "-q", "main")
	l.git(l.dir, "branch", "-q", "--set-upstream-to", "origin/main", "main")
	l.git(l.dir, "config", "remote.pushDefault", "origin")
	l.git(l.dir, "worktree", "add", "-q", filepath.Join(l.home, "tree"), "other")
	l.git(l.home, "clone", "-q", "origin.git", "clone")
	same := []string{
		"git push -f", "git push --force", "git push --force origin", "git push -f origin main", "git push origin main -f", "git push origin +main", "git push origin +main:main", "git push origin +HEAD:main",
		"git push -f origin HEAD", "git push -f origin @", "git push -uf origin main", "git push -f -q origin refs/heads/main", "git push origin +main:refs/heads/main", "git push origin +refs/heads/main", "git -C " + l.dir + " push -f", "git push -v --force origin main",
	}
	want, reason := l.worstSubject(l.dir, same[0])
	if want == "" || reason != "overwrites main on origin" {
		t.Fatalf("%q: %q", want, reason)
	}
	for _, c := range same {
		if got, why := l.worstSubject(l.dir, c); got != want {
			t.Errorf("%s: %q (%s), want %q", c, got, why, want)
		}
	}
	seen := map[string]string{want: same[0]}
	for _, c := range []string{
		"git push -f origin feature", "git push -f fork main", "git push origin +feature:main", "git push -f origin main feature", "git push origin :main", "git push --force-with-lease origin main", "git push --force-with-lease=main origin main",
		"git push -f --no-verify origin main", "git push -f --follow-tags origin main", "git push -f -o ci.skip origin main", "git push -f origin main:feature", "git push origin --delete feature",
	} {
		got, why := l.worstSubject(l.dir, c)
		if before, ok := seen[got]; got == "" || ok {
			t.Errorf("%s has the subject of %s: %q (%s)", c, before, got, why)
		}
		seen[got] = c
	}
	if got, _ := l.worstSubject(filepath.Join(l.home, "clone"), "git push -f origin main"); got == want {
		t.Errorf("another copy: %q", got)
	}
	if got, _ := l.worstSubject(filepath.Join(l.home, "tree"), "git push -f origin main"); got != want {
		t.Errorf("another working tree: %q, want %q", got, want)
	}
	for _, c := range []string{"git push -f --all origin", "git push -f --mirror origin", "git -c push.default=matching push -f", "git push -f origin refs/heads/*:refs/heads/*", "git push -f --force-with-lease --no-force-with-lease origin main"} {
		if got, _ := l.worstSubject(l.dir, c); got != "" {
			t.Errorf("%s: %q", c, got)
		}
	}
}

// TestPushWithUnknownRemote checks that the reason of a push with an unknown destination names the
// setting whose remote is unknown.
func TestPushWithUnknownRemote(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for command, remote := range map[string]string{
		"git -c branch.feature.remote=evil push -f":     "evil",
		"git -c branch.feature.pushRemote=evil push -f": "evil",
		"git -c remote.pushDefault=up push -f":          "up",
	} {
		if _, reason := l.worstSubject(l.dir, command); !strings.Contains(reason, "name the remote "+remote+",") {
			t.Errorf("%s: %s", command, reason)
		}
	}
}

// TestPushReasons checks the reason of a push with various remotes and current branches.
func TestPushReasons(t *testing.T) {
	t.Parallel()
	const unclear = "; checkrein cannot tell "
	for _, tt := range []struct {
		name    string
		set     [][]string
		command string
		want    string // the end of the reason
	}{
		{"another remote alone", [][]string{{"remote", "rename", "origin", "up"}, {"config", "push.default", "current"}}, "git -c a.b=c push -f", "overwrites feature on up"},
		{"another remote alone, upstream", [][]string{{"remote", "rename", "origin", "up"}, {"branch", "-q", "--set-upstream-to", "up/feature", "feature"}}, "git -c a.b=c push -f", "overwrites feature on up"},
		{"another remote alone, no upstream", [][]string{{"remote", "rename", "origin", "up"}}, "git push -f", unclear + "which branch, because Git's settings do not name it"},
		{"several, none of them origin", [][]string{{"remote", "rename", "origin", "up"}, {"remote", "add", "fork", "../fork.git"}}, "git -c a.b=c push -f",
			unclear + "which branch, because the command names no remote, and Git's settings choose none of up, fork"},
		{"several and origin", [][]string{{"remote", "add", "fork", "../fork.git"}, {"config", "push.default", "current"}}, "git -c a.b=c push -f", "overwrites feature on origin"},
		{"no remote", [][]string{{"remote", "remove", "origin"}}, "git push -f", unclear + "which branch, because the command names no remote, and none is configured here"},
		{"an empty name", nil, "git push -f ''", unclear + "which branch, because the command has an empty name for the remote"},
		{"an empty name, one remote", [][]string{{"remote", "rename", "origin", "up"}}, "git -c a.b=c push -f '' feature", unclear + "which branch, because the command has an empty name for the remote"},
		{"an address", nil, "git push -f ../fork.git feature", unclear + "which repository's branch, because ../fork.git is not a remote of this repository"},
		{"an address with a password", nil, "git push -f https://me:word@git.example/x.git feature", unclear + "which repository's branch, because https://git.example/x.git is not a remote of this repository"},
		{"detached", [][]string{{"checkout", "-q", "--detach"}}, "git -c a.b=c push -f", unclear + "which branch, because no branch is checked out"},
		{"detached, to main", [][]string{{"checkout", "-q", "--detach"}}, "git -c a.b=c push -f origin HEAD:main", "overwrites main on origin"},
		{"detached, to a branch of one's own", [][]string{{"checkout", "-q", "--detach"}}, "git -c a.b=c push -f origin HEAD:feature", "overwrites feature on origin with a commit that no branch here names"},
		{"detached, a branch", [][]string{{"checkout", "-q", "--detach"}}, "git push -f origin main", "overwrites main on origin"},
		{"a commit", nil, "git push -f origin 1234567:main", "overwrites main on origin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			for _, args := range tt.set {
				l.git(l.dir, args...)
			}
			if _, reason := l.worstSubject(l.dir, tt.command); !strings.HasSuffix(reason, tt.want) || strings.Contains(reason, unclear) != strings.Contains(tt.want, unclear) {
				t.Errorf("%s: %q, want %q", tt.command, reason, tt.want)
			}
		})
	}
}

// TestPushSubjectWithOverrides checks that a push has no subject if settings redirect it or run
// programs for it, because an earlier grant must not apply to it.
func TestPushSubjectWithOverrides(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	const push = "git push -f origin main"
	if on, _ := l.worstSubject(l.dir, push); on == "" {
		t.Fatal("the push has no subject")
	}
	for _, set := range [][2]string{{"core.sshCommand", "other"}, {"core.gitProxy", "other"}, {"remote.origin.receivepack", "other"}, {"remote.origin.proxy", "http://other.example"}} {
		l.git(l.dir, "config", set[0], set[1])
		if on, _ := l.worstSubject(l.dir, push); on != "" {
			t.Errorf("with %s: %q", set[0], on)
		}
		l.git(l.dir, "config", "--unset", set[0])
	}
	l.git(l.dir, "config", "url.https://other.example/.insteadOf", "https://elsewhere.example/")
	if on, _ := l.worstSubject(l.dir, push); on == "" {
		t.Error("a setting about another address removes the subject")
	}
}

// TestPushSubjectAddress checks that the subject has the address that git uses, whatever settings
// replace that of the remote.
func TestPushSubjectAddress(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	address := strings.TrimSpace(l.git(l.dir, "config", "remote.origin.url"))
	before, _ := l.worstSubject(l.dir, "git push -f origin main")
	for _, set := range [][]string{
		{"url.https://a.example/.insteadOf", address}, {"url.https://a.example/.pushInsteadOf", address}, {"url.https://a.example/.insteadOf", address[:3]},
		{"url.https://a.example/.insteadOf", address[:3], "url.https://b.example/.insteadOf", address[:5]}, {"url.https://a.example/.insteadOf", address, "url.https://b.example/.pushInsteadOf", address[:2]},
		{"remote.origin.pushurl", "https://c.example/x", "url.https://a.example/.insteadOf", "https://c.example/"}, {"remote.origin.pushurl", "https://c.example/x", "url.https://a.example/.pushInsteadOf", "https://c.example/"},
	} {
		for i := 0; i < len(set); i += 2 {
			l.git(l.dir, "config", set[i], set[i+1])
		}
		want := "main of origin (" + strings.TrimSpace(l.git(l.dir, "remote", "get-url", "--push", "origin")) + ") by "
		if on, _ := l.worstSubject(l.dir, "git push -f origin main"); !strings.HasPrefix(on, want) || on == before {
			t.Errorf("with %q: %q, want %q…", set, on, want)
		}
		for i := 0; i < len(set); i += 2 {
			l.git(l.dir, "config", "--unset", set[i])
		}
	}
}

// TestDeletedSubject checks that the order of names, synonyms and the position of flags do not change
// the subject, and that another name, an additional name or a flag with a wider effect does.
func TestDeletedSubject(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	if err := os.Mkdir(filepath.Join(l.home, "plain"), 0o755); err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for _, same := range [][]string{
		{"docker volume rm a b", "docker volume remove b a", "docker volume rm b a a"},
		{"docker volume rm -f a", "docker volume rm a -f", "docker volume remove -f a"},
		{"docker rm a", "docker container rm a", "docker container remove a"},
		{"docker rm -f -v a", "docker rm -v -f a", "docker rm -fv a", "docker rm a -vf"},
		{"podman volume rm a", "podman volume rm a"},
		{"docker volume rm a"}, {"docker volume rm a b c"}, {"docker volume rm A"}, {"docker rm -f a"}, {"docker rm -v a"}, {"docker network rm a"}, {"docker rm a b"},
		{"docker image rm a", "docker rmi a"},
		{"dropdb app"}, {"dropdb App"}, {"dropdb -h db app", "dropdb app -h db"}, {"dropdb -h other app"}, {"dropuser app"},
		{"kubectl delete ns a", "kubectl delete namespace a", "kubectl delete namespaces a"}, {"kubectl delete ns a b", "kubectl delete namespace b a"}, {"kubectl delete pvc a"}, {"kubectl delete pvc a -n x", "kubectl -n x delete persistentvolumeclaim a"}, {"kubectl delete pvc a -n y"}, {"kubectl delete pod a"},
		{"git branch -D a b", "git branch -D b a"}, {"git branch -D a"}, {"git branch -q -D a"}, {"git tag -d a"},
	} {
		want, _ := l.worstSubject(l.dir, same[0])
		for _, c := range same {
			if got, _ := l.worstSubject(l.dir, c); got == "" || got != want {
				t.Errorf("%s: %q, want %q", c, got, want)
			}
		}
		if other, ok := seen[want]; ok {
			t.Errorf("%s and %s both have the subject %q", same[0], other, want)
		}
		seen[want] = same[0]
	}
	for _, c := range []string{
		"docker volume prune -f", "docker volume rm", "podman volume rm -a", "docker volume rm --weird x y", "docker -H tcp://x volume rm a", "docker rm -f --force=false a", "docker volume rm -f -f a",
		"kubectl delete ns --all", "kubectl delete ns a --force", "kubectl delete pods -l app=x", "kubectl delete ns/a pod/b", "kubectl delete -f x.yaml", "git branch -rD origin/x", "dropdb a b", "dropdb -f a",
	} {
		if got, _ := l.worstSubject(l.dir, c); got != "" {
			t.Errorf("%s: %q", c, got)
		}
	}
	if got, _ := l.worstSubject(filepath.Join(l.home, "plain"), "git branch -D a"); got != "" {
		t.Errorf("no repository: %q", got)
	}
}

// TestDeletedBranch checks that deleting one branch on the remote that others do not build on is like
// overwriting it.
func TestDeletedBranch(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	for command, want := range map[string]shell.Category{
		"git push origin --delete feature":       shell.GitPushBranch,
		"git push origin :feature":               shell.GitPushBranch,
		"git push -d origin feature":             shell.GitPushBranch,
		"git push origin --delete main":          shell.GitHistory,
		"git push origin --delete release/1.0":   shell.GitHistory,
		"git push origin --delete feature other": shell.GitHistory,
		"git push origin :refs/tags/v1":          shell.GitHistory,
		"git push ../fork.git --delete feature":  shell.GitHistory,
		"git push nowhere --delete feature":      shell.GitHistory,
		"git push origin --delete \uFFFC":        shell.GitHistory,
	} {
		c := &shell.Call{Name: "git", Path: "git"}
		for _, w := range strings.Fields(command)[1:] {
			c.Args = append(c.Args, shell.Word{Text: w})
		}
		p := &shell.Place{Dir: l.dir, Root: l.dir, Home: l.home, Repo: func(dir string) *shell.Repo { return gitconfig.Read(dir, l.home, l.environ) }}
		effects, _ := Effects(c, p)
		if len(effects) == 0 || effects[0].Category != want {
			t.Errorf("%s: got %+v, want %s", command, effects, want)
		}
	}
}
