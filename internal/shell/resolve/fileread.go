package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

func fileNamed(c *shell.Call, path string) *shell.File {
	for i := range c.Files {
		if c.Files[i].Path == path {
			return &c.Files[i]
		}
	}
	return nil
}

// opensOutput takes up the files that exec opens for all that follows.
func (w *walker) opensOutput(c *command) {
	for i := range c.redir {
		r := &c.redir[i]
		switch r.Op {
		case ">", ">|", "&>", ">>", "&>>":
		default:
			if r.Fd == "" || r.Fd == "1" {
				w.st.out = ""
			}
			continue
		}
		if r.Fd != "" && r.Fd != "1" {
			w.write(r.Target.Text, &c.context, content{sure: true}, strings.HasSuffix(r.Op, ">>"))
			continue
		}
		w.st.out = r.Target.Text
		if nowhere(w.st.out) {
			w.st.out = ""
		}
	}
}
