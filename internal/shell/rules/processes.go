package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// IsProcessTool reports whether the program name kills, stops, limits or inspects running processes.
func IsProcessTool(name string) bool { return program.Is(name, program.IsProcessTool) }

// ProcessPatterns returns the names and patterns by which c chooses running processes. It reports
// whether the parent process of the shell is among the processes (parent).
func ProcessPatterns(c *shell.Call) (patterns []string, parent bool) {
	var s killTargets
	switch kind := program.ExpertOf(c.Name); kind {
	case program.ExpertKill:
		sig, targets := parseKill(c.Args)
		if sig == "0" || sig == "l" {
			return nil, false
		}
		for i := range targets {
			s.addTarget(&targets[i])
		}
	case program.ExpertPkill, program.ExpertKillall, program.ExpertPort:
		for i := range c.Args {
			switch c.Args[i].Text {
			case "-l", "-L", "--list", "-0", "--version", "-V", "--help":
				return nil, false
			}
		}
		s.addArgs(c.Args, kind != program.ExpertPkill)
		s.addSubstitutedPIDs(c.Args)
	default:
		s.addSubstitutedPIDs(c.Args)
		for i := range c.Args[:max(len(c.Args)-1, 0)] {
			switch c.Args[i].Text {
			case "-e", "--exe", "-n", "--attach-name":
				s.names = append(s.names, strings.ToLower(c.Args[i+1].Text))
			}
		}
	}
	return s.names, s.parent
}

// addSubstitutedPIDs adds the processes whose numbers are in args because commands print them.
func (s *killTargets) addSubstitutedPIDs(args []shell.Word) {
	for i := range args {
		if len(args[i].From) > 0 {
			s.addPrintedPIDs(args[i].From)
		}
	}
}
