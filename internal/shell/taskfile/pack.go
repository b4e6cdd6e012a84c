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
	r.changeDir(p.value("--prefix -C --cwd --dir"))
	name, sub, first := r.call.Name, p.operand(0), p.operand(1)
	if p.unknown {
		r.addUnsure(name + ": which script it runs")
	}
	switch {
	case inWords("exec x dlx", sub):
		inner := *r
		call := *r.call
		call.Args = slices.DeleteFunc(slices.Clone(call.Args), func(w shell.Word) bool { return w.Text == sub })
		inner.call = &call
		r.addExec(inner.parse(packValues, 1))
		return true
	case sub == "node":
		r.addText(Text{Text: "node " + quoteWords(p.operandsFrom(1)), Dir: r.dir, Bin: binDirs(r.dir)})
		return true
	case inWords("workspace workspaces foreach ws", sub):
		p.options["--recursive"] = []string{""}
		rest := slices.DeleteFunc(p.operandsFrom(1), func(w shell.Word) bool { return inWords("run foreach", w.Text) || w.Text[0] == '-' })
		if sub, first = "run", ""; len(rest) > 0 {
			first = rest[len(rest)-1].Text
		}
	}
	if events := r.scriptNames(sub, first); len(events) > 0 {
		r.addPackages(&p, events)
	}
	return true
}

// readBun reads what bun runs: a file, tests, or scripts as other package managers.
func readBun(r *reading) bool {
	p := r.parse(packValues, 2)
	sub, first := p.operand(0), p.operand(1)
	switch {
	case sub == "" || strings.ContainsAny(sub, "./") || inWords("repl exec init create upgrade", sub):
		return false
	case inWords("test build", sub):
		r.changeDir(p.value("--prefix -C --cwd --dir"))
		r.addIfExists(r.pathOf("bunfig.toml"))
		r.addUnsure("bun " + sub + " runs the code of this repository")
		return true
	case sub == "run" && strings.ContainsAny(first, "./"):
		inner := *r
		inner.changeDir(p.value("--prefix -C --cwd --dir"))
		if inner.addIfExists(inner.pathOf(first)) {
			return true
		}
	}
	return readPack(r)
}

// needsRun reports whether the package manager runs scripts only by its run command: another word is
// never the name of a script.
func (r *reading) needsRun() bool {
	return program.ScriptOf(r.call.Name) == program.ScriptBehindRun
}

// scriptNames returns the scripts that a subcommand runs.
func (r *reading) scriptNames(sub, first string) []string {
	npm := r.needsRun()
	switch {
	case sub == "", inWords(packInstalls, sub):
		r.addUnsure(strings.TrimSpace(r.call.Name+" "+sub) + " runs the scripts of the packages that it fetches")
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
		r.addUnsure("npm: what " + displayText(sub) + " runs")
		return nil
	}
	return []string{sub} // of others it may be the name of a script, or of a program
}

// addPackages adds the scripts of the current package, or of its workspaces.
func (r *reading) addPackages(p *parsed, events []string) {
	dir := packageDir(r.look, r.dir)
	found := r.addScripts(dir, events)
	r.addPackSettings(dir)
	if p.has("--workspace -w --workspaces -ws --recursive -r --filter -F --workspace-root") {
		r.addUnsure(r.call.Name + " runs scripts in workspaces of this repository")
		for _, space := range append(p.options["--workspace"], p.options["-w"]...) {
			r.addScripts(join(dir, space), events)
		}
		return
	}
	if name := events[0]; !found && !r.needsRun() && len(events) == 1 {
		if !r.addBin(dir, name) {
			r.addUnsure(r.call.Name + ": where " + displayText(name) + " comes from")
		}
		rest := p.operandsFrom(slices.IndexFunc(p.operands, func(w shell.Word) bool { return w.Text == name }))
		r.addText(Text{Text: quoteWords(rest), Dir: r.dir, Bin: binDirs(dir)})
	}
}

// packageDir returns the directory of the package that contains a directory.
func packageDir(look FileReader, dir string) string {
	out := dir
	eachParent(dir, func(d string) bool {
		there := fileExists(look, filepath.Join(d, "package.json"))
		if there {
			out = d
		}
		return there
	})
	return out
}

// addScripts adds the scripts of a package.json that a call runs, each with those that run before and
// after it. It reports whether there is one.
func (r *reading) addScripts(dir string, events []string) bool {
	found := false
	for _, event := range events {
		for _, script := range [...]string{"pre" + event, event, "post" + event} {
			list := r.scriptCommands(filepath.Join(dir, "package.json"), script)
			switch {
			case len(list) > 0:
			case script == "start" && r.exists(filepath.Join(dir, "server.js")):
				list = []string{"node server.js"}
			case script == "install" && r.addIfExists(filepath.Join(dir, "binding.gyp")):
				list = []string{"node-gyp rebuild"}
			}
			for _, cmd := range list {
				found = true
				if script == event && len(events) == 1 {
					cmd += r.extraArgs(event)
				}
				r.addText(Text{Text: cmd, Dir: dir, Bin: binDirs(dir)})
			}
		}
	}
	return found
}

// extraArgs returns the words of the call that are appended to a script.
func (r *reading) extraArgs(event string) string {
	at := slices.IndexFunc(r.call.Args, func(w shell.Word) bool { return w.Text == event || w.Text == "--" })
	if at < 0 {
		return ""
	}
	var rest []shell.Word
	all := !r.needsRun() || r.call.Args[at].Text == "--" // npm's own options end at two dashes
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
	return " " + quoteWords(rest)
}

// binDirs returns the directories in which scripts of a package find programs first.
func binDirs(dir string) []string {
	var out []string
	eachParent(dir, func(d string) bool {
		out = append(out, filepath.Join(d, "node_modules", ".bin"))
		return d == filepath.Dir(d)
	})
	return out
}

// addBin adds the nearest program of that name in node_modules.
func (r *reading) addBin(dir, name string) bool {
	if name == "" || !isKnown(name) || strings.Contains(name, "/") && name[0] != '@' {
		return false
	}
	return eachParent(dir, func(d string) bool { return r.addIfExists(filepath.Join(d, "node_modules", ".bin", lastName(name))) })
}

// addPackSettings adds the settings in a package's directory that change what runs.
func (r *reading) addPackSettings(dir string) {
	r.addFile(filepath.Join(dir, ".npmrc"))
	if sh := r.settingValue(filepath.Join(dir, ".npmrc"), "script-shell"); sh != "" {
		r.addText(Text{Text: sh + " -c :", Dir: dir})
	}
	if r.needsRun() {
		return
	}
	for name := range strings.FieldsSeq(".pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml") {
		r.addIfExists(filepath.Join(dir, name))
	}
	eachParent(dir, func(d string) bool {
		for name := range strings.FieldsSeq(".yarnrc.yml .yarnrc") {
			path := filepath.Join(d, name)
			r.addFile(path)
			for _, key := range [...]string{"yarnPath", "yarn-path"} {
				if file := r.settingValue(path, key); file != "" {
					r.addIfExists(join(d, file))
				}
			}
		}
		return false
	})
}

// settingValue returns the value of a key in a file with one setting per line.
func (r *reading) settingValue(path, key string) string {
	text, _ := r.look.File(path)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
			return strings.Trim(strings.TrimSpace(rest), "=:\"' \t")
		}
	}
	return ""
}

// readExec reads what npx and similar programs run.
func readExec(r *reading) bool {
	r.addExec(r.parse(packValues, 1))
	return true
}

// addExec adds a program of a package.
func (r *reading) addExec(p parsed) {
	r.changeDir(p.value("--prefix -C --cwd --dir"))
	dir := packageDir(r.look, r.dir)
	r.addFile(filepath.Join(dir, ".npmrc"))
	for _, cmd := range append(p.options["--call"], p.options["-c"]...) {
		r.addText(Text{Text: cmd, Dir: r.dir, Bin: binDirs(dir)})
	}
	name, version := p.operand(0), ""
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name, version = name[:at], name[at:]
	}
	switch {
	case name == "":
		return
	case p.unknown && !isKnown(name):
		r.addUnsure(r.call.Name + ": which program it runs")
		return
	case !r.addBin(r.dir, name):
		r.addUnsure(r.call.Name + " would fetch " + displayText(p.operand(0)))
	case version != "" || p.has("--package -p"):
		r.addUnsure(r.call.Name + " may fetch " + displayText(p.operand(0)))
	}
	r.addText(Text{Text: quoteWords(append([]shell.Word{{Text: lastName(name)}}, p.operandsFrom(1)...)), Dir: r.dir, Bin: binDirs(r.dir)})
}

// scriptCommands returns the commands of a script in a package.json.
func (r *reading) scriptCommands(path, name string) []string {
	if !r.addFile(path) {
		return nil
	}
	text, err := r.look.File(path)
	text = rawjson.Uncomment(text)
	if err != nil || rawjson.CheckObject(text) != nil {
		r.addUnsure(r.call.Name + ": what " + filepath.Base(path) + " says")
		return nil
	}
	val, _ := rawjson.Lookup(text, "scripts", name)
	if cmd, _ := rawjson.Text(val); cmd != "" {
		return []string{cmd}
	}
	return nil
}
