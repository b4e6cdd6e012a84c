package liveagents

import (
	"os"
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// findCaller returns the host that called this process: the nearest ancestor that does not merely run
// it for another program. It reports false if there is none.
//
// Hosts start hooks through shells, sh -c 'checkrein hook …', and people put timeout and similar
// programs in front of them. All these are helpers: they live for one event, and an agent's tools do
// not run below them. The search passes over them to the first program that is not a helper.
//
// It must not go too far. The shell in which a person types started the host and everything that the
// person types later; if it counted as the host, all of that would be refused. Nor may a terminal, a
// multiplexer or the first process of the system count, since all shells of the person are below
// those. So the search ends at a shell that has nothing to run, at the first shell of a terminal, and
// at programs that start sessions. The last process before that is then the host: a script that is
// itself an agent. If a person tries out checkrein hook, there is no such process, and nothing is
// noted.
func findCaller() (process.Ancestor, bool) {
	line, _, _ := climbToHost()
	if len(line) == 0 {
		return process.Ancestor{}, false
	}
	host := line[len(line)-1]
	return host, host.PID > 1
}

// climbToHost returns the processes between this one and the host, nearest first and with the host
// last; line is empty if no host called. session is that of this process. inside reports whether one
// of these processes is a checkrein process that runs hooks, so that a hook called this process, not a
// host.
func climbToHost() (line []process.Ancestor, session int, inside bool) {
	session, _ = process.WalkAncestorsAndSession(func(a process.Ancestor) bool {
		inside = inside || runsHooks(&a)
		kind := KindOf(&a)
		if kind == Program || kind == Helper && !(a.Leader && a.Terminal) {
			line = append(line, a)
		}
		return kind == Helper && len(line) > 0 && line[len(line)-1].ID == a.ID
	})
	return line, session, inside
}

// runsHooks reports whether a is a checkrein process that works for a host, git or a person, so that
// its children are hooks. An agent that checkrein itself runs is a host like any other.
func runsHooks(a *process.Ancestor) bool {
	if len(a.Args) < 2 {
		return false
	}
	name := ProgramName(a.Args[0])
	switch a.Args[1] {
	case "hook", "eval", "git", "_async":
		return name == "checkrein" || name == ProgramName(os.Args[0]) // under any name
	case "doctor", "hooks":
		return name == "checkreind"
	}
	return false
}

// maxInside is how many checkrein processes that run hooks may be ancestors of a new host. A hook may
// start an agent, whose hooks may start another.
const maxInside = 3

// IsTooNested reports whether at least maxInside ancestors of this process are checkrein processes
// that run hooks.
func IsTooNested() bool {
	n := 0
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		if runsHooks(&a) {
			n++
		}
		return n < maxInside
	})
	return n >= maxInside
}

// CallerTerminal reports whether a person may sit at the calling host, because its process or this one
// has a controlling terminal. It also returns the host's command line, or nil if that is unknown.
func CallerTerminal() (terminal bool, args []string) {
	host, _ := findCaller()
	return host.Terminal || process.HasTerminal(), host.Args
}

// CallerID returns a name for the calling host's process, or "" if there is no host.
func CallerID() string {
	host, ok := findCaller()
	if !ok {
		return ""
	}
	return noteName(host.ID)
}

// IsOrphaned reports whether the process that started this one has ended, so that, apart from helpers,
// its only ancestor is the first process of the system.
func IsOrphaned() bool {
	orphan := false
	_ = process.WalkAncestors(func(a process.Ancestor) bool {
		kind := KindOf(&a)
		orphan = kind == Adopter
		return kind == Helper
	})
	return orphan
}

// A Kind is the role of an ancestor process.
type Kind uint8

const (
	Program Kind = iota // it may be a host
	Helper              // it runs a program for another one
	Person              // an interactive shell
	Starter             // it starts sessions for people, or jobs
	Adopter             // it adopts orphaned processes
)

// KindOf returns the role of a.
func KindOf(a *process.Ancestor) Kind {
	if a.PID <= 1 && !(len(a.Args) > 0 && isShell(ProgramName(a.Args[0]))) { // a shell with pid 1 in a container may be a person's
		return Adopter
	}
	if len(a.Args) == 0 {
		return Starter // unknown
	}
	name := ProgramName(a.Args[0])
	switch {
	case isShell(name) && !hasScript(name, a.Args[1:]):
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
	// helpers run a program and wait for it. Programs such as env, which replace themselves
	// by the program, are never ancestors.
	helpers  = []string{"timeout", "gtimeout", "time", "sudo", "doas", "su", "xargs", "flock", "setsid", "nohup", "stdbuf", "strace", "script", "bwrap", "sandbox-exec", "busybox", "checkrein"}
	adopters = []string{"systemd", "init", "launchd", "tini", "dumb-init"}
	starters = []string{"sshd", "sshd-session", "login", "cron", "crond", "atd", "tmux", "screen", "SCREEN", "dtach", "abduco", "zellij", "mosh-server", "containerd-shim", "containerd-shim-runc-v2", "conmon", "supervisord"}
)

func isShell(name string) bool { return slices.Contains(shells, name) }

// ProgramName returns the base name of the program whose first argument is arg. Login shells begin
// with a dash, and some programs append a description after a colon.
func ProgramName(arg string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), ": ")
	return path.Base(name)
}

// hasScript reports whether args make shell run something, a text or a file, instead of being
// interactive.
func hasScript(shell string, args []string) bool {
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

// takesValue reports whether arg is an option of shell with a value that leaves it interactive.
func takesValue(shell, arg string) bool {
	switch arg {
	case "--rcfile", "--init-file":
		return true
	case "-C", "--init-command":
		return shell == "fish"
	}
	return len(arg) == 2 && (arg[1] == 'o' || arg[1] == 'O') && shell != "fish"
}
