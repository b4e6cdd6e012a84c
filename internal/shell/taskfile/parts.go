package taskfile

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// descriptiveKeys lists the members of package.json, composer.json and deno.json that describe a
// package or list its dependencies. Package managers write them, and no task runs them.
const descriptiveKeys = "name version description keywords author authors contributors maintainers license homepage repository " +
	"bugs funding private support readme dependencies devDependencies peerDependencies peerDependenciesMeta " +
	"optionalDependencies bundleDependencies bundledDependencies resolutions overrides packageManager engines " +
	"require require-dev conflict replace provide suggest minimum-stability prefer-stable imports"

// addFile adds the file at path, and reports whether it exists. Of package.json and similar files, it
// adds only what runs; of settings files that may hold passwords, only the other lines.
func (r *callReader) addFile(path string) bool {
	text, err := r.disk.File(path)
	if isNotExist(err) {
		return false
	}
	var part []byte
	switch filepath.Base(path) {
	case "package.json", "composer.json", "deno.json", "deno.jsonc":
		part = runnableMembers(rawjson.Uncomment(text))
	case "pyproject.toml":
		part = runnableTables(text)
	case ".npmrc", ".yarnrc", ".yarnrc.yml":
		part = nonSecretLines(text)
	}
	if err != nil || part == nil {
		r.addWholeFile(path)
	} else {
		r.addPart(path, "scripts and settings", part)
	}
	return true
}

// runnableMembers returns the members of the JSON object text that are not descriptive, with a line
// for each script, or nil if text is not an object.
func runnableMembers(text []byte) []byte {
	if rawjson.CheckObject(text) != nil {
		return nil
	}
	part := []byte{}
	line := func(indent, key string, val []byte) {
		part = append(rawjson.AppendString(append(part, indent...), key), ": "...)
		part = append(rawjson.Compact(part, val), '\n')
	}
	rawjson.Each(rawjson.Dedup(text), func(key string, val []byte) bool {
		switch {
		case inWords(descriptiveKeys, key):
		case key == "scripts" || key == "tasks":
			part = append(rawjson.AppendString(part, key), ":\n"...)
			rawjson.Each(val, func(name string, val []byte) bool { line("  ", name, val); return true })
		default:
			line("", key, val)
		}
		return true
	})
	return part
}

// runnableTables returns the lines of text, a pyproject.toml, without the description and the
// dependencies of the project. It returns nil if text contains multi-line strings, because their lines
// may look like others.
func runnableTables(text []byte) []byte {
	if bytes.Contains(text, []byte(`"""`)) || bytes.Contains(text, []byte("'''")) {
		return nil
	}
	part := []byte{}
	keep, project := true, false
	for line := range bytes.Lines(text) {
		bare := strings.TrimSpace(string(line))
		if strings.HasPrefix(bare, "[") {
			name, _, _ := strings.Cut(strings.Trim(bare, "[ \t"), "]")
			name = strings.TrimSpace(name)
			project = name == "project"
			keep = !project && name != "dependency-groups" && !strings.HasSuffix(name, "dependencies")
		} else if project {
			keep = strings.HasPrefix(bare, "scripts") || strings.HasPrefix(bare, "gui-scripts") || strings.HasPrefix(bare, "entry-points")
		}
		if keep && bare != "" && bare[0] != '#' {
			part = append(append(part, bare...), '\n')
		}
	}
	return part
}

// nonSecretLines returns the lines of text, a settings file, that hold no password. It leaves out
// comments, too.
func nonSecretLines(text []byte) []byte {
	part := []byte{}
	for line := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && line[0] != ';' && !isSecretLine(line) {
			part = append(append(part, line...), '\n')
		}
	}
	return part
}

// isSecretLine reports whether line, from a settings file, sets a password or token.
func isSecretLine(line string) bool {
	key, _, _ := strings.Cut(line, "=")
	key, _, _ = strings.Cut(key, ": ")
	key, _, _ = strings.Cut(strings.TrimSpace(key), " ")
	if strings.Trim(key, identChars+`/:.@-"'`) != "" {
		return false
	}
	key = strings.ToLower(key)
	return strings.Contains(key, "auth") || strings.Contains(key, "password") || strings.Contains(key, "token")
}
