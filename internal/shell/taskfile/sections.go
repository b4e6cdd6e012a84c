package taskfile

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// described are members of package.json, composer.json and deno.json that name or describe
// a package or list what it depends on. A package manager writes them, and no task runs
// them.
const described = "name version description keywords author authors contributors maintainers license homepage repository " +
	"bugs funding private support readme dependencies devDependencies peerDependencies peerDependenciesMeta " +
	"optionalDependencies bundleDependencies bundledDependencies resolutions overrides packageManager engines " +
	"require require-dev conflict replace provide suggest minimum-stability prefer-stable imports"

// file adds a file that decides what runs: of package.json and its like what runs, of files
// that may hold passwords the lines that do not, else all of it.
func (r *reading) file(path string) bool {
	text, err := r.look.File(path)
	if missing(err) {
		return false
	}
	var part []byte
	switch filepath.Base(path) {
	case "package.json", "composer.json", "deno.json", "deno.jsonc":
		part = scriptsOf(rawjson.Uncomment(text))
	case "pyproject.toml":
		part = tablesOf(text)
	case ".npmrc", ".yarnrc", ".yarnrc.yml":
		part = openLines(text)
	}
	if err != nil || part == nil {
		r.whole(path)
	} else {
		r.part(path, "scripts and settings", part)
	}
	return true
}

// scriptsOf returns the members of a JSON object that are not described, a line for each
// script, nil when it is no object.
func scriptsOf(text []byte) []byte {
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
		case inWords(described, key):
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

// tablesOf returns a pyproject.toml without what describes the project and what it depends
// on, nil when it has texts of several lines, in which a line looks like any other.
func tablesOf(text []byte) []byte {
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

// openLines returns the lines of settings that hold no password.
func openLines(text []byte) []byte {
	part := []byte{}
	for line := range strings.SplitSeq(strings.ReplaceAll(string(text), "\r", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && line[0] != ';' && !isPassword(line) {
			part = append(append(part, line...), '\n')
		}
	}
	return part
}

// isPassword reports whether a line of settings has the key of a password.
func isPassword(line string) bool {
	key, _, _ := strings.Cut(line, "=")
	key, _, _ = strings.Cut(key, ": ")
	key, _, _ = strings.Cut(strings.TrimSpace(key), " ")
	if strings.Trim(key, letters+`/:.@-"'`) != "" {
		return false
	}
	key = strings.ToLower(key)
	return strings.Contains(key, "auth") || strings.Contains(key, "password") || strings.Contains(key, "token")
}
