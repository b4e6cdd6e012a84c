package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// walkXargs walks the command that xargs runs with words from its input. It always returns true, since
// nothing is left to resolve.
func (w wrappers) walkXargs(c *command) bool {
	redir := c.redir
	w.addWrapperCall(c)
	o := xargsOptions{}
	rest := o.parseArgs(c.words[1:])
	if len(rest) == 0 {
		rest = []shell.Word{{Text: "echo"}}
	}
	for i := range redir {
		if r := &redir[i]; r.Op == "<" && r.Fd == "" && o.file == "" {
			o.file = r.Target.Text
		}
	}
	if f := w.loadOwnFile(o.file, &c.context); f != nil && o.file != "" {
		defer func(before textSource) { w.source = before }(w.enterSource(f))
	}
	inner := *c
	inner.redir, inner.savedVars, inner.skipFunctions, inner.dataOnly = nil, nil, true, true
	inner.hops = c.hops + 1
	given := w.inputWords(c, &o)
	inner.in = nil
	if o.mark == "" {
		inner.words = append(rest[:len(rest):len(rest)], given...)
		w.resolveCommand(inner)
		return true
	}
	for i, word := range given {
		if i >= maxLoop || !w.spendRound() {
			word = shell.Word{Text: placeholder, From: expand.AddSource(word.From[:len(word.From):len(word.From)], expand.TruncatedSource)}
		}
		inner.words = substituteWords(rest, o.mark, []shell.Word{word}, false)
		w.resolveCommand(inner)
		if word.Text == placeholder {
			break
		}
	}
	return true
}

// An xargsOptions holds the options of xargs that affect the nested command.
type xargsOptions struct {
	mark  string // value of -I
	delim string // "" = white space
	file  string // value of -a
}

// parseArgs sets o to the options in args, the arguments of xargs, and returns the words after them.
func (o *xargsOptions) parseArgs(args []shell.Word) []shell.Word {
	for len(args) > 0 {
		a := args[0].Text
		if a == "--" {
			return args[1:]
		}
		if len(a) < 2 || a[0] != '-' {
			return args
		}
		next := ""
		if len(args) > 1 {
			next = args[1].Text
		}
		args = args[min(o.parseFlag(a, next), len(args)):]
	}
	return args
}

// parseFlag applies the flag a and returns how many words it takes. next is the word after it.
func (o *xargsOptions) parseFlag(a, next string) int {
	if strings.HasPrefix(a, "--") {
		name, val, given := strings.Cut(a, "=")
		switch name {
		case "--replace":
			o.mark = "{}"
			if given {
				o.mark = val
			}
			return 1
		case "--null":
			o.delim = "\x00"
			return 1
		case "--max-args", "--max-procs", "--max-chars", "--delimiter", "--arg-file", "--process-slot-var":
			n := 1
			if !given {
				n, val = 2, next
			}
			o.setFlag(xargsShortFlag(name), val)
			return n
		}
		return 1
	}
	for i := 1; i < len(a); i++ {
		val := a[i+1:]
		switch a[i] {
		case '0':
			o.delim = "\x00"
		case 'i':
			o.mark = "{}"
			if val != "" {
				o.mark = val
			}
			return 1
		case 'l', 'e':
			return 1
		case 'I', 'L', 'n', 'P', 's', 'd', 'E', 'a', 'J', 'R', 'S':
			if val != "" {
				o.setFlag(a[i], val)
				return 1
			}
			o.setFlag(a[i], next)
			return 2
		}
	}
	return 1
}

// xargsShortFlag returns the letter of name, a long flag of xargs with a value. It returns 'n' for
// those that have no effect here.
func xargsShortFlag(name string) byte {
	switch name {
	case "--delimiter":
		return 'd'
	case "--arg-file":
		return 'a'
	}
	return 'n'
}

// setFlag sets the option with the letter flag to val.
func (o *xargsOptions) setFlag(flag byte, val string) {
	switch flag {
	case 'I', 'J':
		o.mark = val
	case 'd':
		o.delim = string(expand.AppendANSIQuoted(nil, val))
	case 'a':
		o.file = val
	}
}

// inputWords returns the words that xargs reads from its input or its file. Unknown input becomes
// placeholders.
func (w wrappers) inputWords(c *command, o *xargsOptions) []shell.Word {
	flow := c.in
	if o.file != "" {
		if flow = w.pathFlow(o.file); flow == nil {
			flow = fileFlow(&shell.Redirect{Op: "<", Target: shell.Word{Text: o.file}})
		}
	}
	if flow == nil {
		flow = redirectedInput(c)
	}
	if flow == nil {
		return []shell.Word{{Text: placeholder}}
	}
	if !flow.Complete {
		return placeholderWords(flow)
	}
	text := flow.Text
	switch {
	case o.delim != "":
		return splitWords(text, o.delim, flow.From)
	case o.mark != "":
		return splitWords(text, "\n", flow.From)
	}
	// xargs reads quotes and backslashes much as a shell does.
	words := argv.SplitWords(shell.Word{Text: text, From: flow.From})
	for i := range words {
		words[i].Glob = strings.ContainsAny(words[i].Text, "*?[")
	}
	return words
}

// placeholderWords returns words that stand for the unknown text of flow. For the output of find, the
// words contain the directories that find searches.
func placeholderWords(flow *shell.Flow) []shell.Word {
	for _, from := range flow.From {
		if program.RunsOf(from.Name) == program.RunsFind {
			words := argv.FindResults(from.Args, len(from.Args))
			for i := range words {
				words[i].From = flow.From
			}
			return words
		}
		switch program.OutputOf(from.Name) {
		case program.OutputReads, program.OutputSelects, program.OutputPicks:
			continue
		}
		break
	}
	return []shell.Word{{Text: placeholder, From: flow.From}}
}

// splitWords splits text at sep into words with the sources from. It skips empty ones, and a truncated
// word stands for those beyond maxWords.
func splitWords(text, sep string, from []*shell.Call) []shell.Word {
	var out []shell.Word
	for one := range strings.SplitSeq(text, sep) {
		if len(out) >= maxWords {
			return append(out, expand.TruncatedWord())
		}
		if one != "" {
			out = append(out, shell.Word{Text: one, From: from, Glob: expand.IsPattern(one)})
		}
	}
	return out
}

// walkParallel walks the command that GNU parallel passes to a shell for each of its arguments.
func (w wrappers) walkParallel(c *command) {
	w.addWrapperCall(c)
	const long = "--jobs --max-procs --delay --timeout --retries --colsep --joblog --results --arg-file --halt --load --memfree --workdir --max-args --tagstring --sshlogin --delimiter"
	f := argv.FlagReader{Args: c.words[1:], Options: &argv.Options{Short: "jnNadISLPC", Long: long}}
	rest := f.Operands()
	end := len(rest)
	for i, a := range rest {
		if strings.HasPrefix(a.Text, ":::") {
			end = i
			break
		}
	}
	words, given := rest[:end], []shell.Word(nil)
	for _, a := range rest[end:] {
		if !strings.HasPrefix(a.Text, ":::") {
			given = append(given, a)
		}
	}
	o := xargsOptions{delim: "\n"}
	argv.EachSimpleOptionValue(c.words, "-a --arg-file", func(path shell.Word) { o.file = path.Text })
	if end+1 < len(rest) && rest[end].Text == "::::" {
		o.file = rest[end+1].Text
	}
	if end == len(rest) || o.file != "" {
		given = w.inputWords(c, &o)
	}
	inner := *c
	inner.in, inner.redir = nil, nil
	text := expand.Join(words, " ")
	if strings.Contains(text.Text, "{}") {
		text.Text = strings.ReplaceAll(text.Text, "{}", "$1")
	} else {
		text.Text += " $1"
	}
	for _, g := range given {
		rest := !w.spendRound()
		if rest {
			g = expand.TruncatedWord()
		}
		if len(words) == 0 {
			w.walkShellText(&inner, g)
		} else {
			// Arguments are quoted for the shell, so they are words, not code.
			w.walkInShell(text, []shell.Word{g}, &inner)
		}
		if rest {
			return
		}
	}
}
