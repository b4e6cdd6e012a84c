package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/expand"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// wrappers walks the commands that programs run in a manner of their own: nested commands.
type wrappers struct{ options }

// carrier handles programs that run a command in a manner of their own. ok says
// that the name is such a program; done, that nothing is left to run.
func (w wrappers) carrier(c *command, name string) (done, ok bool) {
	switch kind := program.RunsOf(name); kind {
	case program.RunsUser, program.RunsGroup:
		return w.switchUser(c, kind == program.RunsGroup), true
	case program.RunsSsh:
		return w.ssh(c), true
	case program.RunsContainer:
		return w.container(c, name), true
	case program.RunsPod:
		return w.pod(c), true
	case program.RunsFind:
		w.walkFind(c)
	case program.RunsFd:
		w.walkFd(c)
	case program.RunsXargs:
		return w.xargs(c), true
	case program.RunsParallel:
		w.parallel(c)
	case program.RunsInput:
		return w.textInput(c), true
	case program.RunsScript:
		return w.typescript(c), true
	case program.RunsTmux:
		w.tmux(c)
	case program.RunsScreen:
		return w.unwrapScreen(c), true
	case program.RunsTexts:
		w.walkTextArgs(c)
	case program.RunsGit:
		return w.git(c), true
	case program.RunsGh:
		w.gh(c)
	case program.RunsMake, program.RunsBuild:
		w.walkMake(c)
	case program.RunsCmake:
		return w.unwrapCmake(c), true
	case program.RunsCargo:
		w.walkCargo(c)
	case program.RunsSocat:
		w.walkSocat(c)
	case program.RunsBwrap, program.RunsNix, program.RunsRunParts:
		w.unreadCommand(c, kind)
	default:
		return false, false
	}
	return true, true
}

// unreadCommand handles a wrapper whose words are not read.
func (w wrappers) unreadCommand(c *command, kind program.RunsKind) {
	w.emitCall(c)
	given := len(c.words) > 2
	switch kind {
	case program.RunsNix:
		given = argv.Has(c.words, "run") && argv.Has(c.words, "--")
	case program.RunsRunParts:
		given = false
		argv.EachOption(c.words[1:], "--regex --arg -a", func(shell.Word) { given = true })
	}
	if !given {
		return
	}
	w.reportOpaque(displayWords(c.words), "runs a command in a way that checkrein does not read")
}

// handed walks a text that a program hands to a shell.
func (w *walker) handed(c *command, text shell.Word) {
	inner := *c
	inner.redir, inner.hops = nil, c.hops+1
	w.nested(text, nil, &inner)
}

// inner walks words that a program runs.
func (w *walker) inner(c *command, words []shell.Word) {
	if len(words) == 0 {
		return
	}
	inner := *c
	inner.words, inner.redir, inner.skipFunctions = words, nil, true
	inner.hops, inner.savedVars = c.hops+1, nil
	w.resolveCommand(inner)
}

// switchUser walks su -c and its kin.
func (w wrappers) switchUser(c *command, group bool) bool {
	args := c.words[1:]
	if !group { // another group has no more rights
		w.keepWrapper(c, false)
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
		w.nested(text, nil, c)
		return true
	}
	if group && len(args) > 1 && !strings.HasPrefix(args[0].Text, "-") {
		w.addGroupRedirects(c)
		w.nested(expand.Join(args[1:], " "), nil, c) // sg GROUP TEXT
		return true
	}
	if c.in != nil || group {
		c.words = []shell.Word{{Text: "sh"}}
		return false
	}
	return true
}

// textInput walks at, which runs what flows into it.
func (w wrappers) textInput(c *command) bool {
	w.addWrapperCall(c)
	for i, a := range c.words {
		if f := w.fileAt(a.Text, &c.context); f != nil && i > 0 && c.words[i-1].Text == "-f" {
			if text, ok := f.code(); ok {
				w.handed(c, text)
			}
			return true
		}
	}
	if c.in != nil {
		flow := c.in
		w.handed(c, shell.Word{Text: flowText(flow), From: flow.From})
	}
	return true
}

// typescript walks script -c TEXT, and the form that names the command last.
func (w wrappers) typescript(c *command) bool {
	args := c.words[1:]
	for i, a := range args {
		t := a.Text
		if strings.HasPrefix(t, "--command=") {
			a.Text = t[len("--command="):]
			w.recorded(c, i)
			w.handed(c, a)
			return true
		}
		if (t == "--command" || len(t) > 1 && t[0] == '-' && t[1] != '-' && t[len(t)-1] == 'c') && i+1 < len(args) {
			w.recorded(c, i+1)
			w.handed(c, args[i+1])
			return true
		}
	}
	f := argv.Reader{Args: args, Options: &argv.Options{Short: "ItOBTEmo", Skip: 1}}
	if rest := f.Read(); len(rest) > 0 {
		c.words, c.skipFunctions = rest, true
		return false
	}
	w.emitCall(c)
	return true
}

// recorded keeps a call of script that names the file which it writes.
func (w wrappers) recorded(c *command, at int) {
	for i, a := range c.words[1:] {
		if i != at && a.Text != "" && (a.Text[0] != '-' && !isStream(a.Text) || strings.HasPrefix(a.Text, "--log-")) {
			w.addWrapperCall(c)
			return
		}
	}
}
