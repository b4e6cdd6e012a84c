//go:build amd64 || arm64 || riscv64 || loong64

package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFilesOutside checks that files that the jail does not list can be neither read nor changed, in
// any way.
func TestFilesOutside(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	skipWithoutSandbox(t, Jail{})
	j := p.jail()
	j.Read = append(j.Read, testProgram(t))
	try := testProgram(t) + " _try "
	for _, tt := range []struct{ name, script string }{
		{"read", "cat SECRET/key"},
		{"list", "ls SECRET"},
		{"through a link", "cat ROOT/build/link/key"},
		{"through proc", "cat /proc/self/root/SECRET/key"},
		{"from a child", "sh -c 'cat SECRET/key'"},
		{"from an orphan", "setsid -w cat SECRET/key"},
		{"the project itself", "ls ROOT"},
		{"a home", "ls $HOME/."},
		{"the common directory", "ls /tmp/."},
		{"overwrite", "echo x > SECRET/key"},
		{"overwrite what may be read", "echo x > ROOT/src/code"},
		{"append", "echo x >> SECRET/key"},
		{"make a file", "echo x > SECRET/new"},
		{"make a directory", "mkdir SECRET/new"},
		{"remove", "rm -f SECRET/key"},
		{"empty", try + "truncate SECRET/key"},
		{"move out", try + "rename ROOT/build/a/file SECRET/file"},
		{"move in", try + "rename SECRET/key ROOT/build/key"},
		{"link in", try + "link SECRET/key ROOT/build/key"},
		{"mount over", try + "mount ROOT/build"},
		{"secrets of other processes", fmt.Sprintf("cat /proc/%d/environ", os.Getpid())},
		{"descriptors of other processes", fmt.Sprintf("ls /proc/%d/fd/.", os.Getpid())},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := strings.NewReplacer("ROOT", p.root, "SECRET", p.secret).Replace(tt.script)
			out, errs, err := runInJail(t, j, "/bin/sh", "-c", script)
			said := out + errs
			if err == nil || strings.Contains(said, "hidden") || strings.Contains(said, "done") {
				t.Errorf("it could: %s", said)
			}
			if !strings.Contains(said, "ermission") && !strings.Contains(said, "not permitted") && !strings.Contains(said, "cross-device") && !strings.Contains(said, "no such device") {
				t.Errorf("not refused but: %s", said)
			}
		})
	}
	t.Cleanup(func() {
		for path, want := range map[string]string{p.secret + "/key": "hidden\n", p.root + "/src/code": "source\n", p.root + "/build/a/file": "built\n"} {
			if got, err := os.ReadFile(path); string(got) != want {
				t.Errorf("%s is %q, %v", path, got, err)
			}
		}
		if left, _ := os.ReadDir(p.secret); len(left) != 1 {
			t.Errorf("something was made: %v", left)
		}
	})
}

// TestFilesInside checks that files that the jail lists can be used, and those that every program
// needs.
func TestFilesInside(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	skipWithoutSandbox(t, Jail{})
	for _, tt := range []struct{ name, script, want string }{
		{"read", "cat ROOT/src/code", "source"},
		{"run", "ROOT/src/tool.sh", "ran"},
		{"run by a shell", "sh ROOT/src/tool.sh", "ran"},
		{"read what may be written", "cat ROOT/build/a/file", "built"},
		{"write", "echo x > ROOT/build/x; cat ROOT/build/x", "x"},
		{"cut short", ": > ROOT/build/y; echo y >> ROOT/build/y; cat ROOT/build/y", "y"},
		{"move between directories", "echo m > ROOT/build/a/m; mv ROOT/build/a/m ROOT/build/b/m; cat ROOT/build/b/m", "m"},
		{"directories, links and pipes", "mkdir ROOT/build/d; ln -s x ROOT/build/d/l; mkfifo ROOT/build/d/p; rm -r ROOT/build/d; echo ok", "ok"},
		{"pipelines", "echo a | tr a b", "b"},
		{"null", "echo a > /dev/null; cat /dev/null; head -c1 /dev/zero | wc -c", "1"},
		{"settings of the machine", "test -s /etc/passwd && echo ok", "ok"},
		{"an unknown place is unknown", "test -e ROOT/none || echo none", "none"},
		{"its own children", "sleep 60 & kill $!; wait $!; echo $?", "143"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := runInJail(t, p.jail(), "/bin/sh", "-c", strings.ReplaceAll(tt.script, "ROOT", p.root))
			if err != nil || out != tt.want {
				t.Errorf("got %q, %q, %v, want %q", out, errs, err, tt.want)
			}
		})
	}
}

// TestSingleFiles checks that the path of a file permits that file and no other.
func TestSingleFiles(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	skipWithoutSandbox(t, Jail{})
	j := Jail{Read: []string{p.root + "/src/code", p.root + "/missing"}, Write: []string{p.root + "/build/a/file"}}
	out, errs, err := runInJail(t, j, "/bin/sh", "-c", "cd "+p.root+"; cat src/code; echo new > build/a/file; cat build/a/file; cat src/tool.sh; echo x > build/a/other")
	if out != "source\nnew" || err == nil || strings.Count(errs, "ermission denied") != 2 {
		t.Errorf("got %q, %q, %v", out, errs, err)
	}
}

// startListeners starts listeners of all kinds on this machine, and returns their addresses by
// network.
func startListeners(t *testing.T) map[string]string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sock") // a short name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	out := map[string]string{}
	for network, addr := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(dir, "s"), "abstract": "@" + dir} {
		kind := network
		if network == "abstract" {
			kind = "unix"
		}
		l, err := net.Listen(kind, addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		out[network] = kind + " " + l.Addr().String()
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = u.Close() })
	out["udp"] = "udp " + u.LocalAddr().String()
	return out
}

// TestNetwork checks that without a network nothing can be reached, not even on this machine. With a
// network everything can, which proves that the sandbox is the cause.
func TestNetwork(t *testing.T) {
	t.Parallel()
	skipWithoutSandbox(t, Jail{NoNetwork: true})
	for name, to := range startListeners(t) {
		for _, off := range []bool{true, false} {
			argv := append([]string{testProgram(t), "_try", "dial"}, strings.Fields(to)...)
			out, errs, err := runInJail(t, Jail{Read: []string{testProgram(t)}, NoNetwork: off}, argv...)
			if (err == nil) == off || off && !strings.Contains(out, "permission denied") {
				t.Errorf("%s, off %v: %s%s, %v", name, off, out, errs, err)
			}
		}
	}
	for what, want := range map[string]bool{"pair stream": true, "pair packets": true, "pair datagrams": false, "pair raw": false, "ring": false} {
		out, _, err := runInJail(t, Jail{Read: []string{testProgram(t)}, NoNetwork: true}, append([]string{testProgram(t), "_try"}, strings.Fields(what)...)...)
		if (err == nil) != want {
			t.Errorf("%s: %s", what, out)
		}
	}
}

func TestNoPrivileges(t *testing.T) {
	t.Parallel()
	skipWithoutSandbox(t, Jail{})
	out, _, err := runInJail(t, Jail{Read: []string{"/proc"}}, "/bin/cat", "/proc/self/status")
	if err != nil || !strings.Contains(out, "NoNewPrivs:\t1") {
		t.Errorf("privileges can be gained: %v\n%s", err, out)
	}
	version, _, _ := syscall.Syscall(sysCreateRuleset, 0, 0, askVersion)
	if _, errs, err := runInJail(t, Jail{}, "/bin/sh", "-c", fmt.Sprint("kill -0 ", os.Getpid())); version >= scopeVersion && (err == nil || !strings.Contains(errs, "not permitted")) {
		t.Errorf("signals leave the sandbox: %s", errs)
	}
	if out, _, err := runInJail(t, Jail{Read: []string{testProgram(t)}}, testProgram(t), "_try", "reboot"); err == nil || !strings.Contains(out, "not permitted") {
		t.Errorf("root kept its rights over the machine: %s", out)
	}
}

// TestRefused checks that a jail that the system cannot provide is refused with the reason, and that
// the program does not run.
func TestRefused(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	mark := filepath.Join(p.root, "ran")
	touch := []string{"/bin/sh", "-c", "echo > " + mark}
	for _, tt := range []struct {
		name, lacks string
		jail        Jail
		argv        []string
		want        string
	}{
		{"no Landlock", "landlock", Jail{Write: []string{p.root}}, touch, "this kernel has no Landlock"},
		{"no filter", "seccomp", Jail{Write: []string{p.root}, NoNetwork: true}, touch, "does not support system call filters"},
		{"nothing to write", "", Jail{Write: []string{p.root, p.root + "/none"}}, touch, `none": it does not exist: create it first`},
		{"a program outside", "", Jail{}, []string{p.root + "/src/tool.sh"}, "add it to read"},
		{"no program", "", Jail{}, []string{"/bin/no-such-program"}, "no such file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.lacks != "landlock" {
				skipWithoutSandbox(t, Jail{NoNetwork: tt.jail.NoNetwork})
			}
			argv, err := TrampolineArgv(testProgram(t), tt.jail, tt.argv)
			if err != nil {
				t.Fatal(err)
			}
			if tt.lacks != "" {
				argv = append([]string{testProgram(t), "_without", tt.lacks}, argv...)
			}
			out, errs, err := runPlain(argv...)
			if err == nil || ParseRefusal(RefusedExitCode, []byte(errs)) == nil || !strings.Contains(errs, tt.want) {
				t.Errorf("got %q, %q, %v", out, errs, err)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("the program ran")
			}
		})
	}
}
