package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A packCall is what the words of npm, pnpm, yarn and bun say.
type packCall struct {
	sub     string
	args    []shell.Word // behind it
	pkgs    []string     // --package
	shells  []string     // --call
	spaces  []string     // -w
	all     bool         // in all workspaces
	local   bool         // the directory was given
	unknown bool         // a word before the script's name is not known
}

// packValues are options of these programs that take a value of their own.
const packValues = "--loglevel --registry --cache --userconfig --globalconfig --tag --omit --include --node-options --script-shell --otp --scope --reporter --config --env-file --filter -F --workspace-concurrency --use-yarnrc --modules-folder --shell --elide-lines --install --jobs -j"

// packWords reads the words of a call. Options may stand before and behind the
// subcommand, until the name of what runs.
func (r *reading) packWords(names int) packCall {
	var c packCall
	args := r.call.Args
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		key, val, has := strings.Cut(a, "=")
		next := func() string {
			if !has && i+1 < len(args) {
				i++
				val = args[i].Text
			}
			if !known(val) {
				c.unknown = true
			}
			return val
		}
		switch {
		case a == "--":
			rest := args[i+1:]
			if c.sub == "" && len(rest) > 0 {
				c.sub, rest = rest[0].Text, rest[1:]
			}
			c.args = append(c.args, rest...)
			return c
		case !strings.HasPrefix(a, "-"):
			c.unknown = c.unknown || !args[i].Known()
			if c.sub == "" && a != "" {
				c.sub = a
			} else {
				c.args = append(c.args, args[i])
			}
			if len(c.args) >= names && c.sub != "" || names == 0 && c.sub != "" {
				c.args = append(c.args, args[i+1:]...)
				return c
			}
		case key == "--prefix" || key == "-C" || key == "--cwd" || key == "--dir":
			r.dir, c.local = r.at(next()), true
		case key == "--workspace" || key == "-w" && r.call.Name == "npm":
			c.spaces = append(c.spaces, next())
		case inWords("--workspaces -ws --recursive -r --filter -F --workspace-root", key):
			c.all = true
			if key == "--filter" || key == "-F" {
				next()
			}
		case key == "--package" || key == "-p":
			c.pkgs = append(c.pkgs, next())
		case key == "--call" || key == "-c":
			c.shells = append(c.shells, next())
		case key == "--userconfig" || key == "--globalconfig":
			r.wholeIf(r.at(next()))
		case inWords(packValues, key) && !has:
			next()
		}
	}
	return c
}

// readPack reads what npm, pnpm, yarn and bun run.
func readPack(r *reading) bool {
	c := r.packWords(1)
	if c.unknown {
		r.unsure(r.call.Name + ": which script it runs")
	}
	sub, spelt := c.sub, c.sub
	if r.call.Name == "npm" {
		sub = npmCommand(sub)
	}
	first := ""
	if len(c.args) > 0 {
		first = c.args[0].Text
	}
	switch r.call.Name {
	case "bun":
		if sub == "" || strings.Contains(sub, ".") && sub != "." || strings.Contains(sub, "/") || inWords("test build repl exec init create upgrade", sub) {
			if sub == "test" || sub == "build" {
				r.unsure("bun " + sub + " runs the code of this repository")
				r.wholeIf(r.at("bunfig.toml"))
			}
			return sub == "test" || sub == "build"
		}
		if sub == "run" && (strings.Contains(first, "/") || strings.Contains(first, ".")) && !r.hasScript(first) {
			r.whole(r.at(first))
			return true
		}
	case "yarn", "pnpm":
		if sub == "" && r.call.Name == "yarn" {
			sub = "install"
		}
		if sub == "workspace" || sub == "workspaces" || sub == "foreach" || sub == "ws" {
			c.all = true
			if sub == "workspace" && len(c.args) > 1 {
				c.args = c.args[1:]
			}
			sub, first = "run", ""
			for _, a := range c.args {
				if a.Text != "run" && a.Text != "foreach" && !strings.HasPrefix(a.Text, "-") {
					first = a.Text
					break
				}
			}
		}
	}
	if sub == "exec" || sub == "x" || sub == "dlx" {
		c.sub, c.args = "", nil
		rest := r.packExec(spelt)
		rest.pkgs, rest.shells = append(rest.pkgs, c.pkgs...), append(rest.shells, c.shells...)
		r.exec(&rest)
		return true
	}
	if sub == "node" && r.call.Name != "npm" {
		r.text(Text{Text: "node " + words(c.args), Dir: r.dir, Bin: bins(r.dir)})
		return true
	}
	events, sure := packEvents(r.call.Name, sub, first)
	if !sure {
		r.unsure(r.call.Name + " " + sub + " runs the scripts of the packages that it fetches")
	}
	if events == nil {
		return true
	}
	r.packages(&c, events, sub, sure)
	return true
}

// npmCommand is the command that a word means for npm: a beginning does, and another
// spelling. Where it may mean several, which npm does not run, it is one that runs
// something.
func npmCommand(sub string) string {
	var b strings.Builder
	for _, r := range sub { // installTest
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	sub = b.String()
	if inWords(npmOthers, sub) || inWords(npmRuns, sub) {
		return sub
	}
	for one := range strings.FieldsSeq(npmRuns) {
		if sub != "" && strings.HasPrefix(one, sub) {
			return one
		}
	}
	switch sub {
	case "u":
		return "update"
	case "verison":
		return "version"
	}
	return sub
}

const (
	// npmRuns are the commands of npm that run something, and their other names.
	npmRuns = "run run-script rum urn exec x explore edit test t tst start stop restart install install-test install-clean install-ci-test isntall isntall-clean it cit sit ci ic clean-install clean-install-test add rebuild rb update upgrade udpate link ln dedupe ddp prune remove rm uninstall unlink un publish pack stage version init innit create"
	// npmOthers are words that mean something else, however others begin.
	npmOthers = "i in ins inst insta instal isnt isnta isntal r up a c s se v ls ll la"
)

// packEvents are the scripts that a subcommand runs. sure is false when it runs
// those of other packages too.
func packEvents(program, sub, first string) (events []string, sure bool) {
	script := func(names ...string) []string {
		var out []string
		for _, name := range names {
			out = append(out, "pre"+name, name, "post"+name)
		}
		return out
	}
	if (sub == "t" || sub == "tst") && program != "npm" && program != "pnpm" {
		return script(sub), true
	}
	switch sub {
	case "", "help":
		return nil, true
	case "run", "run-script", "rum", "urn":
		if first == "" {
			return nil, true
		}
		return script(first), true
	case "test", "t", "tst":
		return script("test"), true
	case "start", "stop":
		return script(sub), true
	case "restart":
		return script("restart", "stop", "start"), true
	case "install-test", "it", "cit", "install-ci-test", "sit", "clean-install-test":
		return append(script("install", "prepublish", "prepare"), script("test")...), false
	case "install", "i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "isntall", "ci", "clean-install", "ic", "install-clean", "add", "a", "rebuild", "rb", "update", "up", "upgrade", "udpate", "link", "ln", "dedupe", "ddp", "prune", "remove", "rm", "uninstall", "un", "unlink", "r", "import", "fetch", "deploy":
		return append(script("install", "uninstall", "prepublish", "prepare"), "dependencies", "pnpm:devPreinstall"), false
	case "publish", "pack", "stage":
		return append(script("publish", "pack", "prepare", "prepublish"), "prepublishOnly"), true
	case "version":
		return script("version"), true
	case "explore", "edit":
		return nil, program != "npm"
	case "init", "create", "innit":
		return nil, first == ""
	}
	if program == "npm" {
		return nil, true
	}
	// Another word is the name of a script, or of a program.
	return script(sub), true
}

// packages adds the scripts of the package at hand, or of its workspaces.
func (r *reading) packages(c *packCall, events []string, sub string, sure bool) {
	dir := packageDir(r.look, r.dir)
	if len(c.spaces) == 0 && !c.all {
		found := r.scripts(dir, events)
		if !found && r.call.Name != "npm" && sure {
			name := sub
			if sub == "run" && len(c.args) > 0 {
				name = c.args[0].Text
			}
			if r.bin(dir, name) {
				r.text(Text{Text: words(append([]shell.Word{{Text: name}}, c.args...)), Dir: r.dir, Bin: bins(dir)})
			} else if sub != "run" {
				r.unsure(r.call.Name + ": where " + name + " comes from")
			}
		}
		r.packSettings(dir)
		return
	}
	r.scripts(dir, events)
	r.packSettings(dir)
	r.unsure(r.call.Name + " runs scripts in workspaces of this repository")
	for _, space := range c.spaces {
		if known(space) {
			r.scripts(join(dir, space), events)
		}
	}
}

// packageDir is the directory of the package that a directory lies in.
func packageDir(look Looker, dir string) string {
	out := dir
	up(dir, func(d string) bool {
		if isThere(look, filepath.Join(d, "package.json")) {
			out = d
			return true
		}
		return false
	})
	return out
}

// hasScript reports whether the package at hand has a script.
func (r *reading) hasScript(name string) bool {
	text, err := r.look.File(filepath.Join(packageDir(r.look, r.dir), "package.json"))
	if err != nil || rawjson.CheckObject(text) != nil {
		return false
	}
	_, ok := rawjson.Lookup(text, "scripts", name)
	return ok
}

// scripts adds the scripts of a package.json that a call runs. It reports whether
// there is one.
func (r *reading) scripts(dir string, events []string) bool {
	path := filepath.Join(dir, "package.json")
	text, err := r.look.File(path)
	if missing(err) {
		return false
	}
	if err != nil || rawjson.CheckObject(text) != nil {
		r.whole(path)
		r.unsure(r.call.Name + ": what package.json says")
		return true
	}
	var part []byte
	name := ""
	for _, event := range events {
		val, ok := rawjson.Lookup(text, "scripts", event)
		cmd, is := rawjson.Text(val)
		if !ok || event == "install" && !is {
			cmd, is = r.implied(dir, event), true
		}
		if !is || strings.TrimSpace(cmd) == "" {
			continue
		}
		if ok {
			part = append(append(rawjson.AppendString(part, event), ':'), rawjson.AppendString(nil, cmd)...)
			part = append(part, '\n')
			if base := scriptOf(event, events); name == "" || !strings.HasPrefix(event, "pre") {
				name = "script " + base
			}
		}
		r.text(Text{Text: cmd + r.passed(event, events), Dir: dir, Bin: bins(dir)})
	}
	if len(part) == 0 {
		return len(r.out.Texts) > 0
	}
	// Scripts get these as variables.
	for _, key := range [...]string{"name", "version", "config", "engines", "bin"} {
		if val, ok := rawjson.Get(text, key); ok && strings.Contains(string(part), "npm_package_") {
			part = append(append(rawjson.AppendString(part, key), ':'), rawjson.Compact(nil, rawjson.Dedup(val))...)
			part = append(part, '\n')
		}
	}
	if len(events) > 3 {
		name = "scripts of " + r.call.Name + " " + r.sub()
	}
	r.part(path, name, part)
	return true
}

func (r *reading) sub() string {
	for i := range r.call.Args {
		if a := r.call.Args[i].Text; a != "" && a[0] != '-' {
			return a
		}
	}
	return "install"
}

// scriptOf is the script that a pre or post script goes with.
func scriptOf(event string, events []string) string {
	for _, pre := range [...]string{"pre", "post"} {
		if base, ok := strings.CutPrefix(event, pre); ok && slices.Contains(events, base) {
			return base
		}
	}
	return event
}

// passed are the words of the call that are put behind a script.
func (r *reading) passed(event string, events []string) string {
	if len(events) != 3 || event != events[1] || !inWords("npm pnpm yarn bun", r.call.Name) {
		return ""
	}
	for i := range r.call.Args {
		if r.call.Args[i].Text == event || r.call.Args[i].Text == "--" {
			rest := r.call.Args[i+1:]
			if len(rest) > 0 && rest[0].Text == "--" && r.call.Name != "npm" {
				rest = rest[1:]
			}
			if r.call.Name == "npm" {
				rest = behind(rest, r.call.Args[i].Text == "--")
			}
			if len(rest) > 0 {
				return " " + words(rest)
			}
		}
	}
	return ""
}

// behind are the words that npm hands on: its own options end at two dashes.
func behind(args []shell.Word, all bool) []shell.Word {
	var out []shell.Word
	for i := range args {
		if args[i].Text == "--" && !all {
			return append(out, args[i+1:]...)
		}
		if all || !strings.HasPrefix(args[i].Text, "-") {
			out = append(out, args[i])
		}
	}
	return out
}

// implied is what runs for a script that a package does not have.
func (r *reading) implied(dir, event string) string {
	switch {
	case event == "start" && r.there(filepath.Join(dir, "server.js")):
		return "node server.js"
	case event == "install" && r.wholeIf(filepath.Join(dir, "binding.gyp")):
		return "node-gyp rebuild"
	}
	return ""
}

// bins are the directories that scripts of a package find programs in first.
func bins(dir string) []string {
	var out []string
	up(dir, func(d string) bool {
		out = append(out, filepath.Join(d, "node_modules", ".bin"))
		return d == filepath.Dir(d)
	})
	return out
}

// shells adds the shell that a script of a package runs in, where a directory of
// programs has one of that name.
func (r *reading) shells(dirs []string) {
	for _, dir := range dirs {
		r.wholeIf(filepath.Join(dir, "sh"))
	}
}

// bin adds a program of node_modules, the nearest one.
func (r *reading) bin(dir, name string) bool {
	if name == "" || !known(name) || strings.Contains(name, "/") && !strings.HasPrefix(name, "@") {
		return false
	}
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		name = name[at+1:] // @scope/name
	}
	return up(dir, func(d string) bool {
		path := filepath.Join(d, "node_modules", ".bin", name)
		if !r.there(path) {
			return false
		}
		r.whole(path)
		return true
	})
}

// packSettings adds the settings of a package's directory that change what runs.
func (r *reading) packSettings(dir string) {
	r.npmrc(filepath.Join(dir, ".npmrc"))
	switch r.call.Name {
	case "yarn":
		up(dir, func(d string) bool { r.yarnrc(d); return false })
		r.wholeIf(filepath.Join(dir, ".pnp.cjs"))
		r.wholeIf(filepath.Join(dir, ".pnp.js"))
		r.wholeIf(filepath.Join(dir, ".pnp.loader.mjs"))
	case "pnpm":
		r.wholeIf(filepath.Join(dir, ".pnpmfile.cjs"))
		r.wholeIf(filepath.Join(dir, ".pnpmfile.mjs"))
		r.wholeIf(filepath.Join(dir, "pnpm-workspace.yaml"))
	case "bun", "bunx":
		r.wholeIf(filepath.Join(dir, "bunfig.toml"))
	}
}

// npmrcKeys are the settings that change what runs.
const npmrcKeys = "script-shell shell-emulator node-options scripts-prepend-node-path ignore-scripts enable-pre-post-scripts workspace workspaces include-workspace-root prefix git editor shell viewer node-gyp onload-script globalconfig userconfig init-module pnpmfile global-pnpmfile ignore-pnpmfile node-linker use-node-version modules-dir virtual-store-dir extend-node-path if-present registry package call location call"

// npmrc adds the lines of an .npmrc that matter. The others may be secrets.
func (r *reading) npmrc(path string) {
	text, err := r.look.File(path)
	if err != nil {
		if !missing(err) {
			r.whole(path)
		}
		return
	}
	var part []byte
	shells := ""
	for line := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r", "\n"), "\n") {
		line = strings.TrimSpace(line)
		key, val, _ := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		switch {
		case line == "" || line[0] == ';' || line[0] == '#' || strings.HasPrefix(key, "//") && !strings.Contains(key, "$"):
			continue
		case inWords(npmrcKeys, strings.TrimSuffix(key, "[]")) || strings.ContainsAny(key, "\"'$\\["):
			part = append(append(part, line...), '\n')
		}
		if key == "script-shell" {
			shells = strings.TrimSpace(val)
		}
	}
	if len(part) > 0 {
		r.part(path, "settings", part)
	}
	if shells != "" {
		r.text(Text{Text: shells + " -c :", Dir: filepath.Dir(path)})
	}
}

// yarnrc adds what the settings of yarn make it load.
func (r *reading) yarnrc(dir string) {
	for _, name := range [...]string{".yarnrc.yml", ".yarnrc"} {
		path := filepath.Join(dir, name)
		text, err := r.look.File(path)
		if missing(err) {
			continue
		}
		var part []byte
		for line := range strings.Lines(string(text)) {
			bare := strings.TrimLeft(line, " \t-")
			key, val, _ := strings.Cut(bare, ":")
			if name == ".yarnrc" {
				key, val, _ = strings.Cut(strings.TrimSpace(bare), " ")
			}
			switch strings.Trim(strings.TrimSpace(key), `"'`) {
			case "yarnPath", "yarn-path", "path", "plugins", "spec", "checksum", "script-shell", "--script-shell", "injectEnvironmentFiles":
				part = append(part, line...)
				if file := strings.Trim(strings.TrimSpace(val), `"'`); strings.Contains(file, "js") {
					r.wholeIf(join(dir, file))
				}
			}
		}
		if err != nil || strings.ContainsAny(string(text), "&*<{") { // merged or flowing YAML
			r.whole(path)
		} else if len(part) > 0 {
			r.part(path, "settings", part)
		}
	}
}

// packExec reads the words behind exec.
func (r *reading) packExec(sub string) packCall {
	args := r.call.Args
	for i := range args {
		if args[i].Text == sub {
			inner := *r
			call := *r.call
			call.Args = append(slices.Clone(args[:i]), args[i+1:]...)
			inner.call = &call
			c := inner.packWords(0)
			r.dir = inner.dir
			if sub == "dlx" {
				c.pkgs = append(c.pkgs, c.sub)
			}
			return c
		}
	}
	return packCall{}
}

// readExec reads what npx and its like run.
func readExec(r *reading) bool {
	c := r.packWords(0)
	r.exec(&c)
	return true
}

// exec adds a program that a package brings.
func (r *reading) exec(c *packCall) {
	dir := packageDir(r.look, r.dir)
	r.npmrc(filepath.Join(dir, ".npmrc"))
	for _, cmd := range c.shells {
		r.text(Text{Text: cmd, Dir: r.dir, Bin: bins(dir)})
	}
	for _, pkg := range c.pkgs {
		r.unsure(r.call.Name + " may fetch " + plain(pkg))
	}
	if c.sub == "" {
		return
	}
	name, version := c.sub, ""
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name, version = name[:at], name[at:]
	}
	switch {
	case !known(c.sub):
		r.unsure(r.call.Name + ": which program it runs")
	case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") || strings.Contains(name, ":"):
		r.unsure(r.call.Name + " runs the package " + plain(c.sub))
	case r.own(dir, name):
	case r.bin(r.dir, name) || len(c.pkgs) > 0:
		if version != "" {
			r.unsure(r.call.Name + " may fetch " + plain(c.sub))
		}
	default:
		r.unsure(r.call.Name + " would fetch " + plain(c.sub))
	}
	if known(name) {
		r.text(Text{Text: words(append([]shell.Word{{Text: lastName(name)}}, c.args...)), Dir: r.dir, Bin: bins(r.dir)})
	}
}

// own adds a program that the package at hand is itself.
func (r *reading) own(dir, name string) bool {
	path := filepath.Join(dir, "package.json")
	text, err := r.look.File(path)
	if err != nil || rawjson.CheckObject(text) != nil {
		return false
	}
	bin, _ := rawjson.Get(text, "bin")
	file, ok := rawjson.Text(bin)
	if ok && rawjson.GetText(text, "name") != name {
		return false
	}
	if !ok {
		if file = rawjson.GetText(bin, name); file == "" {
			return false
		}
	}
	r.whole(join(dir, file))
	r.part(path, "bin "+name, rawjson.Compact(nil, rawjson.Dedup(bin)))
	r.text(Text{Text: quote(join(dir, file)), Dir: r.dir, Bin: bins(dir)})
	return true
}

// plain is a word as people read it.
func plain(text string) string { return strings.ReplaceAll(text, hole, "…") }

// readNode reads node --run.
func readNode(r *reading) bool {
	for i := range r.call.Args {
		key, val, has := strings.Cut(r.call.Args[i].Text, "=")
		if key != "--run" {
			if !strings.HasPrefix(key, "-") {
				return false
			}
			continue
		}
		if !has && i+1 < len(r.call.Args) {
			val = r.call.Args[i+1].Text
		}
		if !known(val) {
			r.unsure("node: which script it runs")
		}
		r.scripts(packageDir(r.look, r.dir), []string{val})
		return true
	}
	return false
}
