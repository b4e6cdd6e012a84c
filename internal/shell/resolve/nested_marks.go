package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// An embedded is a program with commands within its words, between two marks.
type embedded struct{ name, open, close string }

// embeddedIn is sorted by name.
var embeddedIn = [...]embedded{
	{"fzf", "execute(", ")"},
	{"fzf", "execute-silent(", ")"},
	{"fzf", "become(", ")"},
	{"fzf", "reload(", ")"},
	{"fzf", "transform(", ")"},
	{"fzf", "preview(", ")"},
	{"lualatex", `os.execute("`, `"`},
	{"lualatex", `\write18{`, "}"},
	{"luatex", `os.execute("`, `"`},
	{"mutt", "`", "`"},
	{"neomutt", "`", "`"},
	{"pdflatex", `\write18{`, "}"},
	{"pdftex", `\write18{`, "}"},
	{"rpm", "%(", ")"},
	{"rpm", `os.execute("`, `"`},
	{"rpmbuild", "%(", ")"},
	{"rpmquery", "%(", ")"},
	{"rpmspec", "%(", ")"},
	{"tex", `\write18{`, "}"},
	{"xelatex", `\write18{`, "}"},
}

func findEmbedded(name string) *embedded {
	for i := range embeddedIn {
		if n := embeddedIn[i].name; n == name {
			return &embeddedIn[i]
		} else if n > name {
			return nil
		}
	}
	return nil
}

// embedded walks the commands within the words of a program.
func (w *walker) embedded(c *command, first *embedded) {
	for i := range embeddedIn {
		e := &embeddedIn[i]
		if e.name != first.name {
			continue
		}
		for _, a := range c.words[1:] {
			text := a.Text
			for {
				_, rest, ok := strings.Cut(text, e.open)
				if !ok || !w.step() {
					break
				}
				end := strings.Index(rest, e.close)
				if e.close == ")" {
					end = closingParen(rest)
				}
				if end < 0 {
					end = len(rest)
				}
				w.handed(c, shell.Word{Text: rest[:end], From: a.From})
				text = rest[end:]
				text = strings.TrimPrefix(text, e.close)
			}
		}
	}
}
