package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A githubForm writes workflow commands, which GitHub shows next to the changed lines.
type githubForm struct{ human }

func (g *githubForm) writeFinding(out *bufio.Writer, f *scan.Finding) {
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
		fmt.Fprintf(out, "file=%s,line=%d,col=%d,", visible.EscapeLine(escapeProperty(f.Path)), f.Line, f.Column)
	}
	fmt.Fprintf(out, "title=%s::%s", escapeProperty("checkrein: "+f.Rule), escapeData(fmt.Sprintf("%s (%s)", f.Rule, f.Kind)))
	if f.Message {
		fmt.Fprintf(out, " in line %d of the message", f.Line)
	}
	if f.Commit != "" {
		fmt.Fprintf(out, " of commit %s", escapeData(f.Commit))
	}
	out.WriteByte('\n')
}

// escapeData escapes s for the text of a workflow command, so that s cannot become another command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes s for a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
