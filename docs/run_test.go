package docs_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
	"github.com/checkrein/checkrein/internal/sys/process"
)

var update = flag.Bool("update", false, "write what commands print now into the pages; look at each difference")

// TestPages runs every block of README.md and of the pages below docs, with the programs
// as people get them, in a home of its own and with real git. A block is one of
//
//	console  commands behind "$ ", continued behind "> ", with what they print. A line
//	         "..." takes any lines, " ..." at the end of one the rest of it. Times,
//	         durations, paths and handles may differ.
//	sh       commands that exit with 0
//	yaml     a file of configuration, which checkrein validate accepts
//	json     JSON, a value or one a line
//
// Comments above it say more: "setup: COMMANDS" runs what readers do not see; "file: PATH"
// makes the block a file of that name; "blocked: HANDLE COMMAND" has an agent try a
// command, whose block then has that handle on the page; "exits: 1" is another exit code; "terminal" runs
// the commands at a terminal, where questions are answered with y; "walls" runs them only where
// commands can be contained; "another program's"
// is YAML that checkrein does not read; "not run: REASON" is what cannot be run here.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, name := range pages(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.FromSlash(name))
			if err != nil {
				t.Fatal(err)
			}
			p := &page{t: t, name: name, text: string(text)}
			p.run()
			if *update && p.text != string(text) {
				if err := os.WriteFile(name, []byte(p.text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, line := range p.unrun {
				t.Log("not run: " + line)
			}
			t.Logf("%d blocks, %d of them not run", p.blocks, len(p.unrun))
		})
	}
}

// pages are all pages, from here.
func pages(t *testing.T) []string {
	t.Helper()
	list := []string{"../README.md"}
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			list = append(list, path)
		}
		return err
	})
	if err != nil || len(list) < 20 {
		t.Fatalf("%d pages: %v", len(list), err)
	}
	return list
}

// A page is one that is being run.
type page struct {
	t      *testing.T
	name   string
	text   string // as -update writes it
	shell  *shell // nil until something is run
	blocks int
	unrun  []string
}

// Marks are what the comments above a block say of it.
type marks struct {
	file     string
	notRun   string
	exits    int
	terminal bool
	walls    bool
	others   bool
}

func (p *page) run() {
	var m marks
	above := false // whether a comment was read that is about the next block
	for _, b := range parseMarkdown(p.text) {
		switch b.Kind {
		case isComment:
			above = p.comment(b, &m) || above
			continue
		case isIndented:
			p.fail(b, "code without a fence: nothing says what it is")
		case isFence:
			p.blocks++
			p.block(b, m)
		default:
			if above {
				p.fail(b, "a comment about a block has no block below it")
			}
		}
		m, above = marks{}, false
	}
	if p.shell != nil {
		p.shell.end()
	}
}

func (p *page) fail(b mdBlock, format string, args ...any) {
	p.t.Helper()
	p.t.Errorf("%s:%d: %s", p.name, b.Line, fmt.Sprintf(format, args...))
}

// comment reads a comment and says whether it is about the next block.
func (p *page) comment(b mdBlock, m *marks) bool {
	key, value, _ := strings.Cut(b.Text, ":")
	value = strings.TrimSpace(value)
	switch key {
	case "setup":
		if out, code := p.at().do(value, false); code != 0 {
			p.fail(b, "the setup exits with %d: %s", code, out)
		}
		return false
	case "blocked":
		p.at().blocked(value)
		return false
	case "file":
		m.file = value
	case "not run":
		if m.notRun = value; value == "" {
			p.fail(b, "why is it not run?")
		}
	case "exits":
		n, err := strconv.Atoi(value)
		if m.exits = n; err != nil {
			p.fail(b, "%v", err)
		}
	case "terminal":
		m.terminal = true
	case "walls":
		m.walls = true
	case "another program's":
		m.others = true
	default:
		return false
	}
	return true
}

func (p *page) at() *shell {
	if p.shell == nil {
		p.shell = open(p.t)
	}
	return p.shell
}

func (p *page) block(b mdBlock, m marks) {
	switch {
	case m.notRun != "":
		first, _, _ := strings.Cut(b.Text, "\n")
		p.unrun = append(p.unrun, fmt.Sprintf("line %d, %s: %s", b.Line, first, m.notRun))
	case m.file != "":
		p.at().write(m.file, b.Text)
		if b.Info == "yaml" && !m.others {
			p.validate(b, p.at().path(m.file))
		}
	case b.Info == "console":
		p.console(b, m)
	case b.Info == "sh":
		if !p.canRun(m) {
			return
		}
		code := "trap 'checkrein_code=$?' ERR; checkrein_code=0\n" + b.Text + "trap - ERR; (exit $checkrein_code)"
		if out, code := p.at().do(p.at().bound(code), m.terminal); code != m.exits {
			p.fail(b, "exits with %d, not %d:\n%s\n%s", code, m.exits, b.Text, out)
		}
	case b.Info == "yaml" && m.others:
	case b.Info == "yaml":
		p.validate(b, "")
	case b.Info == "json":
		for dec := json.NewDecoder(strings.NewReader(b.Text)); ; {
			var v any
			if err := dec.Decode(&v); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				p.fail(b, "%v", err)
				return
			}
		}
	default:
		p.fail(b, "a block of %q is not run: say what it is by a language, or why by <!-- not run: reason -->", b.Info)
	}
}

// validate holds a configuration against the program that reads it, alone or where it lies.
func (p *page) validate(b mdBlock, at string) {
	s := p.at()
	if at == "" {
		name := "checkrein.yaml"
		if strings.Contains("\n"+b.Text, "\nagents:") {
			name = "agent.yaml"
		}
		if strings.Contains(b.Text, "# checkrein-policy.yaml") || strings.Contains(b.Text, "/checkrein-policy.yaml\n") {
			name = "checkrein-policy.yaml"
		}
		at = filepath.Join(p.t.TempDir(), name)
		if err := os.WriteFile(at, []byte(b.Text), 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
	at = strings.TrimPrefix(at, s.root)
	command := "checkrein validate -c '" + at + "'"
	switch filepath.Base(at) {
	case "models.yaml":
		command = "checkrein validate"
	case "checkrein-policy.yaml":
		command = "echo nothing | checkrein scan --policy '" + at + "' -"
		if strings.HasSuffix(at, "/.config/checkrein/checkrein-policy.yaml") {
			command = "echo nothing | checkrein scan -"
		}
	}
	if out, code := s.do(command, false); code != 0 {
		p.fail(b, "it is not valid:\n%s", out)
	}
}

// console runs the commands of a block and compares what they print.
func (p *page) console(b mdBlock, m marks) {
	if !p.canRun(m) {
		return
	}
	steps, ok := stepsOf(b.Text)
	if !ok {
		p.fail(b, "it does not begin with a command behind $")
		return
	}
	var now strings.Builder
	for _, st := range steps {
		s := p.at()
		out, _ := s.do(s.bound(st.command), m.terminal)
		got := lines(s.shown(out))
		now.WriteString(st.text)
		if s.same(st.want, got) {
			for _, line := range st.want {
				now.WriteString(line + "\n")
			}
			continue
		}
		got = s.named(got)
		if n := len(st.want); n > 0 && st.want[n-1] == "..." {
			got = append(got[:min(n-1, len(got))], "...")
		}
		for _, line := range got {
			now.WriteString(line + "\n")
		}
		if !*update {
			p.fail(b, "$ %sprints\n\t%s\nand the page has\n\t%s", st.command, strings.Join(got, "\n\t"), strings.Join(st.want, "\n\t"))
		}
	}
	if pad := strings.Repeat(" ", b.Level); pad != "" {
		return // inside a list: by hand
	}
	p.text = strings.Replace(p.text, "```console\n"+b.Text+"```", "```console\n"+now.String()+"```", 1)
}

// A step is a command of a console block, with what it prints.
type step struct {
	command string
	text    string // as it is in the block
	want    []string
}

func stepsOf(text string) ([]step, bool) {
	var out []step
	for line := range strings.Lines(text) {
		n := len(out)
		if c, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, step{command: c, text: line})
		} else if n == 0 {
			return nil, false
		} else if c, ok := strings.CutPrefix(line, "> "); ok && len(out[n-1].want) == 0 {
			out[n-1].command += c
			out[n-1].text += line
		} else {
			out[n-1].want = append(out[n-1].want, strings.TrimRight(line, "\n"))
		}
	}
	return out, len(out) > 0
}

func lines(out string) []string {
	out = strings.TrimRight(out, "\n ")
	if out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// kinds are what differs from run to run, with what is compared in its place.
var kinds = []struct {
	is *regexp.Regexp
	as string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)?`), "TIME"},
	{regexp.MustCompile(`\b[A-Z][a-z]{2} [ \d]?\d,? (\d{4} )?\d\d:\d\d\b`), "TIME"},
	{regexp.MustCompile(`\b\d\d:\d\d:\d\d(\.\d+)?\b`), "CLOCK"},
	{regexp.MustCompile(`\bjust now\b|\b\d+ (s|min|h) ago\b`), "AGO"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ns|µs|ms|s)\b`), "DURATION"},
	{regexp.MustCompile(`\b\d{8}-\d{6}(-\d+)?\b`), "UNDO"},
	{regexp.MustCompile(`\[REDACTED:[0-9a-f]{8}\]`), "MARKER"},
	{regexp.MustCompile(`(checkrein allow |: )[0-9a-f]{8} \(`), "${1}ID ("},
	{regexp.MustCompile(`\b(undo|takes) [0-9a-f]{6,8}\b`), "$1 SAVE"},
	{regexp.MustCompile(`^[0-9a-f]{6,8}  `), "SAVE  "},
	{regexp.MustCompile(`^  [0-9a-f]{4,8}  `), "  HANDLE  "},
	{regexp.MustCompile(`\bprocess \d+|\bpid \d+`), "PROCESS"},
	{regexp.MustCompile(`\b[0-9a-f]{12,64}\b`), "DIGEST"},
	{regexp.MustCompile(`\b127\.0\.0\.1:\d+`), "ADDRESS"},
	{regexp.MustCompile(`^(checkreind?) \S+ \(go\S+, \S+\)`), "$1 VERSION"},
	{regexp.MustCompile(`(\S) {2,}`), "$1  "},
}

func general(line string) string {
	for _, k := range kinds {
		line = k.is.ReplaceAllString(line, k.as)
	}
	return strings.TrimRight(line, " ")
}

// A shell runs the commands of a page, one after the other, as a person types them.
type shell struct {
	t       *testing.T
	root    string // what is before /home/ann
	dir     string // of the commands' files
	n       int
	cmd     *exec.Cmd
	orders  io.WriteCloser
	codes   *bufio.Reader
	tty     *tty              // nil where no terminal can be had
	handles map[string]string // of the page → of this run
}

// loop is the shell's script: it is told on descriptor 3 what to run and where, and tells
// the exit code on 4.
const loop = `while IFS=' ' read -r -u 3 how file; do
  case $how in
  pipe) . "$file" </dev/null >"$file.out" 2>&1 3<&- 4>&- ;;
  tty) . "$file" 3<&- 4>&- ;;
  esac
  code=$?
  if [ "$how" = tty ]; then printf '\036'; fi
  echo "$code" >&4
done`

// home is where a page begins: an empty home, and a project of git's. What install says
// of programs that lie in a temporary directory, as a test's do, is for a script to hold.
const home = `checkrein() {
  if [ "$1" = install ]; then set -- "$@" --program "$(type -P checkrein)"; fi
  command checkrein "$@"
}
git init -q -b main . && git remote add origin https://example.com/shop.git &&
printf 'all:\n\techo built\n' >Makefile && git add . && git commit -q -m 'first' && git update-ref refs/remotes/origin/main HEAD`

func open(t *testing.T) *shell {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: there is no bash")
	}
	root := built.TempDir(t)
	s := &shell{t: t, root: root, dir: filepath.Join(root, "commands"), handles: map[string]string{}}
	project := filepath.Join(root, "home", "ann", "shop")
	for _, dir := range []string{project, s.dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.cmd = exec.Command(bash, "--norc", "--noprofile", "-c", loop)
	s.cmd.Dir = project
	s.cmd.Env = append(environment(), "HOME="+filepath.Dir(project), "TMPDIR="+root)
	toldRead, told, err1 := os.Pipe()
	codesRead, codes, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	s.cmd.ExtraFiles = []*os.File{toldRead, codes}
	s.orders, s.codes = told, bufio.NewReader(codesRead)
	s.tty = openTTY(s.cmd)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.tty.begin()
	_ = toldRead.Close()
	_ = codes.Close()
	t.Cleanup(func() { killAll(s.cmd.Process) })
	if out, code := s.do(home, false); code != 0 {
		t.Fatal(out)
	}
	return s
}

// environment is what every shell has; nothing of the person who runs the test is in it.
func environment() []string {
	path := []string{programs, built.Python(), filepath.Join(goRoot(), "bin"), os.Getenv("PATH")}
	env := []string{"PATH=" + strings.Join(path, string(os.PathListSeparator)), "TZ=UTC", "LC_ALL=C.UTF-8", "TERM=xterm", "NO_COLOR=1",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat", "PYTHONDONTWRITEBYTECODE=1", "CGO_ENABLED=0"}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME=Ann", "GIT_"+who+"_EMAIL=ann@example.com", "GIT_"+who+"_DATE=2026-01-02T03:04:05Z")
	}
	for _, name := range []string{"GOCACHE", "GOFLAGS", "GOMODCACHE", "GOPROXY"} {
		if out, err := exec.Command("go", "env", name).Output(); err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(out)))
		}
	}
	return env
}

// path resolves a name of a page.
func (s *shell) path(name string) string {
	ann := filepath.Join(s.root, "home", "ann")
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(ann, rest)
	}
	if filepath.IsAbs(name) {
		return filepath.Join(s.root, name)
	}
	return filepath.Join(ann, "shop", name)
}

// write makes a file of a page, as an editor would: a script can be run once the page
// makes it executable. Another program writes it: what we had open, a child that starts
// meanwhile would keep open, and it could not be run.
func (s *shell) write(name, text string) {
	s.t.Helper()
	path := s.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `umask 077 && cat >"$1"`, "sh", path)
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v %s", err, out)
	}
}

// do runs commands and returns what they printed, with the last exit code.
func (s *shell) do(commands string, atTerminal bool) (string, int) {
	s.t.Helper()
	s.n++
	file := filepath.Join(s.dir, strconv.Itoa(s.n))
	commands = strings.ReplaceAll(commands, "/home/ann", filepath.Join(s.root, "home", "ann"))
	if err := os.WriteFile(file, []byte(strings.TrimRight(commands, "\n")+"\n"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	how := "pipe"
	if atTerminal {
		how = "tty"
	}
	if _, err := fmt.Fprintln(s.orders, how, file); err != nil {
		s.t.Fatalf("the page's shell has ended: %v", err)
	}
	line, err := s.codes.ReadString('\n')
	if err != nil {
		s.t.Fatalf("the page's shell has ended in: %s", commands)
	}
	code, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		s.t.Fatal(err)
	}
	if atTerminal {
		return s.tty.seen(), code
	}
	out, err := os.ReadFile(file + ".out")
	if err != nil {
		s.t.Fatal(err)
	}
	return string(out), code
}

// blocked has Claude Code try a command, and returns what it is told.
func (s *shell) blocked(what string) string {
	s.t.Helper()
	handle, command, _ := strings.Cut(what, " ")
	input, err := json.Marshal(command)
	if err != nil {
		s.t.Fatal(err)
	}
	s.write("/payload.json", `{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":`+string(input)+`}}`)
	out, _ := s.do("ashost \"checkrein hook claude <"+s.path("/payload.json")+"\"", false)
	m := regexp.MustCompile(`checkrein allow ([0-9a-f]+)`).FindStringSubmatch(out)
	if m == nil {
		s.t.Fatalf("it is not blocked: %s", out)
	}
	s.handles[handle] = m[1]
	var reply struct {
		Out struct {
			Reason string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(out), &reply); err != nil {
		s.t.Fatal(err)
	}
	return reply.Out.Reason
}

// canRun reports whether this machine has the terminal or the walls that a block needs.
func (p *page) canRun(m marks) bool {
	return (!m.terminal || p.at().terminal()) && (!m.walls || p.at().walls())
}

// walls reports whether commands can be contained here.
func (s *shell) walls() bool {
	argv := []string{filepath.Join(programs, "checkrein"), "_sandbox", `{"no_network":true}`, "--", "/bin/true"}
	res, err := process.Run(s.t.Context(), process.Spec{Argv: argv, Ticket: true})
	ok := runtime.GOOS == "linux" && err == nil && res.Exit == 0
	if !ok {
		s.t.Log("SKIPPED: no walls here, so blocks about them were not run")
	}
	return ok
}

// terminal says whether there is one.
func (s *shell) terminal() bool {
	if s.tty == nil {
		s.t.Log("SKIPPED: no terminal can be opened here, so its blocks were not run")
	}
	return s.tty != nil
}

func (s *shell) end() {
	_ = s.orders.Close()
	_ = s.cmd.Wait()
}

// shown is what a command printed, as if the home were Ann's.
func (s *shell) shown(out string) string {
	return strings.ReplaceAll(strings.ReplaceAll(out, "\r\n", "\n"), s.root, "")
}

var handle = regexp.MustCompile(`\b(allow|explain|wrong) ([0-9a-f]{4,6})\b`)

// bound puts this run's handles in place of the page's.
func (s *shell) bound(text string) string {
	for theirs, ours := range s.handles {
		text = regexp.MustCompile(`\b`+theirs+`\b`).ReplaceAllString(text, ours)
	}
	return text
}

// named puts the page's handles in place of this run's.
func (s *shell) named(text []string) []string {
	out := slices.Clone(text)
	for i := range out {
		for theirs, ours := range s.handles {
			out[i] = regexp.MustCompile(`\b`+ours+`\b`).ReplaceAllString(out[i], theirs)
		}
	}
	return out
}

// same compares what a page has with what was printed. A handle that is met for the first
// time is this run's from then on.
func (s *shell) same(want, got []string) bool {
	for i, line := range want {
		if line == "..." {
			rest := want[i+1:]
			for j := i; j <= len(got); j++ {
				if s.same(rest, got[j:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || !s.like(line, got[i]) {
			return false
		}
	}
	return len(got) == len(want)
}

func (s *shell) like(want, got string) bool {
	news := map[string]string{}
	theirs, ours := handle.FindAllStringSubmatch(want, -1), handle.FindAllStringSubmatch(got, -1)
	for i, m := range theirs {
		if _, known := s.handles[m[2]]; !known && i < len(ours) {
			news[m[2]] = ours[i][2]
		}
	}
	want = s.bound(want)
	for a, b := range news {
		want = strings.ReplaceAll(want, a, b)
	}
	start, open := strings.CutSuffix(want, " ...")
	if a, b := general(start), general(got); a != b && (!open || !strings.HasPrefix(b, a)) {
		return false
	}
	for a, b := range news {
		s.handles[a] = b
	}
	return true
}

// programs is the directory of the built programs.
var programs string

func TestMain(m *testing.M) { built.Main(m, &programs, "checkrein", "checkreind", "checkrein-shell") }

func goRoot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(out))
}
