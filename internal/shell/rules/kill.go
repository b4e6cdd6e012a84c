package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A killTargets collects the processes that a call kills, stops or inspects, and the worst effect of
// killing them.
type killTargets struct {
	force bool // the signal leaves processes no time to save their data
	worst shell.Effect
	seen  bool

	names  []string // the names and patterns by which processes are chosen
	parent bool     // the parent process of the shell is among them
}

// addEffect adds the effect of killing some processes. Only the worst effect is kept.
func (s *killTargets) addEffect(l shell.Label, r shell.Impact, reason string) {
	e := shell.Effect{Label: l, Kind: "kill", Category: shell.ProcSignal, Rule: "kill", Impact: r, Reason: reason}
	if !s.seen || isWorse(&e, &s.worst) {
		s.worst = e
	}
	s.seen = true
}

// addAllProcesses adds the effect of killing all processes or a vital one.
func (s *killTargets) addAllProcesses() {
	s.addEffect(shell.Destructive, shell.ImpactHigh, "kills all processes, all of one user's processes, or a vital process")
}

// addOwnProcess adds the effect of killing one of the user's own processes.
func (s *killTargets) addOwnProcess() {
	s.addEffect(shell.Safe, shell.ImpactLow, "kills one of your own processes")
}

// addNamedProcess adds the processes with this name, or whose command line matches it as a pattern.
func (s *killTargets) addNamedProcess(name string) {
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "^$ ")), ".exe")
	s.names = append(s.names, name)
	first, rest, many := strings.Cut(name, " ")
	first = first[strings.LastIndexByte(first, '/')+1:]
	if plain := trimGrepBrackets(first); plain != "" {
		first = plain
	}
	switch {
	case strings.ContainsRune(name, shell.Placeholder):
		s.addEffect(shell.Unknown, shell.ImpactMedium, "kills processes by a name that checkrein cannot determine")
	case len(name) < 2 || strings.Trim(name, ".*+?|()[]^$ ") == "":
		s.addAllProcesses()
	case isVitalProcess(first):
		s.addAllProcesses()
	case isDevServer(name) || namesProjectProgram(name):
		s.addOwnProcess()
	case isCommonProcess(strings.TrimRight(first, "0123456789.")):
		// A single script of an interpreter is most likely the user's own. Killing every process
		// of the interpreter by force is worse.
		if many && !strings.HasSuffix(rest, "manage.py") || !s.force && !many {
			s.addOwnProcess()
			return
		}
		fallthrough
	default:
		s.addEffect(shell.Destructive, shell.ImpactMedium, "kills processes by name")
	}
}

// namesProjectProgram reports whether pattern names a script or a program of the project, such as
// own_script.py, ./bin/server or target/debug/app.
func namesProjectProgram(pattern string) bool {
	for word := range strings.FieldsSeq(pattern) {
		word = strings.ReplaceAll(word, "\\", "")
		base := word[strings.LastIndexByte(word, '/')+1:]
		stem, end, dotted := strings.Cut(base, ".")
		if len(stem) < 3 || strings.ContainsAny(word, "*+[(^$|") {
			continue
		}
		if dotted && inListFold("py js mjs cjs ts tsx sh rb pl php jar lua exs go rs dll", end[strings.LastIndexByte(end, '.')+1:]) {
			return true
		}
		if dir := word[:len(word)-len(base)]; dir != "" && (dir[0] != '/' && dir[0] != '~' || strings.Contains(dir, "/target/") || strings.Contains(dir, "/node_modules/")) && !isVitalProcess(base) {
			return true
		}
	}
	return false
}

// trimGrepBrackets returns node for [n]ode, a pattern with which grep does not find itself. It returns
// "" for other names.
func trimGrepBrackets(name string) string {
	if len(name) > 3 && name[0] == '[' && name[2] == ']' {
		return name[1:2] + name[3:]
	}
	return ""
}

// isVitalProcess reports whether the machine or the session depends on processes of this name.
func isVitalProcess(name string) bool {
	return program.Is(name, program.IsVital) || strings.HasPrefix(name, "systemd-") || facts.IsAnyShell(name)
}

// isCommonProcess reports whether processes of this name can belong to any script or web page, such as
// python.
func isCommonProcess(name string) bool { return program.Is(name, program.IsCommonProcess) }

// isDevServer reports whether line, a command line, is that of a server, a watcher or a test run that
// developers start and stop all day.
func isDevServer(line string) bool {
	for _, part := range [...]string{"vite", "webpack", "nodemon", "next dev", "next-server", "next start", "nuxt", "ts-node", "tsx ", "jest", "mocha", "playwright", "cypress", "storybook",
		"esbuild", "parcel", "rollup", "turbo", "react-scripts", "react-native", "metro", "expo", "ng serve", "gatsby", "astro", "remix", "svelte", "eleventy", "hugo", "jekyll", "live-server", "browser-sync",
		"http-server", "http.server", "json-server", "serve ", "dev-server", "devserver", "dev server", "runserver", "uvicorn", "flask", "rails s", "puma", "webrick", "npm run", "npm start", "npm test", "npm exec", "yarn dev", "yarn start",
		"pnpm dev", "pnpm run", "bun run", "bun dev", "go run", "go test", "cargo run", "cargo watch", "cargo test", "dotnet run", "dotnet watch", "mix phx", "artisan serve", "spring-boot:run", "bootrun", "gradlew", "gradle", "chromedriver", "geckodriver",
		"headless", "selenium", "wrangler", "ngrok", "pytest", "streamlit", "jupyter", "mkdocs", "tsc", "tsserver", "eslint", "watchman", "localhost", "simplehttpserver", "gopls", "rust-analyzer", "hot-reload", "--reload", "--watch"} {
		if strings.Contains(line, part) {
			return true
		}
	}
	switch line {
	case "next", "serve", "air", "tsx", "nx", "mocha", "karma", "caddy":
		return true
	}
	return false
}

// addPort adds the process that listens on the port number.
func (s *killTargets) addPort(number string) {
	switch number {
	case "22", "53", "1433", "1521", "2375", "2376", "2379", "3306", "5432", "5672", "6379", "6443", "9092", "9200", "10250", "11211", "26257", "27017":
		s.addEffect(shell.Destructive, shell.ImpactMedium, "kills a database or another service by its port")
	case "":
		s.addAllProcesses()
	default:
		s.addOwnProcess()
	}
}

// killEffects returns the effects of the kill command, by its signal and targets.
func killEffects(c *shell.Call) ([]shell.Effect, bool) {
	sig, targets := parseKill(c.Args)
	if sig == "0" || sig == "l" || len(targets) == 0 {
		return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: "kill", Reason: "checks whether a process exists, or lists signals"})
	}
	s := killTargets{force: isForcedSignal(sig)}
	for i := range targets {
		s.addTarget(&targets[i])
	}
	if s.worst.Label == shell.Unknown && inListFold("18 CONT SIGCONT 28 WINCH SIGWINCH", sig) {
		s.worst.Label, s.worst.Impact = shell.Safe, shell.ImpactLow
	}
	return singleEffect(c, s.worst)
}

// isForcedSignal reports whether the signal, a name or a number, leaves a process no time to save its
// data.
func isForcedSignal(name string) bool {
	return inListFold("9 KILL SIGKILL 6 ABRT SIGABRT 3 QUIT SIGQUIT 11 SEGV SIGSEGV", name)
}

// addTarget adds an operand of kill, which is a process number, a job or the output of a command.
func (s *killTargets) addTarget(w *shell.Word) {
	t := strings.TrimSpace(w.Text)
	switch {
	case t == "-1" || t == "1" || t == "0" || t == "-0":
		s.addAllProcesses()
	case strings.HasPrefix(t, "%"), t != "" && strings.Trim(strings.TrimPrefix(t, "-"), "0123456789") == "":
		s.addOwnProcess()
	case len(w.From) > 0:
		s.addPrintedPIDs(w.From)
	case strings.HasPrefix(t, "-"):
		s.addEffect(shell.Unknown, shell.ImpactMedium, "kills a process group that checkrein cannot determine")
	case s.force || !program.IsUnknown(t):
		s.addEffect(shell.Unknown, shell.ImpactLow, "kills a process that checkrein cannot determine")
	default:
		s.addOwnProcess() // the signal leaves the process time to save its data
	}
}

// addPrintedPIDs adds the processes whose numbers the calls in from print, as with lsof -ti :3000,
// pgrep node or ps | grep node | awk. The last call of the pipe comes first.
func (s *killTargets) addPrintedPIDs(from []*shell.Call) {
	name, found := "", false
	for _, c := range from {
		if program.Is(c.Name, program.IsGrep) {
			if n, not := grepPattern(c.Args); n != "" && !not {
				name, found = n, true
			}
			continue
		}
		switch kind := program.PidsOf(c.Name); kind {
		case program.PidsPattern:
			if n := awkPattern(c.Args); n != "" {
				name, found = n, true
			}
		case program.PidsHandsOn:
		case program.PidsFile:
			if c.In == nil {
				s.addOwnProcess() // the numbers come from a PID file
				return
			}
		case program.PidsPort:
			s.addPort(lsofPort(c.Args))
			return
		case program.PidsPgrep, program.PidsPidof:
			s.addArgs(c.Args, kind == program.PidsPidof)
			return
		case program.PidsSockets:
			if !found {
				s.addEffect(shell.Unknown, shell.ImpactMedium, "kills processes that checkrein cannot determine")
				return
			}
			s.addPort(strings.Trim(name, ": ^$\\b"))
			return
		case program.PidsAll:
			s.parent = s.parent || printsParentPID(c.Args)
			s.addListedProcesses(c.Args, name, found)
			return
		default:
			s.addEffect(shell.Unknown, shell.ImpactMedium, "kills processes that checkrein cannot determine")
			return
		}
	}
	s.addEffect(shell.Unknown, shell.ImpactMedium, "kills processes that checkrein cannot determine")
}

// addListedProcesses adds the processes that ps with args lists. If found is set, a filter selects
// those with this name.
func (s *killTargets) addListedProcesses(args []shell.Word, name string, found bool) {
	switch {
	case found:
		s.addNamedProcess(name)
	case selectsProcesses(args):
		s.addEffect(shell.Unknown, shell.ImpactMedium, "kills processes that checkrein cannot determine")
	default:
		s.addAllProcesses()
	}
}

// printsParentPID reports whether ps with args prints the number of a parent process.
func printsParentPID(args []shell.Word) bool {
	for i := range args {
		if t := args[i].Text; t == "ppid=" || t == "ppid" || t == "-oppid=" || t == "-oppid" {
			return true
		}
	}
	return false
}

// selectsProcesses reports whether ps with args lists only some processes.
func selectsProcesses(args []shell.Word) bool {
	for i := range args {
		switch t := args[i].Text; {
		case t == "-C" || t == "-p" || t == "--ppid" || t == "-q" || strings.HasPrefix(t, "--pid") || strings.HasPrefix(t, "--ppid"):
			return true
		}
	}
	return false
}

// grepPattern returns the pattern that grep with args searches for, or "" if there is none. It reports
// whether grep excludes the matching lines.
func grepPattern(args []shell.Word) (pattern string, not bool) {
	for i := range args {
		t := args[i].Text
		switch {
		case len(t) > 1 && t[0] == '-':
			not = not || t == "--invert-match" || t[1] != '-' && strings.Contains(t, "v")
		case pattern == "":
			pattern = t
		}
	}
	return pattern, not
}

// awkPattern returns the pattern of an awk program in args such as /node/{print $2}, or "".
func awkPattern(args []shell.Word) string {
	for i := range args {
		if t := strings.TrimSpace(args[i].Text); len(t) > 2 && t[0] == '/' {
			if end := strings.IndexByte(t[1:], '/'); end > 0 {
				return t[1 : 1+end]
			}
		}
	}
	return ""
}

// lsofPort returns the port that lsof with args searches for, or "".
func lsofPort(args []shell.Word) string {
	for i := range args {
		if at := strings.LastIndexByte(args[i].Text, ':'); at >= 0 {
			port, _, _ := strings.Cut(args[i].Text[at+1:], "-")
			port, _, _ = strings.Cut(port, ",")
			return port
		}
	}
	return ""
}
