package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// killedByName judges pkill and killall.
func killedByName(c *shell.Call) ([]shell.Effect, bool) {
	for i := range c.Args {
		switch c.Args[i].Text {
		case "-l", "-L", "--list", "-0", "--version", "-V", "--help":
			return one(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: "kill-list", Reason: "lists signals, or checks whether a process exists"})
		}
	}
	var s signal
	s.named(c.Args, program.ExpertOf(c.Name) == program.ExpertKillall)
	s.worst.Rule = "kill-by-name"
	return one(c, s.worst)
}

// named takes in the words of pkill, pgrep and killall. many says that each word
// is a name; else they are one pattern at most.
func (s *signal) named(args []shell.Word, many bool) {
	wide, inverse, names := false, false, 0
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		sig, n := signalIn(args[i:])
		switch {
		case t == "--":
		case n > 0:
			s.force = isForce(sig)
			i += n - 1
		case picks(t):
			i++
			s.asked()
			names++
		case widens(t):
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
			s.name(&args[i])
		}
	}
	if inverse || wide && names == 0 {
		s.everyone()
	} else if names == 0 {
		s.ends(shell.Unknown, shell.RadiusMedium, "ends unknown processes")
	}
}

// signalIn returns the signal that words begin with, and how many words it takes.
func signalIn(args []shell.Word) (sig string, n int) {
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

// picks reports whether a flag of pkill takes processes by a number that is not
// known: of a file, of their parent, of their group.
func picks(t string) bool {
	switch t {
	case "-F", "--pidfile", "-P", "--parent", "-g", "--pgroup":
		return true
	}
	return false
}

// name takes in a pattern, which may name several: "vite|webpack".
func (s *signal) name(w *shell.Word) {
	if len(w.Text) > program.MaxFit {
		s.ends(shell.Unknown, shell.RadiusMedium, "kills processes by a name that checkrein cannot determine")
		return
	}
	for one := range strings.SplitSeq(w.Text, "|") {
		s.process(strings.Trim(one, "()\\"))
	}
}

// widens reports whether a flag of pkill takes processes by who they belong to.
func widens(t string) bool {
	switch t {
	case "-u", "-U", "-G", "-t", "-z", "-Z", "--euid", "--uid", "--user", "--group", "--terminal", "--session", "--older", "-O":
		return true
	}
	return len(t) > 2 && t[0] == '-' && (t[1] == 'u' || t[1] == 'U' || t[1] == 't') || strings.HasPrefix(t, "--user=") || strings.HasPrefix(t, "--euid=") || strings.HasPrefix(t, "--uid=") || strings.HasPrefix(t, "--terminal=")
}

// isSignal reports whether a word is -9, -KILL or -SIGTERM.
func isSignal(t string) bool {
	if len(t) < 2 || t[0] != '-' {
		return false
	}
	if t[1] >= '0' && t[1] <= '9' {
		return true
	}
	return listed("HUP INT QUIT ILL TRAP ABRT KILL USR1 SEGV USR2 PIPE ALRM TERM CHLD CONT STOP TSTP WINCH SIGHUP SIGINT SIGQUIT SIGABRT SIGKILL SIGUSR1 SIGUSR2 SIGTERM SIGCONT SIGSTOP SIGTSTP SIGSEGV", t[1:])
}

// killWords splits the words of kill.
func killWords(args []shell.Word) (sig string, targets []shell.Word) {
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

// fuser judges fuser -k: a port, or whoever has a file open.
func fuser(c *shell.Call) ([]shell.Effect, bool) {
	var s signal
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
				s.port(port)
			} else {
				s.ends(shell.Destructive, shell.RadiusHigh, "kills every process that uses a file or file system")
			}
		}
	}
	if !kills || !s.seen {
		return nil, false
	}
	s.worst.Rule = "kill-port"
	return one(c, s.worst)
}

// portTool judges kill-port and fkill: ports as numbers or as :3000.
func portTool(c *shell.Call) ([]shell.Effect, bool) {
	var s signal
	for i := range c.Args {
		t := strings.TrimPrefix(c.Args[i].Text, ":")
		switch {
		case strings.HasPrefix(t, "-"):
		case t != "" && strings.Trim(t, "0123456789,-") == "":
			s.port(t)
		default:
			s.process(t)
		}
	}
	if !s.seen {
		s.ends(shell.Unknown, shell.RadiusLow, "ends unknown processes")
	}
	s.worst.Rule = "kill-port-tool"
	return one(c, s.worst)
}
