package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A container is one that the text starts. All in it is new and goes with it, save
// for what it shares with the machine or with other containers.
type container struct {
	image  string
	dir    string // of -w
	root   string // of a chroot in it
	mounts []mount
	shared bool // it reaches out in a way that is not followed
}

// A mount is a directory of the machine that a container sees.
type mount struct {
	host string // "" = a volume with a name, which outlives the container
	at   string
}

// flags reads the flags of docker run and exec. It returns the entry
// point, if one is named, and what begins with the container or image.
func (b *container) flags(args []shell.Word) (entry shell.Word, rest []shell.Word) {
	for len(args) > 0 {
		a := args[0].Text
		name, n := "", 1
		val := args[0]
		switch {
		case a == "--":
			return entry, args[1:]
		case strings.HasPrefix(a, "--"):
			var given bool
			name, val.Text, given = strings.Cut(a, "=")
			if !given && !facts.InList(dockerBooleans, a) {
				n = 2
			}
		case len(a) > 1 && a[0] == '-':
			// The first letter that takes a value takes what is left.
			if i := strings.IndexAny(a[1:], "evpuwlhmca"); i >= 0 {
				name, val.Text = "-"+a[i+1:i+2], strings.TrimPrefix(a[i+2:], "=")
				if val.Text == "" {
					n = 2
				}
			}
		default:
			return entry, args
		}
		if n == 2 {
			if len(args) < 2 {
				return entry, nil
			}
			val = args[1]
		}
		if name == "--entrypoint" {
			entry = val
		}
		b.flag(name, val.Text)
		args = args[n:]
	}
	return entry, nil
}

// flag takes up what a flag says about the container's ways out.
func (b *container) flag(name, val string) {
	switch name {
	case "-v", "--volume":
		host, at, ok := strings.Cut(val, ":")
		if !ok {
			return // a volume without a name goes with the container
		}
		at, _, _ = strings.Cut(at, ":")
		if !strings.HasPrefix(at, "/") {
			b.shared = true // C:\x:/y
			return
		}
		if !strings.HasPrefix(host, hole) && (host == "" || strings.IndexByte("/.~", host[0]) < 0) {
			host = ""
		}
		b.mount(mount{host, at})
	case "--mount":
		var m mount
		kind := "volume"
		for part := range strings.SplitSeq(val, ",") {
			key, v, _ := strings.Cut(part, "=")
			switch key {
			case "type":
				kind = v
			case "source", "src":
				m.host = v
			case "target", "dst", "destination":
				m.at = v
			}
		}
		if kind == "volume" {
			m.host = ""
		}
		if kind == "bind" || kind == "volume" {
			b.mount(m)
		}
	case "-w", "--workdir":
		b.dir = val
	case "--privileged":
		b.shared = b.shared || val != "false"
	case "--device", "--volumes-from", "--pid", "--ipc", "--cap-add", "--security-opt", "--overrides":
		b.shared = true
	}
}

func (b *container) mount(m mount) {
	if len(b.mounts) >= maxFrom {
		b.shared = true
		return
	}
	b.mounts = append(b.mounts, m)
}

// place gives a call in the container the paths that it has on the machine, when
// it touches what both share. It reports false when nothing of the call lasts.
func (b *container) place(call *shell.Call, w *walker) bool {
	if b.shared || w.steps < 0 {
		return true
	}
	inside, mapped, volume, loose := 0, 0, false, false
	dir := call.Dir
	if dir == "" {
		dir = b.dir
	}
	if dir == "" && len(b.mounts) > 0 {
		dir = b.mounts[0].at // where an image works is most often where it is given files
	}
	try := func(word shell.Word) shell.Word {
		pre, path := pathIn(word.Text)
		if path == "" {
			loose = loose || word.Text != "" && word.Text[0] != '-'
			return word
		}
		host, where := b.host(path)
		switch where {
		case onHost:
			mapped++
			word.Text = pre + host
		case inVolume:
			volume = true
		default:
			inside++
		}
		return word
	}
	args := slices.Clone(call.Args)
	for i := range args {
		args[i] = try(args[i])
	}
	redir := slices.Clone(call.Redir)
	for i := range redir {
		if op := redir[i].Op; op != "<<" && op != "<<<" && !strings.HasPrefix(redir[i].Target.Text, "/dev/") {
			redir[i].Target = try(redir[i].Target)
		}
	}
	home, where := "", lost
	if dir != "" {
		home, where = b.host(dir)
	}
	if volume || loose && inside == 0 && where == inVolume {
		return true
	}
	if mapped > 0 || inside == 0 && where == onHost {
		call.Args, call.Redir, call.Remote = args, redir, ""
		if where == onHost && (mapped == 0 || loose || call.Dir != "" || b.dir != "") {
			call.Dir = home
		}
		return true
	}
	call.Remote = b.image + " (new)"
	call.Redir = slices.DeleteFunc(redir, func(r shell.Redirect) bool { return !strings.HasPrefix(r.Target.Text, "/dev/tcp/") && r.Op[0] != '<' })
	idle := facts.Shell(call.Name) && len(call.Args) == 0 && call.In == nil && len(b.mounts) == 0
	return !changesFiles(call.Name) && !idle
}

// pathIn is the path in a word, and what stands before it: of=/x.
func pathIn(text string) (pre, path string) {
	if i := strings.IndexAny(text, "=@"); i >= 0 && i+1 < len(text) && (text[i+1] == '/' || text[i+1] == '~') && strings.IndexByte(text[:i], '/') < 0 {
		pre, text = text[:i+1], text[i+1:]
	}
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		return pre, "/root" + rest
	}
	if !strings.HasPrefix(text, "/") {
		return "", ""
	}
	return pre, text
}

// Where a path of a container lies.
type whereabouts uint8

const (
	lost     whereabouts = iota // within the container
	onHost                      // on the machine
	inVolume                    // in a volume that outlives the container
)

// host is where a path of the container lies.
func (b *container) host(path string) (string, whereabouts) {
	if b.root != "" {
		path = cleanJoin(b.root, path)
	}
	path = cleanJoin("", path)
	var best *mount
	for i := range b.mounts {
		m := &b.mounts[i]
		at := strings.TrimRight(m.at, "/")
		if (path == at || strings.HasPrefix(path, at+"/")) && (best == nil || len(m.at) > len(best.at)) {
			best = m
		}
	}
	if best != nil {
		if best.host == "" {
			return "", inVolume
		}
		rest := strings.TrimPrefix(path, strings.TrimRight(best.at, "/"))
		if host := strings.TrimRight(best.host, "/"); host+rest != "" {
			return host + rest, onHost
		}
		return "/", onHost
	}
	// What lies above a mount has it in it.
	above := strings.TrimRight(strings.TrimSuffix(path, "*"), "/")
	for i := range b.mounts {
		if m := &b.mounts[i]; strings.HasPrefix(m.at, above+"/") {
			if m.host == "" {
				return "", inVolume
			}
			return m.host, onHost
		}
	}
	return "", lost
}

// changesFiles reports whether a program does no more than change files, so that
// nothing of it lasts in a container that is thrown away.
func changesFiles(name string) bool {
	switch name {
	case ":", "{", "rm", "rmdir", "unlink", "shred", "srm", "dd", "chmod", "chown", "chgrp", "mv", "cp", "ln", "truncate", "tee", "find", "touch", "mkdir", "install", "sed", "wipefs", "fdisk", "parted",
		"mke2fs", "mkswap", "apt", "apt-get", "apk", "yum", "dnf", "dpkg", "rpm", "useradd", "userdel", "adduser", "deluser", "passwd", "chpasswd", "shutdown", "reboot", "halt", "kill", "killall", "pkill":
		return true
	}
	return strings.HasPrefix(name, "mkfs")
}
