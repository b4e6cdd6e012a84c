package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// packValues are options of npm, pnpm, yarn and bun that take a value.
const packValues = "--prefix -C --cwd --dir --workspace -w --filter -F --package -p --call -c --userconfig --globalconfig " +
	"--loglevel --registry --cache --tag --omit --include --node-options --script-shell --otp --scope --reporter --config " +
	"--env-file --workspace-concurrency --use-yarnrc --modules-folder --shell --elide-lines --install --jobs -j"

// The commands of npm and its like: those that run scripts of the packages that they fetch,
// those that run other scripts, and those of npm that run none.
const (
	packInstalls = "install i in ins inst insta instal isntall ci ic clean-install install-clean add a rebuild rb update up " +
		"upgrade link ln dedupe ddp prune remove rm uninstall un unlink r import fetch deploy install-test it cit sit " +
		"install-ci-test explore edit"
	packNamed = "run run-script rum urn"
	npmQuiet  = "access audit bin bugs c cache completion config deprecate diff dist-tag docs doctor explain find-dupes fund " +
		"get help info la list ll login logout ls org outdated owner ping pkg prefix profile query repo root s sbom se " +
		"search set show shrinkwrap star stars team token unstar v view why whoami"
)

// readPack reads what npm, pnpm, yarn and bun run.
func readPack(r *reading) bool {
	p := r.parse(packValues, 2)
	r.enter(p.value("--prefix -C --cwd --dir"))
	name, sub, first := r.call.Name, p.operand(0), p.operand(1)
	if p.unknown {
		r.unsure(name + ": which script it runs")
	}
	switch {
	case inWords("exec x dlx", sub):
		inner := *r
		call := *r.call
		call.Args = slices.DeleteFunc(slices.Clone(call.Args), func(w shell.Word) bool { return w.Text == sub })
		inner.call = &call
		r.exec(inner.parse(packValues, 1))
		return true
	case sub == "node":
		r.text(Text{Text: "node " + words(p.after(1)), Dir: r.dir, Bin: bins(r.dir)})
		return true
	case inWords("workspace workspaces foreach ws", sub):
		p.options["--recursive"] = []string{""}
		rest := slices.DeleteFunc(p.after(1), func(w shell.Word) bool { return inWords("run foreach", w.Text) || w.Text[0] == '-' })
		if sub, first = "run", ""; len(rest) > 0 {
			first = rest[len(rest)-1].Text
		}
	}
	if events := r.events(sub, first); len(events) > 0 {
		r.packages(&p, events)
	}
	return true
}

// readBun reads what bun runs: a file, tests, or what its like run.
func readBun(r *reading) bool {
	p := r.parse(packValues, 2)
	sub, first := p.operand(0), p.operand(1)
	switch {
	case sub == "" || strings.ContainsAny(sub, "./") || inWords("repl exec init create upgrade", sub):
		return false
	case inWords("test build", sub):
		r.enter(p.value("--prefix -C --cwd --dir"))
		r.wholeIf(r.at("bunfig.toml"))
		r.unsure("bun " + sub + " runs the code of this repository")
		return true
	case sub == "run" && strings.ContainsAny(first, "./"):
		inner := *r
		inner.enter(p.value("--prefix -C --cwd --dir"))
		if inner.wholeIf(inner.at(first)) {
			return true
		}
	}
	return readPack(r)
}

// isStrict reports whether the package manager runs scripts only where it is told to run
// one: another word is never the name of a script.
func (r *reading) isStrict() bool {
	return program.ScriptOf(r.call.Name) == program.ScriptBehindRun
}

// events returns the scripts that a subcommand runs.
func (r *reading) events(sub, first string) []string {
	npm := r.isStrict()
	switch {
	case sub == "", inWords(packInstalls, sub):
		r.unsure(strings.TrimSpace(r.call.Name+" "+sub) + " runs the scripts of the packages that it fetches")
		return []string{"install", "uninstall", "prepublish", "prepare", "dependencies", "pnpm:devPreinstall", "test"}
	case inWords(packNamed, sub) && first == "" || npm && inWords(npmQuiet, sub):
		return nil
	case inWords(packNamed, sub):
		return []string{first}
	case inWords("t tst", sub):
		return []string{"test", sub}
	case sub == "restart":
		return []string{"restart", "stop", "start"}
	case inWords("publish pack", sub):
		return []string{"publish", "pack", "prepare", "prepublish", "prepublishOnly"}
	case npm && !inWords("test start stop version", sub):
		r.unsure("npm: what " + plain(sub) + " runs")
		return nil
	}
	return []string{sub} // of others it may be the name of a script, or of a program
}

// packages adds the scripts of the package at hand, or of its workspaces.
func (r *reading) packages(p *parsed, events []string) {
	dir := packageDir(r.look, r.dir)
	found := r.scripts(dir, events)
	r.packSettings(dir)
	if p.has("--workspace -w --workspaces -ws --recursive -r --filter -F --workspace-root") {
		r.unsure(r.call.Name + " runs scripts in workspaces of this repository")
		for _, space := range append(p.options["--workspace"], p.options["-w"]...) {
			r.scripts(join(dir, space), events)
		}
		return
	}
	if name := events[0]; !found && !r.isStrict() && len(events) == 1 {
		if !r.bin(dir, name) {
			r.unsure(r.call.Name + ": where " + plain(name) + " comes from")
		}
		rest := p.after(slices.IndexFunc(p.operands, func(w shell.Word) bool { return w.Text == name }))
		r.text(Text{Text: words(rest), Dir: r.dir, Bin: bins(dir)})
	}
}

// packageDir returns the directory of the package that a directory lies in.
func packageDir(look Looker, dir string) string {
	out := dir
	up(dir, func(d string) bool {
		there := isThere(look, filepath.Join(d, "package.json"))
		if there {
			out = d
		}
		return there
	})
	return out
}

// scripts adds the scripts of a package.json that a call runs, each with those that go
// before and behind it. It reports whether there is one.
func (r *reading) scripts(dir string, events []string) bool {
	found := false
	for _, event := range events {
		for _, script := range [...]string{"pre" + event, event, "post" + event} {
			list := r.named(filepath.Join(dir, "package.json"), script)
			switch {
			case len(list) > 0:
			case script == "start" && r.there(filepath.Join(dir, "server.js")):
				list = []string{"node server.js"}
			case script == "install" && r.wholeIf(filepath.Join(dir, "binding.gyp")):
				list = []string{"node-gyp rebuild"}
			}
			for _, cmd := range list {
				found = true
				if script == event && len(events) == 1 {
					cmd += r.passed(event)
				}
				r.text(Text{Text: cmd, Dir: dir, Bin: bins(dir)})
			}
		}
	}
	return found
}

// passed returns the words of the call that are put behind a script.
func (r *reading) passed(event string) string {
	at := slices.IndexFunc(r.call.Args, func(w shell.Word) bool { return w.Text == event || w.Text == "--" })
	if at < 0 {
		return ""
	}
	var rest []shell.Word
	all := !r.isStrict() || r.call.Args[at].Text == "--" // npm's own options end at two dashes
	for _, w := range r.call.Args[at+1:] {
		switch {
		case w.Text == "--" && !all:
			all = true
		case all || !strings.HasPrefix(w.Text, "-"):
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 {
		return ""
	}
	return " " + words(rest)
}

// bins returns the directories that scripts of a package find programs in first.
func bins(dir string) []string {
	var out []string
	up(dir, func(d string) bool {
		out = append(out, filepath.Join(d, "node_modules", ".bin"))
		return d == filepath.Dir(d)
	})
	return out
}

// bin adds a program of node_modules, the nearest one.
func (r *reading) bin(dir, name string) bool {
	if name == "" || !known(name) || strings.Contains(name, "/") && name[0] != '@' {
		return false
	}
	return up(dir, func(d string) bool { return r.wholeIf(filepath.Join(d, "node_modules", ".bin", lastName(name))) })
}

// packSettings adds the settings of a package's directory that change what runs.
func (r *reading) packSettings(dir string) {
	r.file(filepath.Join(dir, ".npmrc"))
	if sh := r.setting(filepath.Join(dir, ".npmrc"), "script-shell"); sh != "" {
		r.text(Text{Text: sh + " -c :", Dir: dir})
	}
	if r.isStrict() {
		return
	}
	for name := range strings.FieldsSeq(".pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml") {
		r.wholeIf(filepath.Join(dir, name))
	}
	up(dir, func(d string) bool {
		for name := range strings.FieldsSeq(".yarnrc.yml .yarnrc") {
			path := filepath.Join(d, name)
			r.file(path)
			for _, key := range [...]string{"yarnPath", "yarn-path"} {
				if file := r.setting(path, key); file != "" {
					r.wholeIf(join(d, file))
				}
			}
		}
		return false
	})
}

// setting returns the value of a key in a file with a line for each.
func (r *reading) setting(path, key string) string {
	text, _ := r.look.File(path)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
			return strings.Trim(strings.TrimSpace(rest), "=:\"' \t")
		}
	}
	return ""
}

// readExec reads what npx and its like run.
func readExec(r *reading) bool {
	r.exec(r.parse(packValues, 1))
	return true
}

// exec adds a program that a package brings.
func (r *reading) exec(p parsed) {
	r.enter(p.value("--prefix -C --cwd --dir"))
	dir := packageDir(r.look, r.dir)
	r.file(filepath.Join(dir, ".npmrc"))
	for _, cmd := range append(p.options["--call"], p.options["-c"]...) {
		r.text(Text{Text: cmd, Dir: r.dir, Bin: bins(dir)})
	}
	name, version := p.operand(0), ""
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name, version = name[:at], name[at:]
	}
	switch {
	case name == "":
		return
	case p.unknown && !known(name):
		r.unsure(r.call.Name + ": which program it runs")
		return
	case !r.bin(r.dir, name):
		r.unsure(r.call.Name + " would fetch " + plain(p.operand(0)))
	case version != "" || p.has("--package -p"):
		r.unsure(r.call.Name + " may fetch " + plain(p.operand(0)))
	}
	r.text(Text{Text: words(append([]shell.Word{{Text: lastName(name)}}, p.after(1)...)), Dir: r.dir, Bin: bins(r.dir)})
}

// named returns the commands that a package.json has as a script of a name.
func (r *reading) named(path, name string) []string {
	if !r.file(path) {
		return nil
	}
	text, err := r.look.File(path)
	text = rawjson.Uncomment(text)
	if err != nil || rawjson.CheckObject(text) != nil {
		r.unsure(r.call.Name + ": what " + filepath.Base(path) + " says")
		return nil
	}
	val, _ := rawjson.Lookup(text, "scripts", name)
	if cmd, _ := rawjson.Text(val); cmd != "" {
		return []string{cmd}
	}
	return nil
}
