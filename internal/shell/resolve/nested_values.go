package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// An opening is a way by which an ordinary program runs, writes or reads what a
// part of its call says: the value of an option, a variable, a line that it is fed,
// a file of settings. What is found there is judged as the command that it is.
type opening struct {
	name string
	in   opened
	keys string // options or variables: "-o+" also as -oVALUE, "--x=" only so, "*" any word
	pre  string // what the text begins with, in any case; it is cut off
	mid  string // what stands before the text somewhere in it, in any case
	has  string // what must be in the text as well
	as   string // the words before the text that make a command of it; "" = a shell reads it
	sub  string // a word that must be among those of the call
	far  bool   // it runs on another machine
}

// opened is where an opening is.
type opened uint8

const (
	inValue    opened = iota // the value of an option, or the word behind a word
	inVariable               // the value of a variable
	inLine                   // a line of standard input
	inConfig                 // a line of a file that an option or a word names
	inScript                 // a file that is there by a name of its own
	inFolder                 // the files of a directory that an option, a word or a variable names
	inTail                   // the words behind an option
	inOption                 // the option itself: it runs what is not looked at
)

// Words for opening.as that no program has: how the text becomes a command.
const (
	asWords  = ","  // a,b,c are words
	asLast   = ">"  // its last word is a file that is written
	asFirst  = "1>" // its first word is a file that is written
	asTeX    = "=>" // what follows = is a file that is written
	asUnread = "?"  // it names what is run and not looked at
)

// maxOpened bounds the texts of one call.
const maxOpened = 32

// walkOpenings walks what the parts of a call make its program run, write or read.
func (w options) walkOpenings(c *command) {
	rows := rowsOf(openings[:], aliasOf(families[:], programName(c.words[0].Text)))
	left := maxOpened
	for i := range rows {
		row := &rows[i]
		if slices.Contains(w.opening, row) || row.sub != "" && !hasWord(c.words, row.sub) {
			continue // what it runs sees the same variable
		}
		w.opening = append(w.opening, row)
		w.openedBy(c, row, func(text shell.Word) {
			w.steps -= len(text.Text) / 64
			if row.keys == "*" && row.pre == "" && row.mid == "" && strings.HasPrefix(text.Text, "-") || !row.about(&text) || row.namesShell(text.Text) {
				return
			}
			switch left--; {
			case left > 0 && row.far:
				inner := w.elsewhere(c, target(c.words[1:], row.sub))
				w.open(&inner, row, text)
			case left > 0:
				w.open(c, row, text)
			case left == 0:
				w.tooMuch()
			}
		})
		w.opening = w.opening[:len(w.opening)-1]
	}
}

// namesShell reports whether a text only says which shell is to be used.
func (row *opening) namesShell(text string) bool {
	return strings.Contains(row.keys, "shell") && row.in == inValue && facts.TongueOf(path.Base(text)).Shell()
}

// openedBy calls fn with each text that a row is about.
func (w options) openedBy(c *command, row *opening, fn func(shell.Word)) {
	switch row.in {
	case inValue:
		keyed(c.words[1:], row.keys, fn)
	case inVariable:
		w.variables(c, row.keys, fn)
	case inLine:
		if c.in != nil {
			for text := range strings.Lines(c.in.Text) {
				if row.as != "" && strings.Contains(text, hole) {
					continue // it names an unknown file
				}
				fn(shell.Word{Text: strings.TrimSpace(text), From: c.in.From})
			}
		}
	case inConfig:
		w.fileNames(c, row.keys, func(path shell.Word) {
			if f := w.fileAt(path.Text, &c.context); f != nil && !f.dir {
				fileLines(f, fn)
			} else if flow := w.opened(path.Text); flow != nil {
				for text := range strings.Lines(flow.Text) {
					fn(shell.Word{Text: strings.TrimSpace(text), From: flow.From})
				}
			}
		})
	case inScript:
		w.scripts(c, row, fn)
	case inFolder:
		w.fileNames(c, row.keys, func(path shell.Word) { w.filesBelow(c, row, path.Text, fn) })
	case inTail:
		for i, a := range c.words[1:] {
			if rest := c.words[i+2:]; facts.InList(row.keys, a.Text) && len(rest) > 0 {
				if row.pre == "" && row.as != "" && row.as != asLast && row.as != asFirst {
					w.inner(c, append(wordsOf(strings.Fields(row.as), nil), rest...))
				} else {
					fn(expand.Join(rest, " "))
				}
				return
			}
		}
	case inOption:
		w.optionRuns(c, row)
	}
}

// scripts calls fn with the files that a program runs by their names, when the text
// wrote them, or with their lines.
func (w options) scripts(c *command, row *opening, fn func(shell.Word)) {
	for name := range strings.FieldsSeq(row.keys) {
		if len(w.files) == 0 {
			return
		}
		if rest, ok := strings.CutPrefix(name, "~/"); ok && w.place.Home != "" {
			name = cleanJoin(w.place.Home, rest)
		}
		full := w.spot(name, &c.context)
		for i := range w.files {
			f := &w.files[i]
			switch {
			case f.dir || f.seq == 0 || f.path != full:
			case row.mid != "" || row.pre != "":
				fileLines(f, fn)
			default:
				fn(shell.Word{Text: name})
				return
			}
		}
	}
}

// fileNames are the files or directories that words or variables name.
func (w options) fileNames(c *command, keys string, fn func(shell.Word)) {
	if !w.mayKnow() && len(w.pipes) == 0 {
		return
	}
	keyed(c.words[1:], keys, fn)
	w.variables(c, keys, fn)
}

// filesBelow calls fn with the files that the text put into a directory, or with
// their lines.
func (w options) filesBelow(c *command, row *opening, dir string, fn func(shell.Word)) {
	if nowhere(dir) || len(dir) > maxPath {
		return
	}
	dir = strings.TrimSuffix(strings.TrimSuffix(dir, "..."), "/") // go generate ./...
	full := strings.TrimSuffix(w.spot(dir, &c.context), "/") + "/"
	var found []string
	for i := range w.files {
		f := &w.files[i]
		switch {
		case f.dir || !strings.HasPrefix(f.path, full) || len(found) >= maxOpened:
		case row.mid != "" || row.pre != "":
			fileLines(f, fn)
		default:
			found = append(found, f.path)
		}
	}
	args := ""
	if row.name == "run-parts" {
		keyed(c.words[1:], "--arg -a", func(v shell.Word) { args += " " + expand.Quote(v.Text) })
	}
	for _, path := range found {
		fn(shell.Word{Text: path + args})
	}
}

// variables calls fn with the values of variables that a call sees.
func (w *walker) variables(c *command, names string, fn func(shell.Word)) {
	for name := range strings.FieldsSeq(names) {
		if name[0] == '-' || name == "*" {
			continue
		}
		at := -1
		for i := range c.env {
			if c.env[i].Name == name {
				at = i
			}
		}
		if at >= 0 {
			fn(c.env[at].Value)
		} else if v := w.st.find(name); v != nil && !v.Gone {
			fn(v.Word)
		}
	}
}

// optionRuns notes that an option makes a program run what is not looked at.
func (w options) optionRuns(c *command, row *opening) {
	for _, a := range c.words[1:] {
		name, _, _ := strings.Cut(a.Text, "=")
		if facts.InList(row.keys, name) || row.keys == "*" && containsFold(a.Text, row.mid) {
			w.report(shell.Unreads(show(c.words), "runs or loads programs named in "+row.has+", which checkrein does not check"))
			return
		}
	}
}

// keyed calls fn with the values of options.
func keyed(args []shell.Word, keys string, fn func(shell.Word)) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if keys == "*" {
			fn(a)
			continue
		}
		name, val, given := strings.Cut(a.Text, "=")
		switch {
		case given && (facts.InList(keys, name) || facts.InList(keys, name+"=")):
			a.Text = val
			fn(a)
		case !given && facts.InList(keys, name), facts.InList(keys, a.Text+"+"):
			if i+1 < len(args) {
				i++
				fn(args[i])
			}
		case len(a.Text) > 2 && a.Text[0] == '-' && facts.InList(keys, a.Text[:2]+"+"):
			a.Text = a.Text[2:]
			fn(a)
		case len(a.Text) > 2 && a.Text[0] == '-' && a.Text[1] != '-' && facts.InList(keys, "-"+a.Text[len(a.Text)-1:]+"+") && i+1 < len(args):
			i++
			fn(args[i]) // rsync -ave COMMAND
		}
	}
}

func fileLines(f *file, fn func(shell.Word)) {
	for text := range strings.Lines(f.text) {
		fn(shell.Word{Text: strings.TrimSpace(text), From: f.parts})
	}
}

// about cuts a text down to what the row is about, if it is.
func (row *opening) about(text *shell.Word) bool {
	rest, ok := cutFold(text.Text, row.pre)
	if !ok || row.has != "" && !strings.Contains(text.Text, row.has) {
		return false
	}
	if row.mid != "" {
		if rest, ok = behindFold(rest, row.mid); !ok {
			return false
		}
	}
	text.Text = strings.TrimSpace(rest)
	return text.Text != ""
}

// open walks one text.
func (w options) open(c *command, row *opening, text shell.Word) {
	rest := text.Text
	words := strings.Fields(row.as)
	switch row.as {
	case "":
		// LESSOPEN='|x', ProxyCommand=';x'
		text.Text = strings.TrimLeft(rest, "|-=; \t")
		switch {
		case row.name == "vim":
			text.Text = strings.ReplaceAll(text.Text, `\ `, " ")
		case row.name == "go" && row.in == inValue && strings.Contains(text.Text, " "):
			text.Text += " ./x.test" // what it builds follows
		}
		switch {
		case text.Text == "":
		case row.in <= inVariable && !facts.Shell(programName(text.Text)): // a shell by itself waits
			w.value(c, text)
		default:
			w.handed(c, text)
		}
		return
	case asUnread:
		w.report(shell.Unreads(show(c.words), "loads "+rest+", which checkrein does not check"))
		return
	case asWords:
		words = words[:0]
		for one := range strings.SplitSeq(rest, ",") {
			words = append(words, strings.Trim(strings.TrimSpace(one), `"'`))
		}
		w.inner(c, wordsOf(words, text.From))
		return
	case asLast, asFirst, asTeX:
		if row.as == asTeX {
			_, rest, _ = strings.Cut(rest, "=")
		}
		if fields := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t,;\\\"'", r) }); len(fields) > 0 {
			at := 0
			if row.as == asLast {
				at = len(fields) - 1
			}
			w.inner(c, wordsOf([]string{"tee", fields[at]}, text.From))
		}
		return
	}
	if last := len(words) - 1; words[last] == "*" {
		w.inner(c, wordsOf(append(words[:last], strings.Fields(rest)...), text.From))
		return
	}
	w.handedAs(c, row.as, text)
}

func wordsOf(texts []string, from []*shell.Call) []shell.Word {
	out := make([]shell.Word, len(texts))
	for i, t := range texts {
		out[i] = shell.Word{Text: t, From: from}
	}
	return out
}

// cutFold cuts a beginning off, in any case.
func cutFold(text, pre string) (string, bool) {
	if len(text) < len(pre) || !strings.EqualFold(text[:len(pre)], pre) {
		return text, false
	}
	return text[len(pre):], true
}

func containsFold(text, part string) bool {
	_, ok := indexFold(text, part)
	return ok
}

func indexFold(text, part string) (int, bool) {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i]|0x20 == part[0]|0x20 && strings.EqualFold(text[i:i+len(part)], part) {
			return i, true
		}
	}
	return 0, false
}

// behindFold is what stands behind a mark: what is in the brackets that the mark
// opens, or the rest. Texts in quotes there are what counts: the words of a call.
func behindFold(text, mark string) (string, bool) {
	at, ok := indexFold(text, mark)
	if !ok {
		return "", false
	}
	rest := text[at+len(mark):]
	bracket := false
	if at := strings.LastIndexAny(mark, "({["); at >= 0 {
		rest = bracketed(rest, mark[at], ")}]"[strings.IndexByte("({[", mark[at])])
		bracket = at == len(mark)-1
	}
	rest = strings.TrimLeft(rest, " \t[({")
	switch {
	case strings.HasSuffix(mark, `"`):
		rest, _, _ = strings.Cut(rest, `"`)
	case rest != "" && strings.ContainsRune("\"'`", rune(rest[0])):
		return quotedTexts(rest, bracket), true
	}
	return rest, true
}

// bracketed is the text up to the bracket that closes.
func bracketed(text string, open, end byte) string {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

// quotedTexts are the texts in quotes as one command: a single one as it is, more
// of them as words. Options that come as one text stay one.
func quotedTexts(text string, more bool) string {
	var all []string
	for text != "" && len(all) < maxOpened && (more || len(all) == 0) {
		at := strings.IndexAny(text, "\"'`")
		if at < 0 {
			break
		}
		q, b := text[at], strings.Builder{}
		if text = text[at+1:]; q == '`' && strings.Contains(text, "'") && !strings.Contains(text, "`") {
			q = '\'' // m4
		}
		i := 0
		for ; i < len(text) && text[i] != q; i++ {
			if text[i] == '\\' && i+1 < len(text) {
				i++
			}
			b.WriteByte(text[i])
		}
		all = append(all, b.String())
		text = text[min(i+1, len(text)):]
	}
	if len(all) == 1 {
		return all[0]
	}
	for i, t := range all {
		if !strings.HasPrefix(t, "-") {
			all[i] = expand.Quote(t)
		}
	}
	return strings.Join(all, " ")
}
