package resolve

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
)

// recordMkdir records the directories that a call of mkdir creates.
func (w *outputs) recordMkdir(call *shell.Call, c *command) {
	parents := false
	for _, a := range call.Args {
		parents = parents || a.Text == "--parents" || len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-' && strings.Contains(a.Text, "p")
	}
	for i, a := range call.Args {
		// If a directory is not recorded, all that is lost is that it is new.
		if isStream(a.Text) || a.Text[0] == '-' || !a.IsKnown() || len(a.Text) > maxPath || i > maxLoop || len(w.files) >= maxVars {
			continue
		}
		w.writeCount++
		full := w.fullPath(a.Text, &c.context)
		if w.lookupFile(full) != nil {
			continue
		}
		f := w.findOrAddFile(full)
		f.isDir = true
		if !parents {
			w.recordCreation(f, createdIfOK, w.depth)
		}
	}
}

// recordMktemp records the file or directory that a call of mktemp creates.
func (w *outputs) recordMktemp(call *shell.Call, c *command) {
	path, dir := w.mktempPath(call)
	if path == "" || len(w.files) >= maxVars {
		return
	}
	w.tempCount++
	w.writeCount++
	if f := w.findOrAddFile(w.fullPath(path, &c.context)); f != nil {
		f.isDir, f.sure = dir, !dir
		w.recordCreation(f, createdNew, w.depth)
	}
}

// mktempPath returns the path that a call of mktemp creates, with a number in place of the random
// letters, or "" if it is unknown. dir reports whether it is a directory.
func (w *outputs) mktempPath(call *shell.Call) (path string, dir bool) {
	base, name, suffix := "", "", ""
	for i := 0; i < len(call.Args); i++ {
		a := call.Args[i].Text
		next := ""
		if i+1 < len(call.Args) {
			next = call.Args[i+1].Text
		}
		switch {
		case a == "--directory":
			dir = true
		case strings.HasPrefix(a, "--tmpdir="):
			base = a[len("--tmpdir="):]
		case strings.HasPrefix(a, "--suffix="):
			suffix = a[len("--suffix="):]
		case a == "-p" || a == "--suffix":
			i++
			if base = next; a != "-p" {
				base, suffix = "", next
			}
		case a == "--tmpdir":
			base = "/tmp"
		case strings.HasPrefix(a, "--dry") || a == "-u":
			return "", false
		case len(a) > 1 && a[0] == '-':
			dir = dir || strings.Contains(a, "d")
			if strings.HasSuffix(a, "t") {
				base = "/tmp"
			}
		default:
			name = a
		}
	}
	if strings.Contains(base+name+suffix, placeholder) {
		return "", dir
	}
	switch {
	case name == "":
		name = "tmp.XXXXXXXXXX"
		if base == "" {
			base = "/tmp"
		}
	case !strings.Contains(name, "XXX"):
		if base == "" {
			return "", dir
		}
		name += ".XXXXXXXX" // as the BSDs do
	}
	if base != "" {
		name = strings.TrimRight(base, "/") + "/" + name
	}
	if n := w.tempCount; n > 0 {
		i := strings.LastIndex(name, "XXX")
		digits := strconv.Itoa(n)
		name = name[:i+3-min(len(digits), 3)] + digits + name[i+3:]
	}
	return name + suffix, dir
}

// recordClone records the directory that git clone creates, if call is one.
func (w *outputs) recordClone(call *shell.Call, c *command) {
	at := -1
	for i, a := range call.Args {
		if a.Text == "clone" {
			at = i
			break
		}
		if i > 3 {
			return
		}
	}
	if at < 0 {
		return
	}
	if at > 1 && call.Args[at-2].Text == "-C" {
		inner := *c
		inner.dir = w.fullPath(call.Args[at-1].Text, &c.context)
		c = &inner
	}
	f := argv.FlagReader{Args: call.Args[at+1:], Options: &argv.Options{Short: "bcjou", Long: "--branch --depth --origin --config --jobs --reference --template --upload-pack --filter --separate-git-dir --shallow-since"}}
	rest := f.Operands()
	if len(rest) == 0 {
		return
	}
	path := cloneDirName(rest[0].Text)
	if len(rest) > 1 {
		path = rest[1].Text
	}
	if isRemoteURL(rest[0].Text) && path != "" {
		w.addFetchedDir(call, c, path, false)
	}
	if isStream(path) || strings.Contains(path, placeholder) || len(path) > maxPath || len(w.files) >= maxVars {
		return
	}
	w.writeCount++
	if d := w.findOrAddFile(w.fullPath(path, &c.context)); d != nil {
		d.isDir = true
		d.from = []*shell.Call{call}
		w.recordCreation(d, createdIfOK, w.depth)
	}
}

// cloneDirName returns the name of the directory that git clone creates for url by default.
func cloneDirName(url string) string {
	url = strings.TrimSuffix(strings.TrimRight(url, "/"), ".git")
	return url[strings.LastIndexAny(url, "/:")+1:]
}

// recordMkfifo records the pipes that a call of mkfifo creates.
func (w *outputs) recordMkfifo(call *shell.Call, c *command) {
	for i, a := range call.Args {
		if a.Text != "" && a.Text[0] != '-' && (i == 0 || call.Args[i-1].Text != "-m") && i <= maxLoop {
			w.recordNewFile(a, c)
		}
	}
}

// recordNewFile records that c creates the file path, unless the file is known to exist.
func (w *outputs) recordNewFile(path shell.Word, c *command) {
	if isStream(path.Text) || path.Text[0] == '-' || !path.IsKnown() || len(path.Text) > maxPath || len(w.files) >= maxVars {
		return
	}
	w.writeCount++
	full := w.fullPath(path.Text, &c.context)
	if f := w.lookupFile(full); f != nil {
		return
	}
	f := w.findOrAddFile(full)
	if f == nil {
		return
	}
	f.content = content{text: placeholder, keepsOld: true}
	w.recordCreation(f, createdIfOK, w.depth)
}
