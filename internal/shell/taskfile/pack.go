package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// packValues lists options of npm, pnpm, yarn and bun that take a value.
const packValues = "--prefix -C --cwd --dir --workspace -w --filter -F --package -p --call -c --userconfig --globalconfig " +
	"--loglevel --registry --cache --tag --omit --include --node-options --script-shell --otp --scope --reporter --config " +
	"--env-file --workspace-concurrency --use-yarnrc --modules-folder --shell --elide-lines --install --jobs -j"

// Subcommands of package managers: those that run scripts of the packages that they fetch,
// those that run a script by its name, and those of npm that run nothing.
const (
	packInstalls = "install i in ins inst insta instal isntall ci ic clean-install install-clean add a rebuild rb update up " +
		"upgrade link ln dedupe ddp prune remove rm uninstall un unlink r import fetch deploy install-test it cit sit " +
		"install-ci-test explore edit"
	packNamed = "run run-script rum urn"
	npmQuiet  = "access audit bin bugs c cache completion config deprecate diff dist-tag docs doctor explain find-dupes fund " +
		"get help info la list ll login logout ls org outdated owner ping pkg prefix profile query repo root s sbom se " +
		"search set show shrinkwrap star stars team token unstar v view why whoami"
)

// readPack reads what a call of npm, pnpm, yarn or bun runs.
func readPack(r *callReader) bool {
	p := r.parseArgs(packValues, 2)
	r.changeDir(p.lastValue("--prefix -C --cwd --dir"))
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
		r.addPackageProgram(inner.parseArgs(packValues, 1))
		return true
	case sub == "node":
		r.addShellText(Text{Text: "node " + quoteWords(p.operandsFrom(1)), Dir: r.dir, Bin: binDirs(r.dir)})
		return true
	case inWords("workspace workspaces foreach ws", sub):
		p.options["--recursive"] = []string{""}
		rest := slices.DeleteFunc(p.operandsFrom(1), func(w shell.Word) bool { return inWords("run foreach", w.Text) || w.Text[0] == '-' })
		if sub, first = "run", ""; len(rest) > 0 {
			first = rest[len(rest)-1].Text
		}
	}
	if events := r.scriptNames(sub, first); len(events) > 0 {
		r.addPackageScripts(&p, events)
	}
	return true
}

// readBun reads what a call of bun runs: a file, tests, or scripts as with other package managers. It
// reports false if bun runs code that package code reads.
func readBun(r *callReader) bool {
	p := r.parseArgs(packValues, 2)
	sub, first := p.operand(0), p.operand(1)
	switch {
	case sub == "" || strings.ContainsAny(sub, "./") || inWords("repl exec init create upgrade", sub):
		return false
	case inWords("test build", sub):
		r.changeDir(p.lastValue("--prefix -C --cwd --dir"))
		r.addFileIfExists(r.resolvePath("bunfig.toml"))
		r.addUnsure("bun " + sub + " runs the code of this repository")
		return true
	case sub == "run" && strings.ContainsAny(first, "./"):
		inner := *r
		inner.changeDir(p.lastValue("--prefix -C --cwd --dir"))
		if inner.addFileIfExists(inner.resolvePath(first)) {
			return true
		}
	}
	return readPack(r)
}

// needsRun reports whether the package manager runs scripts only with its run subcommand, so that no
// other word can be the name of a script.
func (r *callReader) needsRun() bool {
	return program.ScriptOf(r.call.Name) == program.ScriptBehindRun
}

// scriptNames returns the names of the scripts that the subcommand sub with the operand first runs, or
// nil if it runs none.
func (r *callReader) scriptNames(sub, first string) []string {
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
	return []string{sub} // other package managers accept the name of a script or program
}

// addPackageScripts adds the scripts in events of the current package, and of its workspaces if the
// options select them. If there is no such script, it may be the name of a program.
func (r *callReader) addPackageScripts(p *parsedArgs, events []string) {
	dir := packageDir(r.disk, r.dir)
	found := r.addScriptsIn(dir, events)
	r.addPackageSettings(dir)
	if p.hasAny("--workspace -w --workspaces -ws --recursive -r --filter -F --workspace-root") {
		r.addUnsure(r.call.Name + " runs scripts in workspaces of this repository")
		for _, space := range append(p.options["--workspace"], p.options["-w"]...) {
			r.addScriptsIn(joinPath(dir, space), events)
		}
		return
	}
	if name := events[0]; !found && !r.needsRun() && len(events) == 1 {
		if !r.addNodeBin(dir, name) {
			r.addUnsure(r.call.Name + ": where " + displayText(name) + " comes from")
		}
		rest := p.operandsFrom(slices.IndexFunc(p.operands, func(w shell.Word) bool { return w.Text == name }))
		r.addShellText(Text{Text: quoteWords(rest), Dir: r.dir, Bin: binDirs(dir)})
	}
}

// packageDir returns the nearest directory at or above dir that has a package.json, or dir if there is
// none.
func packageDir(disk FileReader, dir string) string {
	out := dir
	eachDirUpward(dir, func(d string) bool {
		there := fileExists(disk, filepath.Join(d, "package.json"))
		if there {
			out = d
		}
		return there
	})
	return out
}

// addScriptsIn adds the scripts in events of the package.json in dir, each with the scripts that run
// before and after it. It reports whether there is one.
func (r *callReader) addScriptsIn(dir string, events []string) bool {
	found := false
	for _, event := range events {
		for _, script := range [...]string{"pre" + event, event, "post" + event} {
			list := r.scriptCommands(filepath.Join(dir, "package.json"), script)
			switch {
			case len(list) > 0:
			case script == "start" && r.exists(filepath.Join(dir, "server.js")):
				list = []string{"node server.js"}
			case script == "install" && r.addFileIfExists(filepath.Join(dir, "binding.gyp")):
				list = []string{"node-gyp rebuild"}
			}
			for _, cmd := range list {
				found = true
				if script == event && len(events) == 1 {
					cmd += r.extraArgs(event)
				}
				r.addShellText(Text{Text: cmd, Dir: dir, Bin: binDirs(dir)})
			}
		}
	}
	return found
}

// extraArgs returns the arguments of the call that the package manager appends to the script event, as
// shell text with a leading space, or "".
func (r *callReader) extraArgs(event string) string {
	at := slices.IndexFunc(r.call.Args, func(w shell.Word) bool { return w.Text == event || w.Text == "--" })
	if at < 0 {
		return ""
	}
	var rest []shell.Word
	all := !r.needsRun() || r.call.Args[at].Text == "--" // options before -- are those of npm itself
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

// binDirs returns the node_modules/.bin directories at and above dir, in which scripts of a package
// find programs first.
func binDirs(dir string) []string {
	var out []string
	eachDirUpward(dir, func(d string) bool {
		out = append(out, filepath.Join(d, "node_modules", ".bin"))
		return d == filepath.Dir(d)
	})
	return out
}

// addNodeBin adds the program name of the nearest node_modules/.bin directory at or above dir that has
// it. It reports whether there is one.
func (r *callReader) addNodeBin(dir, name string) bool {
	if name == "" || !isKnown(name) || strings.Contains(name, "/") && name[0] != '@' {
		return false
	}
	return eachDirUpward(dir, func(d string) bool {
		return r.addFileIfExists(filepath.Join(d, "node_modules", ".bin", afterSlash(name)))
	})
}

// addPackageSettings adds the settings in the package directory dir, and above it, that change what
// runs.
func (r *callReader) addPackageSettings(dir string) {
	r.addFile(filepath.Join(dir, ".npmrc"))
	if sh := r.settingValue(filepath.Join(dir, ".npmrc"), "script-shell"); sh != "" {
		r.addShellText(Text{Text: sh + " -c :", Dir: dir})
	}
	if r.needsRun() {
		return
	}
	for name := range strings.FieldsSeq(".pnp.cjs .pnp.js .pnp.loader.mjs .pnpmfile.cjs .pnpmfile.mjs pnpm-workspace.yaml bunfig.toml") {
		r.addFileIfExists(filepath.Join(dir, name))
	}
	eachDirUpward(dir, func(d string) bool {
		for name := range strings.FieldsSeq(".yarnrc.yml .yarnrc") {
			path := filepath.Join(d, name)
			r.addFile(path)
			for _, key := range [...]string{"yarnPath", "yarn-path"} {
				if file := r.settingValue(path, key); file != "" {
					r.addFileIfExists(joinPath(d, file))
				}
			}
		}
		return false
	})
}

// settingValue returns the value of key in the file at path, which has one setting per line, or "".
func (r *callReader) settingValue(path, key string) string {
	text, _ := r.disk.File(path)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), key); ok {
			return strings.Trim(strings.TrimSpace(rest), "=:\"' \t")
		}
	}
	return ""
}

// readExec reads what a call of npx or a similar program runs.
func readExec(r *callReader) bool {
	r.addPackageProgram(r.parseArgs(packValues, 1))
	return true
}

// addPackageProgram adds the program of a package that a call with the arguments p runs.
func (r *callReader) addPackageProgram(p parsedArgs) {
	r.changeDir(p.lastValue("--prefix -C --cwd --dir"))
	dir := packageDir(r.disk, r.dir)
	r.addFile(filepath.Join(dir, ".npmrc"))
	for _, cmd := range append(p.options["--call"], p.options["-c"]...) {
		r.addShellText(Text{Text: cmd, Dir: r.dir, Bin: binDirs(dir)})
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
	case !r.addNodeBin(r.dir, name):
		r.addUnsure(r.call.Name + " would fetch " + displayText(p.operand(0)))
	case version != "" || p.hasAny("--package -p"):
		r.addUnsure(r.call.Name + " may fetch " + displayText(p.operand(0)))
	}
	r.addShellText(Text{Text: quoteWords(append([]shell.Word{{Text: afterSlash(name)}}, p.operandsFrom(1)...)), Dir: r.dir, Bin: binDirs(r.dir)})
}

// scriptCommands returns the command of the script name in the package.json at path, or nil if there
// is none.
func (r *callReader) scriptCommands(path, name string) []string {
	if !r.addFile(path) {
		return nil
	}
	text, err := r.disk.File(path)
	text = rawjson.Uncomment(text)
	if err != nil || rawjson.CheckObject(text) != nil {
		r.addUnsure(r.call.Name + ": the contents of " + filepath.Base(path))
		return nil
	}
	val, _ := rawjson.Lookup(text, "scripts", name)
	if cmd, _ := rawjson.Text(val); cmd != "" {
		return []string{cmd}
	}
	return nil
}
