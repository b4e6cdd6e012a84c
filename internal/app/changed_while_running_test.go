package app_test

import (
	"os"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/handover"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A gate whose script changes while it runs allows nothing, because it is unknown which version
// answered.
func TestScriptChangesWhileItRuns(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"written to":            "echo '# more' >> gate.sh",
		"replaced":              "cp gate.sh other && mv other gate.sh",
		"replaced and put back": "mv gate.sh away && cp away gate.sh && mv away gate.sh",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			p.writeProject("version: 1\nhooks:\n  pre_tool_use:\n    - {name: gate, type: command, command: sh ./gate.sh}\n")
			p.write("project/gate.sh", script+"\nexit 0\n")
			p.approveAll()
			out := p.decide(newShellCall("s"))
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, "its file gate.sh changed while it ran, so its answer is ignored")
		})
	}
}

// A hook that another process checked does not run if its files changed since, and its answer does not
// count if they change while it runs.
func TestHandedOverFilesChange(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	path := p.write("gate.sh", "exit 0\n")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	files := []state.MarkedPath{state.NewMarkedPath(path, state.MarkOf(info))}
	time.Sleep(state.SettleDelay(files, time.Now()))
	k := p.openBare()
	ask := func(script string) error {
		task := newTask(script)
		task.Files = files
		_, err := handover.DecodeOutcome(k.RunStep(t.Context(), taskLine(t, task)))
		return err
	}
	if err := ask("exit 0"); err != nil {
		t.Fatal(err)
	}
	if err := ask("echo >> '" + path + "'"); err == nil {
		t.Error("an answer counts although the file changed meanwhile")
	} else {
		wantText(t, err.Error(), "changed while it ran, so its answer is ignored")
	}
	if err := ask("touch '" + p.path("ran") + "'"); err == nil {
		t.Error("it ran although the file had changed")
	} else {
		wantText(t, err.Error(), "changed before it ran")
	}
	if _, err := os.Stat(p.path("ran")); err == nil {
		t.Error("it ran")
	}
}
