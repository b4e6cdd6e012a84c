package taskfile

import (
	"path/filepath"
	"strings"
)

// configOptions lists options with which many programs take the name of a file to read.
const configOptions = "-f --file --rakefile --config -c --config-file --gulpfile --gruntfile --noxfile -b --buildfile " +
	"--build-file --settings --require -r --rcfile --makefile"

// readRules is like readConfig, for a program whose files hold commands.
func readRules(r *callReader) bool {
	r.out.HasUnreadCommands = true
	return readConfig(r)
}

// readConfig adds the files that a program reads by default and those that its arguments name, and
// records that the program runs more than these.
func readConfig(r *callReader) bool {
	sub := r.subcommand()
	if r.row.subs != "" && !inWords(r.row.subs, sub) {
		if r.row.program == "bundle" && sub == "exec" {
			r.addDefaultFiles(r.dir)
		}
		return true
	}
	r.addDefaultFiles(r.dir)
	p := r.parseArgs(configOptions, 0)
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

// subcommand returns the first argument of the call that is not an option, or "".
func (r *callReader) subcommand() string {
	p := r.parseArgs("", 0)
	if strings.HasPrefix(p.operand(0), "+") { // cargo +nightly
		return p.operand(1)
	}
	return p.operand(0)
}

// addNamedFile adds the file at path, which the call names, if it can be read.
func (r *callReader) addNamedFile(path string) {
	if path == "" || !isKnown(path) || len(path) > 1000 {
		return
	}
	if _, err := r.disk.File(r.resolvePath(path)); err == nil {
		r.addFile(r.resolvePath(path))
	}
}

// addDefaultFiles adds the files in dir that the program reads by default, if they exist.
func (r *callReader) addDefaultFiles(dir string) {
	for name := range strings.FieldsSeq(r.row.files) {
		r.addFile(filepath.Join(dir, filepath.FromSlash(name)))
	}
}

// readPython reads what uv and poetry run. The command after run is a separate call, for which
// readPython only adds its program in the virtual environment.
func readPython(r *callReader) bool {
	p := r.parseArgs("", 0)
	sub, name := p.operand(0), p.operand(1)
	if sub == "run" && isKnown(name) && !strings.Contains(name, "/") && name != "" {
		eachDirUpward(r.dir, func(d string) bool { return r.addFileIfExists(filepath.Join(d, ".venv", "bin", name)) })
	}
	if !inWords(r.row.subs, sub) {
		return true
	}
	eachDirUpward(r.dir, func(d string) bool {
		r.addFileIfExists(filepath.Join(d, "setup.py"))
		if !r.addFile(filepath.Join(d, "pyproject.toml")) {
			return false
		}
		r.addUnsure(r.call.Name + " " + sub + " " + r.row.what)
		return true
	})
	return true
}

// readDeno reads the tasks and tests that deno runs. It reports false for other subcommands, because
// package code reads the files that they run.
func readDeno(r *callReader) bool { return inWords(r.row.subs, r.subcommand()) && readConfig(r) }

// readNode reads the script that node --run runs. It reports false for other calls of node.
func readNode(r *callReader) bool {
	p := r.parseArgs("", 0)
	return p.hasAny("--run") && readConfig(r)
}
