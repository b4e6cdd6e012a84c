package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A justfile is what is read of one, and of those that it imports.
type justfile struct {
	*reading
	vars    map[string]string
	aliases map[string]string
	recipes map[string]*justRecipe
	order   []string
	shell   []string // the program that lines are given to, with its options; nil = sh
	runs    []string // commands that run when the file is read
	files   []string
}

type justRecipe struct {
	params, needs []string
	lines         []string
}

// readJust reads what a call of just runs.
func readJust(r *reading) bool {
	p := r.parse("-f --justfile -d --working-directory --set --shell --shell-arg --dotenv-filename --dotenv-path -E --color", 0)
	if p.has("-l --list --summary --dump -e --edit --evaluate --fmt --show -s --variables --help -h --version -V --choose --groups") {
		return true
	}
	if p.unknown || p.has("--shell --shell-arg --dotenv-filename --dotenv-path -E --set") {
		r.unsure("just: which recipe it runs, and with which settings")
	}
	r.enter(p.value("-d --working-directory"))
	j := justfile{reading: r, vars: map[string]string{}, aliases: map[string]string{}, recipes: map[string]*justRecipe{}}
	file := p.value("-f --justfile")
	if file != "" {
		file = r.at(file)
	} else if !up(r.dir, func(d string) bool {
		for name := range strings.FieldsSeq("justfile Justfile JUSTFILE .justfile") {
			if file = filepath.Join(d, name); r.there(file) {
				return true
			}
		}
		return false
	}) {
		return true
	}
	var wanted []string
	for i := range p.operands {
		if key, val, has := strings.Cut(p.operands[i].Text, "="); has {
			j.vars[key] = val
		} else {
			wanted = append(wanted, strings.ReplaceAll(key, "/", "::"))
		}
	}
	r.dir = filepath.Dir(file)
	j.file(file, "")
	if len(wanted) == 0 && len(j.order) > 0 {
		wanted = j.order[:1]
	}
	for _, text := range j.runs {
		r.text(Text{Text: text, Dir: r.dir})
	}
	j.run(wanted)
	return true
}

// file reads a justfile. prefix is the module that it is, with its colons.
func (j *justfile) file(path, prefix string) bool {
	if slices.Contains(j.files, path) || len(j.files) > maxNesting {
		return true
	}
	text, err := j.look.File(path)
	if missing(err) {
		return false
	}
	j.files = append(j.files, path)
	j.whole(path)
	if err != nil || strings.Contains(string(text), "'''") || strings.Contains(string(text), `"""`) {
		j.unsure("just: what " + filepath.Base(path) + " says")
	}
	var now *justRecipe
	for line := range strings.SplitSeq(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == "":
		case line[0] == ' ' || line[0] == '\t':
			if now != nil {
				now.lines = append(now.lines, strings.TrimSpace(line))
			}
		case line[0] == '#' || line[0] == '[':
		default:
			now = j.line(line, filepath.Dir(path), prefix)
		}
	}
	return true
}

// line reads a line that begins at the left. It returns the recipe that begins there.
func (j *justfile) line(line, dir, prefix string) *justRecipe {
	word, rest := cutWord(line)
	switch word {
	case "export":
		word, rest = cutWord(rest)
	case "alias":
		if name, to, ok := strings.Cut(rest, ":="); ok {
			j.aliases[prefix+strings.TrimSpace(name)] = prefix + strings.TrimSpace(to)
		}
		return nil
	case "set":
		j.set(rest)
		return nil
	case "import", "import?", "mod", "mod?":
		j.more(word, rest, dir, prefix)
		return nil
	}
	if val, ok := strings.CutPrefix(rest, ":="); ok {
		if _, given := j.vars[word]; !given {
			j.vars[word] = j.value(strings.TrimSpace(val))
		}
		return nil
	}
	head, needs := cutOutside(line, ':')
	words := strings.Fields(strings.TrimPrefix(head, "@"))
	if head == line || len(words) == 0 {
		return nil
	}
	needs, _, _ = strings.Cut(needs, "#")
	r := &justRecipe{params: words[1:]}
	for need := range strings.FieldsSeq(strings.ReplaceAll(needs, "&&", " ")) {
		r.needs = append(r.needs, prefix+strings.Trim(need, "()"))
	}
	j.order = append(j.order, prefix+words[0])
	j.recipes[prefix+words[0]] = r
	return r
}

// set reads a setting.
func (j *justfile) set(text string) {
	switch key, val, _ := strings.Cut(text, ":="); strings.TrimSpace(key) {
	case "shell", "script-interpreter":
		j.shell = nil
		for word := range strings.SplitSeq(strings.Trim(strings.TrimSpace(val), "[]"), ",") {
			j.shell = append(j.shell, strings.Trim(strings.TrimSpace(word), `"'`))
		}
	case "dotenv-load", "dotenv-filename", "dotenv-path", "dotenv-required":
		j.unsure("just loads .env, which may change what runs")
	case "fallback", "tempdir", "working-directory":
		j.unsure("just: where its recipes run")
	}
}

// more reads what import and mod name.
func (j *justfile) more(word, rest, dir, prefix string) {
	name, path := cutWord(rest)
	if strings.HasPrefix(word, "import") {
		name, path = "", rest
	}
	path = strings.Trim(path, `"'`)
	list := []string{path}
	if name != "" {
		prefix += name + "::"
		if path == "" {
			path = name
			list = []string{name + ".just"}
		}
		for _, base := range [...]string{"mod.just", "justfile", "Justfile", ".justfile"} {
			list = append(list, filepath.Join(path, base))
		}
	}
	for _, one := range list {
		if j.file(join(dir, one), prefix) {
			return
		}
	}
	j.unsure("just: what " + rest + " brings")
}

// value returns the value of a variable.
func (j *justfile) value(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > 1 && strings.IndexByte("'\"`", text[0]) >= 0 && strings.IndexByte(text[1:], text[0]) == len(text)-2 {
		inner := text[1 : len(text)-1]
		if text[0] == '`' {
			j.runs = append(j.runs, inner)
			return "$(" + inner + ")"
		}
		return inner
	}
	for rest := text; ; { // a command within an expression runs too
		_, after, ok := strings.Cut(rest, "`")
		if !ok {
			return hole
		}
		cmd, behind, _ := strings.Cut(after, "`")
		j.runs, rest = append(j.runs, cmd), behind
	}
}

// run adds the lines of recipes and of what these need.
func (j *justfile) run(wanted []string) {
	for n := 0; n < len(wanted) && n < maxRules; n++ {
		name := wanted[n]
		if to, ok := j.aliases[name]; ok {
			name = to
		}
		if name == hole {
			wanted = append(wanted, j.order...)
		}
		r := j.recipes[name]
		if r == nil {
			continue // an argument, or nothing
		}
		for _, need := range r.needs {
			if !slices.Contains(wanted, need) {
				wanted = append(wanted, need)
			}
		}
		j.lines(r)
	}
}

// lines adds the lines of a recipe.
func (j *justfile) lines(r *justRecipe) {
	script := len(r.lines) > 0 && strings.HasPrefix(r.lines[0], "#!")
	var all []string
	for _, line := range r.lines {
		line = j.fill(line, r)
		if script {
			all = append(all, line)
			continue
		}
		line = strings.TrimLeft(line, "@- ")
		if len(j.shell) > 0 && (!facts.TongueOf(j.shell[0]).Posix() || strings.HasPrefix(j.shell[0], ".")) {
			line = strings.Join(j.shell, " ") + " " + quote(line)
		}
		j.text(Text{Text: line, Dir: j.dir})
	}
	if script {
		by := strings.TrimPrefix(all[0], "#!")
		j.text(Text{Text: by + " <<'JUST'\n" + strings.Join(all[1:], "\n") + "\nJUST\n", Dir: j.dir})
	}
}

// fill puts the values of variables into a line.
func (j *justfile) fill(line string, r *justRecipe) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, _ := strings.Cut(rest, "}}")
		b.WriteString(j.filled(strings.TrimSpace(name), r))
		line = after
	}
}

// filled returns the value of what stands between braces.
func (j *justfile) filled(name string, r *justRecipe) string {
	for _, p := range r.params {
		if p, _, _ = strings.Cut(strings.TrimLeft(p, "*+$"), "="); p == name {
			return hole
		}
	}
	if val, ok := j.vars[name]; ok {
		return val
	}
	return j.value(name)
}
