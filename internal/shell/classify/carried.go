package classify

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A text that a call carries along and that will run.
type text struct {
	source  string
	dialect shell.Dialect
}

// carried returns what a call runs beside its own program: other shells, and
// programs that are another's by their effect.
func carried(c *shell.Call) []text {
	var out []text
	switch c.Name {
	case "pwsh", "powershell":
		out = append(out, text{line(c), shell.PowerShell})
	case "cmd":
		out = append(out, text{line(c), shell.Cmd})
	case "rimraf", "del-cli", "premove":
		out = append(out, text{"rm -rf -- " + operands(c.Args), shell.Bash})
	}
	return out
}

// bends reports whether a variable makes a program another one.
func bends(name string) bool {
	switch name {
	case "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_LIBRARY_PATH", "BASH_ENV", "ENV", "PERL5OPT", "PERL5LIB", "RUBYOPT", "PYTHONSTARTUP":
		return true
	}
	return false
}

// bent is the effect of a call whose environment makes it something else.
func bent(c *shell.Call) []shell.Effect {
	for _, v := range c.Env {
		path := v.Name == "PATH" && !strings.HasPrefix(v.Value.Text, "/") && !strings.HasPrefix(v.Value.Text, "~") && !strings.HasPrefix(v.Value.Text, "$") && v.Value.Text != "" && []rune(v.Value.Text)[0] != shell.Hole
		if bends(v.Name) || path {
			return []shell.Effect{{Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusUnknown, Words: words(c), Reason: "runs with " + v.Name + " set, which can make any program another"}}
		}
	}
	return nil
}

// line is a call as a foreign shell's own program reads it.
func line(c *shell.Call) string {
	var b strings.Builder
	b.WriteString(c.Name)
	for _, a := range c.Args {
		b.WriteByte(' ')
		if strings.ContainsAny(a.Text, " \t") && !strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "/") {
			b.WriteString(`"` + strings.ReplaceAll(a.Text, `"`, "'") + `"`)
			continue
		}
		b.WriteString(a.Text)
	}
	return b.String()
}

// operands are the words that are no flags, quoted for a shell.
func operands(args []shell.Word) string {
	var out []string
	for _, a := range args {
		if strings.HasPrefix(a.Text, "-") {
			continue
		}
		if !a.Known() {
			out = append(out, `"$UNKNOWN"`)
			continue
		}
		if a.Glob {
			out = append(out, a.Text)
			continue
		}
		out = append(out, "'"+strings.ReplaceAll(a.Text, "'", `'\''`)+"'")
	}
	return strings.Join(out, " ")
}
