//go:build linux

package endtoend

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// TestVanishedWiring removes checkrein from the agents of a machine, and checks that the agent of the fleet
// puts back what root installed, and that the hub flags what a user installed.
func TestVanishedWiring(t *testing.T) {
	requireFleet(t)
	f := newFleet(t)
	const uid = "71500"
	must(t, os.Chmod(f.bin, 0o755))
	must(t, errors.Join(os.Chmod(f.dir, 0o755), os.Chmod(filepath.Dir(f.dir), 0o755)))
	m := &member{name: "wired", home: filepath.Join(f.dir, "wired"), env: f.home("wired")}
	pat := filepath.Join(f.dir, "pat")
	f.home("pat")
	if out, err := exec.Command("chown", "-R", uid+":"+uid, pat).CombinedOutput(); err != nil {
		t.Skipf("no other account can be used here: %v %s", err, out)
	}
	enclosed := enclose(t, m.home, fmt.Sprintf("pat:x:%s:%[1]s:pat:%s:/bin/sh\n", uid, pat))
	token := filepath.Join(f.dir, "token")
	must(t, os.WriteFile(token, []byte(f.run(f.admin, "checkrein", "fleet", "token")), 0o600))
	run := func(script string) string {
		t.Helper()
		cmd := exec.Command(enclosed[0], append(enclosed[1:], "sh", "-euc", "p="+f.bin+"/checkrein\nas() { cd "+pat+"/project; setpriv --reuid "+uid+" --regid "+uid+" --clear-groups env -i HOME="+pat+" PATH=/usr/bin:/bin \"$@\"; }\n"+script)...)
		cmd.Env = m.env
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return string(out)
	}
	run("$p fleet join " + f.url + " --ca " + f.dir + "/tls.crt --token-file " + token + " --name wired; $p install --all --scope machine --program $p; as $p install copilot --program $p")
	m.agent = newProcess(t, m.home+"/agent.log", m.env, append(enclosed, f.bin+"/checkreind", "fleet-agent")...)
	var agents []protocol.AgentState
	find := func(user, agent string) *protocol.AgentState {
		i := slices.IndexFunc(agents, func(a protocol.AgentState) bool { return a.User == user && a.Agent == agent })
		if i < 0 {
			return &protocol.AgentState{}
		}
		return &agents[i]
	}
	refresh := func() {
		var list []protocol.Machine
		must(t, json.Unmarshal([]byte(f.run(f.admin, "checkrein", "fleet", "machines", "--json")), &list))
		agents = list[0].Report.Agents
	}
	own := func() *protocol.AgentState { return find("pat", "copilot") } // it has no file of the administrator
	f.eventually("the hub knows the wiring", func() bool {
		refresh()
		return find("", "claude").Wired && find("", "codex").Wired && find("pat", "claude").Wired && own().Wired
	})
	if out := f.run(f.admin, "checkrein", "fleet", "machines", "--flags"); out != "" {
		t.Errorf("before anything vanished: %s", out)
	}

	m.agent.kill()
	run("rm /etc/claude-code/managed-settings.json; sed -i /hook/d /etc/codex/requirements.toml; rm -r " + pat + "/.copilot; mkdir -p " + pat + "/.config/checkrein; printf 'version: 1\\npacks: []\\n' >" + pat + "/.config/checkrein/checkrein.yaml")
	m.agent.start()
	f.eventually("the wiring is back, and the rest is reported", func() bool {
		refresh()
		return !find("", "claude").Restored.IsZero() && !find("", "codex").Restored.IsZero() && own().Vanished
	})
	for _, path := range []string{"claude-code/managed-settings.json", "codex/requirements.toml"} {
		if out := run("cat /etc/" + path); !strings.Contains(out, "hook") {
			t.Errorf("%s was not repaired:\n%s", path, out)
		}
	}
	if !find("", "gemini").Restored.IsZero() || !find("", "gemini").Wired {
		t.Errorf("gemini: %+v", find("", "gemini"))
	}
	out, err := f.try(f.admin, "checkrein", "fleet", "machines", "--flags")
	if err == nil || !strings.Contains(out, "  wiring  ") || strings.Contains(out, "gemini") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Log(out)
	m.agent.kill()
	run("as $p install copilot --program $p")
	m.agent.start()
	f.eventually("what is wired again is no longer missing", func() bool { refresh(); return own().Wired && !own().Vanished })
}
