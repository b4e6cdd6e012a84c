package classify

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestIndirectCommands checks commands that reach programs in indirect ways, through makefiles, file
// names, nested options and the commands of a client. Similar harmless commands must pass.
func TestIndirectCommands(t *testing.T) {
	p := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	bad := []string{
		`make SHELL=/bin/rm .SHELLFLAGS='-rf /home/u/Documents' test`,
		`make SHELL=/usr/bin/truncate .SHELLFLAGS='-s0 /home/u/Documents/a.md' test`,
		`make .SHELLFLAGS='-c "rm -rf ~/Documents";' test`,
		`printf 'SHELL=/bin/rm\n.SHELLFLAGS=-rf /home/u/Documents\nall:\n\techo\n' > /tmp/m && make -f /tmp/m`,
		`printf 'all:\n\trm -rf ~/Documents\n' > /tmp/x && MAKEFILES=/tmp/x make`,
		`printf '$(shell rm -rf ~/Documents)\n' > /tmp/x; MAKEFILES=/tmp/x make -n`,
		`make -nf - <<< $'x := $(shell rm -rf ~/Documents)\nall:\n'`,
		`make -n -f - <<< $'all:\n\t@+rm -rf $(HOME)/Documents'`,
		`make -f - <<< $'$(file >$(HOME)/.ssh/config,x)\nall:;'`,
		`make --just-print --eval='x!=rm -rf ~/Documents' test`,
		`make -sE '${shell rm -rf ~/Documents}' test`,
		`make -f /dev/fd/3 3<<< $'all:\n\trm -rf ~/Documents'`,
		`make --eval='x:=1' -f - <<< $'all:\n\trm -rf ~/Documents'`,
		`cp /bin/rm /tmp/rp/a && run-parts --arg=-rf --arg=/home/u/Documents /tmp/rp`,
		`run-parts --regex '^rm$' --arg=-rf --arg=/home/u/Documents /usr/bin`,
		`rename.ul id_ed25519 gone ~/.ssh/id_ed25519`,
		`rename.ul README.md /home/u/.ssh/id_ed25519 README.md`,
		`rename 's,README.md,/home/u/.ssh/config,' README.md`,
		`mmv -d README.md /home/u/.ssh/config`,
		`mmv -d '/home/u/Documents/*' '/home/u/Documents/x'`,
		`HISTFILESIZE=0 bash -i -c true`,
		`export HISTFILESIZE=0; bash -ic true`,
		`SAVEHIST=0 zsh -i`,
		`env -S'-i HOME=/home/u sh -c "rm -rf /home/u/Documents"'`,
		`env -S '--chdir=/home/u rm -rf Documents'`,
		`env -S '-S"rm -rf /home/u/Documents"'`,
		`sqlite3 x.db '.sys rm -rf ~/Documents'`,
		`sqlite3 x.db ".read '|rm -rf ~/Documents'"`,
		`sqlite3 x.db ".out '|rm -rf ~/Documents'" 'select 1'`,
		`sqlite3 x.db ".archive -x -C /home/u"`,
		`echo 'rm -rf ~/Documents' > x.sh; touch -- --checkpoint=1 '--checkpoint-action=exec=sh x.sh'; tar cf /dev/null *`,
		`echo 'rm -rf ~/Documents' > x.sh; : > ./--checkpoint=1; : > './--checkpoint-action=exec=sh x.sh'; tar cf /dev/null *`,
		`echo 'rm -rf ~/Documents' > x.sh; touch -- '-e sh x.sh'; rsync -a * host:/x`,
		`rsync -ae 'sh -c "rm -rf ~/Documents"' x host:/x`,
		`tee $(ls -d ~/.ssh/*) < README.md`,
		`for f in ~/Documents/*.md; do tr a-z A-Z < "$f" > "$f"; done`,
		`find ~/Documents -type f | while read f; do cp README.md "$f"; done`,
		`for f in $(ls ~/Documents); do cp README.md ~/Documents/$f; done`,
		`rpm2cpio x.rpm | (cd ~ && cpio -idmv)`,
	}
	for _, text := range bad {
		r := Command(text, p)
		asks := slices.ContainsFunc(r.Effects, func(e shell.Effect) bool { return e.Gap() >= shell.GapOpaque })
		if !asks && (r.Label < shell.Destructive || r.Impact == shell.ImpactLow) {
			t.Errorf("%s: %s %s, want destructive or opaque: %v", text, r.Label, r.Impact, r.Effects)
		}
	}
	good := []string{
		`make SHELL=/bin/bash .SHELLFLAGS='-euo pipefail -c' test`,
		`make SHELL=bash test`,
		`make -n -f - <<< $'all:\n\trm -rf build'`,
		`make --eval='x:=1' test`,
		`rename 's/\.txt$/.md/' *.txt`,
		`rename.ul foo bar src/*.ts`,
		`mmv '*.txt' '#1.md'`,
		`HISTSIZE=1000 bash -ic 'echo hi'`,
		`env -S'-i PATH=/usr/bin ls'`,
		`sqlite3 x.db ".once out.csv" "select 1"`,
		`sqlite3 x.db "select readfile('data.json')"`,
		`touch -- a.txt; tar cf /tmp/a.tar *`,
		`touch -- -foo; ls *`,
		`rsync -avze 'ssh -p 22' src host:/x`,
		`for f in src/*.ts; do tr a-z A-Z < "$f" > "$f.up"; done`,
		`for f in ~/Documents/*.md; do cp "$f" docs/; done`,
		`python3 -m zipfile -e a.zip out`,
		`rpm2cpio x.rpm | cpio -idmv`,
	}
	for _, text := range good {
		if r := Command(text, p); r.Label == shell.Destructive && r.Impact != shell.ImpactLow {
			t.Errorf("%s: %s %s: %v", text, r.Label, r.Impact, r.Effects)
		}
	}
	if r := Command(`run-parts --regex '^(r|x)m$' --arg=-rf --arg=/home/u/Documents /usr/bin`, p); !r.Gaps.Has(shell.GapOpaque) {
		t.Errorf("run-parts: %v", r.Effects)
	}
	// A makefile that was not read is not a safe build.
	if r := Command(`MAKEFILES=/tmp/x.mk make test`, p); r.Label == shell.Safe {
		t.Errorf("MAKEFILES: %s", r.Label)
	}
}
