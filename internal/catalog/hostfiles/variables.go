package hostfiles

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A Setter is a file of a project that sets variables for hosts, by itself or through
// what starts them there.
type Setter struct {
	Path  string
	Hosts string     // that read it themselves; "" = whichever is started there has them
	By    string     // who sets them
	Form  hosts.Form // Lines = NAME=value
	Keys  string     // the objects of variables in it
}

// Setters returns the files: those that hosts read themselves, then those of programs that
// start them. Hosts' own settings are among [hosts.Files].
func Setters() []Setter {
	var out []Setter
	for _, v := range hosts.Variables {
		at := slices.IndexFunc(out, func(s Setter) bool { return s.Path == v.Path })
		if at < 0 {
			at = len(out)
			out = append(out, Setter{Path: v.Path, Form: hosts.Lines})
		}
		out[at].Hosts += " " + v.Host
	}
	return append(out, setters[:]...)
}

var setters = [...]Setter{
	{Path: ".envrc", By: "direnv", Form: hosts.Lines},
	{Path: ".devcontainer/devcontainer.json", By: "the dev container", Keys: "containerEnv remoteEnv"},
	{Path: ".devcontainer.json", By: "the dev container", Keys: "containerEnv remoteEnv"},
	{Path: ".vscode/settings.json", By: "VS Code's terminal", Keys: "terminal.integrated.env.linux terminal.integrated.env.osx terminal.integrated.env.windows"},
	{Path: "mise.toml", By: "mise", Form: hosts.TOML, Keys: "env"},
	{Path: ".mise.toml", By: "mise", Form: hosts.TOML, Keys: "env"},
}

// MaxSetter bounds what is read of a setter.
const MaxSetter = 256 << 10

// ReadBy reports whether a host reads the file itself.
func (s *Setter) ReadBy(host string) bool { return listed(s.Hosts, host) }

// Steering lists the variables that a text of the file sets and that bend hosts or
// checkrein, each once, and how the first of them does.
func (s *Setter) Steering(text []byte, root string) (names []string, how string) {
	take := func(name, value string) {
		why := Steer(name, value)
		switch {
		case value == "" || value == "$"+name || value == "${"+name+"}" || value == "${containerEnv:"+name+"}" || value == "${env:"+name+"}":
			return
		case name == "PATH" && why == "" && fromProject(value, root):
			why = Steer(name, "./bin")
		case why == "" && environ.Moves(name):
			why = Moves
		case why == "" && facts.SteersGit(name):
			why = "git may run other hooks, or no hooks"
		}
		if why != "" && !slices.Contains(names, name) {
			if names = append(names, name); how == "" {
				how = why
			}
		}
	}
	if s.Form == hosts.Lines {
		for line := range strings.Lines(string(text)) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
			if name, value, ok := strings.Cut(line, "="); ok {
				take(strings.TrimSpace(name), strings.Trim(strings.TrimSpace(value), `"'`))
			}
		}
		return names, how
	}
	f := File{Form: s.Form}
	doc, err := f.document(text)
	if err != nil {
		return nil, ""
	}
	for key := range strings.FieldsSeq(s.Keys) {
		object := doc.Get(key)
		for i, name := range object.Keys {
			if value := object.Parts[i].String(); value != "null" {
				take(name, value)
			}
		}
	}
	return names, how
}

// Moves is what variables of a project do that lead connections elsewhere. checkrein's
// own pass them by; a host's, with its key, do not.
const Moves = "the agent's connections may go through another server, or trust one (checkrein's own do not)"

// Moved lists the variables in a text of the file that lead the host's connections
// elsewhere. They switch nothing off, and in a person's own file they are usual.
func (f *File) Moved(text []byte) (names []string) {
	if !slices.ContainsFunc(f.Switches, func(s hosts.Switch) bool { return s.Off == hosts.Steers }) {
		return nil
	}
	doc, err := f.document(text)
	if err != nil {
		return nil
	}
	env := doc.Get("env")
	for i, name := range env.Keys {
		if value := env.Parts[i].Text; value != "" && environ.Moves(name) && Steer(name, value) == "" {
			names = append(names, name)
		}
	}
	return names
}

// fromProject reports whether a value of PATH begins with a directory of the project.
func fromProject(value, root string) bool {
	first, _, _ := strings.Cut(value, ":")
	if strings.Contains(first, "node_modules/.bin") || strings.Contains(first, "venv") {
		return false
	}
	for _, begin := range [...]string{root, "$PWD", "${PWD}", "$(pwd)", "${workspaceFolder}", "${containerWorkspaceFolder}", "{{config_root}}", "{{ config_root }}"} {
		if begin != "" && strings.HasPrefix(first, begin) {
			return true
		}
	}
	return false
}
