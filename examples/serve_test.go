//go:build linux

package examples_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/full"
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

// typeScript are the packages with which client.ts is checked.
var typeScript = []string{"typescript@5.9.3", "@types/node@22.18.0"}

// The types of client.ts are right. It has only such as node erases.
func TestServeClientTypes(t *testing.T) {
	full.Skip(t)
	t.Parallel()
	needs(t, "npm", "node")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "checkrein", strings.ReplaceAll(strings.Join(typeScript, "+"), "/", "-"))
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err != nil {
		npm := append([]string{"--prefix", dir, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--fetch-retries=0"}, typeScript...)
		if out, err := exec.Command("npm", npm...).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "*** TYPES OF client.ts NOT CHECKED: npm cannot install %v here: %v\n%s\n", typeScript, err, out)
			t.Skipf("SKIPPED: npm cannot install %v here", typeScript)
		}
		if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check := func(file string) (string, error) {
		out, err := exec.Command("node", filepath.Join(modules, "typescript", "bin", "tsc"), "--noEmit", "--strict", "--erasableSyntaxOnly",
			"--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler", "--typeRoots", filepath.Join(modules, "@types"), "--types", "node", file).CombinedOutput()
		return string(out), err
	}
	if out, err := check(filepath.Join("serve", "client.ts")); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join("serve", "client.ts"))
	if err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(t.TempDir(), "wrong.ts")
	if err := os.WriteFile(wrong, bytes.Replace(text, []byte("decision?: "), []byte("decided?: "), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := check(wrong); err == nil || !strings.Contains(out, "TS2339") {
		t.Errorf("a wrong type is not found: %v\n%s", err, out)
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
