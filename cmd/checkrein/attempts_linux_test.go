package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// An attempt is a way to have something run that nobody approved. What is approved writes
// the mark {good}, what comes later writes {evil}: names of one length, so that an edit may
// keep a file's size.
//
// Names of files end in what they are: "a.sh*" may be executed, "a@" is a link to its
// text, "a=" another name of the file that its text names, "a/" a directory, and in a
// change "a!" is removed and "a~" written in place, its time put back. Other changes are
// renamed into place.
type attempt struct {
	class, name string
	cmd         string   // the hook's command
	argv        []string // or its list
	gate        []string // or the arguments of quality_gate
	env         map[string]string
	dir         string              // its working_dir
	sealed      bool                // the bytes that were hashed run
	declares    []string            // its files
	files       map[string]string   // a.sh, unless told otherwise
	change      map[string]string   // the same file with the other mark, unless told otherwise
	then        *attempt            // the hook itself changes into this one's
	form        string              // where the hook is declared, see declare
	own         bool                // the person's own file declares it
	also        bool                // the same once more as the person's own
	free        bool                // needs no approval, since it runs nothing of the repository
	either      bool                // what is approved is none of the repository's, so that the person's own may run at once
	hard        bool                // approve may say that it cannot tell what runs
	reads       bool                // the change is to what does not run: the hook goes on
	open        bool                // a fault does not stop the call
	host        []string            // variables that the host was started with
	later       []string            // those that it is started with after the change
	at          string              // where the agent is by then
	revoke      bool                // the approval is taken back
	needs       string              // a program that the row cannot do without
	setup       func(*attemptPlace) // what files cannot say
}

const (
	goodScript = "#!/bin/sh\n: >{good}\n"
	evilScript = "#!/bin/sh\n: >{evil}\n"
	onlyRead   = "text-that-is-only-read"
)

// hardToTell are the classes in which some rows name their files in ways that nothing but
// a run tells: there approve may say that it cannot tell.
var hardToTell = []string{"variables", "patterns", "loops", "substitution", "xargs and find", "tricks", "interpreters", "environment", "directories", "make", "other runners", "git", "own scripts", "programs"}

// unapproved counts what the table found.
type unapproved struct {
	sync.Mutex
	rows, cannotTell, skipped, early, late, falseFaults, other int
	byClass                                                    map[string][2]int // rows, and those that do not hold
	unsure                                                     []string
}

// In every row of the table, nothing that a repository brings runs before a person approved its exact
// contents, or after they changed.
func TestApprovalAttempts(t *testing.T) {
	t.Parallel()
	count := &unapproved{byClass: map[string][2]int{}}
	standIns := writeStandIns(t)
	names := map[string]bool{}
	t.Cleanup(func() { count.report(t) })
	for _, a := range attempts() {
		name := a.class + ": " + a.name
		if names[name] {
			t.Fatalf("two rows are called %q", name)
		}
		names[name] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if a.needs != "" {
				if _, err := exec.LookPath(a.needs); err != nil {
					if _, err := os.Stat(filepath.Join(standIns, a.needs)); err != nil {
						count.skip()
						t.Skipf("SKIPPED: there is no %s, so this was not tried", a.needs)
					}
				}
			}
			p := newAttemptPlace(t, a, standIns)
			found := p.try()
			count.add(name, a.class, found)
			reportRow(t, name, found.wrong, found.approve, found.reply)
		})
	}
	for name := range pending {
		if !names[name] && !strings.HasPrefix(name, "swaps: ") {
			t.Errorf("pending names no row: %q", name)
		}
	}
}

// reportRow reports what is wrong with a row, unless that is known.
func reportRow(t *testing.T, name string, wrong []string, approve, reply string) {
	t.Helper()
	why, isPending := pending[name]
	switch {
	case len(wrong) > 0 && isPending:
		t.Logf("PENDING %q, %s: %s", name, why, strings.Join(wrong, "; "))
	case len(wrong) > 0:
		t.Errorf("%s\napprove said: %s\nthe last reply: %s", strings.Join(wrong, "\n"), approve, reply)
	case isPending:
		t.Errorf("it holds now: take %q out of pending", name)
	}
}

// attempts are all rows, those that are tried in both scopes twice.
func attempts() []attempt {
	var out []attempt
	for _, a := range slices.Concat(shellAttempts, trickAttempts, programAttempts, pathAttempts, runnerAttempts, declaredAttempts, readAttempts, bentAttempts) {
		out = append(out, a)
		if a.also {
			a.own, a.name = true, a.name+", in the person's own file"
			a.free = a.reads && a.class == "only read"
			out = append(out, a)
		}
	}
	return out
}

type findings struct {
	wrong              []string
	early, late, fault bool // ran before any approval, ran after the change, faulted for nothing
	unsure             bool // approve could not tell
	approve, reply     string
}

func (f *findings) add(format string, args ...any) {
	f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
}

func (u *unapproved) skip() { u.Lock(); u.skipped++; u.Unlock() }

func (u *unapproved) add(name, class string, f *findings) {
	u.Lock()
	defer u.Unlock()
	u.rows++
	for _, c := range []struct {
		is bool
		n  *int
	}{{f.early, &u.early}, {f.late, &u.late}, {f.fault, &u.falseFaults}, {f.unsure, &u.cannotTell}} {
		if c.is {
			*c.n++
		}
	}
	if len(f.wrong) > 0 && !f.early && !f.late && !f.fault {
		u.other++
	}
	if f.unsure {
		u.unsure = append(u.unsure, name)
	}
	n := u.byClass[class]
	n[0]++
	if len(f.wrong) > 0 {
		n[1]++
	}
	u.byClass[class] = n
}

func (u *unapproved) report(t *testing.T) {
	t.Logf("%d rows (%d skipped): %d ran before any approval, %d ran after the change, %d faulted for nothing, %d wrong otherwise; %d cannot tell; %d pending",
		u.rows, u.skipped, u.early, u.late, u.falseFaults, u.other, u.cannotTell, len(pending))
	for _, class := range slices.Sorted(maps.Keys(u.byClass)) {
		t.Logf("  %-22s %3d rows, %3d do not hold", class, u.byClass[class][0], u.byClass[class][1])
	}
	slices.Sort(u.unsure)
	t.Logf("cannot tell: %s", strings.Join(u.unsure, "; "))
}

// An attemptPlace is a person's home and a repository in which one attempt is made.
type attemptPlace struct {
	*desk
	attempt
	marks  string
	fill   *strings.Replacer
	commit func() // makes a change count, where it does not by itself
	cwd    string // where the agent is
}

func newAttemptPlace(t *testing.T, a attempt, standIns string) *attemptPlace {
	base, err := os.MkdirTemp("", "attempt")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { built.RemoveWhenIdle(base) }) // the ledger's upkeep may still run
	p := &attemptPlace{desk: &desk{t: t, home: filepath.Join(base, "home"), project: filepath.Join(base, "project")}, attempt: a, marks: filepath.Join(base, "marks")}
	p.cwd = p.project
	p.mkdir(p.marks)
	p.write(filepath.Join(p.home, ".config", "checkrein", "checkrein.yaml"), "version: 1\npacks: []\n")
	p.write(filepath.Join(p.project, "checkrein.yaml"), "version: 1\n")
	path := []string{programs, standIns}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.Base(dir) != "shims" { // programs that only look for others, slowly
			path = append(path, dir)
		}
	}
	p.fill = strings.NewReplacer("{path}", strings.Join(path, ":"), "{good}", filepath.Join(p.marks, "good"), "{evil}", filepath.Join(p.marks, "evil"), "{project}", p.project, "{home}", p.home)
	p.desk.env = append([]string{"HOME=" + p.home, p.fill.Replace("PATH={path}"), "CLAUDE_PROJECT_DIR=" + p.project,
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GOCACHE=" + goCache(), "npm_config_update_notifier=false"}, p.expandPaths(a.host)...)
	if a.form != "agent alone" {
		p.mkdir(filepath.Join(p.project, ".git"))
	}
	if a.files == nil {
		p.files = map[string]string{"a.sh*": goodScript}
		if a.change == nil && a.then == nil && !a.revoke {
			p.change = map[string]string{"a.sh*": evilScript}
		}
	}
	p.put(p.files)
	p.declare(&p.attempt)
	if a.setup != nil {
		a.setup(p)
	}
	return p
}

var goCache = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out))
})

func (p *attemptPlace) expandPaths(all []string) []string {
	out := slices.Clone(all)
	for i := range out {
		out[i] = p.fill.Replace(out[i])
	}
	return out
}

func (p *attemptPlace) mkdir(dir string) {
	p.t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		p.t.Fatal(err)
	}
}

// put writes files, other names of files last, so that what they name is there.
func (p *attemptPlace) put(files map[string]string) {
	p.t.Helper()
	names := slices.SortedFunc(maps.Keys(files), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "="), strings.Count(b, "=")), cmp.Compare(a, b))
	})
	for _, name := range names {
		text := p.fill.Replace(files[name])
		kind := name[len(name)-1]
		file := strings.TrimRight(name, "*@=/!~")
		if file = p.fill.Replace(file); !filepath.IsAbs(file) {
			file = filepath.Join(p.project, file)
		}
		p.mkdir(filepath.Dir(file))
		if err := putOne(file, kind, text, p.project); err != nil {
			p.t.Fatal(err)
		}
	}
}

func putOne(file string, kind byte, text, project string) error {
	switch kind {
	case '/':
		return os.MkdirAll(file, 0o755)
	case '!':
		return os.RemoveAll(file)
	case '@':
		if err := os.RemoveAll(file); err != nil {
			return err
		}
		return os.Symlink(text, file)
	case '=':
		return os.Link(filepath.Join(project, text), file)
	case '~':
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(file, []byte(text), info.Mode()), os.Chtimes(file, info.ModTime(), info.ModTime()))
	}
	mode := fs.FileMode(0o644)
	if kind == '*' {
		mode = 0o755
	}
	fresh := file + ".fresh"
	return errors.Join(os.WriteFile(fresh, []byte(text), mode), os.Rename(fresh, file))
}

// hookText is the hook as flow YAML, which JSON is.
func (p *attemptPlace) hookText(a *attempt) string {
	h := map[string]any{"name": "gate", "type": "command"}
	switch {
	case a.gate != nil:
		h["type"], h["command"], h["args"] = "builtin", "quality_gate", p.expandPaths(a.gate)
	case a.argv != nil:
		h["command"] = p.expandPaths(a.argv)
	default:
		h["command"] = p.fill.Replace(cmp.Or(a.cmd, "sh ./a.sh"))
	}
	if a.env != nil {
		env := map[string]string{}
		for k, v := range a.env {
			env[k] = p.fill.Replace(v)
		}
		h["env"] = env
	}
	if a.dir != "" {
		h["working_dir"] = p.fill.Replace(a.dir)
	}
	if a.sealed {
		h["sealed"] = true
	}
	if a.declares != nil {
		h["files"] = a.declares
	}
	text, err := json.Marshal(h)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// declare writes the file that declares the hook.
func (p *attemptPlace) declare(a *attempt) {
	p.t.Helper()
	event := "pre_tool_use"
	if a.gate != nil {
		event = "stop"
	}
	native := "version: 1\nhooks:\n  " + event + ":\n    - " + p.hookText(a) + "\n"
	agent := "agents:\n  root:\n    model: scripted/demo\n    hooks:\n      session_start:\n        - " + p.hookText(a) + "\n"
	in := func(name, text string) { p.write(filepath.Join(p.project, name), text) }
	switch {
	case p.own:
		p.write(filepath.Join(p.home, ".config", "checkrein", "checkrein.yaml"), strings.Replace(native, "version: 1\n", "version: 1\npacks: []\n", 1))
	case p.form == "HOOK.md":
		in(".agents/hooks/gate/HOOK.md", hookMD)
	case p.form == "starchild":
		command, _ := json.Marshal(p.fill.Replace(a.cmd))
		in("config/shell_hooks.yaml", "hooks:\n  - event: pre_tool_call\n    command: "+string(command)+"\n")
	case p.form == "included":
		in("checkrein.yaml", "version: 1\ninclude: [more.yaml]\n")
		in("more.yaml", native)
	case p.agentFile() != "":
		p.write(filepath.Join(p.project, p.agentFile()), agent)
	default:
		in("checkrein.yaml", native)
	}
}

// agentFile is the file that run and approve name, if they do.
func (p *attemptPlace) agentFile() string {
	switch p.form {
	case "agent beside it":
		return filepath.Join("..", "home", "agent.yaml")
	case "agent in the repository", "agent alone":
		return "agent.yaml"
	}
	return ""
}

// sendEvent sends the event and returns the decision, none or deny, and the whole reply.
func (p *attemptPlace) sendEvent() (string, string) {
	p.t.Helper()
	payload := map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "cwd": p.cwd, "tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}}
	if p.gate != nil {
		payload = map[string]any{"hook_event_name": "Stop", "session_id": "s", "cwd": p.cwd, "last_assistant_message": "Done."}
	}
	text, err := json.Marshal(payload)
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := p.command(filepath.Join(programs, "ashost"), filepath.Join(programs, "checkrein")+" hook claude")
	if file := p.agentFile(); file != "" {
		cmd = p.command(filepath.Join(programs, "checkrein"), "run", file, "Say: hi")
	}
	cmd.Dir = p.cwd
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), &out, &errs
	err = cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		p.t.Fatal(err)
	}
	heard := heardIn(out.Bytes())
	if p.agentFile() != "" && err != nil {
		heard = "deny"
	}
	return heard, out.String() + errs.String()
}

// ran says whether a mark is there, and takes it away.
func (p *attemptPlace) ran(mark string) bool {
	return os.Remove(filepath.Join(p.marks, mark)) == nil
}

func (p *attemptPlace) approve(more ...string) (int, string) {
	args := []string{"hooks", "approve"}
	if file := p.agentFile(); file != "" {
		args = append(args, "-c", file, "--agent", "root")
	}
	return p.run(append(append(args, "--all"), more...)...)
}

// try goes through the attempt: before any approval, approved, and changed since.
func (p *attemptPlace) try() *findings {
	f := &findings{}
	heard, reply := p.sendEvent()
	f.reply = reply
	switch ran := p.ran("good"); {
	case p.free && (!ran || heard != "none"):
		f.fault = true
		f.add("it runs nothing of the repository, and is stopped: %s", reply)
	case p.own && p.either:
	case !p.free && ran:
		f.early = true
		f.add("it ran before anyone approved it")
	case p.own && !p.free && !p.open && p.gate == nil && heard != "deny":
		f.add("the person's own gate did not run, and the call passed: %s", reply)
	}
	var code int
	if code, f.approve = p.approve(); code != 0 && (p.free || p.own && p.either) {
		code = 0 // there is nothing to approve
	}
	heard, f.reply = p.sendEvent()
	switch ran := p.ran("good"); {
	case ran && heard == "none":
	case ran:
		f.add("what was approved ran, and the call is stopped: %s", f.reply)
	case code != 0 || strings.Contains(f.approve, "cannot tell"):
		f.unsure = true
		if p.reads || !p.hard && !slices.Contains(hardToTell, p.class) {
			f.fault = p.reads
			f.add("nothing of it is hard to tell, and it cannot be approved: %s", f.approve)
		}
	default:
		f.add("it was approved and does not run: %s", f.reply)
	}
	p.checkStored(f)
	p.put(p.change)
	if p.then != nil {
		p.declare(p.then)
	}
	if p.commit != nil {
		p.commit()
	}
	if p.revoke {
		p.run("hooks", "revoke", "gate")
	}
	p.desk.env, p.cwd = append(p.desk.env, p.expandPaths(p.later)...), filepath.Join(p.project, p.at)
	heard, f.reply = p.sendEvent()
	good, evil := p.ran("good"), p.ran("evil")
	switch {
	case evil, good && p.revoke:
		f.late = true
		f.add("it ran as nobody approved it")
	case p.reads && (heard != "none" || !good) && !f.unsure:
		f.fault = true
		f.add("only what does not run changed, and it is stopped: %s", f.reply)
	case !p.reads && !p.open && p.gate == nil && heard != "deny" && !f.unsure && !(p.revoke && !p.own):
		f.add("it changed since it was approved, and the call passed: %s", f.reply)
	}
	if f.unsure {
		_, f.approve = p.approve("--cannot-tell")
		if _, f.reply = p.sendEvent(); !p.ran("good") && !p.ran("evil") {
			f.add("it has a yes of its own and does not run: %s", f.reply)
		}
	}
	return f
}

// checkStored reports files that are only read but were shown or stored.
func (p *attemptPlace) checkStored(f *findings) {
	if strings.Contains(f.approve, onlyRead) {
		f.add("approve shows what is only read")
	}
	err := filepath.WalkDir(filepath.Join(p.home, ".local"), func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(file)
		if strings.Contains(string(text), onlyRead) {
			f.add("%s keeps what is only read", strings.TrimPrefix(file, p.home))
		}
		return err
	})
	if err != nil {
		f.add("%v", err)
	}
}

// writeStandIns writes programs that are rarely there: each runs what the file says that
// the real one would read, so that a change of it shows.
func writeStandIns(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range standIns {
		if _, err := exec.LookPath(name); err == nil && name != "cargo" { // a real one builds for seconds
			continue
		}
		t.Logf("there is no %s that would do: a program that runs what its file says takes its place", name)
		if err := built.WriteScript(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
