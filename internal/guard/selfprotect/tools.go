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

// strange judges a tool that is not known, and does not say by its name that it only
// reads: whatever its arguments are called, a path of ours in them is no accident.
func (k *guard) strange(t *checkrein.Tool, parts []tools.Part) finding {
	if looksOnly(t.Name) {
		return finding{}
	}
	name := strings.ToLower(t.Name[strings.LastIndex(t.Name, "__")+1:])
	called := func(w string) bool { return strings.Contains(strings.ToLower(t.Name), w) }
	own := func(w string) bool { return strings.Contains(name, w) }
	s := stranger{
		k: k, parts: parts, spreads: slices.ContainsFunc(spreading[:], called), takes: slices.ContainsFunc(taking[:], called),
		fills: slices.ContainsFunc(filling[:], own), renames: slices.ContainsFunc(renaming[:], own),
	}
	s.value(t.Input, "", 0)
	s.worst.evidence = t.Name
	return s.worst
}

// spreading are parts of names of tools that change all of a directory.
var spreading = [...]string{"extract", "unzip", "untar", "unpack", "sync", "restore", "link", "rename", "move", "trash", "mirror"}

// taking are parts of names of tools that take a directory away.
var taking = [...]string{"rename", "move", "mv", "trash", "delete", "remove", "rm", "purge", "clean", "erase"}

// filling are parts of names of tools that put files of unknown names into a directory.
var filling = [...]string{"extract", "unzip", "untar", "unpack", "restore", "mirror", "clone"}

// renaming are parts of names of tools that give a directory another name, or a second one.
var renaming = [...]string{"rename", "move", "link", "mount"}

// looksOnly reports whether a tool says by its name that it only reads.
func looksOnly(name string) bool {
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

// A stranger is the walk through the arguments of a tool that is not known.
type stranger struct {
	k       *guard
	parts   []tools.Part
	spreads bool
	takes   bool
	fills   bool
	renames bool
	seen    int
	worst   finding
}

const (
	maxStrange = 400 // values
	maxNested  = 12  // levels, and values side by side that are joined
)

// prose are the arguments that are text, whatever it looks like.
var prose = [...]string{"content", "contents", "text", "body", "message", "prompt", "description", "query", "pattern", "search", "old_string", "new_string", "oldText", "newText", "title", "url", "question"}

func (s *stranger) value(v []byte, key string, depth int) {
	if s.seen++; s.seen > maxStrange || depth > maxNested || s.worst.isStrictest() {
		return
	}
	switch rawjson.Kind(v) {
	case '{':
		var texts []string
		var places []namedPath
		rawjson.Each(v, func(name string, m []byte) bool {
			s.path(name)
			text, ok := rawjson.Text(m)
			if !ok && rawjson.Kind(m) == '[' {
				text, ok = strings.Join(partsOfPath(m), "/"), true
			}
			if text = shortened(text); ok && short(text) {
				places = append(places, namedPath{strings.ToLower(name), text})
				if !slices.Contains(prose[:], name) {
					texts = append(texts, text)
				}
			}
			s.value(m, name, depth+1)
			return true
		})
		s.joined(texts)
		s.placed(places)
	case '[':
		var texts []string
		rawjson.Elements(v, func(_ int, e []byte) bool {
			if text, ok := rawjson.Text(e); ok && short(text) {
				texts = append(texts, text)
			}
			s.value(e, key, depth+1)
			return true
		})
		if len(texts) > 1 && len(texts) <= maxNested {
			s.path("/" + strings.TrimPrefix(strings.Join(texts, "/"), "/"))
		}
	default:
		text, ok := rawjson.Text(v)
		switch inner := []byte(strings.TrimSpace(text)); {
		case !ok || slices.Contains(prose[:], key):
		case len(inner) > 1 && (inner[0] == '{' || inner[0] == '[') && rawjson.Check(inner) == nil:
			s.value(inner, key, depth+1)
		default:
			s.path(text)
		}
	}
}

// partsOfPath returns the texts of a list that can be parts of a path; nil = it has others.
func partsOfPath(list []byte) (words []string) {
	whole := true
	rawjson.Elements(list, func(_ int, e []byte) bool {
		text, ok := rawjson.Text(e)
		words = append(words, text)
		whole = ok && short(text) && len(words) <= maxNested
		return whole
	})
	if !whole {
		return nil
	}
	return words
}

// A namedPath is an argument that may be a path, with its name.
type namedPath struct{ key, text string }

// sourceKeys and targetKeys are parts of names of arguments that say what a tool takes
// and where it puts it.
var (
	sourceKeys = [...]string{"source", "src", "from", "old", "url", "uri", "archive", "input"}
	targetKeys = [...]string{
		"dest", "dst", "target", "to", "new", "out", "save", "dir", "folder", "into", "path", "link", "base", "root",
	}
)

// is reports whether the name of an argument has one of the parts.
func (p *namedPath) is(keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return p.key == key || len(key) > 2 && strings.Contains(p.key, key)
	})
}

// isSource reports whether an argument is what a tool takes.
func (p *namedPath) isSource() bool { return p.key == "file" || p.is(sourceKeys[:]) }

// placed judges files whose names follow from two arguments: a source keeps its name in a
// directory, and a new name counts where the old one was.
func (s *stranger) placed(places []namedPath) {
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
			s.worst.add(s.k.unnamedFinding(abs, true))
		case dir && s.renames && (source || !p.is([]string{"dest", "dst", "new", "to"})):
			s.worst.add(s.k.unnamedFinding(abs, true))
		}
		for j := range places {
			switch q := &places[j]; {
			case i == j:
			case strings.Contains(q.key, "name") && !strings.Contains(q.text, "/"):
				s.path(filepath.Join(filepath.Dir(abs), q.text))
			case dir && !source && p.is(targetKeys[:]) && q.isSource():
				s.path(filepath.Join(abs, program.NameOfURL(q.text)))
				if from := s.k.absPath(q.text); !strings.Contains(q.text, "://") && isDir(from) {
					w, _ := s.k.checkCopiedTree(from, abs)
					s.worst.add(w)
				}
			}
		}
	}
}

// maxStrangePath is how long a path may be, as systems take it.
const maxStrangePath = 4096

// shortened is a text without what makes a path too long.
func shortened(text string) string {
	if len(text) > maxStrangePath && strings.Contains(text, "/") {
		text, _ = tools.ShortPath(text)
	}
	return text
}

// short reports whether a text can be a path.
func short(text string) bool {
	return text != "" && len(text) <= maxStrangePath && !strings.ContainsAny(text, "\n\r")
}

// joined judges a directory and a name that are given apart.
func (s *stranger) joined(texts []string) {
	for _, dir := range texts[:min(len(texts), maxNested)] {
		if !filepath.IsAbs(dir) && !strings.HasPrefix(dir, "~") {
			continue
		}
		for _, name := range texts[:min(len(texts), maxNested)] {
			if name != dir && !filepath.IsAbs(name) && !strings.Contains(name, " ") {
				s.path(strings.TrimSuffix(dir, "/") + "/" + name)
			}
		}
	}
}

// path judges one text that may be a path; what is known as one is judged elsewhere,
// with what becomes of the file.
func (s *stranger) path(text string) {
	text = strings.TrimPrefix(text, "file://")
	text = shortened(text)
	if s.takes && short(text) && strings.Contains(text, "/") {
		s.worst.add(s.k.holdsTranscripts(text))
	}
	if !short(text) || !strings.Contains(text, "/") || slices.ContainsFunc(s.parts, func(p tools.Part) bool {
		return p.Text == text && (p.Role == tools.WritePath || p.Role == tools.DeletePath)
	}) {
		return
	}
	s.worst.add(s.k.deniedFinding(text))
	if s.spreads && (filepath.IsAbs(text) || text[0] == '~') && s.k.isHostDir(text) {
		s.worst.add(hostDirFinding)
	}
}
