package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// mount attaches file systems. Over a directory in use it hides what is there.
func (j *job) mount() {
	a := j.c.Args
	if len(a) == 0 || has(a, "-l", "--help", "-h", "-V", "--version", "--show-labels") || len(a) == 2 && a[0].Text == "-t" {
		j.note(safe, "read", shell.FSRead, "mount-list", "lists mounted file systems")
		return
	}
	var o program.Walk
	o.Start(j.c)
	var last shell.Word
	for o.Next() {
		switch o.Name {
		case "":
			last = o.Arg
		case "f", "fake":
			j.note(safe, "read", shell.FSRead, "mount-fake", "only shows what it would mount")
			return
		}
	}
	s := j.spot(last)
	v := maybe
	switch {
	case last.Text == "":
	case s.zone == inRoot, s.zone == inHome, s.zone == inSystem && !s.soft && !strings.HasPrefix(s.path, "/run/"), s.zone == inHistory, s.zone == inProjectRoot, s.kind != "":
		v = medium
	}
	j.mark(&act{"mounts something over", "mount", shell.FSModify, "mount"}, s, v)
}

// umount detaches file systems.
func (j *job) umount() {
	a := j.c.Args
	v := maybe
	if hasLetter(a, "fal") || has(a, "--force", "--all", "--lazy", "--recursive") {
		v = medium
	}
	for i := range a {
		if s := j.spot(a[i]); s.zone == inRoot || s.zone == inHome || s.zone == inSystem && !s.soft && s.path != "" && !strings.HasPrefix(s.path, "/run/") {
			v = high
		}
	}
	j.note(v, "unmount", shell.FSModify, "unmount", "unmounts a file system that may be in use")
}

// swaps is losetup, swapon and swapoff.
func (j *job) swaps() {
	a := j.c.Args
	if len(a) == 0 || has(a, "-a", "--all", "-l", "--list", "-s", "--show", "--summary", "-j") && j.c.Name != "swapoff" && !(j.c.Name == "swapon" && has(a, "-a", "--all")) {
		j.note(safe, "read", shell.FSRead, "disk-read", "lists disk images or swap space in use")
		return
	}
	v, reason := maybe, "attaches or detaches a disk image or swap space"
	if j.c.Name == "losetup" && has(a, "-D", "--detach-all") || j.c.Name == "swapoff" && has(a, "-a", "--all") {
		v, reason = medium, "detaches all disk images or all swap space"
	}
	j.note(v, "modify", shell.FSModify, "disk-attach", reason)
}

// crontab replaces, prints or deletes what runs at set times.
func (j *job) crontab() {
	var o program.Walk
	o.Start(j.c)
	file := shell.Word{}
	for o.Next() {
		switch o.Name {
		case "l":
			j.safely(shell.ProcRead, "crontab-list", "prints the scheduled jobs")
			return
		case "r":
			j.note(high, "delete", shell.FSDelete, "crontab-remove", "deletes all scheduled jobs")
			return
		case "e":
			j.note(maybe, "modify", shell.FSModify, "crontab-edit", "opens the scheduled jobs in an editor")
			return
		case "T", "n", "V":
			j.safely(shell.ProcRead, "crontab-check", "checks a crontab file")
			return
		case "":
			file = o.Arg
		}
	}
	if file.Text == "" && j.c.In == nil && len(j.c.Redir) == 0 {
		j.note(maybe, "modify", shell.FSModify, "crontab-replace", "may replace the scheduled jobs")
		return
	}
	j.note(medium, "overwrite", shell.FSModify, "crontab-replace", "replaces all scheduled jobs")
}

// history is the shell's own list of commands.
func (j *job) history() {
	a := j.c.Args
	switch {
	case hasLetter(a, "c") || hasLetter(a, "d") || has(a, "clear", "delete", "clear-session"):
		j.note(medium, "delete", shell.FSDelete, "history-clear", "deletes the shell's history")
	case hasLetter(a, "w"):
		j.note(little, "overwrite", shell.FSOverwrite, "history-write", "overwrites the shell's history file with this session's commands")
	default:
		j.safely(shell.ProcRead, "history", "prints the shell's history")
	}
}

// logrotate moves logs away and deletes old ones.
func (j *job) logrotate() {
	if hasLetter(j.c.Args, "d") || has(j.c.Args, "--debug") {
		j.safely(shell.FSRead, "logrotate-debug", "only shows what it would rotate")
		return
	}
	v := maybe
	if hasLetter(j.c.Args, "f") || has(j.c.Args, "--force") {
		v = medium
	}
	j.note(v, "delete", shell.FSDelete, "logrotate", "rotates logs and deletes old ones")
}

// gio is GNOME's tool for files.
func (j *job) gio() bool {
	a := j.c.Args
	if len(a) == 0 {
		return false
	}
	sub := shell.Call{Name: a[0].Text, Args: a[1:], Dir: j.c.Dir, Remote: j.c.Remote, Depth: j.c.Depth, In: j.c.In}
	k := newJob(&sub, j.p)
	switch a[0].Text {
	case "trash":
		k.trash()
	case "remove":
		k.rm()
	case "move":
		k.mv()
	case "copy":
		k.cp()
	case "mkdir":
		k.create()
	case "cat", "info", "list", "tree", "help", "version", "mime", "monitor":
		k.safely(shell.FSRead, "gio-read", "lists or prints files")
	default:
		return false
	}
	j.out = append(j.out, k.out...)
	return true
}
