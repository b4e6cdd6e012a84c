package usage

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A lineFile is where a builtin adds lines of JSON: a file that the person named,
// or one of ours.
type lineFile struct {
	path string // as the person wrote it, "" = ours
	own  string // the name of ours
}

// readLineFile reads the argument path=FILE.
func readLineFile(args []string, own string) (lineFile, error) {
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

// where is the file of a call: a relative path is one of the project.
func (f *lineFile) where(call *Call) (string, error) {
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

// add adds a line.
func (f *lineFile) add(call *Call, line rawjson.Object) error {
	if call.Env.AddLine == nil {
		return nil
	}
	file, err := f.where(call)
	if err == nil {
		err = call.Env.AddLine(file, line)
	}
	if err != nil {
		return fmt.Errorf("a line could not be written: %w", err)
	}
	return nil
}

// lineHead begins a line with what all of them tell.
func lineHead(call *Call) rawjson.Object {
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
