package windows

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// A space is a Wine prefix of its own, with the programs in C:\checkrein.
type space struct{ prefix, commands string }

// drive returns the path of a folder of the drive C:.
func (s space) drive(parts ...string) string {
	return filepath.Join(append([]string{s.prefix, "drive_c"}, parts...)...)
}

// environ returns the variables with which wine finds the space. Nothing of the person's is passed on.
func (s space) environ() []string {
	return []string{"WINEPREFIX=" + s.prefix, "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree=;mshtml=", "LC_ALL=C.UTF-8", "HOME=" + s.prefix,
		"PATH=" + s.commands + string(os.PathListSeparator) + os.Getenv("PATH")}
}

// newSpace builds the programs for Windows and makes a prefix. It skips the test if it was not asked for.
func newSpace(t *testing.T) space {
	t.Helper()
	if os.Getenv("CHECKREIN_WINE") == "" {
		t.Skip("SKIPPED: set CHECKREIN_WINE=1, or run make test-windows")
	}
	wine, err := exec.LookPath("wine")
	if err != nil {
		t.Skip("SKIPPED: no Windows program was run, because wine is not in the PATH (Debian: wine, wine64)")
	}
	dir := t.TempDir()
	s := space{filepath.Join(dir, "prefix"), filepath.Join(dir, "commands")}
	run := func(env []string, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	run(s.environ(), wine, "wineboot", "-i")
	t.Cleanup(func() {
		for _, what := range []string{"-k", "-w"} {
			end := exec.Command("wineserver", what)
			end.Env = s.environ()
			_ = end.Run() // it fails if no server is left
		}
	})
	if err := errors.Join(s.addRandom(), os.MkdirAll(s.drive("checkrein"), 0o755), os.MkdirAll(s.commands, 0o755)); err != nil {
		t.Fatal(err)
	}
	run(append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"), "go", "build", "-trimpath", "-gcflags=all=-dwarf=false", "-ldflags", "-s -w",
		"-o", s.drive("checkrein")+string(filepath.Separator), "../../../cmd/checkrein", "../../../cmd/checkreind", "./testdata/hello")
	for _, name := range []string{"checkrein", "hello"} {
		script := "#!/bin/sh\nexec wine 'C:\\checkrein\\" + name + ".exe' \"$@\"\n"
		if err := os.WriteFile(filepath.Join(s.commands, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// addRandom adds the library from which Go programs take random numbers, if this version of Wine lacks
// it. Its function is that of another library under the name that Go looks for.
func (s space) addRandom() error {
	const name = "bcryptprimitives.dll"
	path := s.drive("windows", "system32", name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return os.WriteFile(path, forwarder(name, "ProcessPrng", "advapi32.SystemFunction036"), 0o644)
}

// forwarder returns a library for amd64 without code, whose only function, export, is the function to of
// another library.
func forwarder(name, export, to string) []byte {
	const rva, raw = 0x1000, 0x200 // of the only section
	nameAt := uint32(rva + 50)     // after the directory of 40 bytes and three tables
	exportAt := nameAt + uint32(len(name)) + 1
	toAt := exportAt + uint32(len(export)) + 1
	section := encode([3]uint32{}, nameAt, [3]uint32{1, 1, 1}, [3]uint32{rva + 40, rva + 44, rva + 48}, toAt, exportAt, uint16(0),
		[]byte(name+"\x00"+export+"\x00"+to+"\x00"))
	size := uint32(len(section))
	header := encode([]byte("MZ"), make([]byte, 58), uint32(0x40),
		[]byte("PE\x00\x00"), uint16(0x8664), uint16(1), [3]uint32{}, uint16(240), uint16(0x2022),
		uint16(0x20b), uint16(0), [3]uint32{0, 0x200, 0}, [2]uint32{},
		uint64(0x180000000), uint32(0x1000), uint32(0x200), [4]uint16{6}, [2]uint16{6}, uint32(0),
		[3]uint32{0x2000, 0x200}, uint16(3), uint16(0x160), [4]uint64{1 << 20, 1 << 12, 1 << 20, 1 << 12}, uint32(0), uint32(16),
		uint32(rva), size, make([]byte, 15*8),
		[]byte(".edata\x00\x00"), size, uint32(rva), uint32(0x200), uint32(raw), [3]uint32{}, uint32(0x40000040))
	file := make([]byte, raw+0x200)
	copy(file, header)
	copy(file[raw:], section)
	return file
}

// encode returns values one after the other, in little-endian order.
func encode(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		_ = binary.Write(&b, binary.LittleEndian, v) // the sizes are fixed, and a Buffer takes everything
	}
	return b.Bytes()
}

// TestWindows runs everything in one space, one after the other.
func TestWindows(t *testing.T) {
	s := newSpace(t)
	t.Run("scripts", s.runScripts)
	t.Run("packages", s.runPackages)
	t.Run("start-up", s.measureStartUp)
}

// inTurn runs scripts one after the other.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }

func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

// runScripts runs the scripts. The work directory of each is the drive D:, and its profile is new.
func (s space) runScripts(t *testing.T) {
	profile := s.profile(t)
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir: filepath.Join("testdata", "script"), RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"together": together, "installed": installed, "ask": ask},
		Setup: func(env *testscript.Env) error {
			for _, v := range s.environ() {
				name, value, _ := strings.Cut(v, "=")
				env.Setenv(name, value)
			}
			env.Setenv("C", s.drive())
			env.Setenv("PROFILE", profile)
			env.Setenv("USER", filepath.Base(profile))
			drive := filepath.Join(s.prefix, "dosdevices", "d:")
			return errors.Join(os.RemoveAll(profile), os.MkdirAll(filepath.Join(profile, "Temp"), 0o755), os.RemoveAll(drive), os.Symlink(env.WorkDir, drive))
		},
	})
}

// portable lists packages whose tests pass under Wine 8, or those of their tests that do; others need Unix,
// or remove temporary directories as Wine 8 cannot.
var portable = []struct{ dir, tests string }{
	{"internal/sys/process", "."},
	{"internal/text/term", "."},
	{"internal/text/rawjson", "."},
	{"internal/shell/windows", "."},
	{"internal/guard/study", "TestRealPathOfVolume"},
	{"internal/host/install", "TestLineOnWindows|TestOwnProgram"},
}

// runPackages runs the tests of packages, built for Windows.
func (s space) runPackages(t *testing.T) {
	for _, p := range portable {
		t.Run(p.dir, func(t *testing.T) {
			test := exec.Command("go", "test", "-count=1", "-vet=off", "-gcflags=all=-dwarf=false", "-ldflags", "-s -w", "-exec", "wine", "-v", "-run", p.tests, "./"+p.dir)
			test.Dir = filepath.Join("..", "..", "..")
			test.Env = append(append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0"), s.environ()...)
			if out, err := test.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// profile returns the path of the folder of Wine's user.
func (s space) profile(t *testing.T) string {
	t.Helper()
	users, err := filepath.Glob(s.drive("users", "*"))
	users = slices.DeleteFunc(users, func(user string) bool { return filepath.Base(user) == "Public" })
	if len(users) != 1 {
		t.Fatal(users, err)
	}
	return users[0]
}

// ask is `ask TOOL COMMAND`: it writes the event with which Claude Code asks about a command, as it does
// on Windows, to the file event.json. Lines of the command are separated by %0D%0A.
func ask(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ask TOOL COMMAND")
	}
	event, err := json.Marshal(map[string]any{
		"session_id": "0b6a8c7e", "transcript_path": `C:\users\` + ts.Getenv("USER") + `\.claude\projects\D--app\0b6a8c7e.jsonl`, "cwd": `D:\app`,
		"permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": args[0],
		"tool_input": map[string]string{"command": strings.ReplaceAll(args[1], "%0D%0A", "\r\n")}, "tool_use_id": "toolu_01",
	})
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("event.json"), event, 0o644))
}

// installed is `installed FILE EVENT`: it puts the command that a host's settings have for an event into
// the variable LINE.
func installed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: installed FILE EVENT")
	}
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &settings))
	ts.Setenv("LINE", settings.Hooks[args[1]][0].Hooks[0].Command)
}

// together is `together N FILE COMMAND...`: it runs a command N times at once, with FILE as its input.
func together(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: together N FILE COMMAND...")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	input := ts.ReadFile(args[1])
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			cmd := exec.Command(filepath.Join(filepath.SplitList(ts.Getenv("PATH"))[0], args[2]), args[3:]...)
			cmd.Dir, cmd.Stdin = ts.MkAbs("."), strings.NewReader(input)
			for _, name := range []string{"PATH", "WINEPREFIX", "WINEDEBUG", "LC_ALL", "HOME"} {
				cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
			}
			errs[i] = cmd.Run()
		})
	}
	all.Wait()
	ts.Check(errors.Join(errs...))
}

// measureStartUp measures a verdict in turns with a program that only prints. Wine's own start-up is in both
// figures. The limit is wide, because the ratio differs by a third between runs on a busy machine.
func (s space) measureStartUp(t *testing.T) {
	const rounds = 15
	event := `{"session_id":"s","cwd":"C:\\","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status"}}`
	fastest := func(best *time.Duration, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(s.commands, name), args...)
		cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.environ(), strings.NewReader(event), io.Discard, os.Stderr
		start := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); *best == 0 || d < *best {
			*best = d
		}
	}
	var hello, hook time.Duration
	for range rounds {
		fastest(&hello, "hello")
		fastest(&hook, "checkrein", "hook", "claude")
	}
	ratio := float64(hook) / float64(hello)
	t.Logf("fastest of %d: hook %v, a program that only prints %v, ratio %.2f", rounds, hook, hello, ratio)
	if ratio > 5 {
		t.Errorf("a verdict takes %.2f times as long as a program that only prints, want at most 5", ratio)
	}
}
