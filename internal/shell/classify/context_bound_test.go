package classify

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestContextBoundEffects checks that effects are marked as context-bound if commands with the same
// words may do something else, and only then.
func TestContextBoundEffects(t *testing.T) {
	t.Parallel()
	p := shell.Place{Dir: "/home/u/p", Root: "/home/u/p", Home: "/home/u"}
	for _, text := range []string{
		"DOCKER_HOST=prod docker volume rm x", "export DOCKER_HOST=prod; docker volume rm x", "DOCKER_HOST=prod; docker volume rm x", "env DOCKER_HOST=prod docker volume rm x",
		"ssh prod docker volume rm x", "DOCKER_HOST=prod bash -c 'docker volume rm x'", "source env.sh; docker volume rm x", "sudo rm -rf /srv/x", "psql -c 'DROP TABLE a'", "docker volume prune 'a b'", "./rm -rf src", "PATH=. rm -rf src", "./docker volume rm x", "rm -rf src/*", "rm -rf 'src/*'", "docker volume rm 'a b'", "sudo docker volume rm x",
		"cd /other && git stash clear", "git stash clear; cd /other; git stash clear", "echo 'DROP TABLE a' | psql", "psql <<< 'DROP TABLE a'", "psql <<'E'\nDROP TABLE a;\nE",
		"cd /other && terraform destroy -auto-approve", "terraform destroy -auto-approve; cd /other; terraform destroy -auto-approve",
		"docker context use prod && docker volume rm x", "terraform workspace select prod && terraform destroy -auto-approve", "git checkout release && git push -f", "git switch x; git stash clear", "./setup.sh && git push -f",
		"gcloud config set project prod; gcloud compute instances delete a", "kubectl config use-context prod; kubectl delete ns a", "git push -f",
		"xargs docker volume rm < list", "sh -c 'cd /other; terraform destroy -auto-approve'", "(cd /other; git clean -fdx)", "TF_VAR_x=1 terraform destroy -auto-approve",
		"unshare --wd=/other rm -rf src", "unshare -R /root rm -rf src", "bwrap --bind / / rm -rf src", "find ../p2 -execdir rm -rf src \\;", "tmux new -d -c /other 'git stash clear'", "git submodule foreach 'rm -rf src'",
		"pnpm -C ../p2 exec rm -rf src", "npm exec --prefix ../p2 -- rm -rf src", "parallel --sshlogin prod rm -rf ::: src", "aws-vault exec prod -- terraform destroy -auto-approve", "setpriv --reuid 0 rm -rf src", "unshare --wd=/other sh -c 'rm -rf src'",
		"timeout 5 unshare -w /other rm -rf src", "env -C /other rm -rf src", "env -i rm -rf src", "watch rm -rf src", "while sleep 1; do rm -rf src; done", "python3 -c 'import os; os.system(\"rm -rf src\")'", "echo 'rm -rf src' | sh", "bash -ic 'rm -rf src'", "./sh -c 'rm -rf src'", "unknown-runner rm -rf src; nix develop -c rm -rf src",
		"hash -p ./rm rm; rm -rf src", "time -o log rm -rf src; command time -o log rm -rf src",
		"docker volume rm aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa *",
	} {
		r := Command(text, p)
		open := r.Label < shell.Destructive
		for i := range r.Effects {
			e := &r.Effects[i]
			open = open || e.Label >= shell.Destructive && e.ContextBound
		}
		if !open {
			t.Errorf("%s: no effect is context-bound: %+v", text, r.Effects)
		}
	}
	for _, text := range []string{"docker volume rm x", "rm -rf src", "cd src && rm -rf lib", "git stash clear", "kubectl delete ns a",
		"bash -c 'rm -rf src'", "/bin/sh -ec 'cd src; rm -rf lib'", "timeout 5 bash -lc 'rm -rf src'", "(rm -rf src)", "{ docker volume rm x; }", "env rm -rf src", "nice -n 5 rm -rf src", "time rm -rf src", "command rm -rf src", "rm -rf src 2>&1 | tail -3", "ls src && git stash clear"} {
		r := Command(text, p)
		for i := range r.Effects {
			if e := &r.Effects[i]; e.Label >= shell.Destructive && e.ContextBound {
				t.Errorf("%s: %+v is context-bound", text, e)
			}
		}
	}
}
