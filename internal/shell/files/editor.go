package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// judgeEditor judges an editor. If its commands are in its arguments or its input, only their effect
// on the edited file is judged here; other packages judge the programs that they run. It reports false
// if only other packages can judge the call.
func (j *job) judgeEditor() bool {
	if asksForHelp(j.c.Args) {
		j.addSafe(shell.IO, "editor-help", "prints help")
		return true
	}
	s := j.parseEditor()
	switch {
	case s.wipes && s.saves:
		for _, w := range s.files {
			j.addTruncate(j.locateWord(w))
		}
	case s.isComplete && s.saves:
		for _, w := range s.files {
			j.addEdit(j.locateWord(w))
		}
	case s.isComplete:
		j.addSafe(shell.FSRead, "editor-read", "views a file in an editor")
	}
	if j.out != nil {
		return true
	}
	if s.loadsFile {
		j.addPathless(unknownMedium, "run", shell.Run, "editor", "runs editor commands from a file")
		return true
	}
	if s.hasCommands { // other packages judge what they run; they may write the file as well
		for _, w := range s.files {
			if at := j.locateWord(w); editVerdicts[at.zone] != safe {
				j.addEdit(at)
			}
		}
		return j.out != nil
	}
	for _, w := range s.files {
		s := j.locateWord(w)
		if v := editVerdicts[s.zone]; (s.kind != "" || v != safe) && !hasAnyOption(j.c.Args, "-R", "-M", "-v", "--view") {
			j.addEffect(&edits, s, unknownMedium)
		}
	}
	if j.out == nil {
		j.addSafe(shell.Edit, "editor", "opens an interactive editor")
	}
	return true
}

// An editorSession describes what the arguments and the input of an editor make it do.
type editorSession struct {
	files       []shell.Word
	wipes       bool // it deletes all lines
	saves       bool
	isComplete  bool // it has commands, all of them are known, and they end the editor
	hasCommands bool // it has commands
	loadsFile   bool // it runs commands from a file
}

// parseEditor returns what the call makes an editor do. It reads the commands of vi, ex and ed; of
// other editors it finds only the files, and whether there are commands.
func (j *job) parseEditor() editorSession {
	var s editorSession
	if !program.Is(j.c.Name, program.IsVi) {
		for _, w := range j.c.Args {
			switch {
			case w.Text == "":
			case w.Text[0] != '-' && w.Text[0] != '+':
				s.files = append(s.files, w)
			case strings.Contains(w.Text, "eval") || strings.Contains(w.Text, "batch") || w.Text == "-l" || w.Text == "-f" || w.Text == "--load" || w.Text == "--script" || w.Text == "-x":
				s.hasCommands = program.FilesOf(j.c.Name) == program.FilesEmacs
			}
		}
		return s
	}
	known, ends := true, false
	take := func(cmd string) {
		s.hasCommands = s.hasCommands || strings.Trim(cmd, "0123456789$:") != ""
		s.loadsFile = s.loadsFile || strings.HasPrefix(strings.TrimLeft(cmd, ": "), "so")
		k, e := s.addCommands(cmd)
		known, ends = known && k, ends || e
	}
	for i := 0; i < len(j.c.Args); i++ {
		w := j.c.Args[i]
		switch t := w.Text; {
		case t == "":
		case (t == "-c" || t == "--cmd" || t == "-sc" || t == "-esc" || t == "-Esc") && i+1 < len(j.c.Args):
			i++
			take(j.c.Args[i].Text)
		case t == "-S" || t == "-s" && i+1 < len(j.c.Args) && !j.readsCommands() && strings.HasSuffix(j.c.Args[i+1].Text, ".vim"):
			i++
			known, s.loadsFile = false, true
		case t[0] == '+' && len(t) > 1:
			take(t[1:])
		case t == "-u" || t == "-T" || t == "-w" || t == "-W":
			i++
		case t[0] == '-' || t[0] == '+':
		default:
			s.files = append(s.files, w)
		}
	}
	if text, ok := j.inputText(); ok {
		for line := range strings.Lines(text[:min(len(text), 4096)]) {
			take(strings.TrimSpace(line))
		}
		ends, s.hasCommands = true, true // the editor ends at the end of its input
	} else if j.c.In != nil || len(j.c.Redir) > 0 {
		s.hasCommands = true
	}
	s.isComplete = known && ends
	return s
}

// readsCommands reports whether an option makes the editor read commands from its input.
func (j *job) readsCommands() bool {
	for i := range j.c.Args {
		if t := j.c.Args[i].Text; t == "-e" || t == "-es" || t == "-E" || t == "-Es" {
			return true
		}
	}
	return false
}

// inputText returns the text of standard input, and whether it is completely known.
func (j *job) inputText() (string, bool) {
	for i := range j.c.Redir {
		if r := &j.c.Redir[i]; r.Op == "<<" || r.Op == "<<<" || r.Op == "<<-" {
			return r.Target.Text, !strings.Contains(r.Target.Text, placeholder)
		}
	}
	if in := j.c.In; in != nil {
		return in.Text, in.Complete
	}
	return "", false
}

// addCommands adds text, a line of editor commands, to s. known reports whether the commands do
// nothing but edit, and ends whether they end the editor.
func (s *editorSession) addCommands(text string) (known, ends bool) {
	known = true
	for one := range strings.SplitSeq(text, "|") {
		one = strings.TrimLeft(one, ": \t")
		body := strings.TrimLeft(one, "0123456789.$%,+-;")
		where := one[:len(one)-len(body)]
		verb := body
		for i := 0; i < len(body); i++ {
			if !isLetter(body[i]) {
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
