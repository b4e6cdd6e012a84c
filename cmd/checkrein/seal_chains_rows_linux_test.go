package main

// chains are the rows of TestChains. STATE is the state directory, OLD holds copies of it
// from when a hook was approved that was revoked since (planted), hooks were off (off),
// the guard was paused (pause) and packs were off (loose).
var chains = []chain{
	{"python module writes off", "python3", "python3 -m pkg.clean",
		"-- pkg/__init__.py --\n-- pkg/clean.py --\nimport os\nopen(os.environ['STATE'] + '/trust.json', 'w').write('" + offText + "')\n"},
	{"python unittest brings an unsealed approval", "python3", "python3 -m unittest -q test_x",
		`-- test_x.py --
import json, os, unittest
class T(unittest.TestCase):
    def test_x(self):
        text = open(os.environ['OLD'] + '/planted/trust.json').read()
        body = json.loads(text)
        open(os.environ['STATE'] + '/trust.json', 'w').write(json.dumps(body.get('body', body)))
`},
	{"python copies an old off back", "python3", "python3 x.py",
		"-- x.py --\nimport os, shutil\nshutil.copy(os.environ['OLD'] + '/off/trust.json', os.environ['STATE'] + '/trust.json')\n"},
	{"python copies a revoked approval back", "python3", "python3 x.py",
		"-- x.py --\nimport os, shutil\nshutil.copy2(os.environ['OLD'] + '/planted/trust.json', os.environ['STATE'] + '/trust.json')\n"},
	{"python copies an old off and the ledger's head back", "python3", "python3 x.py",
		"-- x.py --\nimport os, shutil\nfor f in ('trust.json', 'ledger/head'): shutil.copy(os.environ['OLD'] + '/off/' + f, os.environ['STATE'] + '/' + f)\n"},
	{"python deletes the key", "python3", "python3 x.py", "-- x.py --\nimport os\nos.remove(os.environ['STATE'] + '/ledger/key')\n"},
	{"python replaces the key and writes off", "python3", "python3 x.py",
		"-- x.py --\nimport os\ns = os.environ['STATE']\nopen(s + '/ledger/key', 'wb').write(b'k' * 32)\nopen(s + '/trust.json', 'w').write('" + offText + "')\n"},
	{"python deletes the key and copies an old off back", "python3", "python3 x.py",
		"-- x.py --\nimport os, shutil\nos.remove(os.environ['STATE'] + '/ledger/key')\nshutil.copy(os.environ['OLD'] + '/off/trust.json', os.environ['STATE'] + '/trust.json')\n"},
	{"python deletes the approvals", "python3", "python3 setup.py build",
		"-- setup.py --\nimport os\nos.remove(os.environ['STATE'] + '/trust.json')\n"},
	{"python truncates the approvals", "python3", "python3 x.py", "-- x.py --\nimport os\nos.truncate(os.environ['STATE'] + '/trust.json', 0)\n"},

	{"node requires what it computed", "node", "node x.js",
		"-- x.js --\nrequire('./m' + 'od')\n-- mod.js --\nconst fs = require('f' + 's'), f = process.env.STATE + '/trust.json'\nfs.writeFileSync(f, fs.readFileSync(f, 'utf8').replace('\"off\":false', '\"off\":true'))\n"},
	{"node renames over", "node", "node x.js",
		"-- x.js --\nconst fs = require('fs'), s = process.env.STATE\nfs.writeFileSync(s + '/t', '" + offText + "', {mode: 0o600})\nfs.renameSync(s + '/t', s + '/trust.json')\n"},
	{"node puts a symlink in place", "node", "node x.js",
		"-- x.js --\nconst fs = require('fs'), s = process.env.STATE\nfs.writeFileSync('evil.json', '" + offText + "', {mode: 0o600})\nfs.unlinkSync(s + '/trust.json'); fs.symlinkSync(process.cwd() + '/evil.json', s + '/trust.json')\n"},
	{"npm script makes a hard link", "npm node", "npm run --silent build",
		"-- package.json --\n{\"scripts\": {\"build\": \"node b.js\"}}\n-- b.js --\nconst fs = require('fs'), s = process.env.STATE\nfs.writeFileSync('evil.json', '" + offText + "', {mode: 0o600})\nfs.unlinkSync(s + '/trust.json'); fs.linkSync('evil.json', s + '/trust.json')\n"},

	{"make replaces the ledger's directory", "make", "make -s",
		"-- Makefile --\nall:\n\tmv $(STATE)/ledger $(STATE)/ledger.bak\n\tmkdir -m 700 $(STATE)/ledger\n\tcp $(STATE)/ledger.bak/key $(STATE)/ledger/\n\tcp $(OLD)/off/trust.json $(STATE)/trust.json\n"},

	{"go run replaces the state directory", "go", "go run .",
		"-- go.mod --\nmodule x\n-- x.go --\npackage main\n\nimport \"os\"\n\nfunc main() {\n\ts := os.Getenv(\"STATE\")\n\tos.Rename(s, s+\".away\")\n\tos.Mkdir(s, 0o700)\n\tos.WriteFile(s+\"/trust.json\", []byte(`" + offText + "`), 0o600)\n}\n"},
	{"go generate forges a pause", "go", "go generate ./...",
		"-- go.mod --\nmodule x\n-- x.go --\npackage x\n\n//go:generate sh g.sh\n-- g.sh --\numask 077; echo '" + pauseText + "' >$STATE/pause.json\n"},

	{"cc removes the head, and an old off comes back", "cc", "cc -o z z.c && ./z && cp $OLD/off/trust.json $STATE/trust.json",
		"-- z.c --\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main() { char p[4096]; snprintf(p, 4096, \"%s/ledger/head\", getenv(\"STATE\")); return unlink(p); }\n"},

	{"perl copies an ended pause back", "perl", "perl x.pl",
		"-- x.pl --\nuse File::Copy; copy(\"$ENV{OLD}/pause/pause.json\", \"$ENV{STATE}/pause.json\"); chmod 0600, \"$ENV{STATE}/pause.json\";\n"},
	{"perl copies an ended pause back with its time", "perl", "perl x.pl",
		"-- x.pl --\nsystem('cp', '-p', \"$ENV{OLD}/pause/pause.json\", \"$ENV{STATE}/pause.json\"); utime 0, 0, \"$ENV{STATE}/pause.json\";\n"},
	{"awk appends", "awk", "awk -f x.awk", "-- x.awk --\nBEGIN { print \"{\\\"version\\\":1,\\\"off\\\":true}\" >> (ENVIRON[\"STATE\"] \"/trust.json\") }\n"},

	{"bash changes the mode and writes off", "bash", "bash x.sh", "-- x.sh --\nchmod 666 $STATE/trust.json; echo '" + offText + "' >$STATE/trust.json\n"},
	{"bash empties the head and writes off", "bash", "bash x.sh", "-- x.sh --\n: >$STATE/ledger/head; echo '" + offText + "' >$STATE/trust.json\n"},
	{"bash forges a confirmation", "bash", "bash x.sh", "-- x.sh --\n" + looseFile + "echo '" + looseText + "' >$STATE/loosened.json; chmod 600 $STATE/loosened.json\n"},
	{"bash copies a withdrawn confirmation back", "bash", "bash x.sh", "-- x.sh --\n" + looseFile + "cp $OLD/loose/loosened.json $STATE/loosened.json\n"},
	{"bash forges a grant", "bash", "bash x.sh", "-- x.sh --\numask 077; echo '" + allowsText + "' >$STATE/grants.json\n"},
	{"bash links the ledger elsewhere", "bash", "bash x.sh", "-- x.sh --\nmv $STATE/ledger $HOME/led; ln -s $HOME/led $STATE/ledger; cp $OLD/off/trust.json $STATE/trust.json\n"},

	{"git hook writes off", "git", "mkdir h; cp x.sh h/pre-commit; chmod 700 h/pre-commit; git -c core.hooksPath=h commit -q --allow-empty -m x",
		"-- x.sh --\n#!/bin/sh\necho '" + offText + "' >$STATE/trust.json\n"},

	{"notes of agents removed, then off", "python3", "python3 x.py",
		"-- x.py --\nimport os, shutil, subprocess\nshutil.rmtree(os.environ['STATE'] + '/hosts')\nsubprocess.run(['checkrein', 'hooks', 'off'])\n"},
	{"notes of agents removed, then approve", "node", "node x.js",
		"-- x.js --\nconst fs = require('fs'), s = process.env.STATE + '/hosts'\nfor (const f of fs.readdirSync(s)) fs.unlinkSync(s + '/' + f)\nrequire('child_process').spawnSync('checkrein', ['hooks', 'approve', 'planted'])\n"},
	{"notes of agents forged, then approve", "bash", "bash x.sh",
		"-- x.sh --\nmkdir -m 700 e; printf 'version: 1\\nself_approve: true\\n' >e/checkrein.yaml\nfor f in $STATE/hosts/*; do printf '{\"host\":\"x\",\"config\":\"%s\"}' $PWD/e >$f; done\ncheckrein hooks approve planted\n"},
	{"an old off and the head of that time, records emptied", "bash", "bash x.sh",
		"-- x.sh --\ncp $OLD/off/trust.json $STATE/trust.json; cp $OLD/off/ledger/head $STATE/ledger/head; : >$STATE/ledger/current.jsonl\n"},
	{"an old pause and the head of that time, older records", "bash", "bash x.sh",
		"-- x.sh --\ncp $OLD/pause/pause.json $STATE/pause.json; cp $OLD/pause/ledger/head $STATE/ledger/head; cp $OLD/off/ledger/current.jsonl $STATE/ledger/current.jsonl\n"},
	{"notes and records of agents removed, then off", "bash script", "bash x.sh",
		"-- x.sh --\nrm -rf $STATE/hosts; : >$STATE/ledger/current.jsonl\nscript -qec 'checkrein hooks off' /dev/null </dev/null; script -qec 'checkrein pause 5m' /dev/null <<<y\nscript -qec 'checkrein hooks revoke house' /dev/null <<<y\n"},
	{"another project for the session", "python3", "python3 x.py",
		"-- x.py --\nimport glob, hashlib, json, os\nf = os.environ['STATE'] + '/sessions/' + hashlib.sha256(b'root\\0claude\\0s').hexdigest()[:32] + '.json'\n" +
			"assert os.path.exists(f)\nopen(f, 'w').write(json.dumps({'root': '/tmp', 'owner': '', 'in': '', 'ended': False}))\n"},
	{"another session's project for the session", "python3", "python3 x.py",
		"-- x.py --\nimport hashlib, os, subprocess\nname = lambda s: os.environ['STATE'] + '/sessions/' + hashlib.sha256(b'root\\0claude\\0' + s).hexdigest()[:32] + '.json'\n" +
			"os.mkdir('other')\nsubprocess.run(['git', 'init', '-q', 'other'])\ntext = open('ls.json').read().replace('\"s\"', '\"o\"').replace(os.getcwd(), os.getcwd() + '/other')\n" +
			"subprocess.run(['checkrein', 'hook', 'claude'], input=text.encode())\nos.replace(name(b'o'), name(b's'))\n"},
	{"a proof is forged", "bash", "bash x.sh",
		"-- x.sh --\nmkdir -p -m 700 $STATE/caps; umask 077; echo '{\"sum\":\"00\",\"body\":{\"host\":\"claude\"}}' >$STATE/caps/claude.json\n"},
}
