package resolve

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/argv"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// walkProjectFiles walks the commands in the files that call makes its program read: the recipes of a
// Makefile, the scripts of a package, the hooks of git.
func (w projects) walkProjectFiles(call *shell.Call, c *command) {
	if len(w.files) > 0 || call.In != nil {
		w.trackBuild(call, c)
	}
	if w.place.Read != nil {
		w.walkImports(call, c)
	}
	switch program.ProjectOf(call.Name) {
	case program.ProjectClasses:
		if w.compiledSource != "" {
			w.reportBuiltProgram(c, call.Name)
		}
	case program.ProjectMake:
		w.walkRecipes(call, c)
	case program.ProjectScripts:
		w.walkTasks(call, c)
	case program.ProjectHooks:
		w.walkGitHooks(call, c)
	case program.ProjectRules:
		w.reportWrittenRules(call, c)
		w.walkTasks(call, c)
	}
}

// reportWrittenRules reports rules of a task runner that the text wrote, because such rules are not
// read.
func (w projects) reportWrittenRules(call *shell.Call, c *command) {
	f, _ := w.defaultFile(call, &c.context)
	written := f != nil && f.seq > 0
	argv.EachSimpleOptionValue(call.Args, "-f --justfile --taskfile -t", func(path shell.Word) { written = written || w.pathFlow(path.Text) != nil })
	if written {
		w.reportOpaque(displayWords(c.words), "runs rules that this command writes and checkrein does not read")
	}
}

// rulesFile returns the file that call reads because of one of flags, or by default. It returns nil if
// there is none. A downloaded file is reported as remote code.
func (w projects) rulesFile(call *shell.Call, c *command, flags string) *file {
	f, _ := w.defaultFile(call, &c.context)
	for i, a := range call.Args {
		name, val, given := strings.Cut(a.Text, "=")
		switch {
		case facts.InList(flags, a.Text) && i+1 < len(call.Args):
			f = w.fileAt(call.Args[i+1].Text, &c.context)
		case given && facts.InList(flags, name):
			f = w.fileAt(val, &c.context)
		}
	}
	if f == nil || f.isDir {
		return nil
	}
	if d := argv.FindDownload(f.from); d != nil && !f.sure {
		w.reportRemoteCode(d, c.words)
	}
	return f
}

// walkGitHooks walks the git hooks that the text wrote, if call runs hooks.
func (w projects) walkGitHooks(call *shell.Call, c *command) {
	if !slices.ContainsFunc(call.Args, func(a shell.Word) bool { return facts.InList(hookCommands, a.Text) }) {
		return
	}
	dirs := []string{".git/hooks", ".githooks", ".husky"}
	if s := w.lookupSetting("git", "core.hookspath"); s != nil && s.value.Text != "" {
		dirs = append(dirs, s.value.Text)
	}
	for _, dir := range dirs {
		full := strings.TrimSuffix(w.fullPath(dir, &c.context), "/") + "/"
		for i := range w.files {
			if f := &w.files[i]; f.seq > 0 && !f.isDir && strings.HasPrefix(f.path, full) && w.spendStep() {
				w.walkWords(c, []shell.Word{{Text: f.path}})
			}
		}
	}
}

// hookCommands lists the git subcommands that run hooks.
const hookCommands = "commit push checkout switch clone worktree merge pull rebase am gc"
