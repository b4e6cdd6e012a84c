package classify

import (
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestHelpIsSafe checks that --help makes a command safe only if it is the only argument of a known
// program or follows its subcommands.
func TestHelpIsSafe(t *testing.T) {
	place := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for _, text := range []string{
		`python3.11 -c 'import os;os.system("rm -rf ~")' --help`, `python3 -c 'import os;os.system("rm -rf ~")' --help`,
		`awk 'BEGIN{system("rm -rf ~")}' --help`, `sqlite3 x -cmd '.shell rm -rf ~' --help`, `tclsh8.6 /tmp/x.tcl --help`, `pypy3 -c 'import os;os.system("rm -rf ~")' --help`,
		`guile -c '(system "rm -rf ~")' --help`, `Rscript -e 'system("rm -rf ~")' --help`, `redis-cli eval 'x' 0 --help`, `rm -rf ~ --help`, `rm -rf ~ --version`, `find ~ -delete --help`,
		`dd of=/dev/sda --help`, `dd --help of=/dev/sda`, `git -c core.pager='rm -rf ~' log --help`, `git -c man.viewer=x -c man.x.cmd='rm -rf ~' push --help`, `GIT_PAGER='rm -rf ~' git push --help`,
		`bash -c 'rm -rf ~' --help`, `env rm -rf ~ --help`, `xargs rm -rf --help`, `frob --help`, `./deploy --help`,
		`shred -u ~/Documents/a --help`, `chmod -R 777 / --help`, `perl -e 'unlink glob "~/*"' --help`, `node -e 'require("fs").rmSync("/home/u",{recursive:true})' --help`,
		`tar --checkpoint-action=exec='rm -rf ~' -cf x . --help`, `ssh host rm -rf / --help`, `docker exec c rm -rf / --help`, `kubectl exec p -- rm -rf / --help`,
	} {
		if r := Command(text, place); r.Label == shell.Safe {
			t.Errorf("%s is safe: %s", text, r.Reason)
		}
	}
	for _, text := range []string{
		"rm --help", "git push --help", "git push --force --help", "kubectl delete --help", "docker run --help", "docker system prune --help", "terraform destroy -help", "terraform -help destroy",
		"gh pr create --help", "cargo build --help", "npm install --help", "pip install --help", "python3 --help", "node --help", "grep --help", "find --help", "dd --help", "tar --help", "make --help",
		"aws s3 rm help", "git help push", "go help build", "ls --help | head", "python3.11 --help", "gcc-12 --help",
	} {
		if r := Command(text, place); r.Label != shell.Safe {
			t.Errorf("%s is %s: %s", text, r.Label, r.Reason)
		}
	}
}
