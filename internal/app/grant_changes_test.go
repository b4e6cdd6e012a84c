package app

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/lab/norace"
)

// allowBlocked serves an event that is blocked, and gives a grant for it as a user does.
func allowBlocked(t *testing.T, k *Kit, ev checkrein.Event, scope grant.Scope) grant.Grant {
	t.Helper()
	out := k.Serve(t.Context(), ev)
	if out.Verdict.Decision < checkrein.Ask || out.Handle == "" {
		t.Fatalf("%s is not stopped: %s", ev.Tool.Input, out.JSON(true))
	}
	b, err := k.Grants().Block(out.Handle)
	if err != nil {
		t.Fatal(err)
	}
	g := grant.Grant{Handle: b.Handle, Scope: scope, Shown: b.Shown, Binding: b.Binding, Root: b.Root, Until: k.now().Add(grant.Life)}
	for _, d := range b.By {
		if !d.Program {
			g.Lifts = append(g.Lifts, d)
		}
	}
	if scope == grant.Session {
		g.Host, g.Session, g.Root = b.Host, b.Session, ""
	}
	g, err = k.Allow(g, b)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// passes reports whether no hook objected.
func passes(out engine.Outcome) bool { return out.Verdict.Decision == checkrein.NoOpinion }

// isLifted reports whether a grant lifted a step of out.
func isLifted(out engine.Outcome) bool {
	return passes(out) && slices.ContainsFunc(out.Steps, func(s engine.Step) bool { return s.Lifted != nil })
}

// withNewID returns ev with another call id and without cached results.
func withNewID(ev checkrein.Event, id string) checkrein.Event {
	tool := *ev.Tool
	tool.CallID, tool.Input = id, json.RawMessage(strings.Clone(string(ev.Tool.Input)))
	ev.Tool = &tool
	return ev
}

// A grant does not apply to a call with the same words if their meaning has changed. Other changes do
// not matter.
func TestGrantEndsIfItsTargetChanges(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	const stopAll = "version: 1\nhooks:\n  pre_tool_use:\n    - {name: stop, type: rule, decision: deny, reason: stopped}\n"
	input := func(pairs ...string) func(*checkrein.Event) {
		return func(ev *checkrein.Event) {
			m := map[string]any{}
			_ = json.Unmarshal(ev.Tool.Input, &m)
			for i := 0; i < len(pairs); i += 2 {
				var v any
				_ = json.Unmarshal([]byte(pairs[i+1]), &v)
				m[pairs[i]] = v
			}
			ev.Tool.Input, _ = json.Marshal(m)
		}
	}
	tests := []struct {
		name    string
		command string
		world   string // commands that change the project in between
		event   func(*checkrein.Event)
		config  string
		want    bool
	}{
		{"nothing", "rm -rf W/home/docs/x", "", nil, "", true},
		{"another description", "rm -rf W/home/docs/x", "", input("description", `"please"`, "timeout", "99"), "", true},
		{"another description, by a rule", "make it", "", input("description", `"please"`, "timeout", "99"), stopAll, true},
		{"without the sandbox", "rm -rf W/home/docs/x", "", input("dangerouslyDisableSandbox", "true"), "", false},
		{"with more rights", "rm -rf W/home/docs/x", "", input("with_escalated_permissions", "true"), "", false},
		{"without the sandbox, by a rule", "make it", "", input("dangerouslyDisableSandbox", "true"), stopAll, false},
		{"in another directory", "rm -rf src", "", func(ev *checkrein.Event) { ev.Session.Dir += "/../proj2" }, "", false},
		{"in another directory by an argument", "rm -rf src", "", input("workdir", `"../proj2"`), "", false},
		{"in another directory, by a rule", "make it", "", func(ev *checkrein.Event) { ev.Session.Dir += "/../proj2" }, stopAll, false},
		{"by a server's tool", "rm -rf W/home/docs/x", "", func(ev *checkrein.Event) { ev.Tool.Name, ev.Tool.Canonical = "mcp__box__run", "" }, "", false},
		{"as code", "rm -rf W/home/docs/x", "", func(ev *checkrein.Event) {
			ev.Tool.Name, ev.Tool.Canonical = "mcp__py__execute_code", ""
			ev.Tool.Input, _ = json.Marshal(map[string]string{"code": "import os\nos.system('rm -rf ~/docs/x')"})
		}, "", false},
		{"a directory became a link", "rm -rf W/home/docs/x/in", "mv ../docs/x ../docs/z; ln -s y ../docs/x; mkdir ../docs/y/in", nil, "", false},
		{"what is named became a link", "rm -rf W/home/docs/x", "mv ../docs/x ../docs/z; ln -s y ../docs/x", nil, "", false},
		{"a link leads elsewhere", "rm -rf W/home/docs/link/", "ln -sfn ../docs/x ../docs/link", nil, "", false},
		{"a link leads elsewhere, in a variable", "D=W/home/docs/link; rm -rf $D/*", "ln -sfn ../docs/x ../docs/link", nil, "", false},
		{"a file became a directory", "rm -rf W/home/docs/note", "rm ../docs/note; mkdir ../docs/note; echo > ../docs/note/n", nil, "", false},
		{"a file became a directory, in a loop", "for f in note; do rm -rf W/home/docs/$f; done", "rm ../docs/note; mkdir ../docs/note; echo > ../docs/note/n", nil, "", false},
		{"it is gone", "rm -rf W/home/docs/x", "rm -rf ../docs/x", nil, "", true},
		{"it is gone, in a loop", "for f in x; do rm -rf W/home/docs/$f; done", "rm -rf ../docs/x", nil, "", true},
		{"another address", "git push --force", "git remote set-url origin ../two.git", nil, "", false},
		{"another address for pushes", "git push --force", "git remote set-url --push origin ../two.git", nil, "", false},
		{"another address behind the same words", "git push --force --all", "git remote set-url origin ../two.git", nil, "", false},
		{"another branch", "git push --force", "git checkout -q old", nil, "", false},
		{"another upstream", "git push --force", "git config push.default upstream; git config branch.main.remote second; git config branch.main.merge refs/heads/old", nil, "", false},
		{"an address is rewritten", "git push --force", "git config url.../two.pushInsteadOf \"$WORLD/home/one\"", nil, "", false},
		{"an address is rewritten for all", "git push --force origin main", "git config url.$WORLD/home/two.git.insteadOf \"$WORLD/home/one.git\"", nil, "", false},
		{"an address is rewritten, and a branch deleted", "git push origin :old", "git config url.$WORLD/home/two.git.insteadOf \"$WORLD/home/one.git\"", nil, "", false},
		{"an address was rewritten before", "git push --force second main", "git commit -q --allow-empty -m new", nil, "", true},
		{"what rewrites an address changed", "git push --force second main", "git config --unset url.$WORLD/home/two.insteadOf", nil, "", false},
		{"settings under a condition changed", "git push --force origin main", "git config --file ../work.gitconfig remote.origin.pushurl \"$WORLD/home/two.git\"", nil, "", false},
		{"an address is rewritten under a condition", "git push --force origin main", "git config --file ../work.gitconfig url.$WORLD/home/two.git.insteadOf \"$WORLD/home/one.git\"", nil, "", false},
		{"the branch names another", "git push --force origin main", "git branch dev; git symbolic-ref refs/heads/main refs/heads/dev", nil, "", false},
		{"a tag has the branch's name", "git push --force origin main", "git tag main old; git branch -m main x; git symbolic-ref HEAD refs/heads/main", nil, "", false},
		{"the remote's path became a link", "git push --force origin main", "mv ../one.git ../three.git; ln -s two.git ../one.git", nil, "", false},
		{"another remote is in its place", "git push --force origin main", "mv ../one.git ../three.git; mv ../two.git ../one.git", nil, "", false},
		{"the remote's branch names another", "git push --force origin main", "git -C ../one.git symbolic-ref refs/heads/main refs/heads/old", nil, "", false},
		{"tags go with it", "git push --force origin main", "git config push.followTags true; git tag -a -m x v2", nil, "", false},
		{"a proxy", "git push --force origin main", "git config http.proxy http://127.0.0.1:1", nil, "", false},
		{"a proxy of the remote", "git push --force origin main", "git config remote.origin.proxy http://127.0.0.1:1", nil, "", false},
		{"a new commit", "git push --force origin main", "git commit -q --allow-empty -m new", nil, "", true},
		{"it was pushed", "git push --force origin main", "git push -q --force origin main; git commit -q --allow-empty -m new", nil, "", true},
		{"it was pushed and is followed", "git push -u --force origin main", "git push -q -u --force origin main; git commit -q --allow-empty -m new", nil, "", true},
		{"a setting that has no say", "git push --force origin main", "git config user.name b; git config color.ui always; git config branch.old.remote second", nil, "", true},
		{"refs were packed", "git push --force origin main", "git pack-refs --all", nil, "", true},
		{"another working tree", "git clean -fdx", "git config core.worktree \"$WORLD/home/proj2\"", nil, "", false},
		{"another working tree, reset", "git reset --hard", "git config core.worktree \"$WORLD/home/docs\"", nil, "", false},
		{"another working tree, paths", "git checkout -- .", "git config core.worktree \"$WORLD/home/proj2\"", nil, "", false},
		{"another working tree, elsewhere", "cd ../proj2 && git reset --hard", "git -C ../proj2 config core.worktree \"$WORLD/home/proj\"", nil, "", false},
		{"another working tree, by an option", "git -C ../proj2 reset --hard", "git -C ../proj2 config core.worktree \"$WORLD/home/proj\"", nil, "", false},
		{"another HEAD", "git reset --hard", "git symbolic-ref HEAD refs/heads/old", nil, "", false},
		{"submodules too", "git reset --hard", "git config submodule.recurse true", nil, "", false},
		{"all of the log", "git gc --prune=now", "git config gc.reflogExpire now", nil, "", false},
		{"more in the stash", "git stash clear", "git stash -q", nil, "", false},
		{"the same stash", "git stash clear", "git commit -q -a -m new", nil, "", true},
		{"more to reset", "git reset --hard", "echo more >> src/b.go", nil, "", true},
		{"a script was changed", "bash go.sh", "echo 'rm -rf ~/docs' > go.sh", nil, stopAll, false},
		{"a script was changed, by its name", "./go.sh", "echo 'rm -rf ~/docs' > go.sh", nil, stopAll, false},
		{"a script was not changed", "bash go.sh", "touch go.sh", nil, stopAll, true},
		{"a script was sourced", "source go.sh", "echo 'rm -rf ~/docs' > go.sh", nil, stopAll, false},
		{"a here document", "psql <<'E'\nDROP TABLE a;\nE", "", input("command", `"psql <<'E'\nDROP TABLE b;\nE"`), "", false},
	}
	w := newWorld(t)
	w.mustRun(filepath.Join(w.template, "home/proj"), "echo ls > go.sh; chmod 700 go.sh; git config url.$WORLD/home/two.insteadOf $WORLD/home/two; touch ../work.gitconfig; git config includeIf.gitdir:$WORLD/.path ../../work.gitconfig; chmod 600 ../work.gitconfig")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			w.restore()
			w.configure(cmp.Or(tt.config, asksAboutLosses))
			k := w.open()
			ev := w.call("home/proj", strings.ReplaceAll(tt.command, "W/", w.dir+"/"))
			allowBlocked(t, k, ev, grant.Session)
			if out := k.Decide(t.Context(), withNewID(ev, "c2")); !passes(out) {
				t.Fatalf("the grant does not count: %s", out.JSON(true))
			}
			if tt.world != "" {
				w.mustRun(filepath.Join(w.dir, "home/proj"), tt.world)
			}
			ev = withNewID(ev, "c3")
			if tt.event != nil {
				tt.event(&ev)
			}
			if out := k.Decide(t.Context(), ev); isLifted(out) != tt.want {
				t.Errorf("lifted: %t\n%s", isLifted(out), out.JSON(true))
			}
		})
	}
}
