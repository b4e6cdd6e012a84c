package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// literal is the output of an interpreter whose code only prints one string:
// python3 -c 'print("…")'. Anything more is left to those who read code.
func literal(c *shell.Call) (string, bool) {
	flag, line := "-e", false
	switch c.Name {
	case "awk", "gawk", "mawk", "nawk":
		flag, line = "", true
	case "perl":
	case "ruby", "node", "nodejs", "bun", "deno":
		line = true
	case "php":
		flag = "-r"
	default:
		if !strings.HasPrefix(c.Name, "python") {
			return "", false
		}
		flag, line = "-c", true
	}
	args := c.Args
	if flag != "" {
		if len(args) < 2 || args[0].Text != flag {
			return "", false
		}
		args = args[1:]
	}
	if len(args) != 1 || !args[0].Known() {
		return "", false
	}
	text, verb, ok := printedString(args[0].Text)
	if verb == "puts" || verb == "say" {
		line = true
	} else if c.Name == "ruby" || verb == "printf" || verb == "process.stdout.write" || verb == "sys.stdout.write" {
		line = false
	}
	if ok && line {
		text += "\n"
	}
	return text, ok
}

// printedString is the string in code of the form print("…").
func printedString(code string) (text, verb string, ok bool) {
	code = strings.TrimSpace(code)
	code = strings.TrimSpace(strings.TrimPrefix(code, "BEGIN"))
	code = strings.TrimRight(code, " \t\n;})")
	code = strings.TrimLeft(code, " \t\n{")
	for _, v := range [...]string{"print", "puts", "say", "echo", "console.log", "printf", "process.stdout.write", "sys.stdout.write"} {
		rest, found := strings.CutPrefix(code, v)
		if !found {
			continue
		}
		rest = strings.TrimLeft(rest, " \t(")
		if len(rest) < 2 || rest[0] != rest[len(rest)-1] || rest[0] != '"' && rest[0] != '\'' {
			continue
		}
		body := rest[1 : len(rest)-1]
		if strings.ContainsAny(body, "$@%"+rest[:1]) || strings.Contains(body, "#{") {
			return "", "", false // another string follows, or a variable is in it
		}
		return string(ansiC(nil, body)), v, true
	}
	return "", "", false
}
