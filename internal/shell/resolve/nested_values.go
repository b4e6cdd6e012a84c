package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkNestedRules walks what the arguments, variables and files of c make its program run, write or
// read, according to the rules for that program.
func (w options) walkNestedRules(c *command) {
	rows := argv.NestedRulesOf(argv.ProgramName(c.words[0].Text))
	left := argv.MaxNestedTexts
	for i := range rows {
		row := &rows[i]
		if slices.Contains(w.activeRules, row) || row.Sub != "" && !argv.HasWord(c.words, row.Sub) {
			continue // the nested command gets the same variable
		}
		w.activeRules = append(w.activeRules, row)
		w.eachRuleText(c, row, func(text shell.Word) {
			w.steps -= len(text.Text) / 64
			if row.Keys == "*" && row.Pre == "" && row.Mid == "" && strings.HasPrefix(text.Text, "-") || !row.Extract(&text) || row.NamesShell(text.Text) {
				return
			}
			switch left--; {
			case left > 0 && row.Far:
				inner := w.remoteCommand(c, argv.TargetHost(c.words[1:], row.Sub))
				w.walkRuleText(&inner, row, text)
			case left > 0:
				w.walkRuleText(c, row, text)
			case left == 0:
				w.reportLimit()
			}
		})
		w.activeRules = w.activeRules[:len(w.activeRules)-1]
	}
}

// eachRuleText calls fn with each text that the rule row selects: values, lines or file names.
func (w options) eachRuleText(c *command, row *argv.NestedRule, fn func(shell.Word)) {
	switch row.In {
	case argv.InValue:
		argv.EachKeyValue(c.words[1:], row.Keys, fn)
	case argv.InVariable:
		w.eachVariable(c, row.Keys, fn)
	case argv.InLine:
		if c.in != nil {
			for text := range strings.Lines(c.in.Text) {
				if row.As != "" && strings.Contains(text, placeholder) {
					continue // the line names an unknown file
				}
				fn(shell.Word{Text: strings.TrimSpace(text), From: c.in.From})
			}
		}
	case argv.InConfig:
		w.eachFileName(c, row.Keys, func(path shell.Word) {
			if f := w.fileAt(path.Text, &c.context); f != nil && !f.isDir {
				eachLine(f, fn)
			} else if flow := w.pathFlow(path.Text); flow != nil {
				for text := range strings.Lines(flow.Text) {
					fn(shell.Word{Text: strings.TrimSpace(text), From: flow.From})
				}
			}
		})
	case argv.InScript:
		w.eachWrittenScript(c, row, fn)
	case argv.InFolder:
		w.eachFileName(c, row.Keys, func(path shell.Word) { w.eachFileBelow(c, row, path.Text, fn) })
	case argv.InTail:
		for i, a := range c.words[1:] {
			if rest := c.words[i+2:]; facts.InList(row.Keys, a.Text) && len(rest) > 0 {
				if row.Pre == "" && row.As != "" && row.As != argv.AsLast && row.As != argv.AsFirst {
					w.walkWords(c, append(argv.NewWords(strings.Fields(row.As), nil), rest...))
				} else {
					fn(expand.Join(rest, " "))
				}
				return
			}
		}
	case argv.InOption:
		w.reportUnreadOption(c, row)
	}
}

// eachWrittenScript calls fn with the name of each file that row makes the program run and that the
// text wrote. If row searches for a part of a line, it calls fn with the lines of these files.
func (w options) eachWrittenScript(c *command, row *argv.NestedRule, fn func(shell.Word)) {
	for name := range strings.FieldsSeq(row.Keys) {
		if rest, ok := strings.CutPrefix(name, "~/"); ok && w.place.Home != "" {
			name = cleanJoin(w.place.Home, rest)
		}
		full := w.fullPath(name, &c.context)
		own := w.loadOwnFile(name, &c.context) != nil
		for i := range w.files {
			f := &w.files[i]
			switch {
			case f.isDir || f.seq == 0 && !own || f.path != full:
			case row.Mid != "" || row.Pre != "":
				eachLine(f, fn)
			default:
				fn(shell.Word{Text: name})
				return
			}
		}
	}
}

// eachFileName calls fn with the files or directories that are values of keys, which are options and
// variables of c.
func (w options) eachFileName(c *command, keys string, fn func(shell.Word)) {
	if !w.tracksFiles() && len(w.pipes) == 0 {
		return
	}
	argv.EachKeyValue(c.words[1:], keys, fn)
	w.eachVariable(c, keys, fn)
}

// eachFileBelow calls fn with the path of each recorded file below dir. If row searches for a part of
// a line, it calls fn with the lines of these files.
func (w options) eachFileBelow(c *command, row *argv.NestedRule, dir string, fn func(shell.Word)) {
	if isStream(dir) || len(dir) > maxPath {
		return
	}
	dir = strings.TrimSuffix(strings.TrimSuffix(dir, "..."), "/") // go generate ./...
	full := strings.TrimSuffix(w.fullPath(dir, &c.context), "/") + "/"
	w.loadFolder(full, &c.context)
	var found []string
	for i := range w.files {
		f := &w.files[i]
		switch {
		case f.isDir || !strings.HasPrefix(f.path, full) || len(found) >= argv.MaxNestedTexts:
		case row.Mid != "" || row.Pre != "":
			eachLine(f, fn)
		default:
			found = append(found, f.path)
		}
	}
	args := ""
	if row.Name == "run-parts" {
		argv.EachKeyValue(c.words[1:], "--arg -a", func(v shell.Word) { args += " " + expand.Quote(v.Text) })
	}
	for _, path := range found {
		fn(shell.Word{Text: path + args})
	}
}

// eachVariable calls fn with the value of each variable in names, a list separated by spaces, that c
// gets.
func (w *walker) eachVariable(c *command, names string, fn func(shell.Word)) {
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
		} else if v := w.st.lookupVariable(name); v != nil && !v.Unset {
			fn(v.Word)
		}
	}
}

// reportUnreadOption reports an option of c that makes its program run something that is not read.
func (w options) reportUnreadOption(c *command, row *argv.NestedRule) {
	for _, a := range c.words[1:] {
		name, _, _ := strings.Cut(a.Text, "=")
		if facts.InList(row.Keys, name) || row.Keys == "*" && argv.ContainsFold(a.Text, row.Mid) {
			w.addProblem(shell.UnreadEffect(displayWords(c.words), "runs or loads programs named in "+row.Has+", which checkrein does not check"))
			return
		}
	}
}

// eachLine calls fn with each line of f, without surrounding spaces.
func eachLine(f *file, fn func(shell.Word)) {
	for text := range strings.Lines(f.text) {
		fn(shell.Word{Text: strings.TrimSpace(text), From: f.unknownFrom})
	}
}

// walkRuleText walks the command that the rule row makes of text.
func (w options) walkRuleText(c *command, row *argv.NestedRule, text shell.Word) {
	rest := text.Text
	words := strings.Fields(row.As)
	switch row.As {
	case "":
		// LESSOPEN='|x', ProxyCommand=';x'
		text.Text = strings.TrimLeft(rest, "|-=; \t")
		switch {
		case row.Name == "vim":
			text.Text = strings.ReplaceAll(text.Text, `\ `, " ")
		case row.Name == "go" && row.In == argv.InValue && strings.Contains(text.Text, " "):
			text.Text += " ./x.test" // go appends the program that it builds
		}
		switch {
		case text.Text == "":
		case row.In <= argv.InVariable && !facts.IsShell(argv.ProgramName(text.Text)): // a shell without code is interactive
			w.walkValue(c, text)
		default:
			w.walkShellText(c, text)
		}
		return
	case argv.AsUnread:
		w.addProblem(shell.UnreadEffect(displayWords(c.words), "loads "+rest+", which checkrein does not check"))
		return
	case argv.AsWords:
		words = words[:0]
		for one := range strings.SplitSeq(rest, ",") {
			words = append(words, strings.Trim(strings.TrimSpace(one), `"'`))
		}
		w.walkWords(c, argv.NewWords(words, text.From))
		return
	case argv.AsLast, argv.AsFirst, argv.AsTeX:
		if row.As == argv.AsTeX {
			_, rest, _ = strings.Cut(rest, "=")
		}
		if fields := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" \t,;\\\"'", r) }); len(fields) > 0 {
			at := 0
			if row.As == argv.AsLast {
				at = len(fields) - 1
			}
			w.walkWords(c, argv.NewWords([]string{"tee", fields[at]}, text.From))
		}
		return
	}
	if last := len(words) - 1; words[last] == "*" {
		w.walkWords(c, argv.NewWords(append(words[:last], strings.Fields(rest)...), text.From))
		return
	}
	w.walkWithPrefix(c, row.As, text)
}
