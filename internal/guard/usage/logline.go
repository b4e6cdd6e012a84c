package usage

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A lineFile is a file to which a builtin appends lines of JSON. The user may name it; otherwise it is
// one of checkrein's own.
type lineFile struct {
	path string // as the user wrote it; "" means checkrein's own file
	own  string // the name of checkrein's own file
}

// parseLineFile parses the arguments, which may have path=FILE. The default file is own.
func parseLineFile(args []string, own string) (lineFile, error) {
	f := lineFile{own: own}
	for _, arg := range args {
		path, ok := strings.CutPrefix(arg, "path=")
		if !ok || path == "" {
			return f, fmt.Errorf("unknown argument %q: must be path=FILE", arg)
		}
		if f.path != "" {
			return f, fmt.Errorf("path is given twice, %q and %q: remove one", f.path, path)
		}
		f.path = path
	}
	return f, nil
}

// resolvePath returns the path of the file for a call. A relative path is relative to the project.
func (f *lineFile) resolvePath(call *Call) (string, error) {
	if f.path == "" {
		return f.own, nil
	}
	path := f.path
	if rest, ok := strings.CutPrefix(path, "~/"); ok && call.Machine.Home != "" {
		path = filepath.Join(call.Machine.Home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmp.Or(call.Event.Session.Root, call.Dir), path)
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("path %s is relative to an unknown directory: write an absolute path", f.path)
	}
	return path, nil
}

// addLine appends a line to the file.
func (f *lineFile) addLine(call *Call, line rawjson.Object) error {
	if call.Env.AddLine == nil {
		return nil
	}
	file, err := f.resolvePath(call)
	if err == nil {
		err = call.Env.AddLine(file, line)
	}
	if err != nil {
		return fmt.Errorf("a line could not be written: %w", err)
	}
	return nil
}

// beginLine returns a line with the members that all lines have.
func beginLine(call *Call) rawjson.Object {
	ev := &call.Event
	now := time.Now
	if call.Machine.Now != nil {
		now = call.Machine.Now
	}
	o := rawjson.Object{'{'}
	o.Text("time", now().UTC().Format("2006-01-02T15:04:05.000Z"))
	o.Text("event", ev.Kind.String())
	o.Text("host", ev.Host)
	o.Text("session", ev.Session.ID)
	o.Flag("foreign", call.Env.Foreign != nil && call.Env.Foreign())
	o.Text("agent", ev.Session.Agent)
	o.Text("cwd", cmp.Or(ev.Session.Dir, call.Dir))
	return o
}
