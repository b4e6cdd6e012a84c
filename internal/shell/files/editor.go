package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// editor is a program in which anything may be done. With commands in its
// arguments or on its input it is a program for editing: what those run is judged
// elsewhere, here counts what becomes of the file.
func (j *job) editor() bool {
	if asksOnly(j.c.Args) {
		j.safely(shell.IO, "editor-help", "prints help")
		return true
	}
	s := j.editing()
	switch {
	case s.wipes && s.saves:
		for _, w := range s.files {
			j.emptied(j.spot(w))
		}
	case s.plain && s.saves:
		for _, w := range s.files {
			j.edited(j.spot(w))
		}
	case s.plain:
		j.safely(shell.FSRead, "editor-read", "views a file in an editor")
	}
	if j.out != nil {
		return true
	}
	if s.loads {
		j.note(maybe, "run", shell.Run, "editor", "runs editor commands from a file")
		return true
	}
	if s.told {
		return false // what it is told is judged elsewhere
	}
	for _, w := range s.files {
		s := j.spot(w)
		if v := editTo[s.zone]; (s.kind != "" || v != safe) && !has(j.c.Args, "-R", "-M", "-v", "--view") {
			j.mark(&edits, s, maybe)
		}
	}
	if j.out == nil {
		j.safely(shell.Edit, "editor", "opens an interactive editor")
	}
	return true
}

// A session is what an editor is told to do.
type session struct {
	files []shell.Word
	wipes bool // it deletes all lines
	saves bool
	plain bool // it has commands, all of them are known, and it ends
	told  bool // it has commands
	loads bool // those of a file
}

// editing reads the commands of vi, ex and ed.
func (j *job) editing() session {
	var s session
	if !program.Is(j.c.Name, program.IsVi) {
		for _, w := range j.c.Args {
			switch {
			case w.Text == "":
			case w.Text[0] != '-' && w.Text[0] != '+':
				s.files = append(s.files, w)
			case strings.Contains(w.Text, "eval") || strings.Contains(w.Text, "batch") || w.Text == "-l" || w.Text == "-f" || w.Text == "--load" || w.Text == "--script" || w.Text == "-x":
				s.told = program.FilesOf(j.c.Name) == program.FilesEmacs
			}
		}
		return s
	}
	known, ends := true, false
	take := func(cmd string) {
		s.told = s.told || strings.Trim(cmd, "0123456789$:") != ""
		s.loads = s.loads || strings.HasPrefix(strings.TrimLeft(cmd, ": "), "so")
		k, e := s.command(cmd)
		known, ends = known && k, ends || e
	}
	for i := 0; i < len(j.c.Args); i++ {
		w := j.c.Args[i]
		switch t := w.Text; {
		case t == "":
		case (t == "-c" || t == "--cmd" || t == "-sc" || t == "-esc" || t == "-Esc") && i+1 < len(j.c.Args):
			i++
			take(j.c.Args[i].Text)
		case t == "-S" || t == "-s" && i+1 < len(j.c.Args) && !j.scripted() && strings.HasSuffix(j.c.Args[i+1].Text, ".vim"):
			i++
			known, s.loads = false, true
		case t[0] == '+' && len(t) > 1:
			take(t[1:])
		case t == "-u" || t == "-T" || t == "-w" || t == "-W":
			i++
		case t[0] == '-' || t[0] == '+':
		default:
			s.files = append(s.files, w)
		}
	}
	if text, ok := j.input(); ok {
		for line := range strings.Lines(text[:min(len(text), 4096)]) {
			take(strings.TrimSpace(line))
		}
		ends, s.told = true, true // with its input
	} else if j.c.In != nil || len(j.c.Redir) > 0 {
		s.told = true
	}
	s.plain = known && ends
	return s
}

// scripted reports whether an editor reads commands from its input.
func (j *job) scripted() bool {
	for i := range j.c.Args {
		if t := j.c.Args[i].Text; t == "-e" || t == "-es" || t == "-E" || t == "-Es" {
			return true
		}
	}
	return false
}

// input is the text on standard input, when all of it is known.
func (j *job) input() (string, bool) {
	for i := range j.c.Redir {
		if r := &j.c.Redir[i]; r.Op == "<<" || r.Op == "<<<" || r.Op == "<<-" {
			return r.Target.Text, !strings.Contains(r.Target.Text, holeText)
		}
	}
	if in := j.c.In; in != nil {
		return in.Text, in.Complete
	}
	return "", false
}

// command takes in one line of commands. It reports whether they are known to do
// nothing but edit, and whether they end the editor.
func (s *session) command(text string) (known, ends bool) {
	known = true
	for one := range strings.SplitSeq(text, "|") {
		one = strings.TrimLeft(one, ": \t")
		body := strings.TrimLeft(one, "0123456789.$%,+-;")
		where := one[:len(one)-len(body)]
		verb := body
		for i := 0; i < len(body); i++ {
			if !letter(body[i]) {
				verb = body[:i]
				break
			}
		}
		rest := strings.TrimSpace(body[len(verb):])
		switch verb {
		case "d", "delete":
			s.wipes = s.wipes || where == "%" || where == "1,$" || where == "," || where == "0,$"
		case "g", "global", "v":
			s.wipes = s.wipes || (rest == "/./d" || rest == "/^/d" || rest == "/.*/d") && verb != "v"
			known = known && strings.IndexByte(rest, '!') < 0 && (strings.HasSuffix(rest, "d") || strings.HasSuffix(rest, "p") || strings.Contains(rest, "s/"))
		case "w", "write", "wq", "x", "wqa", "wa", "xa", "up", "update":
			s.saves = true
			ends = ends || verb[0] == 'x' || strings.Contains(verb, "q")
			known = known && strings.Trim(rest, "!") == ""
		case "q", "quit", "qa", "qall", "cq":
			ends = true
		case "set", "syntax", "p", "print", "number", "nu", "n", "s", "H", "P", "j", "k", "l", "y", "m", "t", "noh", "":
			known = known && !(verb == "" && strings.HasPrefix(body, "!")) && !strings.HasSuffix(rest, "e!")
		default:
			known = false
		}
	}
	return known, ends
}
