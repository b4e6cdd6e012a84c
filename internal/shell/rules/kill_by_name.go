package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// killByNameEffects returns the effects of pkill and killall.
func killByNameEffects(c *shell.Call) ([]shell.Effect, bool) {
	for i := range c.Args {
		switch c.Args[i].Text {
		case "-l", "-L", "--list", "-0", "--version", "-V", "--help":
			return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: "kill-list", Reason: "lists signals, or checks whether a process exists"})
		}
	}
	var s killTargets
	s.addArgs(c.Args, program.ExpertOf(c.Name) == program.ExpertKillall)
	s.worst.Rule = "kill-by-name"
	return singleEffect(c, s.worst)
}

// addArgs adds the processes that the arguments of pkill, pgrep or killall choose. If many is set,
// each operand is a name; otherwise there is at most one pattern.
func (s *killTargets) addArgs(args []shell.Word, many bool) {
	wide, inverse, names := false, false, 0
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		sig, n := parseSignal(args[i:])
		switch {
		case t == "--":
		case n > 0:
			s.force = isForcedSignal(sig)
			i += n - 1
		case selectsByNumber(t):
			i++
			s.addOwnProcess()
			names++
		case selectsByOwner(t):
			wide = true
			if len(t) == 2 || t[1] == '-' && !strings.Contains(t, "=") {
				i++
			}
		case t == "-d" || t == "--delimiter" || many && (t == "-o" || t == "-y"):
			i++
		case len(t) > 1 && t[0] == '-':
			inverse = inverse || t == "--inverse" || t[1] != '-' && strings.Contains(t, "v") && !many
		default:
			names++
			s.addPattern(&args[i])
		}
	}
	if inverse || wide && names == 0 {
		s.addAllProcesses()
	} else if names == 0 {
		s.addEffect(shell.Unknown, shell.ImpactMedium, "kills processes that checkrein cannot determine")
	}
}

// parseSignal returns the signal that args begin with, and the number of words that it takes. It
// returns "" and 0 if args begin with something else.
func parseSignal(args []shell.Word) (sig string, n int) {
	t := args[0].Text
	if isSignal(t) {
		return t[1:], 1
	}
	if (t == "--signal" || t == "-s") && len(args) > 1 {
		return args[1].Text, 2
	}
	if sig, ok := strings.CutPrefix(t, "--signal="); ok {
		return sig, 1
	}
	return "", 0
}

// selectsByNumber reports whether the flag t of pkill selects processes by the number in a file, of
// their parent or of their group.
func selectsByNumber(t string) bool {
	switch t {
	case "-F", "--pidfile", "-P", "--parent", "-g", "--pgroup":
		return true
	}
	return false
}

// addPattern adds the processes that w chooses, a pattern with alternatives such as "vite|webpack".
func (s *killTargets) addPattern(w *shell.Word) {
	if len(w.Text) > program.MaxMatch {
		s.addEffect(shell.Unknown, shell.ImpactMedium, "kills processes by a name that checkrein cannot determine")
		return
	}
	for one := range strings.SplitSeq(w.Text, "|") {
		s.addNamedProcess(strings.Trim(one, "()\\"))
	}
}

// selectsByOwner reports whether the flag t of pkill selects processes by their owner, group, terminal
// or age.
func selectsByOwner(t string) bool {
	switch t {
	case "-u", "-U", "-G", "-t", "-z", "-Z", "--euid", "--uid", "--user", "--group", "--terminal", "--session", "--older", "-O":
		return true
	}
	return len(t) > 2 && t[0] == '-' && (t[1] == 'u' || t[1] == 'U' || t[1] == 't') || strings.HasPrefix(t, "--user=") || strings.HasPrefix(t, "--euid=") || strings.HasPrefix(t, "--uid=") || strings.HasPrefix(t, "--terminal=")
}

// isSignal reports whether t is a signal with a hyphen, such as -9, -KILL or -SIGTERM.
func isSignal(t string) bool {
	if len(t) < 2 || t[0] != '-' {
		return false
	}
	if t[1] >= '0' && t[1] <= '9' {
		return true
	}
	return inListFold("HUP INT QUIT ILL TRAP ABRT KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP WINCH SIGHUP SIGINT SIGQUIT SIGABRT SIGKILL SIGUSR1 SIGUSR2 SIGTERM SIGCONT SIGSTOP SIGTSTP SIGSEGV", t[1:])
}

// parseKill returns the signal and the targets of the kill command. The signal is "TERM" by default,
// and "l" if kill only lists signals.
func parseKill(args []shell.Word) (sig string, targets []shell.Word) {
	sig = "TERM"
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case t == "--":
			return sig, append(targets, args[i+1:]...)
		case t == "-s" || t == "-n" || t == "--signal":
			if i++; i < len(args) {
				sig = args[i].Text
			}
		case t == "-l" || t == "-L" || t == "--list" || t == "--table":
			return "l", nil
		case t == "-p" || t == "--pid" || t == "-a" || t == "--all":
		case strings.HasPrefix(t, "--signal="):
			sig = t[len("--signal="):]
		case len(t) > 1 && t[0] == '-' && len(targets) == 0 && i == 0 && len(args) > 1:
			sig = t[1:]
		default:
			targets = append(targets, args[i])
		}
	}
	return sig, targets
}

// fuserEffects returns the effects of fuser -k, which kills the process that listens on a port, or all
// processes that have a file open. It reports false without -k.
func fuserEffects(c *shell.Call) ([]shell.Effect, bool) {
	var s killTargets
	kills, space := false, false
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		switch {
		case t == "-n" || t == "--namespace":
			i++
			space = space || i < len(c.Args) && c.Args[i].Text != "file"
		case t == "--kill":
			kills = true
		case isSignal(t):
		case len(t) > 1 && t[0] == '-' && t[1] != '-':
			kills = kills || strings.Contains(t, "k")
			if strings.HasSuffix(t, "n") {
				i++
				space = true
			}
		case len(t) > 1 && t[0] == '-':
		default:
			port, kind, ok := strings.Cut(t, "/")
			if ok && (kind == "tcp" || kind == "udp") || space {
				s.addPort(port)
			} else {
				s.addEffect(shell.Destructive, shell.ImpactHigh, "kills every process that uses a file or file system")
			}
		}
	}
	if !kills || !s.seen {
		return nil, false
	}
	s.worst.Rule = "kill-port"
	return singleEffect(c, s.worst)
}

// portToolEffects returns the effects of kill-port and fkill, whose arguments are ports such as 3000
// or :3000, or names.
func portToolEffects(c *shell.Call) ([]shell.Effect, bool) {
	var s killTargets
	for i := range c.Args {
		t := strings.TrimPrefix(c.Args[i].Text, ":")
		switch {
		case strings.HasPrefix(t, "-"):
		case t != "" && strings.Trim(t, "0123456789,-") == "":
			s.addPort(t)
		default:
			s.addNamedProcess(t)
		}
	}
	if !s.seen {
		s.addEffect(shell.Unknown, shell.ImpactLow, "kills processes that checkrein cannot determine")
	}
	s.worst.Rule = "kill-port-tool"
	return singleEffect(c, s.worst)
}
