package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// Chooses reports whether a program ends, stops, limits or looks into processes that are
// there.
func Chooses(name string) bool { return program.Is(name, program.IsProcessTool) }

// Processes are the names and patterns by which a call chooses processes that are there.
// parent says that the one that started the shell is among them.
func Processes(c *shell.Call) (patterns []string, parent bool) {
	var s signal
	switch kind := program.ExpertOf(c.Name); kind {
	case program.ExpertKill:
		sig, targets := killWords(c.Args)
		if sig == "0" || sig == "l" {
			return nil, false
		}
		for i := range targets {
			s.target(&targets[i])
		}
	case program.ExpertPkill, program.ExpertKillall, program.ExpertPort:
		for i := range c.Args {
			switch c.Args[i].Text {
			case "-l", "-L", "--list", "-0", "--version", "-V", "--help":
				return nil, false
			}
		}
		s.named(c.Args, kind != program.ExpertPkill)
		s.printedBy(c.Args)
	default:
		s.printedBy(c.Args)
		for i := range c.Args[:max(len(c.Args)-1, 0)] {
			switch c.Args[i].Text {
			case "-e", "--exe", "-n", "--attach-name":
				s.names = append(s.names, strings.ToLower(c.Args[i+1].Text))
			}
		}
	}
	return s.names, s.parent
}

// printedBy takes in the words that other programs print.
func (s *signal) printedBy(args []shell.Word) {
	for i := range args {
		if len(args[i].From) > 0 {
			s.printed(args[i].From)
		}
	}
}
