package taskfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const samplePackage = `-- package.json --
{
  "name": "x", "version": "1.0.0",
  "scripts": {
    "pretest": "./pre.sh",
    "test": "echo one",
    "test": "eslint . && node \u0074est.js",
    "posttest": "./post.sh",
    "lint": "eslint src",
    "deploy": "./deploy.sh"
  }
}
-- node_modules/.bin/eslint --
#!/usr/bin/env node
-- sub/x --
`

func TestPackPart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, files, call, want string }{
		{"a script with what goes before and behind", samplePackage, "npm test", `part package.json (script test)
  |"pretest":"./pre.sh"
  |"test":"eslint . && node test.js"
  |"posttest":"./post.sh"
text [.] BIN ./pre.sh
text [.] BIN eslint . && node test.js
text [.] BIN ./post.sh
`},
		{"by name, with words", samplePackage, "npm run lint -- --fix", "part package.json (script lint)\n  |\"lint\":\"eslint src\"\ntext [.] BIN eslint src '--fix'\n"},
		{"an option with a value before it", samplePackage, "npm --loglevel silent run lint", "part package.json (script lint)\n  |\"lint\":\"eslint src\"\ntext [.] BIN eslint src\n"},
		{"another directory", "-- a/package.json --\n{\"scripts\":{\"t\":\"./t.sh\"}}\n", "npm --prefix a run t", "part a/package.json (script t)\n  |\"t\":\"./t.sh\"\ntext [a] BIN ./t.sh\n"},
		{"no such script", samplePackage, "npm run none", ""},
		{"only a list", samplePackage, "npm run", ""},
		{"nothing runs", samplePackage, "npm ls", ""},
		{"yarn runs a script by its name", samplePackage, "yarn lint", "part package.json (script lint)\n  |\"lint\":\"eslint src\"\ntext [.] BIN eslint src\n"},
		{"or a program", samplePackage, "yarn eslint .", "part node_modules/.bin/eslint\ntext [.] BIN 'eslint' '.'\n"},
		{"pnpm runs a program", samplePackage, "pnpm exec eslint .", "part node_modules/.bin/eslint\ntext [.] BIN 'eslint' '.'\n"},
		{"npx runs what is there", samplePackage, "npx eslint .", "part node_modules/.bin/eslint\ntext [.] BIN 'eslint' '.'\n"},
		{"npx would fetch", samplePackage, "npx -y cowsay hi", "text [.] BIN 'cowsay' 'hi'\nunsure npx would fetch cowsay\n"},
		{"npx of a version", samplePackage, "npx eslint@8 .", "part node_modules/.bin/eslint\ntext [.] BIN 'eslint' '.'\nunsure npx may fetch eslint@8\n"},
		{"npx -c", samplePackage, "npx -c ./x.sh", "text [.] BIN ./x.sh\n"},
		{"npm start by custom", "-- package.json --\n{}\n-- server.js --\n1\n", "npm start", "text [.] BIN node server.js\n"},
		{"install", "-- package.json --\n{\"scripts\":{\"postinstall\":\"./p.sh\"}}\n", "npm ci", "part package.json (scripts of npm ci)\n  |\"postinstall\":\"./p.sh\"\ntext [.] BIN ./p.sh\nunsure npm ci runs the scripts of the packages that it fetches\n"},
		{"settings that matter", "-- package.json --\n{\"scripts\":{\"t\":\"x\"}}\n-- .npmrc --\n//registry.example/:_authToken=SECRET\n; note\nscript-shell = ./sh\nfund=false\n", "npm run t", "part package.json (script t)\n  |\"t\":\"x\"\npart .npmrc (settings)\n  |script-shell = ./sh\ntext [.] BIN x\ntext [.] ./sh -c :\n"},
		{"yarn of the repository", "-- package.json --\n{\"scripts\":{\"t\":\"x\"}}\n-- .yarnrc.yml --\nnodeLinker: pnp\nyarnPath: .yarn/releases/yarn.cjs\nnpmAuthToken: SECRET\n-- .yarn/releases/yarn.cjs --\n1\n", "yarn t", "part package.json (script t)\n  |\"t\":\"x\"\npart .yarn/releases/yarn.cjs\npart .yarnrc.yml (settings)\n  |yarnPath: .yarn/releases/yarn.cjs\ntext [.] BIN x\n"},
		{"a text that is not JSON", "-- package.json --\n{\"scripts\":\n", "npm test", "part package.json\nunsure npm: what package.json says\n"},
		{"workspaces", samplePackage, "npm test -w sub", "part package.json (script test)\n  |\"pretest\":\"./pre.sh\"\n  |\"test\":\"eslint . && node test.js\"\n  |\"posttest\":\"./post.sh\"\ntext [.] BIN ./pre.sh\ntext [.] BIN eslint . && node test.js 'sub'\ntext [.] BIN ./post.sh\nunsure npm runs scripts in workspaces of this repository\n"},
		{"node --run", samplePackage, "node --run lint", "part package.json (script lint)\n  |\"lint\":\"eslint src\"\ntext [.] BIN eslint src\n"},
		{"its own program", "-- package.json --\n{\"name\":\"x\",\"bin\":{\"x\":\"./cli.js\"}}\n-- cli.js --\n1\n", "npx x", "part cli.js\npart package.json (bin x)\n  |{\"x\":\"./cli.js\"}\ntext [.] BIN 'TOP/cli.js'\ntext [.] BIN 'x'\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, tc.files)
			res := readIn(t, dir, tc.call)
			for i := range res.Texts {
				if t := &res.Texts[i]; len(t.Bin) > 0 {
					t.Text, t.Bin = "BIN "+t.Text, nil
				}
			}
			if got := show(dir, res); got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

func TestBins(t *testing.T) {
	t.Parallel()
	dir := tree(t, samplePackage)
	res := readIn(t, filepath.Join(dir, "sub"), "npm run lint")
	if len(res.Texts) != 1 || res.Texts[0].Dir != dir || res.Texts[0].Bin[0] != filepath.Join(dir, "node_modules", ".bin") {
		t.Errorf("%+v", res.Texts)
	}
}

func TestPackEdits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, from, to string
		changes        bool
	}{
		{"another script", "./deploy.sh", "./deploy2.sh", false},
		{"one that is overruled", "echo one", "echo two", false},
		{"the spelling", `\u0074est.js`, "test.js", false},
		{"the version", "1.0.0", "1.0.1", false},
		{"spaces", "\n  \"scripts\"", "\n\n  \"scripts\"", false},
		{"the script", "node \\u0074est.js", "node other.js", true},
		{"before it", "./pre.sh", "./evil.sh", true},
		{"behind it", "./post.sh", "./evil.sh", true},
		{"a second object", "\n}\n", ",\n\"scripts\":{\"test\":\"./evil\"}}\n", true},
		{"the same key behind it", "\"lint\":", "\"test\": \"./evil\", \"lint\":", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, samplePackage)
			before := digest(t, readIn(t, dir, "npm test"))
			old, _ := os.ReadFile(filepath.Join(dir, "package.json"))
			text := strings.Replace(string(old), tc.from, tc.to, 1)
			if text == string(old) {
				t.Fatal("the edit changes nothing")
			}
			put(t, dir, "-- package.json --\n"+text)
			after := readIn(t, dir, "npm test")
			if (digest(t, after) != before) != tc.changes {
				t.Errorf("changed: %v\n%s", !tc.changes, show(dir, after))
			}
		})
	}
}

// npm itself says what it runs: all of that is in the part.
func TestNpmItself(t *testing.T) {
	t.Parallel()
	npm, err := exec.LookPath("npm")
	if err != nil || testing.Short() {
		t.Skip("npm is not here, or takes too long")
	}
	const scripts = `"prea": "echo pre", "a": "echo \u0061 \"q\" $0", "posta": "echo post", "a:b": "echo colon", "test": "echo t", "prestart": "echo s", "stop": "echo halt"`
	for _, tc := range []struct{ text, call string }{
		{`{"scripts":{` + scripts + `}}`, "npm run a"},
		{`{"scripts":{` + scripts + `}}`, "npm run a:b"},
		{`{"scripts":{"a":"echo no"},"scripts":{` + scripts + `, "a": "echo last"}}`, "npm run a"},
		{`{"scripts":{` + scripts + `}}`, "npm t"},
		{`{"scripts":{` + scripts + `}}`, "npm run-script stop"},
		{`{"scripts":{` + scripts + `, "restart": "echo again"}}`, "npm restart"},
		{`{"scripts":{` + scripts + `}}`, "npm run a --loglevel=notice"},
	} {
		dir := tree(t, "-- package.json --\n"+tc.text+"\n-- server.js --\nconsole.log(1)\n")
		cmd := exec.Command(npm, strings.Fields(tc.call)[1:]...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "npm_config_update_notifier=false"}
		out, _ := cmd.Output()
		res := readIn(t, dir, tc.call)
		n := 0
		for line := range strings.Lines(string(out)) {
			said, ok := strings.CutPrefix(line, "> ")
			if !ok || !strings.HasPrefix(said, "echo ") {
				continue
			}
			n++
			found := false
			for _, text := range res.Texts {
				found = found || text.Text == strings.TrimSpace(said)
			}
			if !found {
				t.Errorf("%s runs %q\n%s", tc.call, said, show(dir, res))
			}
		}
		if n == 0 {
			t.Errorf("%s ran nothing: %s", tc.call, out)
		}
	}
}
