package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A signal is who a call ends, and how.
type signal struct {
	force bool // it cannot save what it has
	worst shell.Effect
	seen  bool

	names  []string // the patterns by which processes are chosen
	parent bool     // the one that started the shell is among them
}

// ends reports what ending some processes comes to.
func (s *signal) ends(l shell.Label, r shell.Radius, reason string) {
	e := shell.Effect{Label: l, Kind: "kill", Category: shell.ProcSignal, Rule: "kill", Radius: r, Reason: reason}
	if !s.seen || worse(&e, &s.worst) {
		s.worst = e
	}
	s.seen = true
}

func (s *signal) everyone() {
	s.ends(shell.Destructive, shell.RadiusHigh, "kills all processes, all of one user's processes, or a vital process")
}

func (s *signal) asked() {
	s.ends(shell.Safe, shell.RadiusLow, "kills one of your own processes")
}

// process takes in a process by its name, or by a pattern for its command line.
func (s *signal) process(name string) {
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "^$ ")), ".exe")
	s.names = append(s.names, name)
	first, rest, many := strings.Cut(name, " ")
	first = first[strings.LastIndexByte(first, '/')+1:]
	if plain := unbracket(first); plain != "" {
		first = plain
	}
	switch {
	case strings.ContainsRune(name, shell.Hole):
		s.ends(shell.Unknown, shell.RadiusMedium, "kills processes by a name that checkrein cannot determine")
	case len(name) < 2 || strings.Trim(name, ".*+?|()[]^$ ") == "":
		s.everyone()
	case isVital(first):
		s.everyone()
	case isDevServer(name) || namesScript(name):
		s.asked()
	case isInterpreter(strings.TrimRight(first, "0123456789.")):
		// One program of it is one's own work; all of them by force is more.
		if many && !strings.HasSuffix(rest, "manage.py") || !s.force && !many {
			s.asked()
			return
		}
		fallthrough
	default:
		s.ends(shell.Destructive, shell.RadiusMedium, "kills processes by name")
	}
}

// namesScript reports whether a pattern names a script or a program of the
// project: own_script.py, ./bin/server, target/debug/app.
func namesScript(pattern string) bool {
	for word := range strings.FieldsSeq(pattern) {
		word = strings.ReplaceAll(word, "\\", "")
		base := word[strings.LastIndexByte(word, '/')+1:]
		stem, end, dotted := strings.Cut(base, ".")
		if len(stem) < 3 || strings.ContainsAny(word, "*+[(^$|") {
			continue
		}
		if dotted && listed("py js mjs cjs ts tsx sh rb pl php jar lua exs go rs dll", end[strings.LastIndexByte(end, '.')+1:]) {
			return true
		}
		if dir := word[:len(word)-len(base)]; dir != "" && (dir[0] != '/' && dir[0] != '~' || strings.Contains(dir, "/target/") || strings.Contains(dir, "/node_modules/")) && !isVital(base) {
			return true
		}
	}
	return false
}

// unbracket is the name behind [n]ode, by which grep does not find itself.
func unbracket(name string) string {
	if len(name) > 3 && name[0] == '[' && name[2] == ']' {
		return name[1:2] + name[3:]
	}
	return ""
}

// isVital reports whether a machine or a session hangs on a process.
func isVital(name string) bool {
	return program.Is(name, program.IsVital) || strings.HasPrefix(name, "systemd-") || facts.AnyShell(name)
}

// isInterpreter reports whether a process may be anything that is written in a
// language, or a page that is looked at.
func isInterpreter(name string) bool { return program.Is(name, program.IsCommonProcess) }

// isDevServer reports whether a command line is that of a server, a watcher or
// tests that a developer starts and stops all day.
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

// port takes in the process that holds a port.
func (s *signal) port(number string) {
	switch number {
	case "22", "53", "1433", "1521", "2375", "2376", "2379", "3306", "5432", "5672", "6379", "6443", "9092", "9200", "10250", "11211", "26257", "27017":
		s.ends(shell.Destructive, shell.RadiusMedium, "kills a database or another service by its port")
	case "":
		s.everyone()
	default:
		s.asked()
	}
}

// killed judges kill: which signal, and whom.
func killed(c *shell.Call) ([]shell.Effect, bool) {
	sig, targets := killWords(c.Args)
	if sig == "0" || sig == "l" || len(targets) == 0 {
		return one(c, shell.Effect{Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Rule: "kill", Reason: "checks whether a process exists, or lists signals"})
	}
	s := signal{force: isForce(sig)}
	for i := range targets {
		s.target(&targets[i])
	}
	if s.worst.Label == shell.Unknown && listed("18 CONT SIGCONT 28 WINCH SIGWINCH", sig) {
		s.worst.Label, s.worst.Radius = shell.Safe, shell.RadiusLow
	}
	return one(c, s.worst)
}

func isForce(name string) bool {
	return listed("9 KILL SIGKILL 6 ABRT SIGABRT 3 QUIT SIGQUIT 11 SEGV SIGSEGV", name)
}

// target takes in one word of kill: a number, a job, or what a command prints.
func (s *signal) target(w *shell.Word) {
	t := strings.TrimSpace(w.Text)
	switch {
	case t == "-1" || t == "1" || t == "0" || t == "-0":
		s.everyone()
	case strings.HasPrefix(t, "%"), t != "" && strings.Trim(strings.TrimPrefix(t, "-"), "0123456789") == "":
		s.asked()
	case len(w.From) > 0:
		s.printed(w.From)
	case strings.HasPrefix(t, "-"):
		s.ends(shell.Unknown, shell.RadiusMedium, "kills a process group that checkrein cannot determine")
	case s.force || !program.AllHoles(t):
		s.ends(shell.Unknown, shell.RadiusLow, "kills a process that checkrein cannot determine")
	default:
		s.asked() // it is asked, not forced, and can save what it has
	}
}

// printed takes in the numbers that commands print, the last one first: lsof -ti
// :3000, pgrep node, ps | grep node | awk.
func (s *signal) printed(from []*shell.Call) {
	name, found := "", false
	for _, c := range from {
		if program.Is(c.Name, program.IsGrep) {
			if n, not := grepped(c.Args); n != "" && !not {
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
				s.asked() // a file of a process's number
				return
			}
		case program.PidsPort:
			s.port(lsofPort(c.Args))
			return
		case program.PidsPgrep, program.PidsPidof:
			s.named(c.Args, kind == program.PidsPidof)
			return
		case program.PidsSockets:
			if !found {
				s.ends(shell.Unknown, shell.RadiusMedium, "ends unknown processes")
				return
			}
			s.port(strings.Trim(name, ": ^$\\b"))
			return
		case program.PidsAll:
			s.parent = s.parent || asksParent(c.Args)
			s.listed(c.Args, name, found)
			return
		default:
			s.ends(shell.Unknown, shell.RadiusMedium, "ends unknown processes")
			return
		}
	}
	s.ends(shell.Unknown, shell.RadiusMedium, "ends unknown processes")
}

// listed takes in the processes that ps lists, of which a filter behind it may have found
// some by name.
func (s *signal) listed(args []shell.Word, name string, found bool) {
	switch {
	case found:
		s.process(name)
	case hasSelection(args):
		s.ends(shell.Unknown, shell.RadiusMedium, "ends unknown processes")
	default:
		s.everyone()
	}
}

// asksParent reports whether ps prints the number of the process that started another.
func asksParent(args []shell.Word) bool {
	for i := range args {
		if t := args[i].Text; t == "ppid=" || t == "ppid" || t == "-oppid=" || t == "-oppid" {
			return true
		}
	}
	return false
}

// hasSelection reports whether ps is asked for some processes only.
func hasSelection(args []shell.Word) bool {
	for i := range args {
		switch t := args[i].Text; {
		case t == "-C" || t == "-p" || t == "--ppid" || t == "-q" || strings.HasPrefix(t, "--pid") || strings.HasPrefix(t, "--ppid"):
			return true
		}
	}
	return false
}

// grepped is the pattern of grep, and whether its lines are left out.
func grepped(args []shell.Word) (pattern string, not bool) {
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

// awkPattern is what awk looks for: /node/{print $2}.
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

// lsofPort is the port that lsof looks for; "" = none.
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
