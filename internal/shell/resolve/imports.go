package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// maxImports bounds the modules that are followed for one call.
const maxImports = 64

// walkImports walks the modules that the sources of call import by name, if this session wrote them.
// The project's own modules are trusted like the project.
func (w projects) walkImports(call *shell.Call, c *command) {
	ends, dotted := "", false
	switch tongue := facts.LanguageOf(call.Name); {
	case tongue == facts.Python:
		ends, dotted = ".py /__init__.py", true
	case tongue.IsJavaScript():
		ends = " .js .mjs .cjs .ts /index.js"
	case tongue == facts.Ruby:
		ends = " .rb"
	default:
		return
	}
	left := maxImports
	each := func(dir, text string) {
		for name := range strings.FieldsFuncSeq(importLines(text), func(r rune) bool { return strings.ContainsRune(" \t\n,;()'\"`", r) }) {
			if left--; left < 0 {
				return
			}
			path := strings.TrimPrefix(name, "./")
			if dotted {
				path = strings.ReplaceAll(strings.TrimLeft(name, "."), ".", "/")
			}
			if path == "" || strings.HasPrefix(path, "-") {
				continue
			}
			for end := range strings.SplitSeq(ends, " ") {
				w.walkImport(call, c, dir+path+end)
			}
		}
	}
	for i := range call.Files {
		f := &call.Files[i]
		dir := ""
		if at := strings.LastIndexByte(f.Path, '/'); at >= 0 {
			dir = f.Path[:at+1]
		}
		each(dir, f.Text)
	}
	for i := range call.Args {
		if t := call.Args[i].Text; strings.ContainsAny(t, " (") {
			each("", t) // -c CODE
		}
	}
}

// walkImport walks the module at path if this session wrote it.
func (w projects) walkImport(call *shell.Call, c *command, path string) {
	switch full := w.fullPath(path, &c.context); {
	case full[0] != '/' || c.remote != "" || strings.Contains(full, placeholder):
		return
	case w.place.Wrote == nil:
		w.place.Read(full) // lets a caller that collects the files of a command see this one
		return
	case !w.place.Wrote(full):
		return
	}
	f := w.fileAt(path, &c.context)
	if f == nil || f.isDir || !w.enterFile("module "+f.path, c) {
		return
	}
	w.walkWords(c, []shell.Word{{Text: call.Name}, {Text: path}})
	w.leaveFile()
}

// importLines returns the lines of text, source code, that import modules.
func importLines(text string) string {
	var b strings.Builder
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ") || strings.Contains(line, "require") || strings.Contains(line, "import(") {
			b.WriteString(line + "\n")
		}
		if b.Len() > expand.MaxOutput {
			break
		}
	}
	return b.String()
}
