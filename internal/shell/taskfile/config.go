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
	r.out.HasUnreadCommands = true
	return readConfig(r)
}

// readConfig adds the files that a program reads by default, and those that its words name, and
// records that it runs more.
func readConfig(r *reading) bool {
	sub := r.subcommand()
	if r.row.subs != "" && !inWords(r.row.subs, sub) {
		if r.row.program == "bundle" && sub == "exec" {
			r.addConfigs(r.dir)
		}
		return true
	}
	r.addConfigs(r.dir)
	p := r.parse(configOptions, 0)
	for key, vals := range p.options {
		for _, val := range vals {
			if inWords(configOptions, key) {
				r.addNamedFile(val)
			}
		}
	}
	if r.row.program == "ansible-playbook" {
		for i := range p.operands {
			r.addNamedFile(p.operands[i].Text)
		}
	}
	if r.row.subs == "" {
		sub = ""
	}
	r.addUnsure(strings.Join(strings.Fields(r.call.Name+" "+sub+" "+r.row.what), " "))
	return true
}

// subcommand returns the first word of the call that is no option.
func (r *reading) subcommand() string {
	p := r.parse("", 0)
	if strings.HasPrefix(p.operand(0), "+") { // cargo +nightly
		return p.operand(1)
	}
	return p.operand(0)
}

// addNamedFile adds a file that the call names, if it exists.
func (r *reading) addNamedFile(path string) {
	if path == "" || !isKnown(path) || len(path) > 1000 {
		return
	}
	if _, err := r.look.File(r.pathOf(path)); err == nil {
		r.addFile(r.pathOf(path))
	}
}

// addConfigs adds the existing files of the row.
func (r *reading) addConfigs(dir string) {
	for name := range strings.FieldsSeq(r.row.files) {
		r.addFile(filepath.Join(dir, filepath.FromSlash(name)))
	}
}

// readPython reads uv and poetry. What they run is a call of its own, which finds programs in the
// virtual environment first.
func readPython(r *reading) bool {
	p := r.parse("", 0)
	sub, name := p.operand(0), p.operand(1)
	if sub == "run" && isKnown(name) && !strings.Contains(name, "/") && name != "" {
		eachParent(r.dir, func(d string) bool { return r.addIfExists(filepath.Join(d, ".venv", "bin", name)) })
	}
	if !inWords(r.row.subs, sub) {
		return true
	}
	eachParent(r.dir, func(d string) bool {
		r.addIfExists(filepath.Join(d, "setup.py"))
		if !r.addFile(filepath.Join(d, "pyproject.toml")) {
			return false
		}
		r.addUnsure(r.call.Name + " " + sub + " " + r.row.what)
		return true
	})
	return true
}

// readDeno reads the tasks of deno. Files that deno runs are handled elsewhere.
func readDeno(r *reading) bool { return inWords(r.row.subs, r.subcommand()) && readConfig(r) }

// readNode reads node --run.
func readNode(r *reading) bool {
	p := r.parse("", 0)
	return p.has("--run") && readConfig(r)
}
