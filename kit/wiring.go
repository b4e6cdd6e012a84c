package kit

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wiring"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/state"
	"github.com/checkrein/checkrein/internal/workplace"
)

// maxWiring bounds what is read of an installation's record and of a host's file.
const maxWiring = 8 << 20

// unwired says which hosts were told to call checkrein and do so no more, and
// what files of the project do to hooks. Only the start of a session and git
// look: a host whose hooks are gone cannot say it itself, so the others must.
func (k *Kit) unwired(ev *checkrein.Event) []string {
	id := ev.Session.ID
	switch ev.Kind {
	case checkrein.SessionStart:
	case checkrein.PreCommit, checkrein.PrePush:
		id = "git " + k.now().Format(time.DateOnly)
	default:
		return nil
	}
	if k.live.still { // the kit serves what others hand over
		return nil
	}
	lines, hosts := k.lost()
	if ev.Host != "" && !slices.Contains(hosts, ev.Host) {
		hosts = append(hosts, ev.Host)
	}
	return k.memory.news(id, append(lines, k.overruled(hosts, ev.Host)...))
}

// lost goes through what install keeps, and returns the hosts that it names.
func (k *Kit) lost() (lines, hosts []string) {
	names, _ := k.state.Names("install") // without one nothing was installed
	for _, name := range names {
		raw, err := k.state.Read("install/"+name, maxWiring)
		if err != nil || !strings.HasSuffix(name, ".json") {
			continue
		}
		who, scope, project := rawjson.GetText(raw, "host"), rawjson.GetText(raw, "scope"), rawjson.GetText(raw, "project")
		h, ok := host.Named(who)
		if !ok || project != "" && project != k.top && project != k.root {
			continue
		}
		hosts = append(hosts, who)
		files, _ := rawjson.Get(raw, "files")
		rawjson.Elements(files, func(_ int, f []byte) bool {
			path := rawjson.GetText(f, "path")
			if why := k.lostFrom(path, h.Gates()); why != "" {
				lines = append(lines, h.Title+" no longer calls checkrein, so nothing guards it: "+why+" ("+path+"). checkrein install "+who+" --scope "+scope+
					" puts that right; if you meant it, checkrein uninstall "+who+" --scope "+scope+" forgets it")
				return false
			}
			return true
		})
	}
	return lines, hosts
}

func (k *Kit) lostFrom(path string, gates []string) string {
	row, _ := wiring.Find(path, k.home, k.getenv, k.root, k.top)
	text, err := state.ReadRegular(path, maxWiring)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the file is gone"
	case err != nil || row == nil: // nothing is known of it
		return ""
	case text == nil:
		text = []byte{}
	}
	return row.Lost(text, gates)
}

// overruled says which files of the project switch a host's hooks off, and which
// bring hooks of their own to the host that asks.
func (k *Kit) overruled(hosts []string, asking string) (lines []string) {
	if k.root == k.home {
		return nil // what is there is the person's own
	}
	wiring.Each("", nil, []string{k.root}, func(path string, f *wiring.File) bool {
		if f.Where&wiring.Project == 0 || strings.Contains(f.Path, "*") || !slices.Contains(hosts, f.Host) || !strings.HasPrefix(path, filepath.ToSlash(k.root)) {
			return false
		}
		text, err := state.ReadRegular(filepath.FromSlash(path), maxWiring)
		if err != nil {
			return false
		}
		h, _ := host.Named(f.Host)
		if off := f.Off(text); len(off) > 0 {
			lines = append(lines, "a file of this project switches hooks of "+h.Title+" off: "+strings.Join(off, ", ")+" in "+path)
		}
		if events := f.Foreign(text); len(events) > 0 && f.Host == asking {
			lines = append(lines, "a file of this project brings hooks that "+h.Title+" runs without asking checkrein: "+strings.Join(events, ", ")+" in "+path)
		}
		return false
	})
	return lines
}

func (k *Kit) getenv(name string) string {
	v, _ := workplace.Lookup(k.environ, name)
	return v
}
