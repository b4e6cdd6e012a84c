package taskfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A taskfile is one file of Task, read once.
type taskfile struct {
	path  string
	dir   string // where its tasks run
	root  *yamldoc.Node
	above *taskfile // that includes it
	tasks []string  // that are wanted
	whole bool
}

// A taskRun is all files of one call.
type taskRun struct {
	*reading
	files []*taskfile
}

const maxTaskFiles = 30

// readTask reads what a call of Task runs.
func readTask(r *reading) bool {
	file, wanted := "", []string(nil)
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
		case a == "--":
			i = len(args)
		case !args[i].Known() && !has:
			r.unsure("task: which task it runs")
			wanted = append(wanted, hole)
		case key == "-t" || key == "--taskfile":
			file = r.at(next())
		case key == "-d" || key == "--dir":
			r.dir = r.at(next())
		case inWords("-l --list -a --list-all --init -i --help -h --version --summary --completion -j --json", key):
			return true
		case inWords("-g --global", key):
			return true // the person's own
		case inWords("-o --output -C --concurrency -I --interval --sort --cacert --temp-dir", key):
			next()
		case strings.HasPrefix(a, "-") || has:
		default:
			wanted = append(wanted, a)
		}
	}
	if file != "" && !known(file) {
		r.unsure("task: which Taskfile it reads")
		return true
	}
	if file == "" {
		up(r.dir, func(d string) bool {
			file = taskfileIn(r, d)
			return file != ""
		})
	} else if found := taskfileIn(r, file); found != "" {
		file = found
	}
	if file == "" {
		return true
	}
	if len(wanted) == 0 {
		wanted = []string{"default"}
	}
	t := taskRun{reading: r}
	t.dotrc(filepath.Dir(file))
	if first := t.load(file, filepath.Dir(file), nil); first != nil {
		for _, w := range wanted {
			t.want(first, w)
		}
	}
	t.render("task " + plain(strings.Join(wanted, " ")))
	return true
}

// dotrc adds the settings of Task, which may name files of variables.
func (t *taskRun) dotrc(dir string) {
	for _, name := range [...]string{".taskrc.yml", ".taskrc.yaml"} {
		t.wholeIf(filepath.Join(dir, name))
	}
}

func taskfileIn(r *reading, dir string) string {
	for name := range strings.FieldsSeq(r.row.files) {
		if path := filepath.Join(dir, name); r.there(path) {
			return path
		}
	}
	return ""
}

// load reads a file.
func (t *taskRun) load(path, dir string, above *taskfile) *taskfile {
	for _, f := range t.files {
		if f.path == path && f.above == above {
			return f
		}
	}
	text, err := t.look.File(path)
	if missing(err) {
		return nil
	}
	f := &taskfile{path: path, dir: dir, above: above}
	t.files = append(t.files, f)
	if err == nil && len(t.files) <= maxTaskFiles {
		f.root, _, err = yamldoc.Parse(text)
	}
	if err != nil || f.root == nil {
		f.whole = true
		t.unsure("task: what " + filepath.Base(path) + " says")
		return f
	}
	if !f.root.Get("dotenv").IsNull() {
		t.unsure("task loads variables from a file, which may change what runs")
	}
	return f
}

// want adds a task that runs, by its name in a file.
func (t *taskRun) want(f *taskfile, name string) {
	for strings.HasPrefix(name, ":") { // from the first file
		for f.above != nil {
			f = f.above
		}
		name = name[1:]
	}
	if f.whole {
		return
	}
	if !known(name) || strings.Contains(name, "{{") {
		f.whole = true
		t.all(f)
		return
	}
	if slices.Contains(f.tasks, name) {
		return
	}
	f.tasks = append(f.tasks, name)
	if tasks := f.root.Get("tasks"); tasks != nil {
		for i := range tasks.Pairs {
			if p := &tasks.Pairs[i]; taskFits(p, name) {
				t.task(f, p.Key, p.Value)
			}
		}
	}
	t.included(f, name)
}

// all adds every task of a file.
func (t *taskRun) all(f *taskfile) {
	if tasks := f.root.Get("tasks"); tasks != nil {
		for i := range tasks.Pairs {
			t.task(f, tasks.Pairs[i].Key, tasks.Pairs[i].Value)
		}
	}
	t.unsure("task: which task " + filepath.Base(f.path) + " runs")
}

// taskFits reports whether a task has a name, by itself, an alias or a pattern.
func taskFits(p *yamldoc.Pair, name string) bool {
	if p.Key == name {
		return true
	}
	if head, tail, ok := strings.Cut(p.Key, "*"); ok && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail[strings.LastIndexByte(tail, '*')+1:]) {
		return true
	}
	if a := p.Value.Get("aliases"); a != nil {
		return slices.ContainsFunc(a.Items, func(n *yamldoc.Node) bool { return n.Plain() == name })
	}
	return false
}

// included follows a name into the files that a file includes.
func (t *taskRun) included(f *taskfile, name string) {
	list := f.root.Get("includes")
	if list == nil {
		return
	}
	for i := range list.Pairs {
		p := &list.Pairs[i]
		path, dir, flat := p.Value.Plain(), f.dir, false
		spaces := []string{p.Key}
		if p.Value.Kind == yamldoc.Map {
			path = p.Value.Get("taskfile").Plain()
			if d := p.Value.Get("dir").Plain(); d != "" {
				dir = join(f.dir, d)
			}
			flat = p.Value.Get("flatten").Plain() == "true"
			if a := p.Value.Get("aliases"); a != nil {
				for _, n := range a.Items {
					spaces = append(spaces, n.Plain())
				}
			}
		}
		for _, space := range spaces {
			inner, ok := strings.CutPrefix(name, space+":")
			if name == space {
				inner, ok = "default", true
			}
			if flat {
				inner, ok = name, true
			}
			if !ok {
				continue
			}
			if strings.Contains(path, "://") || strings.Contains(path, "{{") || strings.Contains(dir, "{{") || strings.HasPrefix(path, "~") {
				t.unsure("task includes " + path)
				continue
			}
			file := join(filepath.Dir(f.path), path)
			if found := taskfileIn(t.reading, file); found != "" {
				file = found
			}
			if g := t.load(file, dir, f); g != nil && !deep(g) {
				t.want(g, inner)
			}
		}
	}
}

// deep reports whether files include each other without end.
func deep(f *taskfile) bool {
	n := 0
	for ; f != nil; f = f.above {
		n++
	}
	return n > 10
}

// task adds the texts of a task and the tasks that it needs.
func (t *taskRun) task(f *taskfile, name string, n *yamldoc.Node) {
	dir := f.dir
	if d := n.Get("dir").Plain(); d != "" {
		if strings.Contains(d, "{{") || strings.Contains(d, "$") {
			t.unsure("task: where " + name + " runs")
		} else {
			dir = join(f.dir, d)
		}
	}
	if !n.Get("dotenv").IsNull() {
		t.unsure("task loads variables from a file, which may change what runs")
	}
	t.commands(f, n, dir)
	for _, where := range [...]*yamldoc.Node{f.root.Get("vars"), f.root.Get("env")} {
		t.shells(where, f.dir)
	}
}

// commands adds what a value of a task runs.
func (t *taskRun) commands(f *taskfile, n *yamldoc.Node, dir string) {
	switch {
	case n == nil:
	case n.Kind == yamldoc.Text:
		t.command(n.Text, dir)
	case n.Kind == yamldoc.List:
		for _, item := range n.Items {
			t.commands(f, item, dir)
		}
	case n.Kind == yamldoc.Map:
		for i := range n.Pairs {
			p := &n.Pairs[i]
			switch p.Key {
			case "cmds", "cmd", "defer":
				t.commands(f, p.Value, dir)
			case "task":
				t.want(f, p.Value.Plain())
			case "deps":
				for _, d := range p.Value.Items {
					if d.Kind == yamldoc.Text {
						t.want(f, d.Text)
					} else {
						t.commands(f, d, dir)
					}
				}
			case "preconditions", "status", "if":
				t.commands(f, p.Value, dir)
			case "sh":
				t.command(p.Value.Plain(), dir)
			case "vars", "env":
				t.shells(p.Value, dir)
			}
		}
	}
}

// shells adds the commands that give variables their values.
func (t *taskRun) shells(n *yamldoc.Node, dir string) {
	if n == nil {
		return
	}
	for i := range n.Pairs {
		if sh := n.Pairs[i].Value.Get("sh"); sh != nil {
			t.command(sh.Plain(), dir)
		}
	}
}

// command adds a text. What is filled in is not known.
func (t *taskRun) command(text, dir string) {
	var b strings.Builder
	for {
		before, behind, ok := strings.Cut(text, "{{")
		b.WriteString(before)
		if !ok {
			break
		}
		_, text, _ = strings.Cut(behind, "}}")
		b.WriteString(hole)
	}
	t.text(Text{Text: b.String(), Dir: dir})
}

// render adds a part for each file: all that is not a task, and the tasks that run.
func (t *taskRun) render(name string) {
	for i, f := range t.files {
		if f.whole || f.root.Kind != yamldoc.Map {
			t.whole(f.path)
			continue
		}
		if slices.ContainsFunc(t.files[:i], func(g *taskfile) bool { return g.path == f.path }) {
			continue
		}
		var part []byte
		for n := range f.root.Pairs {
			if p := &f.root.Pairs[n]; p.Key != "tasks" {
				part = taskLine(part, p.Key, p.Value)
			}
		}
		if tasks := f.root.Get("tasks"); tasks != nil {
			for n := range tasks.Pairs {
				p := &tasks.Pairs[n]
				wanted := func(g *taskfile) bool {
					return g.path == f.path && slices.ContainsFunc(g.tasks, func(w string) bool { return taskFits(p, w) })
				}
				if slices.ContainsFunc(t.files, wanted) {
					part = taskLine(part, "task "+p.Key, described(p.Value))
				}
			}
		}
		t.part(f.path, name, part)
	}
}

// described is a task without what is only said about it.
func described(n *yamldoc.Node) *yamldoc.Node {
	if n.Kind != yamldoc.Map {
		return n
	}
	out := *n
	out.Pairs = slices.DeleteFunc(slices.Clone(n.Pairs), func(p yamldoc.Pair) bool { return p.Key == "desc" || p.Key == "summary" })
	return &out
}

func taskLine(part []byte, key string, n *yamldoc.Node) []byte {
	part = append(rawjson.AppendString(part, key), ':')
	return append(append(part, n.JSON()...), '\n')
}
