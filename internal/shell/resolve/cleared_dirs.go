package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A clearing is a command that deletes a directory which a variable, an option, a
// setting or a word of it names.
type clearing struct {
	program string
	needs   string // words that must be there; alternatives are separated by |
	vars    string // variables that name the directory
	opts    string // options that name it
	defs    string // definitions that name it: NAME=dir behind any option letters
	set     string // a setting that an earlier call made
	below   string // what is deleted in a directory that a variable names, when it is not the whole
	word    bool   // the first word behind those that are needed names it
	outer   bool   // within the project that is what it is for
}

// clearsBy reports whether a variable names a directory that some command deletes.
func clearsBy(name string) bool {
	if len(name) < 6 {
		return false
	}
	for i := range clearings {
		if v := clearings[i].vars; len(v) >= len(name) && facts.InList(v, name) {
			return true
		}
	}
	return false
}

// clears walks the deletion of a directory that a call clears, when it is told which.
func (w options) clears(c *command, call *shell.Call) {
	rows := rowsOf(clearings[:], call.Name)
	for i := range rows {
		w.clearing(c, call, &rows[i])
		if rows[i].set != "" {
			w.sets(call, &rows[i])
		}
	}
	if call.Name == "make" || call.Name == "gmake" || call.Name == "bmake" {
		w.makeClears(c, call)
	}
}

func (w options) clearing(c *command, call *shell.Call, row *clearing) {
	behind, ok := row.fits(call.Args)
	if !ok {
		return
	}
	for i := range call.Env {
		if v := &call.Env[i]; facts.InList(row.vars, v.Name) {
			dir := v.Value
			if row.below != "" {
				dir.Text = strings.TrimSuffix(dir.Text, "/") + "/" + row.below
			}
			w.cleared(c, dir, row.outer)
		}
	}
	given := false
	eachOption(call.Args, row.opts, func(dir shell.Word) {
		given = true
		w.cleared(c, dir, row.outer)
	})
	if row.defs != "" {
		for i := range call.Args {
			if dir, ok := defined(call.Args[i], row.defs); ok {
				w.cleared(c, dir, row.outer)
			}
		}
	}
	if row.set != "" && !given {
		if s := w.setting(row.program, row.set); s != nil {
			w.cleared(c, s.value, row.outer)
		}
	}
	if row.word {
		for _, a := range call.Args[behind:] {
			if a.Text != "" && a.Text[0] != '-' {
				w.cleared(c, a, false)
				break
			}
		}
	}
}

// sets takes up the setting of a row that a call makes: go env -w X=dir, npm config
// set x dir, ccache --set-config x=dir.
func (w options) sets(call *shell.Call, row *clearing) {
	if !hasWord(call.Args, "-w") && !hasWord(call.Args, "set") && !hasWord(call.Args, "--set-config") {
		return
	}
	for i, a := range call.Args {
		name, val, given := strings.Cut(a.Text, "=")
		switch {
		case name != row.set && name != "--set-config="+row.set:
		case given:
			w.addSetting(row.program, row.set, shell.Word{Text: val, From: a.From})
		case i+1 < len(call.Args):
			w.addSetting(row.program, row.set, call.Args[i+1])
		}
	}
}

// fits reports whether a call has the words that a row needs, and where those that
// are no flags end.
func (row *clearing) fits(args []shell.Word) (behind int, ok bool) {
	for need := range strings.FieldsSeq(row.needs) {
		at := -1
		for i := range args {
			for one := range strings.SplitSeq(need, "|") {
				if args[i].Text == one {
					at = i
				}
			}
			if at >= 0 {
				break
			}
		}
		if at < 0 {
			return 0, false
		}
		if need[0] != '-' {
			behind = max(behind, at+1)
		}
	}
	return behind, true
}

// eachOption calls fn with the values of options: --x v, --x=v, -xv.
func eachOption(args []shell.Word, names string, fn func(shell.Word)) {
	if names == "" {
		return
	}
	for i := range args {
		t := args[i].Text
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		name, val, given := strings.Cut(t, "=")
		switch {
		case facts.InList(names, t) && i+1 < len(args):
			fn(args[i+1])
		case given && facts.InList(names, name):
			fn(shell.Word{Text: val, From: args[i].From})
		case t[1] != '-' && len(t) > 2 && facts.InList(names, t[:2]):
			fn(shell.Word{Text: t[2:], From: args[i].From})
		}
	}
}

// defined is the value of NAME=value, behind -D, -P, -p:, /p: or nothing, and with
// the quotes of a configuration in TOML off.
func defined(w shell.Word, names string) (shell.Word, bool) {
	name, val, ok := strings.Cut(w.Text, "=")
	if !ok {
		return w, false
	}
	for _, prefix := range [...]string{"-p:", "/p:", "-D", "-P", "--config="} {
		if rest, is := strings.CutPrefix(name, prefix); is {
			name = rest
			break
		}
	}
	if !facts.InList(names, strings.TrimSpace(name)) {
		return w, false
	}
	w.Text = strings.Trim(strings.TrimSpace(val), `"'`)
	return w, true
}

// makeClears walks make clean with a directory for its outputs.
func (w options) makeClears(c *command, call *shell.Call) {
	cleans := false
	for i := range call.Args {
		t := call.Args[i].Text
		cleans = cleans || strings.Contains(t, "clean") && !strings.Contains(t, "=") && t[0] != '-'
	}
	if !cleans {
		return
	}
	for i := range call.Args {
		if name, val, ok := strings.Cut(call.Args[i].Text, "="); ok && isOutput(name) {
			w.cleared(c, shell.Word{Text: val, From: call.Args[i].From}, true)
		}
	}
	for i := range call.Env {
		if v := &call.Env[i]; isOutput(v.Name) {
			w.cleared(c, v.Value, true)
		}
	}
}

// isOutput reports whether a variable by its name says where a build puts things.
func isOutput(name string) bool {
	name = strings.ToUpper(strings.TrimRight(name, ":?+"))
	if name == "O" || name == "DESTDIR" {
		return true
	}
	for _, prefix := range [...]string{"BUILD", "OUT", "DIST", "OBJ", "BIN", "TARGET", "TMP", "CACHE", "GEN", "ARTIFACT"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// cleared walks the deletion of a directory. By its name it may be one that is made
// to be deleted.
func (w options) cleared(c *command, dir shell.Word, outer bool) {
	text := strings.TrimSuffix(dir.Text, "/")
	if text == "" && dir.Text == "" || len(dir.From) == 0 && strings.HasPrefix(text, hole) {
		return
	}
	base := strings.ToLower(text[strings.LastIndexByte(text, '/')+1:])
	if isMade(base) || outer && w.isWithin(text) {
		return
	}
	inner := *c
	inner.env = nil
	dir.Glob = false
	w.inner(&inner, []shell.Word{{Text: "rm"}, {Text: "-rf"}, {Text: "--"}, dir})
}

// isMade reports whether a directory is by its name one that is made again.
func isMade(base string) bool {
	switch base {
	case "out", "dist", "browsers", ".tox", ".nox", "_site", "public", "site":
		return true
	}
	for _, part := range [...]string{"cache", "target", "build", "tmp", "temp"} {
		if strings.Contains(base, part) {
			return true
		}
	}
	return strings.HasSuffix(base, "env")
}

// isWithin reports whether a path is below where a call runs, or in the project.
func (w *fileTable) isWithin(path string) bool {
	if path == "." || path == "" || path == ".." || strings.HasPrefix(path, "../") || strings.HasPrefix(path, "~") {
		return false
	}
	if path[0] != '/' {
		return true
	}
	return w.place.Root != "" && strings.HasPrefix(path, w.place.Root+"/")
}
