package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// customs are the files that programs read without being told to, sorted by
// program.
var customs = [...]struct{ program, files string }{
	{"ant", "build.xml"},
	{"bun", "package.json"},
	{"bundle", "Gemfile"},
	{"cargo", "build.rs src/main.rs"},
	{"cmake", "CMakeLists.txt"},
	{"docker", "Dockerfile docker-compose.yml docker-compose.yaml compose.yaml compose.yml"},
	{"docker-compose", "docker-compose.yml docker-compose.yaml compose.yaml compose.yml"},
	{"gmake", "GNUmakefile makefile Makefile"},
	{"gradle", "build.gradle build.gradle.kts"},
	{"grunt", "Gruntfile.js"},
	{"gulp", "gulpfile.js"},
	{"invoke", "tasks.py"},
	{"jest", "jest.config.js"},
	{"just", "justfile Justfile .justfile"},
	{"make", "GNUmakefile makefile Makefile"},
	{"mvn", "pom.xml"},
	{"ninja", "build.ninja"},
	{"nox", "noxfile.py"},
	{"npm", "package.json"},
	{"pip", "setup.py"},
	{"pip3", "setup.py"},
	{"pnpm", "package.json"},
	{"podman", "Dockerfile Containerfile"},
	{"pytest", "conftest.py"},
	{"rake", "Rakefile rakefile Rakefile.rb"},
	{"scons", "SConstruct Sconstruct sconstruct"},
	{"task", "Taskfile.yml Taskfile.yaml"},
	{"tox", "tox.ini"},
	{"vagrant", "Vagrantfile"},
	{"webpack", "webpack.config.js"},
	{"yarn", "package.json"},
}

// customary are the files that a program reads by custom.
func customary(name string) string {
	lo, hi := 0, len(customs)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if customs[mid].program < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(customs) && customs[lo].program == name {
		return customs[lo].files
	}
	return ""
}

// ReadsByCustom reports whether a program runs commands of a file that its words need not
// name: a Makefile, a package.json.
func ReadsByCustom(name string) bool { return customary(name) != "" }

// byCustom adds the files that a call reads without naming them.
func (w *walker) byCustom(out []shell.File, call *shell.Call, at *context) []shell.File {
	if f, name := w.customFile(call, at); f != nil && fileNamed(call, name) == nil {
		out = append(out, w.fileOf(f, name, f.isMade(call)))
	}
	return out
}

// customFile is the file of the text that a call reads by custom, with its name.
func (w *walker) customFile(call *shell.Call, at *context) (*file, string) {
	list := customary(call.Name)
	if list == "" {
		return nil, ""
	}
	where := *at
	for i, a := range call.Args {
		switch a.Text {
		case "-C", "--directory", "--prefix", "--cwd", "--dir":
			if i+1 < len(call.Args) && call.Args[i+1].Text != "" {
				where.dir = w.spot(call.Args[i+1].Text, at)
				where.remote = ""
			}
		}
	}
	for list != "" {
		var name string
		name, list, _ = strings.Cut(list, " ")
		if f := w.fileAt(name, &where); f != nil && !f.dir {
			return f, name
		}
	}
	return nil, ""
}

// custom walks the commands in files that programs read: a Makefile's recipes, a
// package's scripts, git's hooks.
func (w *walker) custom(call *shell.Call, c *command) {
	if len(w.files) > 0 || call.In != nil {
		w.builds(call, c)
	}
	if w.place.Read != nil {
		w.imports(call, c)
	}
	if w.compiled != "" && call.Name == "java" {
		w.made(c, "java")
	}
	switch call.Name {
	case "make", "gmake", "just":
		w.recipes(call, c)
	case "npm", "yarn", "pnpm", "bun":
		w.jsonScripts(call, c)
	case "task", "go-task", "composer", "deno", "npm-run-all", "run-s", "run-p":
		w.runner(call, c)
	case "git":
		w.hooks(call, c)
	case "ninja":
		w.ninja(call, c)
	case "go":
		w.generates(call, c)
	default:
		if len(w.files) > 0 {
			w.customCode(call, c)
		}
	}
}

// customCode walks the code of a file that the text wrote and that a program runs
// because it has that name: a Rakefile, conftest.py.
func (w *walker) customCode(call *shell.Call, c *command) {
	as := ""
	switch call.Name {
	case "rake":
		as = "ruby"
	case "pytest", "py.test", "pip", "pip3", "nox", "invoke", "scons":
		as = "python3"
	case "gulp", "grunt", "jest", "webpack":
		as = "node"
	default:
		return
	}
	if f, name := w.customFile(call, &c.context); f != nil && f.seq > 0 {
		w.inner(c, []shell.Word{{Text: as}, {Text: name}})
	}
}

// ninja walks the commands of a file of ninja that is known.
func (w *walker) ninja(call *shell.Call, c *command) {
	text := ""
	if f, _ := w.customFile(call, &c.context); f != nil && f.seq > 0 {
		text = f.text
	}
	eachOption(call.Args, "-f", func(path shell.Word) {
		if f := w.fileAt(path.Text, &c.context); f != nil && f.seq > 0 {
			text = f.text
		} else if flow := w.opened(path.Text); flow != nil {
			text = flowText(flow)
		}
	})
	for line := range strings.Lines(text) {
		if key, val, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "command" && w.step() {
			w.handed(c, shell.Word{Text: strings.ReplaceAll(strings.TrimSpace(val), "$$", "$")})
		}
	}
}

// customText finds the file that a program was told to read, or reads by custom. What
// is downloaded is code from elsewhere.
func (w *walker) customText(call *shell.Call, c *command, flags string) *file {
	f, _ := w.customFile(call, &c.context)
	for i, a := range call.Args {
		name, val, given := strings.Cut(a.Text, "=")
		switch {
		case facts.InList(flags, a.Text) && i+1 < len(call.Args):
			f = w.fileAt(call.Args[i+1].Text, &c.context)
		case given && facts.InList(flags, name):
			f = w.fileAt(val, &c.context)
		case facts.InList(flags, "-f"):
			if path, ok := makeFlag(call.Args, i, 'f'); ok {
				f = w.fileAt(path.Text, &c.context)
			}
		}
	}
	if f == nil || f.dir {
		return nil
	}
	if d := download(f.from); d != nil && !f.sure {
		w.remoteCode(d, c.words)
	}
	return f
}

// jsonScripts walks the scripts of a package.json that a call runs.
func (w *walker) jsonScripts(call *shell.Call, c *command) {
	if w.runner(call, c) {
		return
	}
	f := w.customText(call, c, "")
	if f == nil || !w.enterFile(f.path, c) {
		return
	}
	sub, script := "", ""
	for i, a := range call.Args {
		if a.Text == "" || a.Text[0] == '-' || i > 0 && facts.InList("-C --prefix --cwd --dir", call.Args[i-1].Text) {
			continue
		}
		if sub == "" {
			sub = a.Text
		} else if script == "" {
			script = a.Text
		}
	}
	names := sub
	switch sub {
	case "run", "run-script", "rum", "urn":
		names = script
	case "t", "tst":
		names = "test"
	case "", "install", "i", "ci", "add":
		names = "install prepublish prepare"
	case "publish", "pack":
		names = "prepublishOnly prepack prepare postpack publish postpublish"
	case "restart":
		names = "stop restart start"
	}
	text := f.text
	for one := range strings.SplitSeq(names, " ") {
		if one == "" {
			continue
		}
		for _, pre := range [...]string{"pre", "", "post"} {
			if script, ok := scriptNamed(text, pre+one); ok {
				w.handed(c, shell.Word{Text: script})
			}
		}
	}
	w.leaveFile()
}

// scriptNamed is one of the strings in the object "scripts" of a JSON text.
func scriptNamed(text, name string) (string, bool) {
	_, rest, ok := strings.Cut(text, `"scripts"`)
	if !ok {
		return "", false
	}
	_, rest, ok = strings.Cut(rest, "{")
	for ok {
		var key, val string
		if key, rest, ok = jsonString(rest, ",} \t\r\n"); !ok {
			return "", false
		}
		if val, rest, ok = jsonString(rest, ": \t\r\n"); !ok {
			return "", false
		}
		if key == name {
			return val, true
		}
		if strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "}") {
			return "", false
		}
	}
	return "", false
}

// jsonString reads a string behind characters that only separate.
func jsonString(text, skip string) (val, rest string, ok bool) {
	text = strings.TrimLeft(text, skip)
	if text == "" || text[0] != '"' {
		return "", "", false
	}
	var b []byte
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '"':
			return string(b), text[i+1:], true
		case '\\':
			if i++; i < len(text) {
				switch text[i] {
				case 'n', 'r':
					b = append(b, '\n')
				case 't':
					b = append(b, '\t')
				case 'u':
					return "", "", false
				default:
					b = append(b, text[i])
				}
			}
		default:
			b = append(b, text[i])
		}
	}
	return "", "", false
}

// hooks walks the hooks of git that are known, when a call runs them.
func (w *walker) hooks(call *shell.Call, c *command) {
	if !w.mayKnow() {
		return
	}
	names := ""
	for _, a := range call.Args {
		switch a.Text {
		case "commit":
			names = "pre-commit prepare-commit-msg commit-msg post-commit"
		case "push":
			names = "pre-push"
		case "checkout", "switch", "clone", "worktree":
			names = "post-checkout"
		case "merge", "pull":
			names = "pre-merge-commit post-merge"
		case "rebase":
			names = "pre-rebase post-rewrite post-checkout"
		case "am":
			names = "applypatch-msg pre-applypatch post-applypatch"
		case "gc":
			names = "pre-auto-gc"
		}
		if names != "" {
			break
		}
	}
	own := ""
	if s := w.setting("git", "core.hookspath"); s != nil && s.value.Text != "" {
		own = strings.TrimSuffix(s.value.Text, "/") + "/"
	}
	for names != "" {
		var name string
		name, names, _ = strings.Cut(names, " ")
		for _, dir := range [...]string{".git/hooks/", ".githooks/", ".husky/", own} {
			if dir == "" {
				continue
			}
			f := w.fileAt(dir+name, &c.context)
			if f == nil || f.dir {
				continue
			}
			inner := *c
			inner.words, inner.redir, inner.hidden = []shell.Word{{Text: dir + name}}, nil, nil
			inner.hops = c.hops + 1
			w.run(inner)
		}
	}
}
