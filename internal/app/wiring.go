package app

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxWiring bounds what is read of an installation's record and of a host's file.
const maxWiring = 8 << 20

// maxBrought bounds what is read of a file of the project that a host reads:
// nobody looked at it.
const maxBrought = 256 << 10

// wiringNotices say which hosts were told to call checkrein and do so no more, and
// what files of the project do to hooks. Only the start of a session and git
// look: a host whose hooks are gone cannot say it itself, so the others must.
func (k *Kit) wiringNotices(on checkrein.Kind, name, told string) []string {
	switch on {
	case checkrein.SessionStart:
	case checkrein.PreCommit, checkrein.PrePush:
		told = "git " + k.now().Format(time.DateOnly)
	default:
		return nil
	}
	if k.live.still { // the kit serves what others hand over
		return nil
	}
	lines, hosts := k.lostWiring()
	if name != "" && !slices.Contains(hosts, name) {
		hosts = append(hosts, name)
	}
	lines = append(lines, k.overrulingFiles(hosts, name)...)
	if on == checkrein.SessionStart {
		lines = append(lines, k.steeringFiles(hosts, name)...)
	}
	return k.memory.notToldBefore(told, lines)
}

// lostWiring goes through what install keeps, and returns the hosts that it names.
func (k *Kit) lostWiring() (lines, hosts []string) {
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
				lines = append(lines, h.Title+" no longer calls checkrein, so nothing guards it: "+why+" ("+path+"). To repair it, run checkrein install "+who+" --scope "+scope+
					"; if you removed it on purpose, run checkrein uninstall "+who+" --scope "+scope)
				return false
			}
			return true
		})
	}
	return lines, hosts
}

func (k *Kit) lostFrom(path string, gates []string) string {
	row, _ := hostfiles.Find(path, k.home, k.getenv, k.root, k.top)
	text, err := state.ReadRegular(path, maxWiring)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the file is missing"
	case err != nil || row == nil: // nothing is known of it
		return ""
	case text == nil:
		text = []byte{}
	}
	return row.Lost(text, gates)
}

// overrulingFiles lists which files of the project switch a host's hooks off, and which
// bring hooks of their own to the host that asks.
func (k *Kit) overrulingFiles(names []string, asking string) (lines []string) {
	if k.root == k.home {
		return nil // what is there is the person's own
	}
	hostfiles.Each("", nil, []string{k.root}, func(path string, f *hostfiles.File) bool {
		if f.Where&hosts.Project == 0 || strings.Contains(f.Path, "*") || !slices.Contains(names, f.Host) || !strings.HasPrefix(path, filepath.ToSlash(k.root)) {
			return false
		}
		h, _ := host.Named(f.Host)
		text, err := state.ReadRegular(filepath.FromSlash(path), maxBrought)
		if errors.Is(err, state.ErrTooLarge) {
			lines = append(lines, "a file in this project may turn off "+h.Title+"'s hooks or add others, but is too large to read: "+path+". Make it smaller, or check it yourself")
		}
		if err != nil {
			return false
		}
		off := f.Off(text)
		var names []string
		off = slices.DeleteFunc(off, func(s string) bool {
			name, is := strings.CutPrefix(s, "env.")
			if is {
				names = append(names, name)
			}
			return is
		})
		if len(off) > 0 {
			lines = append(lines, "a file in this project turns off "+h.Title+"'s hooks: "+listed(off)+" in "+path+". Remove this from the file; otherwise, nothing guards that agent here")
		}
		if len(names) > 0 {
			lines = append(lines, bends(path, names, h.Title, "hooks and the shell that starts them may behave differently"))
		}
		if names := f.Moved(text); len(names) > 0 {
			lines = append(lines, bends(path, names, h.Title, hostfiles.Moves))
		}
		if events := f.Foreign(text); len(events) > 0 && f.Host == asking {
			lines = append(lines, "a file in this project adds hooks that "+h.Title+" runs without checkrein: "+listed(events)+" in "+path)
		}
		return false
	})
	return lines
}

// steeringFiles lists which files of the project set variables that bend the hosts, or us.
func (k *Kit) steeringFiles(hosts []string, asking string) (lines []string) {
	if k.root == k.home {
		return nil
	}
	for i, root := range [...]string{k.root, k.top} {
		if root == "" || i > 0 && root == k.root {
			continue
		}
		for _, s := range hostfiles.Setters() {
			who := asking
			if s.Hosts != "" && !s.ReadBy(asking) {
				if at := slices.IndexFunc(hosts, s.ReadBy); at >= 0 {
					who = hosts[at]
				} else {
					continue
				}
			}
			path := filepath.Join(root, filepath.FromSlash(s.Path))
			text, err := state.ReadHead(path, hostfiles.MaxSetter)
			if err != nil {
				continue
			}
			title := "agents started there"
			if h, ok := host.Named(who); ok {
				title = h.Title
			}
			if s.By != "" {
				title += " (through " + s.By + ")"
			}
			if names, how := s.Steering(text, root); len(names) > 0 {
				lines = append(lines, bends(path, names, title, how))
			} else if len(text) == hostfiles.MaxSetter {
				lines = append(lines, "a file in this project may set variables for "+title+", but is too large to read: "+path+". Make it smaller, or check whether it sets variables such as HOME")
			}
		}
	}
	return lines
}

// listed joins names that a stranger chose, some of them if there are many.
func listed(names []string) string {
	const few = 8
	if len(names) > few {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", len(names)-few)
	}
	return strings.Join(names, ", ")
}

// bends reports that a file sets variables, and the way out.
func bends(path string, names []string, who, how string) string {
	return "a file in this project sets variables for " + who + ": " + listed(names) + " in " + path + ". With them, " + how +
		". Remove them from the file, or start the agent where they are not set"
}

func (k *Kit) getenv(name string) string {
	v, _ := environ.Lookup(k.environ, name)
	return v
}
