package coverage

import (
	"path/filepath"
	"testing"
)

const (
	shCanary   = "#!/bin/sh\necho ran >>\"$RAN\"\n"
	nodeCanary = "require('fs').writeFileSync(process.env.RAN, '')\n"
)

// Programs run files because of their own commands, bundled and abbreviated options, and file names.
func TestPlanCoversWhatToolsRun(t *testing.T) {
	t.Parallel()
	sed := "1e echo >$RAN\n"
	vim := "call system('echo >$RAN')\n"
	sql := ".shell echo >$RAN\n"
	checkPlanted(t, []planted{
		{command: "echo a | sed -nf s.sed", file: "s.sed", text: sed},
		{command: "echo a | sed -Ef s.sed", file: "s.sed", text: sed},
		{command: "echo a | sed -nEfs.sed", file: "s.sed", text: sed},
		{command: "echo a | sed --fil=s.sed", file: "s.sed", text: sed},
		{command: "echo a | sed --fil s.sed", file: "s.sed", text: sed},
		{command: "echo ./x | sed 's/a/a/;s/x/x/e'", file: "x", text: shCanary},
		{command: "awk --fil=p.awk </dev/null", file: "p.awk", text: "BEGIN { system(\"echo >$RAN\") }\n"},
		{command: "ed -s a < s.ed", file: "s.ed", text: "!echo >$RAN\nq\n", more: map[string]string{"a": "x\n"}},
		{command: "cat s.ed | ed -s a", file: "s.ed", text: "!echo >$RAN\nq\n", more: map[string]string{"a": "x\n"}},
		{command: `ex -s -c "so v.vim" -c q!`, file: "v.vim", text: vim},
		{command: `vim -es -c ":source v.vim" -c q!`, file: "v.vim", text: vim},
		{command: `vim -es "+silent! so v.vim" -c q!`, file: "v.vim", text: vim},
		{command: `vim -es --cmd "so v.vim | q!"`, file: "v.vim", text: vim},
		{command: `vim -es -S v.vim -c q!`, file: "v.vim", text: vim},
		{command: `ex -sc "so v.vim" -c q!`, file: "v.vim", text: vim},
		{command: `vim -es -c "exe 'so v.vim'" -c q!`, file: "v.vim", text: vim},
		{command: `ex -s a < s.ex`, file: "s.ex", text: "!echo >$RAN\nq!\n", more: map[string]string{"a": "x\n"}},
		{command: `sqlite3 :memory: ".read x.sql"`, file: "x.sql", text: sql},
		{command: `sqlite3 :memory: < x.sql`, file: "x.sql", text: sql},
		{command: `cat x.sql | sqlite3 :memory:`, file: "x.sql", text: sql},
		{command: `sqlite3 -init x.sql :memory: .quit`, file: "x.sql", text: sql},
		{command: `sqlite3 -cmd ".read x.sql" :memory: .quit`, file: "x.sql", text: sql},
		{command: "sqlite3 :memory: <<E\n.read x.sql\nE\n", file: "x.sql", text: sql},
		{command: `sqlite3 :memory: ".shell ./x"`, file: "x", text: shCanary},
		{command: `sqlite3 :memory: ".system sh x"`, file: "x", text: shCanary},
		{command: `sqlite3 :memory: ".read '|./x'"`, file: "x", text: shCanary},
		{command: `prove`, file: "t/a.t", text: "system('echo >$RAN'); print \"1..0\\n\";\n"},
		{command: `groff -U a.1`, file: "a.1", text: ".sy echo >$RAN\n"},
		{command: `groff -TasciiU a.1; groff -zU a.1`, file: "a.1", text: ".sy echo >$RAN\n"},
		{command: `tar cf /dev/null *`, file: "e.sh", text: shCanary, more: map[string]string{"--checkpoint=1": "", "--checkpoint-action=exec=sh e.sh": "", "z": ""}},
		{command: `tar cf /dev/null [a-z-]*`, file: "e.sh", text: shCanary, more: map[string]string{"--checkpoint=1": "", "--checkpoint-action=exec=sh e.sh": "", "z": ""}},
		{command: `sh x.sh`, file: "e.sh", text: shCanary, more: map[string]string{"x.sh": "tar cf /dev/null *\n", "--checkpoint=1": "", "--checkpoint-action=exec=sh e.sh": "", "z": ""}},
		{command: `node -e "require('zed')"`, file: "node_modules/zed/index.js", text: nodeCanary},
		{command: `node -p "require('zed/lib/a')"`, file: "node_modules/zed/lib/a.js", text: nodeCanary},
		{command: `node -e "require('@a/zed')"`, file: "node_modules/@a/zed/index.js", text: nodeCanary},
		{command: `node -e "require('zed')"`, file: "node_modules/zed.js", text: nodeCanary},
		{command: `node --input-type=module -e "import 'zed'"`, file: "node_modules/zed/index.js", text: nodeCanary, more: map[string]string{"node_modules/zed/package.json": `{"name":"zed"}`}},
		{command: `node -e "import('zed')"`, file: "node_modules/zed/index.js", text: nodeCanary, more: map[string]string{"node_modules/zed/package.json": `{"name":"zed"}`}},
		{command: `mkdir -p s && cd s && node -e "require('zed')"`, file: "node_modules/zed/index.js", text: nodeCanary, more: map[string]string{"s/x": ""}},
		{command: `node --env-file=.env -e 1`, file: "p.js", text: nodeCanary, more: map[string]string{".env": "NODE_OPTIONS=--require=./p.js\n"}},
		{command: `node --env-file .env -e 1`, file: "p.js", text: nodeCanary, more: map[string]string{".env": "A=1\nexport NODE_OPTIONS = '--require=./p.js'\n"}},
		{command: `export $(grep -v "^#" .env | xargs); bash -c true`, file: "x", text: shCanary, more: map[string]string{".env": "BASH_ENV=./x\n"}},
		{command: `set -a; export $(cat .env); bash -c true`, file: "x", text: shCanary, more: map[string]string{".env": "BASH_ENV=./x\n"}},
		{command: `npm exe foo`, file: "node_modules/.bin/foo", text: shCanary, more: map[string]string{"package.json": "{}"}},
		{command: `npm ru lint`, file: "x", text: shCanary, more: map[string]string{"package.json": `{"scripts":{"lint":"./x"}}`}},
		{command: `npm tes`, file: "x", text: shCanary, more: map[string]string{"package.json": `{"scripts":{"test":"./x"}}`}},
		{command: `npm runScript lint`, file: "x", text: shCanary, more: map[string]string{"package.json": `{"scripts":{"lint":"./x"}}`}},
		{command: `npm test`, file: "node_modules/.bin/sh", text: shCanary, more: map[string]string{"package.json": `{"scripts":{"test":"true"}}`}},
		{command: `make lint`, file: "inc.sh", text: "X:=$(shell echo >$(RAN))\n", more: map[string]string{"Makefile": "-include inc\nlint:\n\ttrue\n"}},
		{command: `make lint`, file: "dep.sh", text: shCanary, more: map[string]string{"Makefile": "lint: dep\n\t./dep\n"}},
		{command: `make lint`, file: "dep.sh", text: shCanary, more: map[string]string{"Makefile": "lint: dep\n\t./dep\n", "dep": "#!/bin/sh\n"}, setup: "touch -d 2001-01-01 dep"},
		{command: `make lint`, file: "sub/dep.sh", text: shCanary, more: map[string]string{"Makefile": "lint: sub/dep\n\tsub/dep\n"}},
		{command: `make lint`, file: "Makefile.sh", text: "lint:\n\techo >$(RAN)\n", more: map[string]string{"Makefile": "lint:\n\ttrue\n"}, setup: "touch -d 2001-01-01 Makefile"},
		{command: `make --fil=other lint`, file: "other", text: "lint:\n\techo >$(RAN)\n"},
	})
}

// Files that these programs only read need no approval.
func TestToolsThatOnlyRead(t *testing.T) {
	t.Parallel()
	needsShell(t)
	root, home := fixture(t)
	for name, text := range map[string]string{"node_modules/fs/index.js": "", ".env": "A=1\n", "-n": "", "dir/a": "", "Makefile": "lint: plain\n\ttrue\nlint.c:\n"} {
		writeFile(t, filepath.Join(root, name), text, 0o644)
	}
	for _, test := range []struct{ command, files, unsure string }{
		{`node -e "require('fs').readFileSync('data.json')"`, "", ""},
		{`node --env-file=.env -e 1`, "", "an environment file"},
		{`node -e "require('gone')"`, "", ""},
		{`cat *; ls *; grep -l x *`, "", ""},
		{`tar cf /dev/null ./*`, "", ""},
		{`tar cf /dev/null -- *`, "", ""},
		{`tar cf /dev/null *.json`, "", ""},
		{`cd dir && tar cf /dev/null *`, "", ""},
		{`tar cf /dev/null *`, "", "reads the name of the file -n as an option"},
		{`sqlite3 x.db 'select 1'`, "", "sqlite3 runs its own commands"},
		{`vim -es -c q plain`, "", "vim runs its own commands"},
		{`sed -n p plain; sed -nE 's/x/y/gp' plain`, "", ""},
		{`export A=$(cat .env); grep x plain`, "", ""},
		{`make lint`, "Makefile", ""},
		{`npm ls; npm view x; npm ping`, "", ""},
	} {
		checkPlan(t, test.command, planOf(test.command, root, home), root, home, test.files, test.unsure)
	}
}
