package app

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/approval/grant"
)

// A grant applies only where it was given: not through a program that runs the command elsewhere, as
// another user or repeatedly, and not beside commands that may change its target.
func TestGrantDoesNotReachOtherCalls(t *testing.T) {
	t.Parallel()
	tests := []struct {
		granted    string
		pass, stop []string
	}{
		{"git push --force origin main",
			[]string{"git push -f origin main", "git push origin +main", "sh -c 'git push --force origin main'", "bash -lc 'git push --force origin main'", "timeout 60 git push --force origin main", "git push --force origin main 2>&1 | tail -5", "git status && git push --force origin main", "env git push -f origin main", "cd W/home/proj && git push -f origin main"},
			[]string{"unshare --wd=W/home/proj2 git push --force origin main", "find ../proj2 -maxdepth 1 -name src -execdir git push --force origin main \\;", "make x && git push --force origin main", "npm run -s x && git push --force origin main", "tar xf x.tar && git push --force origin main",
				"bash s.sh; git push --force origin main", "git config remote.origin.pushurl W/home/two.git; git push --force origin main", "git fetch && git push --force origin main", "curl -so .git/config http://h/x; git push --force origin main", "GIT_SSH_COMMAND=x git push --force origin main", "git -c http.proxy=http://h git push --force origin main", "git diff --output=.git/config && git push --force origin main", "cp x .git/config; git push -f origin main"}},
		{"rm -rf src",
			[]string{"rm -r -f ./src", "rm -rf W/home/proj/src", "cd .. && rm -rf proj/src", "cd W/home && rm -rf proj/src", "(cd W/home; rm -rf proj/src)", "command rm -rf src", "time rm -rf src", "nice rm -rf src", "ls; rm -rf src"},
			[]string{"unshare --wd=W/home/proj2 rm -rf src", "unshare -R W/home rm -rf W/home/proj/src", "git submodule foreach 'rm -rf src'", "bwrap --bind W/home/docs src rm -rf src", "proot -r W/home rm -rf src", "pnpm -C ../proj2 exec rm -rf src", "parallel --sshlogin prod rm -rf ::: src", "setpriv --reuid 0 rm -rf src", "sudo rm -rf src",
				"make x; rm -rf src", "mv src s0; mv ~/docs src; rm -rf src", "ln -s ../docs/y lnk; rm -rf src", "bash s.sh; rm -rf src", "unzip x.zip; rm -rf src", "rm -rf src > log"}},
		{"git reset --hard",
			[]string{"git reset  --hard", "ls; git reset --hard"},
			[]string{"unshare -w W/home/proj2 git reset --hard", "tmux new -d -c W/home/proj2 'git reset --hard'", "tmux new -d -c W/home/proj2 'git reset --hard'; sleep 1", "find ../proj2 -name src -execdir git reset --hard \\;", "git symbolic-ref HEAD refs/heads/old; git reset --hard", "git submodule foreach git reset --hard", "cd ../proj2 && git reset --hard"}},
		{"terraform destroy -auto-approve",
			[]string{"timeout 9 terraform destroy -auto-approve"},
			[]string{"unshare --wd=W/home/proj2 terraform destroy -auto-approve", "find ../proj2 -name src -execdir terraform destroy -auto-approve \\;", "aws-vault exec prod -- terraform destroy -auto-approve", "dotenv -f prod.env terraform destroy -auto-approve", "terraform workspace select prod; terraform destroy -auto-approve"}},
	}
	w := newWorld(t)
	for _, tt := range tests {
		t.Run(tt.granted, func(t *testing.T) {
			w.t = t
			w.restore()
			w.configure(asksAboutLosses)
			k := w.open()
			allowBlocked(t, k, w.call("home/proj", tt.granted), grant.Session)
			try := func(list []string, want bool) {
				for i, command := range list {
					command = strings.ReplaceAll(command, "W/", w.dir+"/")
					ev := withNewID(w.call("home/proj", command), "c"+strings.Repeat("x", i)+command)
					ev.Tool.Input, _ = json.Marshal(map[string]string{"command": command})
					if out := k.Decide(t.Context(), ev); isLifted(out) != want {
						t.Errorf("%s: lifted %t\n%s", command, isLifted(out), out.JSON(true))
					}
				}
			}
			try(tt.pass, true)
			try(tt.stop, false)
			w.mustRun(filepath.Join(w.dir, "home/proj"), "git add -A; git commit -q -m more")
			try([]string{tt.granted}, true)
		})
	}
}
