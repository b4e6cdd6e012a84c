//go:build linux

package endtoend

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPages runs the blocks of commands that the documentation marks for it, in the order of the pages:
// on the administrator's machine, and those with sudo on a machine that joins without root.
func TestPages(t *testing.T) {
	requireFleet(t)
	f := startHub(t)
	f.writeBundle(1, "deploy")
	must(t, os.WriteFile(f.dir+"/admin.token", []byte(readFile(t, f.dir+"/hub/admin.token")), 0o600))
	must(t, os.WriteFile(f.dir+"/sudo", []byte("#!/bin/sh\nexec \"$@\" --advisory --name page\n"), 0o700))
	admin, m := f.home("ann"), &member{name: "page", home: filepath.Join(f.dir, "page"), env: f.home("page")}
	block := regexp.MustCompile("(?m)^<!-- not run: make test-fleet runs it -->\n```sh\n((?s:.*?))^```$")
	ran := 0
	for _, page := range []string{"fleet.md", "guides/roll-out.md"} {
		for _, found := range block.FindAllStringSubmatch(readFile(t, "../../../docs/"+page), -1) {
			script := strings.NewReplacer("https://hub.example.com", f.url+" --ca "+f.dir+"/tls.crt").Replace(found[1])
			env, joins := admin, strings.Contains(script, "sudo checkrein fleet join")
			if joins {
				token := strings.TrimSpace(f.run(f.admin, "checkrein", "fleet", "token"))
				env, script = m.env, strings.Replace(script, "crf_…", token, 1)
			}
			cmd := exec.Command("sh", "-ec", script)
			cmd.Dir, cmd.Env = f.dir, append(env, "PATH="+f.bin+":"+f.dir+":/usr/bin:/bin")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", page, err, found[1], out)
			}
			if ran++; joins {
				must(t, f.call(m, "go test ./...", "t1"))
				m.agent = newProcess(t, m.home+"/agent.log", m.env, f.bin+"/checkreind", "fleet-agent", "--advisory")
			}
		}
	}
	if ran < 4 {
		t.Errorf("only %d blocks", ran)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	must(t, err)
	return string(text)
}
