package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A signal collects the processes that a call ends.
type signal struct {
	force bool // the processes cannot save their data
	worst shell.Effect
	seen  bool

	names  []string // the patterns by which processes are chosen
	parent bool     // the process that started the shell is among them
}

// addEffect adds the effect of ending some processes. The worst one counts.
func (s *signal) addEffect(l shell.Label, r shell.Impact, reason string) {
	e := shell.Effect{Label: l, Kind: "kill", Category: shell.ProcSignal, Rule: "kill", Impact: r, Reason: reason}
	if !s.seen || isWorse(&e, &s.worst) {
		s.worst = e
	}
	s.seen = true
}

// addAllProcesses adds the effect of ending all processes or a vital one.
func (s *signal) addAllProcesses() {
	s.addEffect(shell.Destructive, shell.ImpactHigh, "kills all processes, all of one user's processes, or a vital process")
}

// addOwnProcess adds the effect of ending one of the user's own processes.
func (s *signal) addOwnProcess() {
	s.addEffect(shell.Safe, shell.ImpactLow, "kills one of your own processes")
}

// addProcess adds a process by its name, or by a pattern for its command line.
func (s *signal) addProcess(name string) {
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
	case isVital(first):
		s.addAllProcesses()
	case isDevServer(name) || namesScript(name):
		s.addOwnProcess()
	case isCommonProcess(strings.TrimRight(first, "0123456789.")):
		// One script of an interpreter is the user's own; killing all by force is worse.
		if many && !strings.HasSuffix(rest, "manage.py") || !s.force && !many {
			s.addOwnProcess()
			return
		}
		fallthrough
	default:
		s.addEffect(shell.Destructive, shell.ImpactMedium, "kills processes by name")
	}
}

// namesScript reports whether a pattern names a script or a program of the project: own_script.py,
// ./bin/server, target/debug/app.
func namesScript(pattern string) bool {
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
		if dir := word[:len(word)-len(base)]; dir != "" && (dir[0] != '/' && dir[0] != '~' || strings.Contains(dir, "/target/") || strings.Contains(dir, "/node_modules/")) && !isVital(base) {
			return true
		}
	}
	return false
}

// trimGrepBrackets returns the name in [n]ode, a form by which grep does not find itself, or "".
func trimGrepBrackets(name string) string {
	if len(name) > 3 && name[0] == '[' && name[2] == ']' {
		return name[1:2] + name[3:]
	}
	return ""
}

// isVital reports whether the machine or the session depends on a process.
func isVital(name string) bool {
	return program.Is(name, program.IsVital) || strings.HasPrefix(name, "systemd-") || facts.IsAnyShell(name)
}

// isCommonProcess reports whether processes of that name may belong to any script or web page.
func isCommonProcess(name string) bool { return program.Is(name, program.IsCommonProcess) }

// isDevServer reports whether a command line is that of a server, a watcher or tests that developers
// start and stop all day.
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

// addPort adds the process that listens on a port.
func (s *signal) addPort(number string) {
	switch number {
	case "22", "53", "1433", "1521", "2375", "2376", "2379", "3306", "5432", "5672", "6379", "6443", "9092", "9200", "10250", "11211", "26257", "27017":
		s.addEffect(shell.Destructive, shell.ImpactMedium, "kills a database or another service by its port")
	case "":
		s.addAllProcesses()
	default:
		s.addOwnProcess()
	}
}

// killEffects returns the effects of kill, by its signal and targets.
func killEffects(c *shell.Call) ([]shell.Effect, bool) {
	sig, targets := parseKill(c.Args)
	if sig == "0" || sig == "l" || len(targets) == 0 {
		return singleEffect(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: "kill", Reason: "checks whether a process exists, or lists signals"})
	}
	s := signal{force: isForcedSignal(sig)}
	for i := range targets {
		s.addTarget(&targets[i])
	}
	if s.worst.Label == shell.Unknown && inListFold("18 CONT SIGCONT 28 WINCH SIGWINCH", sig) {
		s.worst.Label, s.worst.Impact = shell.Safe, shell.ImpactLow
	}
	return singleEffect(c, s.worst)
}

// isForcedSignal reports whether a process cannot save its data after a signal.
func isForcedSignal(name string) bool {
	return inListFold("9 KILL SIGKILL 6 ABRT SIGABRT 3 QUIT SIGQUIT 11 SEGV SIGSEGV", name)
}

// addTarget adds one operand of kill: a number, a job, or the output of a command.
func (s *signal) addTarget(w *shell.Word) {
	t := strings.TrimSpace(w.Text)
	switch {
	case t == "-1" || t == "1" || t == "0" || t == "-0":
		s.addAllProcesses()
	case strings.HasPrefix(t, "%"), t != "" && strings.Trim(strings.TrimPrefix(t, "-"), "0123456789") == "":
		s.addOwnProcess()
	case len(w.From) > 0:
		s.addPrinted(w.From)
	case strings.HasPrefix(t, "-"):
		s.addEffect(shell.Unknown, shell.ImpactMedium, "kills a process group that checkrein cannot determine")
	case s.force || !program.IsUnknown(t):
		s.addEffect(shell.Unknown, shell.ImpactLow, "kills a process that checkrein cannot determine")
	default:
		s.addOwnProcess() // the process can save its data
	}
}

// addPrinted adds the processes whose numbers commands print, the last command first: lsof -ti :3000,
// pgrep node, ps | grep node | awk.
func (s *signal) addPrinted(from []*shell.Call) {
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
				s.addOwnProcess() // a pid file
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
				s.addEffect(shell.Unknown, shell.ImpactMedium, "ends unknown processes")
				return
			}
			s.addPort(strings.Trim(name, ": ^$\\b"))
			return
		case program.PidsAll:
			s.parent = s.parent || printsParent(c.Args)
			s.addListed(c.Args, name, found)
			return
		default:
			s.addEffect(shell.Unknown, shell.ImpactMedium, "ends unknown processes")
			return
		}
	}
	s.addEffect(shell.Unknown, shell.ImpactMedium, "ends unknown processes")
}

// addListed adds the processes that ps lists. If found is set, a filter selects those with a name.
func (s *signal) addListed(args []shell.Word, name string, found bool) {
	switch {
	case found:
		s.addProcess(name)
	case hasSelection(args):
		s.addEffect(shell.Unknown, shell.ImpactMedium, "ends unknown processes")
	default:
		s.addAllProcesses()
	}
}

// printsParent reports whether ps prints the number of a parent process.
func printsParent(args []shell.Word) bool {
	for i := range args {
		if t := args[i].Text; t == "ppid=" || t == "ppid" || t == "-oppid=" || t == "-oppid" {
			return true
		}
	}
	return false
}

// hasSelection reports whether ps lists only some processes.
func hasSelection(args []shell.Word) bool {
	for i := range args {
		switch t := args[i].Text; {
		case t == "-C" || t == "-p" || t == "--ppid" || t == "-q" || strings.HasPrefix(t, "--pid") || strings.HasPrefix(t, "--ppid"):
			return true
		}
	}
	return false
}

// grepPattern returns the pattern of grep, and whether it excludes the matching lines.
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

// awkPattern returns the pattern of awk: /node/{print $2}.
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

// lsofPort returns the port that lsof searches for, or "".
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
