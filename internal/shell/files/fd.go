package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// maxExec bounds the nesting of commands that run commands.
const maxExec = 4

// judgeExec judges the command argv that find or fd runs on the files targets. asks means that it
// prompts before each run, and aged that the search selects only old files.
func (j *job) judgeExec(argv []shell.Word, targets []string, asks, aged bool) {
	argv = unwrapCommand(argv)
	if len(argv) == 0 {
		return
	}
	name := programName(argv[0].Text)
	sub := shell.Call{Name: name, Path: argv[0].Text, Dir: j.c.Dir, Elevated: j.c.Elevated, Remote: j.c.Remote, Depth: j.c.Depth + 1}
	sub.Args = make([]shell.Word, 0, len(argv)+len(targets))
	for _, w := range argv[1:] {
		if !strings.Contains(w.Text, "{") {
			sub.Args = append(sub.Args, w)
			continue
		}
		for _, t := range targets {
			w := w
			w.Text = replaceMark(w.Text, t)
			sub.Args = append(sub.Args, w)
		}
	}
	if j.c.Depth > maxExec {
		j.addRun("find-exec", "runs an unknown program on the files it finds")
		return
	}
	effects, known := judgeCall(&sub, j.p, search{deep: true, aged: aged})
	if !known {
		return // package resolve adds it as a call, which other packages judge
	}
	for i := range effects {
		e := effects[i]
		e.Words = j.commandText()
		if asks {
			e.Impact = promptedVerdict(verdict(e.Label)<<4 | verdict(e.Impact)).impact()
		}
		if e.Kind == "delete" && e.Label == shell.Destructive && e.Impact == shell.ImpactLow && !asks {
			e.Impact = shell.ImpactMedium // it may delete many files
		}
		j.keys = append(j.keys, key{})
		j.out = append(j.out, e)
	}
}

// replaceMark returns text with path in place of {}. The other marks of fd ({.}, {/}, {//}, {/.})
// stand for parts of the path, and are replaced by the whole path too.
func replaceMark(text, path string) string {
	for _, mark := range [...]string{"{}", "{.}", "{//}", "{/.}", "{/}"} {
		if strings.Contains(text, mark) {
			return strings.Replace(text, mark, path, 1)
		}
	}
	return text
}

// unwrapCommand returns argv without simple wrappers such as env and nice.
func unwrapCommand(argv []shell.Word) []shell.Word {
	for len(argv) > 1 {
		operands, ok := facts.WrapperOperands(programName(argv[0].Text))
		if !ok {
			break
		}
		argv = argv[1:]
		for len(argv) > 1 && (strings.HasPrefix(argv[0].Text, "-") || strings.Contains(argv[0].Text, "=")) {
			argv = argv[1:]
		}
		argv = argv[min(operands, len(argv)-1):]
	}
	return argv
}

// programName returns the name of the program at p in the form of [shell.Call.Name], or "" if part of
// p is unknown.
func programName(p string) string {
	if strings.Contains(p, placeholder) {
		return ""
	}
	name := p[strings.LastIndexByte(p, '/')+1:]
	return strings.TrimSuffix(strings.ToLower(name), ".exe")
}

// An fdSearch holds the parsed arguments of fd.
type fdSearch struct {
	follow  bool
	targets []string
	exec    []shell.Word
}

// parseFd returns the parsed arguments of c, a call of fd: a pattern, start paths and a command.
func parseFd(c *shell.Call) fdSearch {
	var o program.Walk
	o.Start(c)
	var f fdSearch
	pattern, ext := "", ""
	var paths []string
	for o.Next() {
		switch o.Name {
		case "x", "X", "exec", "exec-batch":
			rest := append([]shell.Word{o.Arg}, o.RestArgs()...)
			for i := range rest {
				if rest[i].Text == ";" {
					rest = rest[:i]
					break
				}
			}
			f.exec = rest
			o.Skip(len(c.Args))
		case "L", "follow":
			f.follow = true
		case "e", "extension":
			ext = narrowerPattern(ext, "*."+strings.TrimPrefix(o.Arg.Text, "."))
		case "search-path", "base-directory":
			paths = append(paths, o.Arg.Text)
		case "":
			if pattern == "" {
				pattern = o.Arg.Text
			} else {
				paths = append(paths, o.Arg.Text)
			}
		}
	}
	if strings.Trim(pattern, ".*^$") == "" {
		pattern = ""
	}
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	if strings.Contains(pattern, `\.`) {
		pattern = strings.ReplaceAll(pattern, `\.`, ".")
		if pattern[0] == '.' {
			pattern = "*" + pattern
		}
	}
	if paths == nil {
		paths = []string{"."}
	}
	for _, p := range paths {
		f.targets = append(f.targets, joinPattern(p, narrowerPattern(ext, pattern)))
	}
	return f
}

// judgeFd judges fd, which searches for files and may run a command on them.
func (j *job) judgeFd() {
	f := parseFd(j.c)
	if len(f.exec) > 0 {
		argv := f.exec
		held := false
		for i := range argv {
			held = held || strings.Contains(argv[i].Text, "{")
		}
		if !held {
			argv = append(append([]shell.Word(nil), argv...), shell.Word{Text: "{}"})
		}
		targets, all := j.addLinkTargets(&findExpr{follow: f.follow}, f.targets)
		from := len(j.out)
		j.judgeExec(argv, targets, false, false)
		if !all {
			j.raiseUnchecked(from)
		}
	}
	if j.out == nil {
		j.addSafe(shell.FSRead, "find", "searches for files")
	}
}
