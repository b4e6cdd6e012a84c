package taskfile

import (
	"path/filepath"
	"strings"
)

// configOptions are options of many programs whose value is a file that they read.
const configOptions = "-f --file --rakefile --config -c --config-file --gulpfile --gruntfile --noxfile -b --buildfile " +
	"--build-file --settings --require -r --rcfile --makefile"

// readRules is [readConfig] for a program whose files hold commands.
func readRules(r *reading) bool {
	r.out.Rules = true
	return readConfig(r)
}

// readConfig adds the files that a program reads by custom, and those that its words
// name, and notes that it runs more.
func readConfig(r *reading) bool {
	sub := r.sub()
	if r.row.subs != "" && !inWords(r.row.subs, sub) {
		if r.row.program == "bundle" && sub == "exec" {
			r.configs(r.dir)
		}
		return true
	}
	r.configs(r.dir)
	p := r.parse(configOptions, 0)
	for key, vals := range p.options {
		for _, val := range vals {
			if inWords(configOptions, key) {
				r.namedFile(val)
			}
		}
	}
	if r.row.program == "ansible-playbook" {
		for i := range p.operands {
			r.namedFile(p.operands[i].Text)
		}
	}
	if r.row.subs == "" {
		sub = ""
	}
	r.unsure(strings.Join(strings.Fields(r.call.Name+" "+sub+" "+r.row.what), " "))
	return true
}

// sub returns the first word of the call that is no option.
func (r *reading) sub() string {
	p := r.parse("", 0)
	if strings.HasPrefix(p.operand(0), "+") { // cargo +nightly
		return p.operand(1)
	}
	return p.operand(0)
}

// namedFile adds a file that the call names, when it is one.
func (r *reading) namedFile(path string) {
	if path == "" || !known(path) || len(path) > 1000 {
		return
	}
	if _, err := r.look.File(r.at(path)); err == nil {
		r.file(r.at(path))
	}
}

// configs adds the files of the row that are there.
func (r *reading) configs(dir string) {
	for name := range strings.FieldsSeq(r.row.files) {
		r.file(filepath.Join(dir, filepath.FromSlash(name)))
	}
}

// readPython reads uv and poetry: what they run is a call of its own, for which the
// directory of the virtual environment comes first.
func readPython(r *reading) bool {
	p := r.parse("", 0)
	sub, name := p.operand(0), p.operand(1)
	if sub == "run" && known(name) && !strings.Contains(name, "/") && name != "" {
		up(r.dir, func(d string) bool { return r.wholeIf(filepath.Join(d, ".venv", "bin", name)) })
	}
	if !inWords(r.row.subs, sub) {
		return true
	}
	up(r.dir, func(d string) bool {
		r.wholeIf(filepath.Join(d, "setup.py"))
		if !r.file(filepath.Join(d, "pyproject.toml")) {
			return false
		}
		r.unsure(r.call.Name + " " + sub + " " + r.row.what)
		return true
	})
	return true
}

// readDeno reads the tasks of deno. Files that deno runs are not its affair.
func readDeno(r *reading) bool { return inWords(r.row.subs, r.sub()) && readConfig(r) }

// readNode reads node --run.
func readNode(r *reading) bool {
	p := r.parse("", 0)
	return p.has("--run") && readConfig(r)
}
