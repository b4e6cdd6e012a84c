//go:build linux

package examples_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// serve starts checkrein serve in the place until the test ends.
func (p *place) serve(t *testing.T) {
	t.Helper()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "serve")
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q %v", line, err)
	}
}

// types are the types of client.ts, which older versions of node cannot erase.
var types = regexp.MustCompile(`(?s)interface \w+ \{.*?\n\}\n|: (string|object|Promise<\w+>)`)

// The clients let pass what serve lets pass, and deny what it denies, asks about, or does not answer.
func TestServeClients(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{"client.py": "python3", "client.ts": "node", "client.sh": "sh"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needs(t, program)
			p := newPlace(t)
			p.quiet(t)
			p.put(t, filepath.Join("serve", name), name)
			switch program {
			case "sh":
				needs(t, "curl", "jq")
			case "node":
				text := p.read(t, name)
				name = "client.mjs"
				p.write(t, name, types.ReplaceAllString(text, ""))
			}
			judge := func(command string) (said string, code int) {
				out, errs, code := p.run(t, "", program, name, command)
				if errs != "" && !strings.Contains(errs, "curl: ") {
					t.Error(errs)
				}
				return out, code
			}
			if said, code := judge("ls"); code != 1 || !strings.HasPrefix(said, "denied: checkrein did not answer") {
				t.Errorf("without a server: %d %s", code, said)
			}
			p.serve(t)
			if said, code := judge("ls"); code != 0 || said != "run\n" {
				t.Errorf("ls: %d %s", code, said)
			}
			for _, command := range []string{"mkfs.ext4 /dev/sda1", `echo "it's" "$X" && rm -rf ~`} {
				if said, code := judge(command); code != 1 || !strings.HasPrefix(said, "denied: Blocked") {
					t.Errorf("%s: %d %s", command, code, said)
				}
			}
		})
	}
}
