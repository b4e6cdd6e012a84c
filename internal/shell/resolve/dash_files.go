package resolve

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxDashed bounds the recorded files whose names look like options.
const maxDashed = 16

// recordDashFiles records the files created by call whose names begin with a dash. A pattern that
// matches such a file passes its name to a program as an option.
func (w *fileTable) recordDashFiles(call *shell.Call, c *command) {
	for i := range call.Redir {
		if r := &call.Redir[i]; strings.Contains(r.Op, ">") {
			w.addDashFile(r.Target.Text, c)
		}
	}
	if !program.Is(call.Name, program.IsNamer) {
		return
	}
	ended := false
	for i := range call.Args {
		t := call.Args[i].Text
		if t == "--" {
			ended = true
		} else if ended || strings.Contains(t, "/-") {
			w.addDashFile(t, c)
		}
	}
}

// addDashFile records the file name if its last element begins with a dash.
func (w *fileTable) addDashFile(name string, c *command) {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if len(base) < 2 || base[0] != '-' || len(name) > maxPath || isStream(name) || len(w.dashed) >= maxDashed {
		return
	}
	w.dashed = append(w.dashed, w.fullPath(name, &c.context))
}

// insertDashFiles inserts before each pattern in the words of c the recorded files that match it and
// look like options.
func (w *fileTable) insertDashFiles(c *command) {
	for i := len(c.words) - 1; i > 0; i-- {
		a := &c.words[i]
		if !a.Glob || a.Quoted || strings.Contains(a.Text, "/") {
			continue
		}
		var names []shell.Word
		for _, full := range w.dashed {
			dir, base := path.Split(full)
			ok, err := path.Match(a.Text, base)
			if (ok || err != nil) && strings.TrimSuffix(dir, "/") == strings.TrimSuffix(path.Dir(w.fullPath("x", &c.context)), "/") && !argv.HasWord(c.words, base) {
				names = append(names, shell.Word{Text: base, Quoted: true})
			}
		}
		if names != nil {
			words := append(c.words[:i:i], names...)
			c.words = append(words, c.words[i:]...)
		}
	}
}
