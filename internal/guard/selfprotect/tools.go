package selfprotect

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// checkUnknownTool returns the finding for a protected path in any argument of t, an unknown tool. It
// has no decision if the tool's name indicates that it only reads.
func (k *guard) checkUnknownTool(t *checkrein.Tool, parts []tools.Part) finding {
	if isReadToolName(t.Name) {
		return finding{}
	}
	name := strings.ToLower(t.Name[strings.LastIndex(t.Name, "__")+1:])
	called := func(w string) bool { return strings.Contains(strings.ToLower(t.Name), w) }
	own := func(w string) bool { return strings.Contains(name, w) }
	s := toolCheck{
		k: k, parts: parts, spreads: slices.ContainsFunc(treeToolWords[:], called), takes: slices.ContainsFunc(removeToolWords[:], called),
		fills: slices.ContainsFunc(unpackToolWords[:], own), renames: slices.ContainsFunc(renameToolWords[:], own),
	}
	s.checkValue(t.Input, "", 0)
	s.worst.evidence = t.Name
	return s.worst
}

// treeToolWords lists words in the names of tools that change a whole directory.
var treeToolWords = [...]string{"extract", "unzip", "untar", "unpack", "sync", "restore", "link", "rename", "move", "trash", "mirror"}

// removeToolWords lists words in the names of tools that remove or move a directory.
var removeToolWords = [...]string{"rename", "move", "mv", "trash", "delete", "remove", "rm", "purge", "clean", "erase"}

// unpackToolWords lists words in the names of tools that write files with unknown names into a
// directory.
var unpackToolWords = [...]string{"extract", "unzip", "untar", "unpack", "restore", "mirror", "clone"}

// renameToolWords lists words in the names of tools that give a directory another name or a second
// one.
var renameToolWords = [...]string{"rename", "move", "link", "mount"}

// isReadToolName reports whether the tool name indicates that the tool only reads.
func isReadToolName(name string) bool {
	name = strings.ToLower(name[strings.LastIndex(name, "__")+1:])
	name = strings.TrimLeft(name, "_")
	for _, w := range [...]string{"replace", "write", "edit", "save", "delete", "remove", "update", "set_"} {
		if strings.Contains(name, w) {
			return false
		}
	}
	for _, w := range [...]string{"read", "get", "list", "search", "find", "stat", "view", "show", "exists", "info", "tree", "grep", "glob", "describe", "inspect", "directory_tree", "cat", "head", "tail", "diff", "hash", "analy", "lint", "validate", "check"} {
		if strings.HasPrefix(name, w) {
			return true
		}
	}
	return false
}

// A toolCheck is the state of checkUnknownTool as it walks through a tool's arguments.
type toolCheck struct {
	k       *guard
	parts   []tools.Part
	spreads bool // see treeToolWords
	takes   bool // see removeToolWords
	fills   bool // see unpackToolWords
	renames bool // see renameToolWords
	seen    int  // values checked so far
	worst   finding
}

const (
	maxValues = 400 // maximum number of values in a tool's arguments
	maxNested = 12  // maximum nesting depth, and number of values that are joined to paths
)

// proseKeys lists arguments that hold text for people, which may look like paths.
var proseKeys = [...]string{"content", "contents", "text", "body", "message", "prompt", "description", "query", "pattern", "search", "old_string", "new_string", "oldText", "newText", "title", "url", "question"}

// checkValue checks v, the value of the argument key, and all values in it.
func (s *toolCheck) checkValue(v []byte, key string, depth int) {
	if s.seen++; s.seen > maxValues || depth > maxNested || s.worst.isStrictest() {
		return
	}
	switch rawjson.Kind(v) {
	case '{':
		var texts []string
		var places []namedPath
		rawjson.Each(v, func(name string, m []byte) bool {
			s.checkPath(name)
			text, ok := rawjson.Text(m)
			if !ok && rawjson.Kind(m) == '[' {
				text, ok = strings.Join(pathElements(m), "/"), true
			}
			if text = shortenPath(text); ok && mayBePath(text) {
				places = append(places, namedPath{strings.ToLower(name), text})
				if !slices.Contains(proseKeys[:], name) {
					texts = append(texts, text)
				}
			}
			s.checkValue(m, name, depth+1)
			return true
		})
		s.checkJoined(texts)
		s.checkCombinedPaths(places)
	case '[':
		var texts []string
		rawjson.Elements(v, func(_ int, e []byte) bool {
			if text, ok := rawjson.Text(e); ok && mayBePath(text) {
				texts = append(texts, text)
			}
			s.checkValue(e, key, depth+1)
			return true
		})
		if len(texts) > 1 && len(texts) <= maxNested {
			s.checkPath("/" + strings.TrimPrefix(strings.Join(texts, "/"), "/"))
		}
	default:
		text, ok := rawjson.Text(v)
		switch inner := []byte(strings.TrimSpace(text)); {
		case !ok || slices.Contains(proseKeys[:], key):
		case len(inner) > 1 && (inner[0] == '{' || inner[0] == '[') && rawjson.Check(inner) == nil:
			s.checkValue(inner, key, depth+1)
		default:
			s.checkPath(text)
		}
	}
}

// pathElements returns the strings in the JSON list if all of them can be elements of a path,
// otherwise nil.
func pathElements(list []byte) (words []string) {
	whole := true
	rawjson.Elements(list, func(_ int, e []byte) bool {
		text, ok := rawjson.Text(e)
		words = append(words, text)
		whole = ok && mayBePath(text) && len(words) <= maxNested
		return whole
	})
	if !whole {
		return nil
	}
	return words
}

// A namedPath is an argument that may be a path, with its name in lower case.
type namedPath struct{ key, text string }

// sourceKeys and targetKeys list parts of the names of arguments for a tool's source and target.
var (
	sourceKeys = [...]string{"source", "src", "from", "old", "url", "uri", "archive", "input"}
	targetKeys = [...]string{
		"dest", "dst", "target", "to", "new", "out", "save", "dir", "folder", "into", "path", "link", "base", "root",
	}
)

// hasKeyPart reports whether the name of an argument contains one of keys.
func (p *namedPath) hasKeyPart(keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return p.key == key || len(key) > 2 && strings.Contains(p.key, key)
	})
}

// isSource reports whether an argument is a tool's source.
func (p *namedPath) isSource() bool { return p.key == "file" || p.hasKeyPart(sourceKeys[:]) }

// checkCombinedPaths checks paths that result from two arguments: a source keeps its name in a target
// directory, and a new name applies in the directory of the old one.
func (s *toolCheck) checkCombinedPaths(places []namedPath) {
	places = places[:min(len(places), maxNested)]
	for i := range places {
		p := &places[i]
		if !filepath.IsAbs(p.text) && !strings.HasPrefix(p.text, "~") {
			continue
		}
		source := p.isSource()
		abs := filepath.Clean(s.k.absPath(p.text))
		dir := strings.HasSuffix(p.text, "/") || isDir(abs)
		switch {
		case dir && s.fills && !source:
			s.worst.merge(s.k.unnamedFinding(abs, true))
		case dir && s.renames && (source || !p.hasKeyPart([]string{"dest", "dst", "new", "to"})):
			s.worst.merge(s.k.unnamedFinding(abs, true))
		}
		for j := range places {
			switch q := &places[j]; {
			case i == j:
			case strings.Contains(q.key, "name") && !strings.Contains(q.text, "/"):
				s.checkPath(filepath.Join(filepath.Dir(abs), q.text))
			case dir && !source && p.hasKeyPart(targetKeys[:]) && q.isSource():
				s.checkPath(filepath.Join(abs, program.URLFileName(q.text)))
				if from := s.k.absPath(q.text); !strings.Contains(q.text, "://") && isDir(from) {
					w, _ := s.k.checkCopiedTree(from, abs)
					s.worst.merge(w)
				}
			}
		}
	}
}

// maxPathLen is the maximum length of a path on common systems.
const maxPathLen = 4096

// shortenPath returns text without redundant path elements if it is longer than maxPathLen.
func shortenPath(text string) string {
	if len(text) > maxPathLen && strings.Contains(text, "/") {
		text, _ = tools.ShortPath(text)
	}
	return text
}

// mayBePath reports whether text can be a path.
func mayBePath(text string) bool {
	return text != "" && len(text) <= maxPathLen && !strings.ContainsAny(text, "\n\r")
}

// checkJoined checks each directory in texts joined with each other element.
func (s *toolCheck) checkJoined(texts []string) {
	for _, dir := range texts[:min(len(texts), maxNested)] {
		if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~") {
			continue
		}
		for _, name := range texts[:min(len(texts), maxNested)] {
			if name != dir && !filepath.IsAbs(name) && !strings.Contains(name, " ") {
				s.checkPath(strings.TrimSuffix(dir, "/") + "/" + name)
			}
		}
	}
}

// checkPath checks text if it may be a path. Paths whose role is known are left out, because checkPart
// checks them together with the new contents of the file.
func (s *toolCheck) checkPath(text string) {
	text = strings.TrimPrefix(text, "file://")
	text = shortenPath(text)
	if s.takes && mayBePath(text) && strings.Contains(text, "/") {
		s.worst.merge(s.k.checkTranscriptDir(text))
	}
	if !mayBePath(text) || !strings.Contains(text, "/") || slices.ContainsFunc(s.parts, func(p tools.Part) bool {
		return p.Text == text && (p.Role == tools.WritePath || p.Role == tools.DeletePath)
	}) {
		return
	}
	s.worst.merge(s.k.deniedFinding(text))
	if s.spreads && (filepath.IsAbs(text) || text[0] == '~') && s.k.isHostDir(text) {
		s.worst.merge(hostDirFinding)
	}
}
