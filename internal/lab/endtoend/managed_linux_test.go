package endtoend

import (
	"os"
	"os/exec"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
	"github.com/checkrein/checkrein/internal/lab/hosttest"
)

// etcVar is set where /etc is a copy that the test may change.
const etcVar = "CHECKREIN_TEST_ETC"

// TestHostManaged installs checkrein in the administrator's file of each host that has one, in a copy of /etc
// that only the test sees. It checks that the host obeys it, also after its user turned hooks off.
func TestHostManaged(t *testing.T) {
	hosttest.New(t)
	if os.Getenv(etcVar) == "" {
		if os.Geteuid() != 0 {
			t.Skip("NOT RUN: only root can give the test an /etc of its own")
		}
		etc := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "unshare", "--mount", "--propagation", "private", "sh", "-euc",
			`cp -a /etc/. "$1"; chmod 755 "$1"; mount --bind "$1" /etc; shift; exec "$@"`, "sh", etc, os.Args[0], "-test.v", "-test.run", "^TestHostManaged$")
		cmd.Env = append(os.Environ(), etcVar+"=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	programs := buildPrograms(t)
	for host, off := range map[string]map[string]string{
		"claude": {".claude/settings.json": `{"disableAllHooks": true}`},
		"codex":  {".codex/config.toml": "[features]\nhooks = false\n"},
		"gemini": {".gemini/settings.json": `{"hooksConfig": {"enabled": false}, "tools": {"enableHooks": false}}`},
	} {
		t.Run(host, func(t *testing.T) {
			w := &world{Space: hosttest.New(t).Host(host).OpenSpace(), t: t, name: host}
			w.putPrograms(programs)
			w.checkrein("install", host, "--scope", "machine", "--program", w.ProgramPath("checkrein"))
			w.checkHomeIsKept("as installed")
			w.writeFiles(w.Home, off)
			w.checkHomeIsKept("after the user turned hooks off")
		})
	}
}

// checkHomeIsKept has a model ask for the loss of the home directory's documents, and checks that they stay.
func (w *world) checkHomeIsKept(when string) {
	w.t.Helper()
	w.writeFiles(w.Home, map[string]string{"Documents/thesis.txt": "ten years of work\n"})
	res := w.Run(hostlab.Run{Prompt: "please go", Script: callScript(mockmodel.Shell("rm -rf ~/Documents"))})
	w.t.Log(when)
	w.checkDeny(res)
}
