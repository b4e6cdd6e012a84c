package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// readsFiles is what a program prints that reads files of the text. ok says that
// it is one that is known here.
func (w *walker) readsFiles(c *shell.Call) (text string, sure, ok bool) {
	switch c.Name {
	case "cat", "tac", "rev", "base64", "gbase64", "base32", "basenc", "xxd", "head", "tail", "sed", "gsed", "cut", "awk", "gawk", "mawk", "tr":
	default:
		return "", false, false
	}
	var in strings.Builder
	sure = true
	read := 0
	rest := make([]shell.Word, 0, len(c.Args))
	for _, a := range c.Args {
		if f := fileNamed(c, a.Text); f != nil {
			read++
			sure = sure && f.Sure
			if !w.pay(len(f.Text)) || in.Len() > maxOutput {
				return "", false, false
			}
			in.WriteString(f.Text)
			continue
		}
		if c.Name == "cat" && !strings.HasPrefix(a.Text, "-") && a.Text != "" {
			sure = false // a file of somebody else
			in.WriteString(hole)
			continue
		}
		rest = append(rest, a)
	}
	if read == 0 {
		return "", false, false
	}
	if c.Name == "cat" && !sure {
		return in.String(), false, true
	}
	reader := *c
	reader.Args = rest
	text, ok = filtered(&reader, in.String())
	if !ok {
		return "", false, true
	}
	return text, sure, true
}

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
