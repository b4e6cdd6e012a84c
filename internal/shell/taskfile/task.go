package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A taskRun is one call of Task.
type taskRun struct {
	*reading
	files []*taskfile
	done  []string // tasks that were added, by file and name
}

// A taskfile is one file of Task.
type taskfile struct {
	path, dir string // dir is where its tasks run
	root      *yamldoc.Node
}

// readTask reads what a call of Task runs.
func readTask(r *reading) bool {
	p := r.parse("-t --taskfile -d --dir -o --output -C --concurrency -I --interval --sort --cacert --temp-dir", 0)
	if p.has("-l --list -a --list-all --init -i --help -h --version --summary --completion -j --json -g --global") {
		return true
	}
	if p.unknown {
		r.unsure("task: which task it runs")
	}
	r.enter(p.value("-d --dir"))
	t := taskRun{reading: r}
	file := p.value("-t --taskfile")
	if file != "" {
		file = r.at(file)
	} else if !up(r.dir, func(d string) bool { file = t.in(d); return file != "" }) {
		return true
	}
	r.wholeIf(join(filepath.Dir(file), ".taskrc.yml"))
	f := t.load(file, filepath.Dir(file))
	if f == nil {
		return true
	}
	wanted := slices.DeleteFunc(p.operands, func(w shell.Word) bool { return strings.Contains(w.Text, "=") })
	if len(wanted) == 0 {
		wanted = []shell.Word{{Text: "default"}}
	}
	for i := range wanted {
		t.task(f, wanted[i].Text)
	}
	return true
}

// in returns the file of Task in a directory, "" = there is none.
func (t *taskRun) in(dir string) string {
	for name := range strings.FieldsSeq(t.row.files) {
		if path := filepath.Join(dir, name); t.there(path) {
			return path
		}
	}
	return ""
}

// load reads a file, and those that it includes.
func (t *taskRun) load(path, dir string) *taskfile {
	if at := slices.IndexFunc(t.files, func(f *taskfile) bool { return f.path == path && f.dir == dir }); at >= 0 {
		return t.files[at]
	}
	text, err := t.look.File(path)
	if missing(err) || len(t.files) > maxNesting {
		t.unsure("task: what " + plain(filepath.Base(path)) + " says")
		return nil
	}
	t.whole(path)
	f := &taskfile{path: path, dir: dir}
	t.files = append(t.files, f)
	if err == nil {
		f.root, _, err = yamldoc.Parse(text)
	}
	if err != nil {
		t.unsure("task: what " + filepath.Base(path) + " says")
		return nil
	}
	if !f.root.Get("dotenv").IsNull() {
		t.unsure("task loads variables from a file, which may change what runs")
	}
	for _, inc := range f.root.Get("includes").Members() {
		t.included(f, inc.Value)
	}
	return f
}

// included reads the file of an include.
func (t *taskRun) included(f *taskfile, inc *yamldoc.Node) *taskfile {
	path := inc.Plain()
	if path == "" {
		path = inc.Get("taskfile").Plain()
	}
	if path == "" || strings.ContainsAny(path, "{~$") || strings.Contains(path, "://") {
		t.unsure("task: which files " + filepath.Base(f.path) + " includes")
		return nil
	}
	path = join(filepath.Dir(f.path), path)
	if found := t.in(path); found != "" {
		path = found
	}
	return t.load(path, join(f.dir, inc.Get("dir").Plain()))
}

// task adds what a task runs.
func (t *taskRun) task(f *taskfile, name string) {
	key := f.path + "\x00" + name
	if slices.Contains(t.done, key) || len(t.done) > maxRules {
		return
	}
	t.done = append(t.done, key)
	if !known(name) {
		t.unsure("task: which task " + filepath.Base(f.path) + " runs")
	}
	if strings.HasPrefix(name, ":") { // of the first file
		f, name = t.files[0], name[1:]
	}
	for _, e := range f.root.Get("tasks").Members() {
		has := func(alias *yamldoc.Node) bool { return alias.Plain() == name }
		head, tail, pattern := strings.Cut(e.Key, "*")
		aliases := e.Value.Get("aliases")
		if e.Key != name && !(pattern && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)) &&
			(aliases == nil || !slices.ContainsFunc(aliases.Items, has)) {
			continue
		}
		v := taskVars{f.root.Get("vars"), e.Value.Get("vars")}
		t.commands(f, v, "cmds", e.Value, join(f.dir, v.fill(e.Value.Get("dir").Plain())))
		t.commands(f, v, "vars", v[0], f.dir)
	}
	for _, inc := range f.root.Get("includes").Members() {
		rest, ok := strings.CutPrefix(name, inc.Key+":")
		if !ok && name != inc.Key && inc.Value.Get("flatten").Plain() != "true" && inc.Value.Get("aliases") == nil {
			continue
		}
		if other := t.included(f, inc.Value); other != nil {
			t.task(other, rest)
		}
	}
}

// commands adds what a value runs: commands, and other tasks. by is the key that it
// stands behind.
func (t *taskRun) commands(f *taskfile, v taskVars, by string, n *yamldoc.Node, dir string) {
	switch {
	case n == nil:
	case n.Kind == yamldoc.List:
		for _, item := range n.Items {
			t.commands(f, v, by, item, dir)
		}
	case n.Kind == yamldoc.Map:
		for _, p := range n.Pairs {
			t.commands(f, v, p.Key, p.Value, dir)
		}
	case by == "task" || by == "deps":
		t.task(f, v.fill(n.Plain()))
	case inWords("cmd cmds sh defer status preconditions if", by):
		t.text(Text{Text: v.fill(n.Plain()), Dir: dir})
	case by == "dotenv":
		t.unsure("task loads variables from a file, which may change what runs")
	}
}

// taskVars are the variables of a file and of a task.
type taskVars [2]*yamldoc.Node

// fill puts the values of variables into a text.
func (v taskVars) fill(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		var name string
		name, text, _ = strings.Cut(rest, "}}")
		b.WriteString(v.value(strings.TrimPrefix(strings.TrimSpace(name), ".")))
	}
}

// value returns the value of a variable when the file has it.
func (v taskVars) value(name string) string {
	n := v[1].Get(name)
	if n == nil {
		n = v[0].Get(name)
	}
	if sh := n.Get("sh").Plain(); sh != "" && !strings.Contains(sh, "{{") {
		return "$(" + sh + ")"
	}
	if n == nil || n.Plain() == "" || strings.Contains(n.Plain(), "{{") {
		return hole
	}
	return n.Plain()
}
