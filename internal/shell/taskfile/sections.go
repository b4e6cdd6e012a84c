package taskfile

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// descriptiveKeys are members of package.json, composer.json and deno.json that name or describe a
// package or list its dependencies. A package manager writes them, and no task runs them.
const descriptiveKeys = "name version description keywords author authors contributors maintainers license homepage repository " +
	"bugs funding private support readme dependencies devDependencies peerDependencies peerDependenciesMeta " +
	"optionalDependencies bundleDependencies bundledDependencies resolutions overrides packageManager engines " +
	"require require-dev conflict replace provide suggest minimum-stability prefer-stable imports"

// addFile adds a file that determines what runs: of package.json and similar files what runs, of files
// that may hold passwords the other lines, else all of it. It reports whether the file exists.
func (r *reading) addFile(path string) bool {
	text, err := r.look.File(path)
	if isMissing(err) {
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
		r.addWhole(path)
	} else {
		r.addPart(path, "scripts and settings", part)
	}
	return true
}

// runnableMembers returns the members of a JSON object that are not descriptive, a line for each
// script, or nil if it is no object.
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

// runnableTables returns a pyproject.toml without the description and dependencies of the project. It
// returns nil if the file has multi-line strings, in which a line looks like any other.
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

// nonSecretLines returns the lines of settings that hold no password.
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

// isSecretLine reports whether a line of settings has the key of a password.
func isSecretLine(line string) bool {
	key, _, _ := strings.Cut(line, "=")
	key, _, _ = strings.Cut(key, ": ")
	key, _, _ = strings.Cut(strings.TrimSpace(key), " ")
	if strings.Trim(key, letters+`/:.@-"'`) != "" {
		return false
	}
	key = strings.ToLower(key)
	return strings.Contains(key, "auth") || strings.Contains(key, "password") || strings.Contains(key, "token")
}
