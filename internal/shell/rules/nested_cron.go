package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// cronCommands returns the commands in the crontab lines of text. If user is set, each line names the
// user who runs the command before it, as in /etc/crontab.
func cronCommands(text string, user bool) []string {
	var out []string
	for line := range strings.SplitSeq(text[:min(len(text), program.MaxMatch)], "\n") {
		line = strings.TrimLeft(line, " \t"+placeholder)
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
		if line != "" && len(out) < maxNested {
			out = append(out, strings.ReplaceAll(line, placeholder, unknownVariable))
		}
	}
	return out
}

// writtenCronCommands returns the commands in words of c that it writes to crontab files by
// redirection.
func writtenCronCommands(c *shell.Call) []string {
	var out []string
	for i := range c.Redir {
		t := c.Redir[i].Target.Text
		if !strings.HasPrefix(c.Redir[i].Op, ">") || !strings.HasPrefix(t, "/etc/cron") && !strings.HasPrefix(t, "/var/spool/cron") {
			continue
		}
		for k := range c.Args {
			out = append(out, cronCommands(c.Args[k].Text, !strings.HasPrefix(t, "/var/spool"))...)
		}
	}
	return out
}
