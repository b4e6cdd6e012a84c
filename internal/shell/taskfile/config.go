package taskfile

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// readConfig adds the files that a program reads by custom, and those that it is
// told to read, and says that it runs more.
func readConfig(r *reading) bool {
	sub := r.first()
	if r.row.subs != "" && !inWords(r.row.subs, sub) {
		if r.row.program == "bundle" && sub == "exec" {
			r.configs(r.dir)
		}
		return true
	}
	r.configs(r.dir)
	args := r.call.Args
	for i := range args {
		key, val, has := strings.Cut(args[i].Text, "=")
		switch {
		case inWords("-f --file --rakefile --config -c --config-file --gulpfile --gruntfile --noxfile -b --buildfile --build-file --settings --require -r --rcfile --makefile", key):
			if !has && i+1 < len(args) {
				val = args[i+1].Text
			}
			r.named(val)
		case r.row.program == "ansible-playbook" && !strings.HasPrefix(key, "-"):
			r.named(args[i].Text)
		}
	}
	switch {
	case r.row.subs != "" && sub != "":
		r.unsure(r.call.Name + " " + sub + " " + r.row.what)
	default:
		r.unsure(r.call.Name + " " + r.row.what)
	}
	return true
}

// named adds a file that the call names, when it is one.
func (r *reading) named(path string) {
	if path == "" || !known(path) || len(path) > 1000 {
		return
	}
	if _, err := r.look.File(r.at(path)); err == nil {
		r.whole(r.at(path))
	}
}

// configs adds the files of the row that are there.
func (r *reading) configs(dir string) {
	for name := range strings.FieldsSeq(r.row.files) {
		r.wholeIf(filepath.Join(dir, filepath.FromSlash(name)))
	}
}

// first is the first word of the call that is not an option.
func (r *reading) first() string {
	for i := range r.call.Args {
		if t := r.call.Args[i].Text; t != "" && t[0] != '-' && t[0] != '+' {
			return t
		}
	}
	return ""
}

// rest are the words behind the first one that is not an option.
func (r *reading) rest() []shell.Word {
	for i := range r.call.Args {
		if t := r.call.Args[i].Text; t != "" && t[0] != '-' && t[0] != '+' {
			return r.call.Args[i+1:]
		}
	}
	return nil
}

// readPython reads uv and poetry: what they run is a call of its own, for which the
// directory of the virtual environment comes first.
func readPython(r *reading) bool {
	sub := r.first()
	if sub == "run" {
		list := r.rest()
		for i := range list {
			name := list[i].Text
			if strings.HasPrefix(name, "-") {
				continue
			}
			if known(name) && !strings.Contains(name, "/") {
				up(r.dir, func(d string) bool { return r.wholeIf(filepath.Join(d, ".venv", "bin", name)) })
			}
			break
		}
		if r.row.program == "poetry" {
			return true
		}
	}
	if !inWords(r.row.subs, sub) {
		return true
	}
	up(r.dir, func(d string) bool {
		r.wholeIf(filepath.Join(d, "setup.py"))
		if !r.wholeIf(filepath.Join(d, "pyproject.toml")) {
			return false
		}
		r.unsure(r.call.Name + " " + sub + " " + r.row.what)
		return true
	})
	return true
}

// readGo reads what go builds and runs.
func readGo(r *reading) bool {
	sub := r.first()
	switch sub {
	case "test":
		r.unsure("go test " + runsTests)
	case "generate":
		r.unsure("go generate runs what comments in this repository say")
	case "tool":
		r.unsure("go tool " + buildsCode)
	case "run":
		r.goRun()
	}
	return true
}

// goRun adds the files of the package that go run builds.
func (r *reading) goRun() {
	list := r.rest()
	for i := 0; i < len(list); i++ {
		name := list[i].Text
		switch {
		case name == "-C" && i+1 < len(list):
			i++
			r.dir = r.at(list[i].Text)
		case name == "-exec" && i+1 < len(list):
			i++
			r.text(Text{Text: list[i].Text, Dir: r.dir})
		case strings.HasPrefix(name, "-"):
			if inWords("-p -asmflags -buildmode -buildvcs -compiler -gccgoflags -gcflags -installsuffix -ldflags -mod -modfile -overlay -pgo -pkgdir -tags -toolexec", name) {
				i++
			}
		case strings.HasSuffix(name, ".go"):
			r.whole(r.at(name))
			if i+1 < len(list) && strings.HasSuffix(list[i+1].Text, ".go") {
				continue
			}
			r.unsure("go run builds the packages of this module")
			return
		default:
			if !known(name) {
				r.unsure("go run: which package it runs")
				return
			}
			if strings.Contains(name, "@") {
				r.unsure("go run would fetch " + name)
				return
			}
			names, _ := r.look.Names(r.at(name))
			for _, file := range names {
				if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
					r.whole(filepath.Join(r.at(name), file))
				}
			}
			r.unsure("go run builds the packages of this module")
			return
		}
	}
}

// readComposer reads the scripts of a composer.json.
func readComposer(r *reading) bool {
	for i := range r.call.Args {
		key, val, has := strings.Cut(r.call.Args[i].Text, "=")
		if key == "-d" || key == "--working-dir" {
			if !has && i+1 < len(r.call.Args) {
				val = r.call.Args[i+1].Text
			}
			r.dir = r.at(val)
		}
	}
	path := r.at("composer.json")
	text, err := r.look.File(path)
	if missing(err) {
		return true
	}
	sub := r.first()
	names := []string{sub}
	switch sub {
	case "", "about", "show", "info", "licenses", "outdated", "search", "validate", "why", "why-not", "help", "list":
		return true
	case "run", "run-script":
		names = nil
		if rest := r.rest(); len(rest) > 0 {
			names = []string{rest[0].Text}
		}
	case "exec":
		if rest := r.rest(); len(rest) > 0 {
			r.text(Text{Text: words(rest), Dir: r.dir, Bin: []string{r.at("vendor/bin")}})
		}
		return true
	case "install", "update", "require", "remove", "dump-autoload", "dumpautoload", "create-project":
		names = strings.Fields("pre-install-cmd post-install-cmd pre-update-cmd post-update-cmd pre-autoload-dump post-autoload-dump post-root-package-install post-create-project-cmd pre-package-install post-package-install pre-package-update post-package-update pre-operations-exec pre-pool-create init command pre-command-run")
		r.unsure("composer " + sub + " runs plugins and scripts of what it installs")
	}
	if err != nil || rawjson.CheckObject(text) != nil {
		r.whole(path)
		r.unsure("composer: what composer.json says")
		return true
	}
	var part []byte
	seen := map[string]bool{}
	for n := 0; n < len(names); n++ {
		val, ok := rawjson.Lookup(text, "scripts", names[n])
		if !ok || seen[names[n]] {
			continue
		}
		seen[names[n]] = true
		part = append(append(rawjson.AppendString(part, names[n]), ':'), rawjson.Compact(nil, rawjson.Dedup(val))...)
		part = append(part, '\n')
		each := func(cmd string) {
			switch {
			case strings.HasPrefix(cmd, "@php "), strings.HasPrefix(cmd, "@composer "):
				r.text(Text{Text: cmd[1:], Dir: r.dir, Bin: []string{r.at("vendor/bin")}})
			case strings.HasPrefix(cmd, "@putenv "):
			case strings.HasPrefix(cmd, "@"):
				other, _ := token(cmd[1:])
				names = append(names, other)
			case strings.Contains(cmd, "::") && !strings.Contains(cmd, " "), strings.HasPrefix(cmd, "\\"):
				r.unsure("composer runs " + cmd + " of this repository")
			default:
				r.text(Text{Text: cmd, Dir: r.dir, Bin: []string{r.at("vendor/bin")}})
			}
		}
		if cmd, is := rawjson.Text(val); is {
			each(cmd)
		}
		rawjson.Elements(val, func(_ int, e []byte) bool {
			if cmd, is := rawjson.Text(e); is {
				each(cmd)
			}
			return true
		})
	}
	if len(part) > 0 {
		r.part(path, "script "+names[0], part)
	}
	return true
}

// readDeno reads the tasks of deno. Files that deno runs are not its affair.
func readDeno(r *reading) bool {
	switch sub := r.first(); sub {
	case "task":
	case "test", "bench":
		r.configs(r.dir)
		r.unsure("deno " + sub + " " + runsTests)
		return true
	default:
		return false
	}
	var names []string
	list := r.rest()
	for i := 0; i < len(list); i++ {
		key, val, has := strings.Cut(list[i].Text, "=")
		switch {
		case key == "--cwd" || key == "-c" || key == "--config":
			if !has && i+1 < len(list) {
				i++
				val = list[i].Text
			}
			if key == "--cwd" {
				r.dir = r.at(val)
			} else {
				r.denoTasks(r.at(val), &names)
			}
		case strings.HasPrefix(key, "-"):
		case !known(key):
			r.unsure("deno task: which task it runs")
		default:
			names = append(names, list[i].Text)
			i = len(list)
		}
	}
	if len(names) == 0 {
		return true
	}
	found := false
	up(r.dir, func(d string) bool {
		for _, file := range [...]string{"deno.json", "deno.jsonc"} {
			found = r.denoTasks(filepath.Join(d, file), &names) || found
		}
		if isThere(r.look, filepath.Join(d, "package.json")) {
			found = r.scripts(d, []string{"pre" + names[0], names[0], "post" + names[0]}) || found
		}
		return found
	})
	return true
}

// denoTasks adds the tasks of one file.
func (r *reading) denoTasks(path string, names *[]string) bool {
	text, err := r.look.File(path)
	if missing(err) {
		return false
	}
	text = uncommentJSON(text)
	if err != nil || rawjson.CheckObject(text) != nil {
		r.whole(path)
		r.unsure("deno: what " + filepath.Base(path) + " says")
		return true
	}
	var part []byte
	for n := 0; n < len(*names) && n < 100; n++ {
		name := (*names)[n]
		val, ok := rawjson.Lookup(text, "tasks", name)
		if strings.Contains(name, "*") {
			r.whole(path)
			r.unsure("deno task: which tasks it runs")
		}
		if !ok {
			continue
		}
		part = append(append(rawjson.AppendString(part, name), ':'), rawjson.Compact(nil, rawjson.Dedup(val))...)
		part = append(part, '\n')
		cmd, is := rawjson.Text(val)
		if !is {
			cmd = rawjson.GetText(val, "command")
			if deps, ok := rawjson.Get(val, "dependencies"); ok {
				rawjson.Elements(deps, func(_ int, e []byte) bool {
					if dep, is := rawjson.Text(e); is && !inList(*names, dep) {
						*names = append(*names, dep)
					}
					return true
				})
			}
		}
		r.text(Text{Text: cmd, Dir: filepath.Dir(path), Bin: bins(filepath.Dir(path))})
	}
	if len(part) > 0 {
		r.part(path, "task "+(*names)[0], part)
	}
	return len(part) > 0
}

func inList(list []string, one string) bool {
	for _, s := range list {
		if s == one {
			return true
		}
	}
	return false
}

// uncommentJSON takes comments, and commas before a closing bracket, out of JSON.
func uncommentJSON(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			from := i
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			out = append(out, text[from:min(i+1, len(text))]...)
		case text[i] == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case text[i] == '/' && i+1 < len(text) && text[i+1] == '*':
			end := strings.Index(string(text[i+2:]), "*/")
			if end < 0 {
				return out
			}
			i += end + 3
		case text[i] == '}' || text[i] == ']':
			n := len(out)
			for n > 0 && strings.IndexByte(" \t\r\n", out[n-1]) >= 0 {
				n--
			}
			if n > 0 && out[n-1] == ',' {
				out = out[:n-1]
			}
			out = append(out, text[i])
		default:
			out = append(out, text[i])
		}
	}
	return out
}

// readRunAll reads npm-run-all, run-s and run-p, whose words are names of scripts.
func readRunAll(r *reading) bool {
	dir := packageDir(r.look, r.dir)
	for i := range r.call.Args {
		name, _ := token(r.call.Args[i].Text)
		switch {
		case strings.HasPrefix(name, "-"):
		case !known(name) || strings.Contains(name, "*"):
			r.wholeIf(filepath.Join(dir, "package.json"))
			r.unsure(r.call.Name + ": which scripts it runs")
		default:
			r.scripts(dir, []string{"pre" + name, name, "post" + name})
		}
	}
	return true
}
