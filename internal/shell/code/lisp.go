package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// runLisp reads the expressions that emacs and other lisps are given.
func runLisp(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o}
	found := false
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i].Text
		flag, val, has := strings.Cut(w, "=")
		switch flag {
		case "--eval", "-eval", "-e", "--execute", "-c", "-f", "-x":
			if flag == "-f" && n != "clisp" || flag == "-c" && n == "emacs" {
				continue
			}
			if !has || !strings.HasPrefix(w, "--") {
				if i++; i >= len(c.Args) {
					continue
				}
				val = c.Args[i].Text
			}
			found = true
			r.lisp(val)
		}
	}
	if !found {
		return nil, nil, false
	}
	o.finish(c)
	return o.effects, o.nested, true
}

// lisp goes through the lists of lisp code.
func (r *reader) lisp(s string) {
	s = s[:min(len(s), maxCode)]
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ';':
			i += len(lineFrom(s, i))
		case '"':
			_, i = sedPart(s, i+1, '"')
			i--
		case '(':
			head, args := lispList(s, i+1)
			r.lispCall(head, args)
		}
	}
}

// lispList returns the first word of a list and the strings and words that
// follow it up to its end; lists within it are not known.
func lispList(s string, i int) (string, []value) {
	from := i
	for i < len(s) && s[i] > ' ' && s[i] != '(' && s[i] != ')' && s[i] != '"' {
		i++
	}
	head := s[from:i]
	var args []value
	for i < len(s) && len(args) < 64 {
		switch c := s[i]; {
		case c == ')':
			return head, args
		case c == '"':
			var t string
			t, i = sedPart(s, i+1, '"')
			args = append(args, known(unescape(t, lua)))
		case c == '(' || c == '[':
			return head, append(args, value{})
		case c <= ' ' || c == '\'' || c == '`':
			i++
		default:
			j := i
			for i < len(s) && s[i] > ' ' && s[i] != ')' && s[i] != '(' && s[i] != '"' {
				i++
			}
			args = append(args, value{form: name, text: s[j:i]})
		}
	}
	return head, args
}

func (r *reader) lispCall(head string, args []value) {
	first := positional(args, 0, "")
	switch head[strings.LastIndexByte(head, ':')+1:] {
	case "shell-command", "shell-command-to-string", "call-process-shell-command", "async-shell-command", "system", "run-shell-command", "process", "run-program", "shell",
		"compile":
		if first.form == list {
			r.argvOf(first.items, 0)
			return
		}
		r.lispShell(first)
	case "sh", "system*", "shell/sh":
		r.lispArgv(args)
	case "call-process":
		if len(args) > 3 {
			args = append(args[:1:1], args[4:]...)
		}
		r.lispArgv(args)
	case "start-process":
		if len(args) > 2 {
			r.lispArgv(args[2:])
		}
	case "start-process-shell-command":
		r.lispShell(positional(args, 2, ""))
	case "delete-file":
		r.lispOn("rm -- ", first)
	case "delete-directory":
		if len(args) > 1 {
			r.lispOn("rm -rf -- ", first)
		} else {
			r.lispOn("rmdir -- ", first)
		}
	case "delete-directory-and-files", "delete-directory/files", "delete-directory-tree":
		r.lispOn("rm -rf -- ", first)
	case "rename-file", "copy-file":
		b := positional(args, 1, "")
		cmd := "mv -- "
		if head == "copy-file" {
			cmd = "cp -- "
		}
		r.runs(cmd + quote(&first) + " " + quote(&b))
	case "write-region":
		r.lispOn("printf x > ", positional(args, 2, ""))
	case "spit":
		r.lispOn("printf x > ", first)
	case "load-file", "load", "eval", "read-from-string", "load-string":
		if head != "load-string" {
			r.unresolved("it runs code that is not known", head)
		} else {
			r.lisp(first.str())
		}
	}
}

func (r *reader) lispShell(v value) {
	if v.form != text {
		r.unresolved("it runs a command that is not known", v.text)
		return
	}
	r.runs(v.text)
}

func (r *reader) lispArgv(args []value) {
	words := args[:0:0]
	for i := range args {
		if args[i].form == text || args[i].form == unknown {
			words = append(words, args[i])
		}
	}
	if len(words) > 0 && words[0].form == text {
		r.runs(argvText(words))
	} else {
		r.unresolved("it runs a program that is not known", "")
	}
}

func (r *reader) lispOn(cmd string, p value) {
	if p.form == text {
		p = expandHome(p)
		r.runs(cmd + quote(&p))
		return
	}
	if strings.HasPrefix(cmd, "rm -rf") {
		r.note(shell.Effect{Label: shell.Destructive, Kind: "delete", Category: "fs-delete", Radius: shell.RadiusUnknown, Words: cmd,
			Reason: "deletes a directory tree whose name is not known"})
		return
	}
	r.unresolved("it changes a file whose name is not known", cmd)
}

// argvText writes words as shell text.
func argvText(words []value) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quote(&words[i]))
	}
	return b.String()
}
