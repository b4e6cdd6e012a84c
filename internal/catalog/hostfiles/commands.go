package hostfiles

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A CommandFile is a file with settings that name programs which a host runs by itself.
type CommandFile hosts.CommandFile

// FindCommandFile returns the row of the file at path, or nil if no host has such a file.
func FindCommandFile(path string) *CommandFile {
	path = "/" + canonicalPath(path)
	for i := range hosts.CommandFiles {
		f := &hosts.CommandFiles[i]
		before, after, glob := strings.Cut(canonicalPath(f.Path), "*")
		if !strings.HasSuffix(path, after) || !glob && !strings.HasSuffix(path, before) {
			continue // the rest takes longer
		}
		at := strings.LastIndex(path, "/"+before)
		if at < 0 {
			continue
		}
		if rest := path[at+1+len(before):]; rest == after || glob && strings.HasSuffix(rest, after) && !strings.Contains(rest, "/") {
			return (*CommandFile)(f)
		}
	}
	return nil
}

// Commands returns the commands in text, the text of the file. project is the value of variables that name the
// project's directory. Commands reports false if the text cannot be read.
func (f *CommandFile) Commands(text []byte, project string) (list []string, ok bool) {
	doc, err := (&File{Form: f.Form}).parse(text)
	if err != nil || doc.Kind != '{' {
		return nil, false
	}
	f.addCommands(&list, doc, 0)
	vars := []string{"${workspaceFolder}", project, "${/}", "/"}
	for _, name := range hosts.ProjectVars {
		vars = append(vars, "${"+name+"}", project, "$"+name, project)
	}
	replacer := strings.NewReplacer(vars...)
	for i := range list {
		list[i] = replacer.Replace(list[i])
	}
	return list, true
}

// addCommands adds the commands in v to list.
func (f *CommandFile) addCommands(list *[]string, v rawjson.Value, depth int) {
	if depth > maxEntryDepth {
		return
	}
	for _, e := range v.Elements() {
		f.addCommands(list, e, depth+1)
	}
	for i, key := range v.Keys {
		part := v.Parts[i]
		words := part.Elements()
		switch {
		case !facts.InList(f.Keys, key) || part.Kind != '"' && len(words) == 0:
			f.addCommands(list, part, depth+1)
			continue
		case part.Kind == '"' && len(v.Get("args").Elements()) > 0:
			words = append([]rawjson.Value{part}, v.Get("args").Elements()...)
		}
		command := part.Text
		if len(words) > 0 {
			command = quoteWords(words)
		}
		if command = envAssignments(v) + command; strings.TrimSpace(command) != "" && !slices.Contains(*list, command) {
			*list = append(*list, command)
		}
	}
}

// envAssignments returns the variables in the member env of v as assignments of a shell.
func envAssignments(v rawjson.Value) string {
	var b strings.Builder
	env := v.Get("env")
	for i, name := range env.Keys {
		if name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == "" {
			b.WriteString(name + "=" + tools.Quote(env.Parts[i].Text) + " ")
		}
	}
	return b.String()
}

// quoteWords returns the words as a command for a shell.
func quoteWords(words []rawjson.Value) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = tools.Quote(w.Text)
	}
	return strings.Join(out, " ")
}
