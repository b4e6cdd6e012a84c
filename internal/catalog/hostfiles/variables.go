package hostfiles

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

// A Setter is a file of a project that sets environment variables for hosts, either because hosts read
// it or through the program that starts them.
type Setter struct {
	Path  string
	Hosts string     // the hosts that read it themselves; "" if every host started there gets the variables
	By    string     // the program that sets the variables
	Form  hosts.Form // hosts.Lines means lines of the form NAME=value
	Keys  string     // the keys of the objects with variables, separated by spaces
}

// Setters returns the files that hosts read themselves, followed by those of programs that start
// hosts. The settings files of hosts are in [hosts.Files] instead.
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

// MaxSetter limits the size of a setter that is read.
const MaxSetter = 256 << 10

// IsReadBy reports whether host reads the file itself.
func (s *Setter) IsReadBy(host string) bool { return containsWord(s.Hosts, host) }

// HijackVars returns the names of the environment variables that the file's text sets and that affect
// hosts or checkrein, each once, and a description of the effect of the first one. root is the root of the
// project.
func (s *Setter) HijackVars(text []byte, root string) (names []string, how string) {
	take := func(name, value string) {
		why := DescribeHijack(name, value)
		switch {
		case value == "" || value == "$"+name || value == "${"+name+"}" || value == "${containerEnv:"+name+"}" || value == "${env:"+name+"}":
			return
		case name == "PATH" && why == "" && pathBeginsInProject(value, root):
			why = DescribeHijack(name, "./bin")
		case why == "" && environ.RedirectsConnections(name):
			why = MovesConnections
		case why == "" && facts.OverridesGitSettings(name):
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
	doc, err := f.parse(text)
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

// MovesConnections describes variables of a project that redirect connections. They affect the
// connections of a host, with its API key, but not checkrein's own.
const MovesConnections = "the agent's connections may go through another server, or trust one (checkrein's own do not)"

// RedirectVars returns the environment variables in text, the text of the file, that redirect the
// host's connections. They turn nothing off, and are common in a user's own file.
func (f *File) RedirectVars(text []byte) (names []string) {
	if !slices.ContainsFunc(f.Switches, func(s hosts.Switch) bool { return s.Off == hosts.Steers }) {
		return nil
	}
	doc, err := f.parse(text)
	if err != nil {
		return nil
	}
	env := doc.Get("env")
	for i, name := range env.Keys {
		if value := env.Parts[i].Text; value != "" && environ.RedirectsConnections(name) && DescribeHijack(name, value) == "" {
			names = append(names, name)
		}
	}
	return names
}

// Variable returns the value of an environment variable in text, the text of the file, and whether the
// host sets it.
func (f *File) Variable(text []byte, name string) (value string, set bool) {
	doc, err := f.parse(text)
	if err != nil {
		return "", false
	}
	env := doc.Get("env")
	i := slices.Index(env.Keys, name)
	if i < 0 {
		return "", false
	}
	return env.Parts[i].Text, true
}

// pathBeginsInProject reports whether the first directory of value, a value of PATH, is in the project
// at root.
func pathBeginsInProject(value, root string) bool {
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
