package app_test

import (
	"os"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
)

const sealedGate = "version: 1\nhooks:\n  pre_tool_use:\n    - {name: gate, type: command, command: [./gate.sh], sealed: true}\n"

func (p testMachine) script(name, text string) {
	p.t.Helper()
	if err := os.Chmod(p.write(name, text), 0o700); err != nil {
		p.t.Fatal(err)
	}
}

// If the file of a sealed hook is swapped between check and run, the new contents never run.
func TestSealedHookResistsSwaps(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject(sealedGate)
	p.script("project/gate.sh", "#!/bin/sh\nexit 0\n")
	p.script("good", "#!/bin/sh\nexit 0\n")
	p.script("evil", "#!/bin/sh\n: > '"+p.path("ran")+"'\nexit 0\n")
	p.approveAll()
	k := p.open()
	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for {
			for _, name := range []string{"evil", "good"} {
				_ = os.Link(p.path(name), p.path("next"))
				_ = os.Rename(p.path("next"), p.path("project/gate.sh"))
				_ = os.Remove(p.path("next")) // rename does nothing if both names are the same file
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	ran, refused := 0, 0
	for range 150 {
		switch out := k.Decide(t.Context(), newShellCall("s")); out.Verdict.Decision {
		case checkrein.NoOpinion:
			ran++
		default:
			refused++
		}
	}
	close(stop)
	swapper.Wait()
	if _, err := os.Stat(p.path("ran")); err == nil {
		t.Error("bytes ran that nobody approved")
	}
	t.Logf("%d ran, %d were refused", ran, refused)
}

// A sealed hook runs as declared, or faults with a remedy.
func TestSealedHookRunsOrFaults(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, entry, want string
	}{
		{"a script", "command: [./gate.sh], sealed: true", "said no"},
		{"in a directory", "command: [./gate.sh], working_dir: ., sealed: true", "said no"},
		{"a shell command", "command: ./gate.sh, sealed: true", "sealed needs a command that is a list"},
		{"a bare name", "command: [sh, gate.sh], sealed: true", "sealed needs a file's path as the first word of the command: write ./sh"},
		{"a sandbox beside", "command: [./gate.sh], sealed: true, sandbox: {}", "sealed and sandbox cannot be combined"},
		{"not sealed", "command: ./gate.sh, sealed: false", "said no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			p.writeProject("version: 1\nhooks:\n  pre_tool_use:\n    - {name: gate, type: command, " + tt.entry + "}\n")
			p.script("project/gate.sh", "#!/bin/sh\necho said no >&2\nexit 2\n")
			p.approveAll()
			out := p.decide(newShellCall("s"))
			wantDecision(t, out, checkrein.Deny)
			wantText(t, out.Verdict.Reason, tt.want)
		})
	}
}
