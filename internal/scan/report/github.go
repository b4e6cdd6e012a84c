package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// github is workflow commands, which GitHub shows beside the lines of a change.
type github struct{ human }

func (g *github) add(out *bufio.Writer, f *scan.Finding) {
	if !f.Counts() {
		return
	}
	level := "notice"
	switch f.Severity {
	case policy.Block:
		level = "error"
	case policy.Warn:
		level = "warning"
	}
	fmt.Fprintf(out, "::%s ", level)
	if f.Path != "" {
		fmt.Fprintf(out, "file=%s,line=%d,col=%d,", visible.Line(property(f.Path)), f.Line, f.Column)
	}
	fmt.Fprintf(out, "title=%s::%s", property("checkrein: "+f.Rule), data(fmt.Sprintf("%s (%s)", f.Rule, f.Kind)))
	if f.Message {
		fmt.Fprintf(out, " in line %d of the message", f.Line)
	}
	if f.Commit != "" {
		fmt.Fprintf(out, " of commit %s", data(f.Commit))
	}
	out.WriteByte('\n')
}

// data escapes what follows a command, so that a name cannot be another command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
