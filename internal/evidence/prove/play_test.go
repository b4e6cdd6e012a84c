package prove

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// A sub-agent may run at the same time as its parent. The repair after a step of the parent waits for
// the result of that step.
func TestSubAgentBesideItsParent(t *testing.T) {
	t.Parallel()
	mended := 0
	guarded := shellStep("guarded", "touch guarded")
	guarded.before = func() func() { return func() { mended++ } }
	p := newPlayer([]step{shellStep("first", "true"), guarded}, []step{shellStep("in sub", "true"), shellStep("later", "true")}, subMark, func(string) {})
	tools := []mockmodel.Tool{{Name: "bash", Params: map[string]mockmodel.Param{"command": {}}, Required: []string{"command"}}}
	turn := 0
	ask := func(after int, text string) {
		q := mockmodel.Request{Turn: turn, Tools: tools, Messages: []mockmodel.Message{{Role: "user", Texts: []string{text}}}}
		if after >= 0 {
			q.Messages = append(q.Messages, mockmodel.Message{Results: []mockmodel.ToolResult{{ID: fmt.Sprintf("call%dn0", after)}}})
		}
		p.answerRequest(q)
		turn++
	}
	ask(-1, mainMark) // first
	ask(-1, subMark)  // in sub
	ask(0, mainMark)  // guarded
	ask(1, subMark)   // later, while the guarded call runs
	if _, ok := p.turns["later"]; !ok || mended != 0 {
		t.Fatalf("steps %v, mended %d times before the call came back", p.turns, mended)
	}
	ask(2, mainMark)
	if mended != 1 {
		t.Errorf("mended %d times after the call came back", mended)
	}
}

// A host may run a call in another directory than it reports. Commands use absolute paths, so that a
// denied call that runs is found nevertheless.
func TestCommandsNameFilesInFull(t *testing.T) {
	t.Parallel()
	for project, in := range map[string]string{"/tmp/a-1/project": "/tmp/a-1/project/", "/tmp/with space/project": ""} {
		o := &observation{w: &testSpace{Space: &hostlab.Space{Project: project, Bin: "/tmp/bin"}}}
		for _, s := range slices.Concat(o.subSteps(), o.editorSteps(), o.faultSteps()) {
			if text := fmt.Sprint(s.call); !strings.Contains(text, "touch "+in+"prove-") {
				t.Errorf("%s: %s", s.name, text)
			}
		}
		if text := o.w.workConfig(); !strings.Contains(text, "is: touch "+in+"prove-before}") {
			t.Errorf("%s: %s", project, text)
		}
	}
}
