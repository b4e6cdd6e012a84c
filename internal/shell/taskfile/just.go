package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A justfile is what just reads for one call: a file and those that it imports.
type justfile struct {
	look  Looker
	dir   string // of the file
	files []string
	items []justItem
	vars  map[string]string // texts that are known
	loads bool              // it loads .env
	wide  bool              // every recipe may run
	lost  []string          // files that are not read
}

// A justItem is one statement of a justfile.
type justItem struct {
	kind string // set import mod alias assign recipe other
	file int
	name string
	text string // as it counts
	args string // what is behind the name: a value, parameters and needs
	body []string
	keep bool
}

const maxJustFiles = 30

// readJust reads what a call of just runs.
func readJust(r *reading) bool {
	file, wanted, work, quiet := r.justWords()
	if quiet {
		return true
	}
	if file == "" {
		up(r.dir, func(d string) bool {
			file = justIn(r.look, d)
			return file != ""
		})
	}
	if file == "" {
		return true
	}
	r.just(file, wanted, work, 0)
	return true
}

// justIn is the justfile of a directory: its name may be spelt in any case.
func justIn(look Looker, dir string) string {
	list, err := look.Names(dir)
	if err != nil {
		for _, name := range [...]string{"justfile", "Justfile", ".justfile"} {
			if isThere(look, filepath.Join(dir, name)) {
				return filepath.Join(dir, name)
			}
		}
	}
	for _, name := range list {
		if strings.EqualFold(name, "justfile") || strings.EqualFold(name, ".justfile") {
			return filepath.Join(dir, name)
		}
	}
	return ""
}

// justWords reads the words of a call.
func (r *reading) justWords() (file string, wanted []string, work string, quiet bool) {
	args := r.call.Args
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		key, val, has := strings.Cut(a, "=")
		next := func() string {
			if !has && i+1 < len(args) {
				i++
				val = args[i].Text
			}
			return val
		}
		switch {
		case !args[i].Known():
			r.unsure("just: which recipe it runs")
			wanted = append(wanted, hole)
		case key == "-f" || key == "--justfile":
			if file = r.at(next()); !known(file) {
				r.unsure("just: which justfile it reads")
			}
		case key == "-d" || key == "--working-directory":
			work = r.at(next())
		case key == "--set":
			next()
			i++
		case key == "-c" || key == "--command":
			if rest := args[i+1:]; len(rest) > 0 {
				r.text(Text{Text: words(rest), Dir: r.dir})
			}
			return file, wanted, work, false
		case key == "--shell":
			r.text(Text{Text: next() + " -c :", Dir: r.dir})
		case key == "--dotenv-path" || key == "-E" || key == "--dotenv-filename":
			next()
			r.unsure("just loads variables from a file, which may change what runs")
		case inWords("--color --shell-arg --chooser --list-heading --list-prefix --command-color --dump-format --timestamp-format --tempdir --alias-style", key):
			next()
		case inWords("-l --list --summary --fmt --init --dump -e --edit --help -h --version -V --show -s --variables --man --changelog --completions --groups", key):
			quiet = true
		case key == "-g" || key == "--global-justfile":
			quiet = true // the person's own
		case strings.HasPrefix(a, "-") && a != "-":
		case has && identifier(key) == key:
		default:
			wanted = append(wanted, a)
		}
	}
	return file, wanted, work, quiet
}

// just adds what runs of a justfile.
func (r *reading) just(file string, wanted []string, work string, depth int) {
	j := justfile{look: r.look, dir: filepath.Dir(file), vars: map[string]string{}}
	if work == "" {
		work = j.dir
	}
	j.read(file, 0)
	name := "default recipe"
	if len(wanted) > 0 {
		name = "recipe " + strings.ReplaceAll(strings.Join(wanted, " "), hole, "…")
	}
	found := r.justNeeds(&j, wanted, work, depth)
	for _, lost := range j.lost {
		r.unsure("just imports " + lost + ", whose place is unknown")
	}
	if j.loads {
		r.unsure("just loads .env, which may change what runs")
	}
	if !found && depth < 3 && slices.ContainsFunc(j.items, func(it justItem) bool { return it.kind == "set" && it.name == "fallback" }) {
		if above := justAbove(r.look, j.dir); above != "" {
			r.just(above, wanted, "", depth+1)
		}
	}
	for i, path := range j.files {
		var b strings.Builder
		odd := j.wide
		for n := range j.items {
			if it := &j.items[n]; it.file == i {
				odd = odd || it.kind == "other"
				if it.keep {
					b.WriteString(it.text + "\n")
				}
			}
		}
		if odd {
			r.whole(path)
		} else if b.Len() > 0 {
			r.part(path, name, []byte(b.String()))
		}
	}
	r.justTexts(&j, work)
}

func justAbove(look Looker, dir string) (file string) {
	if above := filepath.Dir(dir); above != dir {
		up(above, func(d string) bool {
			file = justIn(look, d)
			return file != ""
		})
	}
	return file
}

// read reads a file into its statements.
func (j *justfile) read(path string, depth int) {
	text, err := j.look.File(path)
	if missing(err) || slices.Contains(j.files, path) {
		return
	}
	j.files = append(j.files, path)
	file := len(j.files) - 1
	if err != nil || len(j.files) > maxJustFiles || depth > 10 {
		j.wide = true
		return
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	pending := ""
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			j.items = append(j.items, justItem{kind: "other", file: file, text: line, keep: true})
			continue
		}
		for i+1 < len(lines) && (openQuote(line) || slashes(line)%2 == 1) {
			i++
			line += "\n" + lines[i]
		}
		if line[0] == '[' {
			pending += line + "\n"
			continue
		}
		it := justItem{file: file, text: pending + withoutComment(line)}
		pending = ""
		j.statement(&it, withoutComment(line))
		if it.kind == "recipe" {
			for i+1 < len(lines) && (strings.TrimSpace(lines[i+1]) == "" || lines[i+1][0] == ' ' || lines[i+1][0] == '\t') {
				i++
				it.body = append(it.body, lines[i])
			}
			for len(it.body) > 0 && strings.TrimSpace(it.body[len(it.body)-1]) == "" {
				it.body = it.body[:len(it.body)-1]
			}
			if len(it.body) > 0 {
				it.text += "\n" + strings.Join(it.body, "\n")
			}
		}
		j.items = append(j.items, it)
		if it.kind == "import" {
			j.imports(path, it.args, depth)
		}
	}
}

// statement tells what a line is.
func (j *justfile) statement(it *justItem, line string) {
	word, rest := token(line)
	switch {
	case word == "set":
		it.kind, it.keep = "set", true
		it.name = identifier(rest)
		it.args = rest[len(it.name):]
		j.loads = j.loads || strings.HasPrefix(it.name, "dotenv-") && !strings.HasSuffix(strings.TrimSpace(it.args), "false")
	case word == "import" || word == "import?":
		it.kind, it.args, it.keep = "import", rest, true
	case word == "mod" || word == "mod?":
		it.kind, it.keep = "mod", true
		it.name = identifier(rest)
		it.args = strings.TrimSpace(rest[len(it.name):])
	case word == "unexport":
		it.kind, it.keep = "set", true
	case word == "alias":
		it.kind, it.name = "alias", identifier(rest)
		_, it.args, _ = strings.Cut(rest, ":=")
	default:
		exported := word == "export" || word == "eager" || word == "private"
		if exported && strings.Contains(rest, ":=") {
			line = rest
		}
		name := identifier(strings.TrimPrefix(line, "@"))
		behind := strings.TrimLeft(strings.TrimPrefix(line, "@")[len(name):], " \t")
		switch {
		case name == "":
			it.kind, it.keep = "other", true
		case strings.HasPrefix(behind, ":="):
			it.kind, it.name, it.args = "assign", name, strings.TrimSpace(behind[2:])
			it.keep = exported || strings.Contains(it.args, "`") || strings.Contains(it.args, "(")
			if val, ok := justString(it.args); ok {
				j.vars[name] = val
			}
		default:
			it.kind, it.name, it.args = "recipe", name, behind
		}
	}
}

// imports reads an imported file.
func (j *justfile) imports(from, arg string, depth int) {
	path, ok := justString(strings.TrimSpace(arg))
	if !ok || strings.HasPrefix(path, "~") {
		j.lost = append(j.lost, plain(arg))
		j.wide = true
		return
	}
	j.read(join(filepath.Dir(from), path), depth+1)
}

// justString is the value of a text that is one plain string.
func justString(text string) (string, bool) {
	for _, q := range [...]string{`"""`, "'''", `"`, "'"} {
		if len(text) >= 2*len(q) && strings.HasPrefix(text, q) && strings.HasSuffix(text, q) {
			val := text[len(q) : len(text)-len(q)]
			return val, !strings.Contains(val, q[:1]) && !(q[0] == '"' && strings.Contains(val, `\`))
		}
	}
	return "", false
}

// identifier is the name that a text begins with.
func identifier(text string) string {
	n := 0
	for n < len(text) && (text[n] == '_' || text[n] == '-' && n > 0 || text[n]|0x20 >= 'a' && text[n]|0x20 <= 'z' || n > 0 && text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return text[:n]
}

// identifiers are all names in a text, strings included.
func identifiers(text string) []string {
	var out []string
	for text != "" {
		name := identifier(text)
		if name == "" {
			text = text[1:]
			continue
		}
		out = append(out, name)
		text = text[len(name):]
	}
	return out
}

// openQuote reports whether a statement goes on in the next line: in a string or
// a bracket.
func openQuote(text string) bool {
	level := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '[', '{':
			level++
		case ')', ']', '}':
			level--
		case '#':
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return level > 0
			}
			i += end
		case '\'', '"', '`':
			q := text[i : i+1]
			if strings.HasPrefix(text[i:], q+q+q) {
				q += q + q
			}
			rest := text[i+len(q):]
			n := 0
			for {
				at := strings.Index(rest[n:], q)
				if at < 0 {
					return true
				}
				n += at
				if q[0] != '"' || slashes(rest[:n])%2 == 0 {
					break
				}
				n++
			}
			i += len(q) + n + len(q) - 1
		}
	}
	return level > 0
}

// withoutComment is a statement without the comment behind it.
func withoutComment(line string) string {
	at := strings.LastIndexByte(line, '#')
	if at < 0 || strings.ContainsAny(line[at:], "'\"`\n") || openQuote(line[:at]) {
		return line
	}
	return strings.TrimRight(line[:at], " \t")
}

// justNeeds marks what counts for the recipes that are wanted. It reports whether
// the first of these is there.
func (r *reading) justNeeds(j *justfile, wanted []string, work string, depth int) bool {
	var queue []string
	for i, w := range wanted {
		if mod, rest, ok := strings.Cut(strings.ReplaceAll(w, "::", "\x00"), "\x00"); ok {
			r.justModule(j, mod, []string{rest}, depth)
			continue
		}
		if i+1 <= len(wanted) && r.justModule(j, w, wanted[i+1:], depth) {
			break
		}
		queue = append(queue, w)
	}
	if len(wanted) == 0 {
		for i := range j.items {
			if it := &j.items[i]; it.kind == "recipe" && (len(queue) == 0 || strings.Contains(it.text, "[default")) {
				queue = append(queue, it.name)
			}
		}
	}
	found := len(wanted) == 0
	seen := map[string]bool{}
	everything := slices.Contains(queue, hole)
	if len(queue) > 0 && strings.Contains(queue[0], "/") {
		r.unsure("just: which justfile " + queue[0] + " is of")
	}
	for i := range j.items {
		if j.items[i].keep {
			queue = append(queue, identifiers(j.items[i].args)...)
		}
	}
	exports := slices.ContainsFunc(j.items, func(it justItem) bool {
		return it.kind == "set" && it.name == "export" && !strings.HasSuffix(strings.TrimSpace(it.args), "false")
	})
	first := ""
	if len(wanted) > 0 {
		first = wanted[0]
	}
	for n := 0; n < len(queue); n++ {
		name := queue[n]
		if seen[name] {
			continue
		}
		seen[name] = true
		for i := range j.items {
			it := &j.items[i]
			if it.name != name || it.kind == "set" {
				continue
			}
			found = found || name == first
			if it.kind == "mod" {
				for at, other := range queue { // a need of a module: foo::bar
					if other == name && at+1 < len(queue) {
						r.justModule(j, name, queue[at+1:at+2], depth)
					}
				}
				continue
			}
			it.keep = true
			queue = append(queue, identifiers(it.args)...)
			for _, line := range it.body {
				for rest := line; ; {
					_, behind, ok := strings.Cut(rest, "{{")
					if !ok {
						break
					}
					inner, after, _ := strings.Cut(behind, "}}")
					queue = append(queue, identifiers(inner)...)
					rest = after
				}
			}
		}
	}
	for i := range j.items {
		it := &j.items[i]
		it.keep = it.keep || it.kind == "assign" && exports || everything
	}
	return found
}

// justModule adds what runs of a module. It reports whether there is one.
func (r *reading) justModule(j *justfile, name string, wanted []string, depth int) bool {
	for i := range j.items {
		it := &j.items[i]
		if it.kind != "mod" || it.name != name || depth > 5 {
			continue
		}
		if path, ok := justString(it.args); ok {
			if path = join(j.dir, path); !r.there(path) || strings.HasSuffix(path, "/") {
				r.unsure("just: where the module " + name + " lies")
			} else {
				r.just(path, wanted, "", depth+1)
			}
			return true
		}
		for _, file := range [...]string{name + ".just", name + "/mod.just", name + "/justfile", name + "/.justfile", name + "/Justfile"} {
			if path := filepath.Join(j.dir, filepath.FromSlash(file)); r.there(path) {
				r.just(path, wanted, "", depth+1)
				return true
			}
		}
		return true
	}
	return false
}

// justTexts adds the texts that run.
func (r *reading) justTexts(j *justfile, work string) {
	sh := ""
	for i := range j.items {
		if it := &j.items[i]; it.kind == "set" && it.name == "shell" {
			_, list, _ := strings.Cut(it.args, "[")
			list, _, _ = strings.Cut(list, "]")
			for word := range strings.SplitSeq(list, ",") {
				val, ok := justString(strings.TrimSpace(word))
				if !ok && strings.TrimSpace(word) != "" {
					val = hole
				}
				sh = strings.TrimPrefix(sh+" "+val, " ")
			}
		}
		if it := &j.items[i]; it.kind == "set" && it.name == "no-cd" && !strings.HasSuffix(strings.TrimSpace(it.args), "false") {
			work = r.dir
		}
		if it := &j.items[i]; it.kind == "set" && it.name == "working-directory" {
			if val, ok := justString(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(it.args), ":="))); ok {
				work = join(j.dir, val)
			}
		}
	}
	program, _ := token(sh)
	plainShell := sh == "" || facts.TongueOf(lastName(program)).Posix() && (strings.HasPrefix(program, "/") || !strings.Contains(program, "/"))
	add := func(text, dir string) {
		if !plainShell {
			text = sh + " " + quote(text)
		}
		r.text(Text{Text: text, Dir: dir})
	}
	for i := range j.items {
		it := &j.items[i]
		if !it.keep && !j.wide {
			continue
		}
		dir := work
		if strings.Contains(it.text, "[no-cd") {
			dir = r.dir
		}
		if _, at, ok := strings.Cut(it.text, "working-directory"); ok && it.kind == "recipe" && strings.HasPrefix(it.text, "[") {
			at, _, _ = strings.Cut(strings.TrimLeft(at, ":( \t"), "\n")
			if val, ok := justString(strings.TrimRight(at, ")] \t")); ok {
				dir = join(j.dir, val)
			} else {
				r.unsure("just: where the recipe " + it.name + " runs")
			}
		}
		for rest := it.args; ; { // `command`
			_, behind, ok := strings.Cut(rest, "`")
			if !ok {
				break
			}
			behind = strings.TrimPrefix(behind, "``")
			cmd, after, _ := strings.Cut(behind, "`")
			add(cmd, work)
			rest = strings.TrimPrefix(after, "``")
		}
		if strings.Contains(it.args, "shell(") {
			r.unsure("just: what shell(…) of " + it.name + " runs")
		}
		j.bodyTexts(it, func(text string) { add(text, dir) }, func(text string) { r.text(Text{Text: text, Dir: dir}) })
	}
}

// bodyTexts calls add for the texts of a recipe, or script for one with its own
// interpreter.
func (j *justfile) bodyTexts(it *justItem, add, script func(string)) {
	if len(it.body) == 0 {
		return
	}
	var lines []string
	for _, line := range it.body {
		lines = append(lines, j.fill(strings.TrimLeft(line, " \t")))
	}
	first, isScript := strings.CutPrefix(lines[0], "#!")
	if isScript || strings.Contains(it.text, "[script") {
		fields := strings.Fields(first)
		program := ""
		for _, f := range fields {
			if program = lastName(f); program != "env" && !strings.HasPrefix(f, "-") {
				break
			}
		}
		if !isScript || facts.TongueOf(program).Posix() {
			script(strings.Join(lines, "\n"))
		}
		if isScript {
			script(first)
		}
		return
	}
	for n := 0; n < len(lines); n++ {
		text := lines[n]
		for slashes(text)%2 == 1 && n+1 < len(lines) {
			n++
			text += "\n" + lines[n]
		}
		add(strings.TrimLeft(text, "@- \t"))
	}
}

// fill puts what is known into {{…}}.
func (j *justfile) fill(line string) string {
	var b strings.Builder
	for {
		before, behind, ok := strings.Cut(line, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if strings.HasPrefix(behind, "{{") { // {{{{ is {{
			b.WriteString("{{")
			line = behind[2:]
			continue
		}
		inner, after, _ := strings.Cut(behind, "}}")
		if val, ok := j.vars[strings.TrimSpace(inner)]; ok {
			b.WriteString(val)
		} else if val, ok := justString(strings.TrimSpace(inner)); ok {
			b.WriteString(val)
		} else {
			b.WriteString(hole)
		}
		line = after
	}
}
