package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// cronTexts are the commands in lines for cron, whose first words are times. user
// says that a word behind them names who runs it.
func cronTexts(text string, user bool) []string {
	var out []string
	for line := range strings.SplitSeq(text[:min(len(text), program.MaxFit)], "\n") {
		line = strings.TrimLeft(line, " \t"+hole)
		fields := 5
		if strings.HasPrefix(line, "@") {
			fields = 1
		} else if line == "" || line[0] == '#' || line[0] != '*' && (line[0] < '0' || line[0] > '9') {
			continue
		}
		if user {
			fields++
		}
		for range fields {
			i := strings.IndexAny(line, " \t")
			if i < 0 {
				line = ""
				break
			}
			line = strings.TrimLeft(line[i:], " \t")
		}
		if line != "" && len(out) < maxNest {
			out = append(out, strings.ReplaceAll(line, hole, unknownVariable))
		}
	}
	return out
}

// scheduled are the commands that a call writes into the files of cron.
func scheduled(c *shell.Call) []string {
	var out []string
	for i := range c.Redir {
		t := c.Redir[i].Target.Text
		if !strings.HasPrefix(c.Redir[i].Op, ">") || !strings.HasPrefix(t, "/etc/cron") && !strings.HasPrefix(t, "/var/spool/cron") {
			continue
		}
		for k := range c.Args {
			out = append(out, cronTexts(c.Args[k].Text, !strings.HasPrefix(t, "/var/spool"))...)
		}
	}
	return out
}
