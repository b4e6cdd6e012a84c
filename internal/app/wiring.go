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

// maxWiring is how many bytes are read of the record of an installation, and of a host's file.
const maxWiring = 8 << 20

// maxProjectFile is how many bytes are read of a project's file for a host, which nobody has reviewed.
const maxProjectFile = 256 << 10

// wiringNotices returns notices about hosts that were set up to call checkrein and no longer do, and
// about the project's files that affect hooks. It returns them only at the start of a session and for
// git. A host that lost its hooks cannot report that itself, so the callers that remain do.
func (k *Kit) wiringNotices(on checkrein.Kind, name, told string) []string {
	switch on {
	case checkrein.SessionStart:
	case checkrein.PreCommit, checkrein.PrePush:
		told = "git " + k.now().Format(time.DateOnly)
	default:
		return nil
	}
	if k.live.fixed { // the kit runs hooks that other processes hand over
		return nil
	}
	lines, hosts := k.lostWiring()
	if name != "" && !slices.Contains(hosts, name) {
		hosts = append(hosts, name)
	}
	lines = append(lines, k.overrulingFileNotices(hosts, name)...)
	if on == checkrein.SessionStart {
		lines = append(lines, k.hijackVarNotices(hosts, name)...)
	}
	return k.memory.takeUnseen(told, lines)
}

// lostWiring compares the records of installations with the hosts' files. It returns notices about
// lost hooks, and the names of the installed hosts.
func (k *Kit) lostWiring() (lines, hosts []string) {
	names, _ := k.state.Names("install") // without records, nothing is installed
	for _, name := range names {
		raw, err := k.state.Read("install/"+name, maxWiring)
		if err != nil || !strings.HasSuffix(name, ".json") {
			continue
		}
		who, scope, project := rawjson.GetText(raw, "host"), rawjson.GetText(raw, "scope"), rawjson.GetText(raw, "project")
		h, ok := host.Find(who)
		if !ok || project != "" && project != k.top && project != k.root {
			continue
		}
		hosts = append(hosts, who)
		files, _ := rawjson.Get(raw, "files")
		rawjson.Elements(files, func(_ int, f []byte) bool {
			path := rawjson.GetText(f, "path")
			if why := k.describeLoss(path, h.GateEvents()); why != "" {
				lines = append(lines, h.Title+" no longer calls checkrein, so nothing guards it: "+why+" ("+path+"). To repair it, run checkrein install "+who+" --scope "+scope+
					"; if you removed it on purpose, run checkrein uninstall "+who+" --scope "+scope)
				return false
			}
			return true
		})
	}
	return lines, hosts
}

// describeLoss returns what the host's settings file at path lost of checkrein's hooks, or "" if it
// lost nothing. gates are the host's events on which calls can be refused.
func (k *Kit) describeLoss(path string, gates []string) string {
	row, _ := hostfiles.FindFile(path, k.home, k.getenv, k.root, k.top)
	text, err := state.ReadRegular(path, maxWiring)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "the file is missing"
	case err != nil || row == nil: // nothing is known about the file
		return ""
	case text == nil:
		text = []byte{}
	}
	return row.DescribeLoss(text, gates)
}

// overrulingFileNotices returns notices about the project's files that switch off the hooks of the
// hosts names, or that add other hooks for the host asking.
func (k *Kit) overrulingFileNotices(names []string, asking string) (lines []string) {
	if k.root == k.home {
		return nil // files in the home directory are the user's own
	}
	hostfiles.EachPath("", nil, []string{k.root}, func(path string, f *hostfiles.File) bool {
		if f.Where&hosts.Project == 0 || strings.Contains(f.Path, "*") || !slices.Contains(names, f.Host) || !strings.HasPrefix(path, filepath.ToSlash(k.root)) {
			return false
		}
		h, _ := host.Find(f.Host)
		text, err := state.ReadRegular(filepath.FromSlash(path), maxProjectFile)
		if errors.Is(err, state.ErrTooLarge) {
			lines = append(lines, "a file in this project may turn off "+h.Title+"'s hooks or add others, but is too large to read: "+path+". Make it smaller, or check it yourself")
		}
		if err != nil {
			return false
		}
		off := f.OffSwitches(text)
		var names []string
		off = slices.DeleteFunc(off, func(s string) bool {
			name, is := strings.CutPrefix(s, "env.")
			if is {
				names = append(names, name)
			}
			return is
		})
		if len(off) > 0 {
			lines = append(lines, "a file in this project turns off "+h.Title+"'s hooks: "+joinNames(off)+" in "+path+". Remove this from the file; otherwise, nothing guards that agent here")
		}
		if len(names) > 0 {
			lines = append(lines, hijackNotice(path, names, h.Title, "hooks and the shell that starts them may behave differently"))
		}
		if names := f.RedirectVars(text); len(names) > 0 {
			lines = append(lines, hijackNotice(path, names, h.Title, hostfiles.MovesConnections))
		}
		if events := f.ForeignHooks(text); len(events) > 0 && f.Host == asking {
			lines = append(lines, "a file in this project adds hooks that "+h.Title+" runs without checkrein: "+joinNames(events)+" in "+path)
		}
		return false
	})
	return lines
}

// hijackVarNotices returns notices about the project's files that set hijack variables for the
// installed hosts, or for whatever starts there.
func (k *Kit) hijackVarNotices(hosts []string, asking string) (lines []string) {
	if k.root == k.home {
		return nil
	}
	for i, root := range [...]string{k.root, k.top} {
		if root == "" || i > 0 && root == k.root {
			continue
		}
		for _, s := range hostfiles.Setters() {
			who := asking
			if s.Hosts != "" && !s.IsReadBy(asking) {
				if at := slices.IndexFunc(hosts, s.IsReadBy); at >= 0 {
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
			if h, ok := host.Find(who); ok {
				title = h.Title
			}
			if s.By != "" {
				title += " (through " + s.By + ")"
			}
			if names, how := s.HijackVars(text, root); len(names) > 0 {
				lines = append(lines, hijackNotice(path, names, title, how))
			} else if len(text) == hostfiles.MaxSetter {
				lines = append(lines, "a file in this project may set variables for "+title+", but is too large to read: "+path+". Make it smaller, or check whether it sets variables such as HOME")
			}
		}
	}
	return lines
}

// joinNames joins at most eight names for display, since their author is not trusted.
func joinNames(names []string) string {
	const few = 8
	if len(names) > few {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", len(names)-few)
	}
	return strings.Join(names, ", ")
}

// hijackNotice returns a notice that the file at path sets the variables names for who, what that
// changes, and the remedy.
func hijackNotice(path string, names []string, who, how string) string {
	return "a file in this project sets variables for " + who + ": " + joinNames(names) + " in " + path + ". With them, " + how +
		". Remove them from the file, or start the agent where they are not set"
}

// getenv returns the value of the environment variable name in the kit's environment.
func (k *Kit) getenv(name string) string {
	v, _ := environ.Lookup(k.environ, name)
	return v
}
