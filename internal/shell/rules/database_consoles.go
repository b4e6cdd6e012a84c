package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// consoles knows the consoles of applications that wait for code. Code that they
// are given is judged elsewhere.
func consoles(c *shell.Call) ([]shell.Effect, bool) {
	r := readingOf(c)
	verb := ""
	if len(r.Words) > r.Extra {
		verb = r.Words[r.Extra].Text
	}
	given := c.In != nil
	for i := range c.Redir {
		given = given || c.Redir[i].Op[0] == '<'
	}
	e := shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.Run, Rule: "console", Radius: shell.RadiusMedium, Reason: "opens an application console; what it will run is unknown"}
	switch c.Name + " " + verb {
	case "rails runner", "rails r":
		if len(r.Words) < 2 {
			return one(c, e)
		}
		if file := r.Words[1].Text; strings.HasSuffix(file, ".rb") && !strings.ContainsAny(file, " ;(") {
			return scriptEffect(c, file)
		}
	case "manage.py dbshell", "django-admin dbshell", "rails dbconsole", "rails db":
		if fromScript(c) {
			e.Label, e.Kind, e.Category, e.Radius, e.Reason = shell.Destructive, "drop", shell.SQLDrop, shell.RadiusHigh, "runs SQL from another command's output that drops or deletes data"
			return one(c, e)
		}
		if !given && c.Name == "rails" {
			return one(c, e)
		}
	case "rails console", "rails c", "artisan tinker":
		if !given && r.Has("--execute") != yes {
			return one(c, e)
		}
	case "iex mix", "iex ":
		if !given && r.own("-S") && !r.own("-e --eval --rpc-eval -r -pr -pa --remsh --dot-iex") {
			e.Label, e.Radius, e.Reason = shell.Safe, shell.RadiusLow, "opens an interactive project console"
			return one(c, e)
		}
	}
	return nil, false
}

// typeorm knows the statement that typeorm query is given.
func typeorm(c *shell.Call) ([]shell.Effect, bool) {
	r := readingOf(c)
	if len(r.Words) < 2 || r.Words[0].Text != "query" {
		return nil, false
	}
	var s sqlSight
	s.text(r.Words[1].Text, true)
	if !s.seen {
		return nil, false
	}
	return one(c, s.worst)
}

// valueless takes the texts out of code that stand behind a colon: they are what
// is looked for, not what is done. A text with a call in it stays.
func valueless(code string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(code, ':')
		if i < 0 || b.Len() > program.MaxFit {
			break
		}
		i++
		for i < len(code) && code[i] == ' ' {
			i++
		}
		b.WriteString(code[:i])
		code = code[i:]
		if code == "" || code[0] != '\'' && code[0] != '"' {
			continue
		}
		end := strings.IndexByte(code[1:], code[0])
		if end < 0 {
			break
		}
		if !strings.Contains(code[1:end+1], "(") {
			code = code[end+2:]
			continue
		}
		b.WriteString(code[:end+2])
		code = code[end+2:]
	}
	b.WriteString(code)
	return b.String()
}
