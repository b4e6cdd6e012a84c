package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// runRare reads code of languages that agents seldom use. Only calls with plain
// texts are followed; a word that may run or delete something and is not
// understood makes the code unknown.
func runRare(c *shell.Call, n string) ([]shell.Effect, []string, bool) {
	o := &result{steps: stepsBase}
	r := reader{job: &job{}, out: o, lang: java}
	found := false
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i].Text
		flag, val, has := strings.Cut(w, "=")
		if i2 := strings.IndexByte(w, ':'); n == "nim" && i2 > 0 {
			flag, val, has = w[:i2], w[i2+1:], true
		}
		if !rareFlag(n, flag) {
			continue
		}
		if !has {
			if i++; i >= len(c.Args) {
				break
			}
			val = c.Args[i].Text
		}
		found = true
		r.rare(val, n)
	}
	if !found && n != "ghc" && n != "nim" && n != "erl" {
		text, have, sure := stdinText(c)
		if !have {
			return nil, nil, false
		}
		if !sure {
			return []shell.Effect{pipedCode(c)}, nil, n != "dc"
		}
		found = true
		r.rare(text, n)
	}
	if !found {
		return nil, nil, false
	}
	return o.finish(c)
}

// rareFlag reports whether the value of a flag is code.
func rareFlag(n, flag string) bool {
	switch n {
	case "ghc", "ocaml", "gnuplot", "dc":
		return flag == "-e"
	case "nim":
		return flag == "--eval"
	case "erl":
		return flag == "-eval" || flag == "--eval"
	case "octave":
		return flag == "--eval" || flag == "-eval"
	case "matlab":
		return flag == "-batch" || flag == "-r"
	}
	return false
}

// rare goes through the code.
func (r *reader) rare(s, n string) {
	s = r.whole(s)
	r.out.steps += stepsEach * len(s)
	switch n {
	case "dc":
		r.bangs(s, true)
		return
	case "gnuplot":
		r.bangs(s, false)
	case "m4":
		r.macros(s)
		return
	}
	toks := lex(s, java)
	for i := 0; i+1 < len(toks) && r.spend(); i++ {
		t := &toks[i]
		if t.kind == tHole {
			r.unresolved("contains code that checkrein can only partly read", s)
		}
		if t.kind == tIdent {
			r.rareCall(t.text, toks, i+1, s)
		}
	}
}

// rareCall judges a name by the texts behind it.
func (r *reader) rareCall(fn string, toks []token, i int, src string) {
	args, i := textsBehind(toks, i)
	switch fn {
	case "system", "shell", "cmd", "command", "exec", "execCmd", "execShellCmd", "execCmdEx", "callCommand", "spawnCommand", "popen", "unix", "dos", "gorge", "staticExec", "shell_cmd", "open_process_in":
		if len(args) > 0 {
			r.runs(args[0].text)
		} else if fn != "command" && fn != "unix" || i > 2 && sysCommand(toks, i) {
			r.unresolved("runs an unknown command", facts.Short(src))
		}
	case "callProcess", "rawSystem", "readProcess", "spawnProcess", "readProcessWithExitCode", "execProcess", "startProcess", "create_process", "spawn":
		if len(args) == 0 {
			r.unresolved("runs an unknown program", facts.Short(src))
			return
		}
		if fn == "readProcess" && len(args) > 1 {
			args = args[:len(args)-1]
		}
		r.runs(argvText(args))
	case "removeDirectoryRecursive", "removePathForcibly", "del_dir_r", "removeDir", "rmdir":
		r.rareDelete(rmTree, args, src)
	case "removeFile", "remove", "unlink", "tryRemoveFile", "delete", "del_dir":
		if len(args) > 0 || fn != "remove" && fn != "delete" {
			r.rareDelete(rmFile, args, src)
		}
	case "writeFile", "write_file", "open_out", "appendFile":
		if len(args) > 0 {
			r.runs("printf x > " + quote(&args[0]))
		}
	case "eval", "evalin", "feval", "interpret", "unsafePerformIO", "ccall", "apply", "evalc", "halt_to_shell":
		if fn != "apply" || len(args) == 0 {
			r.unresolved("runs code built at run time", facts.Short(src))
		}
	}
}

// textsBehind are the texts from token i on, and where they end.
func textsBehind(toks []token, i int) (args []value, end int) {
	for n := 0; n < 24 && i < len(toks); n, i = n+1, i+1 {
		t := &toks[i]
		if t.kind == tString {
			args = append(args, known(t.text))
		} else if t.kind != tOp || t.text == ")" || t.text == ";" || t.text == "}" {
			break
		}
	}
	return args, i
}

// sysCommand reports whether the name before token i is Sys.command of ocaml.
func sysCommand(toks []token, i int) bool {
	for k := i - 1; k > 1 && k > i-28; k-- {
		if toks[k].word("command") {
			return toks[k-1].is(".") && toks[k-2].word("Sys")
		}
	}
	return false
}

func (r *reader) rareDelete(cmd string, args []value, src string) {
	if len(args) == 0 {
		r.unresolved("deletes something unknown", facts.Short(src))
		return
	}
	r.runs(cmd + quote(&args[0]))
}

// bangs runs what stands behind a ! of dc and gnuplot.
func (r *reader) bangs(s string, anywhere bool) {
	for line := range strings.Lines(s) {
		i := strings.IndexByte(line, '!')
		if i < 0 || !anywhere && strings.TrimSpace(line[:i]) != "" {
			continue
		}
		if cmd := strings.TrimSpace(line[i+1:]); cmd != "" && strings.IndexByte("<>=", cmd[0]) < 0 {
			r.runs(cmd)
		}
	}
	if !anywhere {
		for i := strings.IndexByte(s, '`'); i >= 0; {
			cmd, rest, ok := strings.Cut(s[i+1:], "`")
			if !ok {
				return
			}
			r.runs(cmd)
			s, i = rest, strings.IndexByte(rest, '`')
		}
	}
}

// macros runs what m4 gives to a shell.
func (r *reader) macros(s string) {
	for n := 0; n < 64; n++ {
		i := strings.Index(s, "syscmd(")
		if i < 0 {
			return
		}
		s = s[i+len("syscmd("):]
		cmd, _, _ := strings.Cut(s, ")")
		r.runs(strings.Trim(cmd, "`' \n"))
	}
}
