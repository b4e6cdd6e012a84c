package liveagents

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// caller finds the host that called us: the nearest ancestor that does not
// merely run us for another.
//
// Hosts start hooks through shells, sh -c 'checkrein hook …', and people put
// timeout and the like before them. All these are helpers: they live for one
// event, and what an agent's tools start is not below them. So the climb goes
// past them, to the first program that is none.
//
// It must not go too far. The shell in which a person types started the host,
// and everything that the person types later; taking it for the host would
// refuse all of that. Nor may a terminal, a multiplexer or the system's first
// process be one: all shells of the person are below those. So the climb ends at
// a shell that was given nothing to run, at the first shell of a terminal, and at
// programs that start sessions. What it went past last is the host then: a script
// that is an agent itself. A person who tries out `checkrein hook` has gone past
// nothing, and nothing is noted.
func caller() (process.Ancestor, bool) {
	line, _, _ := ascent()
	if len(line) == 0 {
		return process.Ancestor{}, false
	}
	host := line[len(line)-1]
	return host, host.PID > 1
}

// ascent is the climb: those that it went past, nearest first, and as the last one
// the host; none = nobody called us. Session is our own. Inside reports whether the
// way led past a checkrein that runs hooks: then one of those called us, and no host.
func ascent() (line []process.Ancestor, session int, inside bool) {
	session, _ = process.WalkAncestorsFromSession(func(a process.Ancestor) bool {
		inside = inside || runsHooks(&a)
		kind := KindOf(&a)
		if kind == Program || kind == Helper && !(a.Leader && a.Terminal) {
			line = append(line, a)
		}
		return kind == Helper && len(line) > 0 && line[len(line)-1].ID == a.ID
	})
	return line, session, inside
}

// runsHooks reports whether an ancestor is checkrein at work for a host, git or a
// person: what is right below it are its hooks. An agent that it runs itself is a
// host like any other.
func runsHooks(a *process.Ancestor) bool {
	if len(a.Args) < 2 {
		return false
	}
	name := NameOf(a.Args[0])
	switch a.Args[1] {
	case "hook", "eval", "git", "_async":
		return name == "checkrein" || name == NameOf(os.Args[0]) // whatever it is called here
	case "doctor", "hooks":
		return name == "checkreind"
	}
	return false
}

// maxInside is how many of our own processes may be above a host that is new. A
// hook may start an agent, whose hooks may start another.
const maxInside = 3

// Deep reports whether more of our own run hooks above us than hooks need.
func Deep() bool {
	n := 0
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		if runsHooks(&a) {
			n++
		}
		return n < maxInside
	})
	return n >= maxInside
}

// Caller reports whether a person may sit before the host that called us: its
// process, or this one, has a controlling terminal; and its command line, nil
// where that is unknown. No host and no terminal look alike.
func Caller() (terminal bool, args []string) {
	host, _ := caller()
	return host.Terminal || process.HasTerminal(), host.Args
}

// CallerID names the process of the host that called us, "" when none is known.
func CallerID() string {
	host, ok := caller()
	if !ok {
		return ""
	}
	return fileName(host.ID)
}

// Orphaned reports whether the process that started us has ended: our ancestors are
// helpers, if anything, and then the system's first process.
func Orphaned() bool {
	orphan := false
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		kind := KindOf(&a)
		orphan = kind == Adopter
		return kind == Helper
	})
	return orphan
}

// A Kind is what an ancestor is to us.
type Kind uint8

const (
	Program Kind = iota // it may be a host
	Helper              // it runs something for another
	Person              // a shell that is typed in
	Starter             // it starts sessions of people, or jobs
	Adopter             // it takes in whom nobody else has
)

// KindOf returns what an ancestor is to us.
func KindOf(a *process.Ancestor) Kind {
	if a.PID <= 1 && !(len(a.Args) > 0 && isShell(NameOf(a.Args[0]))) { // which in a container may be a person's
		return Adopter
	}
	if len(a.Args) == 0 {
		return Starter // nobody can tell
	}
	name := NameOf(a.Args[0])
	switch {
	case isShell(name) && !given(name, a.Args[1:]):
		return Person
	case isShell(name), slices.Contains(helpers, name):
		return Helper
	case slices.Contains(adopters, name):
		return Adopter
	case slices.Contains(starters, name):
		return Starter
	}
	return Program
}

var (
	shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh"}
	// helpers run a program and wait for it. Those that become the program,
	// such as env, are never seen.
	helpers  = []string{"timeout", "gtimeout", "time", "sudo", "doas", "su", "xargs", "flock", "setsid", "nohup", "stdbuf", "strace", "script", "bwrap", "sandbox-exec", "busybox", "checkrein"}
	adopters = []string{"systemd", "init", "launchd", "tini", "dumb-init"}
	starters = []string{"sshd", "sshd-session", "login", "cron", "crond", "atd", "tmux", "screen", "SCREEN", "dtach", "abduco", "zellij", "mosh-server", "containerd-shim", "containerd-shim-runc-v2", "conmon", "supervisord"}
)

func isShell(name string) bool { return slices.Contains(shells, name) }

// NameOf is the name in a first argument: login shells begin with a dash, and
// some programs write what they do behind a colon.
func NameOf(arg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), ": ")
	return path.Base(name)
}

// given reports whether a shell was given something to run: text, or a file.
func given(shell string, args []string) bool {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "", arg == "-":
			continue
		case arg == "--":
			return i+1 < len(args)
		case arg[0] != '-' && arg[0] != '+':
			return true
		case takesValue(shell, arg):
			i++
		case strings.HasPrefix(arg, "--"):
			if name, _, _ := strings.Cut(arg, "="); name == "--command" || name == "--commands" {
				return true
			}
		case shell == "pwsh":
			if c := strings.ToLower(arg)[1:]; c != "" && strings.Contains("cfe", c[:1]) { // -Command, -File, -EncodedCommand
				return true
			}
		case arg[0] == '-' && strings.Contains(arg, "c"):
			return true
		}
	}
	return false
}

// takesValue reports whether the next argument belongs to an option that leaves
// a shell a person's.
func takesValue(shell, arg string) bool {
	switch arg {
	case "--rcfile", "--init-file":
		return true
	case "-C", "--init-command":
		return shell == "fish"
	}
	return len(arg) == 2 && (arg[1] == 'o' || arg[1] == 'O') && shell != "fish"
}
