//go:build amd64 || arm64 || riscv64 || loong64

package sandbox

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
)

// TestContained checks a jail that reads everything but what is hidden.
func TestContained(t *testing.T) {
	t.Parallel()
	p := newTestProject(t)
	home := strings.TrimSuffix(p.secret, "/.ssh")
	for name, text := range map[string]string{"/.ssh/config": "Host x\n", "/.profile": "profile\n", "/.token": "hidden\n", "/notes": "notes\n"} {
		p.write(t, home+name, text)
	}
	if err := os.Symlink(p.secret+"/key", home+"/way"); err != nil {
		t.Fatal(err)
	}
	j := Jail{ReadAll: true, Contained: true, Write: []string{p.root, "/dev/null"}, Hide: []string{p.secret + "/key", home + "/.token", home + "/missing/key"}}
	skipWithoutSandbox(t, j)
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, at := range []string{dir + "/s", "@" + dir} {
		l, err := net.Listen("unix", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	words := strings.NewReplacer("ROOT", p.root, "HOME", home, "TRY", testProgram(t)+" _try", "DIR", dir, "PID", fmt.Sprint(os.Getpid()))
	for script, may := range map[string]bool{
		"cat HOME/notes":                             true,
		"cat HOME/.ssh/config":                       true,
		"ls -a HOME HOME/.ssh /proc/self":            true,
		"cat /etc/passwd /proc/self/status":          true,
		"echo x > ROOT/new && rm ROOT/new":           true,
		"TRY pair stream":                            true,
		"ulimit -n 100; true":                        true,
		"sh -c 'kill $$' & wait $!; test $? -gt 128": true,
		"cat HOME/.ssh/key":                          false,
		"cat HOME/way":                               false,
		"cat HOME/.token":                            false,
		"cat /proc/self/root/HOME/.token":            false,
		"ln HOME/.token ROOT/token":                  false,
		"mv HOME/.token ROOT/token":                  false,
		"echo x > HOME/notes":                        false,
		"echo x >> HOME/.profile":                    false,
		"rm HOME/notes":                              false,
		"mkdir HOME/new":                             false,
		"cat /proc/PID/environ":                      false,
		"kill -0 PID":                                false,
		"TRY dial unix DIR/s":                        false,
		"TRY dial unix @DIR":                         false,
		"TRY pair datagrams":                         false,
		"TRY ring":                                   false,
		"prlimit --pid PID --nofile=100":             false,
		"renice 5 PID":                               false,
		"unshare -rm true && unshare -rm mount -t tmpfs none HOME": false,
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			out, errs, err := runInJail(t, j, "/bin/sh", "-c", words.Replace(script))
			if (err == nil) != may || !may && strings.Contains(out, "hidden") {
				t.Errorf("%v: %s %s", err, out, errs)
			}
		})
	}
}
