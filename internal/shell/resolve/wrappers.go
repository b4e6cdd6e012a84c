package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// wrappers walks the nested commands of programs that run other programs.
type wrappers struct{ options }

// unwrapByKind handles programs that run commands in their own ways, such as find, ssh and git. ok
// reports whether name is such a program; done reports whether nothing is left to run.
func (w wrappers) unwrapByKind(c *command, name string) (done, ok bool) {
	switch kind := program.RunsOf(name); kind {
	case program.RunsUser, program.RunsGroup:
		return w.unwrapSu(c, kind == program.RunsGroup), true
	case program.RunsSsh:
		return w.walkSsh(c), true
	case program.RunsContainer:
		return w.walkContainer(c, name), true
	case program.RunsPod:
		return w.walkPod(c), true
	case program.RunsFind:
		w.walkFind(c)
	case program.RunsFd:
		w.walkFd(c)
	case program.RunsXargs:
		return w.walkXargs(c), true
	case program.RunsParallel:
		w.walkParallel(c)
	case program.RunsInput:
		return w.walkAt(c), true
	case program.RunsScript:
		return w.unwrapTypescript(c), true
	case program.RunsTmux:
		w.walkTmux(c)
	case program.RunsScreen:
		return w.unwrapScreen(c), true
	case program.RunsTexts:
		w.walkShellArgs(c)
	case program.RunsGit:
		return w.walkGit(c), true
	case program.RunsGh:
		w.walkGh(c)
	case program.RunsMake, program.RunsBuild:
		w.walkMake(c)
	case program.RunsCmake:
		return w.unwrapCmake(c), true
	case program.RunsCargo:
		w.walkCargo(c)
	case program.RunsSocat:
		w.walkSocat(c)
	case program.RunsBwrap, program.RunsNix, program.RunsRunParts:
		w.reportUnreadCommand(c, kind)
	default:
		return false, false
	}
	return true, true
}

// reportUnreadCommand adds the call of a wrapper whose nested command is not read, and reports it if
// there is such a command.
func (w wrappers) reportUnreadCommand(c *command, kind program.RunsKind) {
	w.emitCall(c)
	given := len(c.words) > 2
	switch kind {
	case program.RunsNix:
		given = argv.HasWord(c.words, "run") && argv.HasWord(c.words, "--")
	case program.RunsRunParts:
		given = false
		argv.EachSimpleOptionValue(c.words[1:], "--regex --arg -a", func(shell.Word) { given = true })
	}
	if !given {
		return
	}
	w.reportOpaque(displayWords(c.words), "runs a command that checkrein does not read")
}

// walkShellText walks text, which the program of c passes to a shell.
func (w *walker) walkShellText(c *command, text shell.Word) {
	inner := *c
	inner.redir, inner.hops = nil, c.hops+1
	w.walkInShell(text, nil, &inner)
}

// walkWords resolves words as a command that the program of c runs.
func (w *walker) walkWords(c *command, words []shell.Word) {
	if len(words) == 0 {
		return
	}
	inner := *c
	inner.words, inner.redir, inner.skipFunctions = words, nil, true
	inner.hops, inner.savedVars = c.hops+1, nil
	w.resolveCommand(inner)
}

// unwrapSu handles su, or sg if group is true. The result is that of [walker.resolveNext].
func (w wrappers) unwrapSu(c *command, group bool) bool {
	args := c.words[1:]
	if !group { // sg changes only the group, which adds no rights
		w.addJudgedWrapper(c, false)
		c.elevated = true
	}
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		text := args[i]
		switch {
		case strings.HasPrefix(a, "--command="):
			text.Text = a[len("--command="):]
		case strings.HasPrefix(a, "--session-command="):
			text.Text = a[len("--session-command="):]
		case a == "--command", a == "--session-command", len(a) > 1 && a[0] == '-' && a[1] != '-' && a[len(a)-1] == 'c':
			if i+1 >= len(args) {
				return true
			}
			text = args[i+1]
		case !group && (a == "-u" || a == "--user"):
			rest := args[min(i+2, len(args)):]
			if len(rest) > 0 && rest[0].Text == "--" {
				rest = rest[1:]
			}
			c.words, c.skipFunctions = rest, true
			return len(rest) == 0
		case a == "-s" || a == "-g" || a == "-G" || a == "-w" || a == "--shell":
			i++
			continue
		default:
			continue
		}
		w.addGroupRedirects(c)
		w.walkInShell(text, nil, c)
		return true
	}
	if group && len(args) > 1 && !strings.HasPrefix(args[0].Text, "-") {
		w.addGroupRedirects(c)
		w.walkInShell(expand.Join(args[1:], " "), nil, c) // sg GROUP TEXT
		return true
	}
	if c.in != nil || group {
		c.words = []shell.Word{{Text: "sh"}}
		return false
	}
	return true
}

// walkAt walks at and the commands that it runs later, which are its input or a file. It always
// returns true, since nothing is left to resolve.
func (w wrappers) walkAt(c *command) bool {
	w.addWrapperCall(c)
	for i, a := range c.words {
		if f := w.fileAt(a.Text, &c.context); f != nil && i > 0 && c.words[i-1].Text == "-f" {
			if text, ok := f.runnableText(); ok {
				w.walkShellText(c, text)
			}
			return true
		}
	}
	if c.in != nil {
		flow := c.in
		w.walkShellText(c, shell.Word{Text: flowText(flow), From: flow.From})
	}
	return true
}

// unwrapTypescript handles script -c TEXT, and script FILE COMMAND. The result is that of
// [walker.resolveNext].
func (w wrappers) unwrapTypescript(c *command) bool {
	args := c.words[1:]
	for i, a := range args {
		t := a.Text
		if strings.HasPrefix(t, "--command=") {
			a.Text = t[len("--command="):]
			w.addTypescriptCall(c, i)
			w.walkShellText(c, a)
			return true
		}
		if (t == "--command" || len(t) > 1 && t[0] == '-' && t[1] != '-' && t[len(t)-1] == 'c') && i+1 < len(args) {
			w.addTypescriptCall(c, i+1)
			w.walkShellText(c, args[i+1])
			return true
		}
	}
	f := argv.FlagReader{Args: args, Options: &argv.Options{Short: "ItOBTEmo", Skip: 1}}
	if rest := f.Operands(); len(rest) > 0 {
		c.words, c.skipFunctions = rest, true
		return false
	}
	w.emitCall(c)
	return true
}

// addTypescriptCall adds a call of script if it names the file that it writes. at is the index of the
// nested command in the arguments.
func (w wrappers) addTypescriptCall(c *command, at int) {
	for i, a := range c.words[1:] {
		if i != at && a.Text != "" && (a.Text[0] != '-' && !isStream(a.Text) || strings.HasPrefix(a.Text, "--log-")) {
			w.addWrapperCall(c)
			return
		}
	}
}
