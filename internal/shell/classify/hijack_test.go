package classify

import (
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestHijacksAreOpaque checks that a command is opaque if it makes a known program run code from a
// directory that everybody can write to, but not if the code belongs to the project or the system.
func TestHijacksAreOpaque(t *testing.T) {
	for file, want := range map[string]bool{"asked": true, "passed": false} {
		text, err := os.ReadFile("testdata/hijack/" + file + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) < 60 {
			t.Errorf("%s: %d rows", file, len(lines))
		}
		for _, line := range lines {
			r := Command(line, shell.Place{Dir: "/home/dev/project", Root: "/home/dev/project", Home: "/home/dev"})
			if got := r.Gaps.Has(shell.GapOpaque) || r.Gaps.Has(shell.GapLimit); got != want {
				t.Errorf("%s: opaque %v, want %v: %v", line, got, want, r.Effects)
			}
		}
	}
	// The project itself may be in such a directory.
	in := Command("LD_PRELOAD=/tmp/work/lib/x.so ls", shell.Place{Dir: "/tmp/work", Root: "/tmp/work", Home: "/home/dev"})
	if in.Gaps.Has(shell.GapOpaque) {
		t.Error("a file of a project in /tmp counts as a hijack", in.Effects)
	}
}

// TestHijackByWrittenFile checks that a file which the same command writes is judged by its contents.
func TestHijackByWrittenFile(t *testing.T) {
	place := shell.Place{Dir: "/home/dev/project", Root: "/home/dev/project", Home: "/home/dev"}
	for _, line := range []string{
		`echo 'rm -rf ~/Documents' > /tmp/e; BASH_ENV=/tmp/e bash -c ls`,
		`echo 'rm -rf ~/Documents' > /tmp/e; bash --rcfile /tmp/e -i`,
		`echo 'require("child_process").execSync("rm -rf ~/Documents")' > /tmp/e.js; node -r /tmp/e.js app.js`,
		`echo 'require("child_process").execSync("rm -rf ~/Documents")' > /tmp/e.js; NODE_OPTIONS="-r /tmp/e.js" node app.js`,
		`echo 'require("child_process").execSync("rm -rf ~/Documents")' > /tmp/e.js; NODE_OPTIONS="-r /tmp/e.js" npm test`,
		`echo 'system("rm -rf ~/Documents")' > /tmp/e.rb; RUBYOPT=-r/tmp/e.rb rake`,
		`echo 'system("rm -rf ~/Documents")' > /tmp/e.rb; ruby -r/tmp/e.rb app.rb`,
		`echo '<?php system("rm -rf ~/Documents");' > /tmp/e; php -d auto_prepend_file=/tmp/e app.php`,
		`echo 'shell rm -rf ~/Documents' > /tmp/e; gdb -x /tmp/e ./prog`,
		`echo '!rm -rf ~/Documents' > /tmp/e; vim -es -S /tmp/e +q`,
		`echo '!rm -rf ~/Documents' > /tmp/e; vim -u /tmp/e +q`,
		`echo '!rm -rf ~/Documents' > /tmp/e; vim -c "source /tmp/e" +q`,
		`echo 'x := $(shell rm -rf ~/Documents)' > /tmp/e; MAKEFILES=/tmp/e make`,
		`echo 'execute_process(COMMAND rm -rf /home/dev/Documents)' > /tmp/e; cmake -C /tmp/e ..`,
		`printf 'Host *\n ProxyCommand rm -rf ~/Documents\n' > /tmp/e; ssh -F /tmp/e host`,
		`echo 'run-shell "rm -rf ~/Documents"' > /tmp/e; tmux -f /tmp/e new -d`,
		`echo 'screen rm -rf /home/dev/Documents' > /tmp/e; screen -c /tmp/e -dm`,
		`echo '.shell rm -rf ~/Documents' > /tmp/e; sqlite3 -init /tmp/e x.db .quit`,
		`printf '[alias]\n st = !rm -rf ~/Documents\n' > /tmp/e; git -c include.path=/tmp/e st`,
		`printf '[alias]\n st = !rm -rf ~/Documents\n' > /tmp/e; GIT_CONFIG_GLOBAL=/tmp/e git st`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; EDITOR=/tmp/e git commit`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; tar -I /tmp/e -cf a.tar src`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; CC=/tmp/e make`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; make CC=/tmp/e`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; go vet -vettool=/tmp/e ./...`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; scp -S /tmp/e a host:`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; install -s --strip-program=/tmp/e a b`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; wget --use-askpass=/tmp/e http://localhost`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; rsync -e /tmp/e a host:`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; man -P /tmp/e ls`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; cmake -DCMAKE_C_COMPILER=/tmp/e ..`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; protoc --plugin=protoc-gen-x=/tmp/e a.proto`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/e; cargo --config 'build.rustc-wrapper="/tmp/e"' build`,
		`printf '[build]\nrustc-wrapper="/tmp/w"' > /tmp/e; cargo --config /tmp/e build`,
		`echo x > /tmp/e; LD_PRELOAD=/tmp/e ls`,
		`echo x > /tmp/e; gcc -fplugin=/tmp/e a.c`,
		`echo 'script-shell=/tmp/w' > /tmp/e; npm_config_userconfig=/tmp/e npm test`,
		`echo 'os.execute("rm -rf ~/Documents")' > /tmp/e; LUA_INIT=@/tmp/e lua a.lua`,
		`echo 'import os; os.system("rm -rf ~/Documents")' > /tmp/e; PYTHONSTARTUP=/tmp/e python3 -i`,
		`printf '#!/bin/sh\nrm -rf ~/Documents' > /tmp/h/pre-commit; git -c core.hooksPath=/tmp/h commit -m x`,
		`echo 'gradle.projectsLoaded { "rm -rf ~/Documents".execute() }' > /tmp/e; gradle -I /tmp/e build`,
	} {
		if r := Command(line, place); r.Label < shell.Destructive && !r.Gaps.Has(shell.GapOpaque) {
			t.Errorf("%s: %s", line, r.Label)
		}
	}
	for _, line := range []string{
		"printf 'break main\nrun\nbt\n' > /tmp/e; gdb -batch -x /tmp/e ./prog",
		"echo 'process.env.A = 1' > /tmp/e.js; node -r /tmp/e.js app.js",
		"echo 'process.env.A = 1' > /tmp/e.js; NODE_OPTIONS='-r /tmp/e.js' npm test",
		"echo 'puts 1' > /tmp/e.rb; ruby -r/tmp/e.rb app.rb",
		"printf '#!/bin/sh\nexec gcc \"$@\"\n' > /tmp/e; CC=/tmp/e make",
		"printf '[user]\n name = x\n' > /tmp/e; GIT_CONFIG_GLOBAL=/tmp/e git status",
		"printf 'Host a\n HostName b\n' > /tmp/e; ssh -F /tmp/e a uptime",
		"echo 'set nu' > /tmp/e; vim -u /tmp/e +q a.txt",
	} {
		if r := Command(line, place); r.Label >= shell.Destructive || r.Gaps.Has(shell.GapOpaque) || r.Gaps.Has(shell.GapLimit) {
			t.Errorf("%s: %v", line, r.Effects)
		}
	}
}
