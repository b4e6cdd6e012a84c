package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
)

// walkFind walks find and the commands that it runs on the files that it finds.
func (w wrappers) walkFind(c *command) {
	call := w.emitCall(c)
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		switch args[i].Text {
		case "-exec", "-execdir", "-ok", "-okdir":
		default:
			continue
		}
		if !w.spendStep() || w.steps < 0 {
			return
		}
		w.steps -= i / 8
		found := argv.FindResults(args, i)
		addWordSource(found, call)
		end := i + 1
		for end < len(args) && args[end].Text != ";" && !(args[end].Text == "+" && end > i+1 && strings.Contains(args[end-1].Text, "{}")) {
			end++
		}
		if i+1 < len(args) && args[i+1].Text == "{}" && len(found) > 0 && argv.IsRootedPath(found[0].Text+"/") {
			w.reportOpaque(displayWords(c.words), "runs the programs it finds")
		}
		w.walkWords(c, substituteWords(args[i+1:min(end, len(args))], "{}", found, false))
		i = end
	}
}

// addWordSource adds call, which finds files, to the sources of words, because call determines more
// about the files than their names.
func addWordSource(words []shell.Word, call *shell.Call) {
	for i := range words {
		words[i].From = expand.AddSource(words[i].From[:len(words[i].From):len(words[i].From)], call)
	}
}

// substituteWords returns words in which with replaces mark. If mark does not occur and add is true,
// with is appended.
func substituteWords(words []shell.Word, mark string, with []shell.Word, add bool) []shell.Word {
	out := make([]shell.Word, 0, len(words)+len(with))
	used := false
	for _, x := range words {
		switch {
		case mark == "" || !strings.Contains(x.Text, mark):
			out = append(out, x)
			continue
		case x.Text == mark:
			out = append(out, with...)
		default:
			all := expand.Join(with, " ")
			x.Text = strings.ReplaceAll(x.Text, mark, all.Text)
			x.Glob = x.Glob || all.Glob
			x.From = expand.AddSources(x.From, all.From)
			out = append(out, x)
		}
		used = true
	}
	if !used && add {
		out = append(out, with...)
	}
	return out
}

// walkFd walks fd and the command that fd -x or fd -X runs.
func (w wrappers) walkFd(c *command) {
	call := w.emitCall(c)
	for i, a := range c.words {
		switch a.Text {
		case "-x", "-X", "--exec", "--exec-batch":
			var starts []shell.Word
			for _, dir := range c.words[min(2, i):i] {
				if strings.Contains(dir.Text, "/") || strings.HasPrefix(dir.Text, "~") || dir.Text == placeholder {
					starts = append(starts, dir)
				}
			}
			if len(starts) == 0 {
				starts = []shell.Word{{Text: "."}}
			}
			pattern := "*"
			argv.EachSimpleOptionValue(c.words[:i], "-e --extension", func(end shell.Word) { pattern = "*." + end.Text })
			found := argv.PathsBelow(starts, pattern)
			addWordSource(found, call)
			words := c.words[i+1:]
			mark := "{}"
			for _, x := range words {
				for _, m := range [...]string{"{/}", "{//}", "{.}", "{/.}"} {
					if x.Text == m {
						mark = m
					}
				}
			}
			w.walkWords(c, substituteWords(words, mark, found, true))
			return
		}
	}
}
