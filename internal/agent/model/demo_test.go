package model

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var allTools = []Definition{
	{Name: "shell"}, {Name: "read_file"}, {Name: "write_file"}, {Name: "transfer_task"}, {Name: "run_background_agent"}, {Name: "handoff"}, {Name: "send_message"},
}

// runDemo makes demo work through a message: it runs each tool call and returns the calls and the
// texts.
func runDemo(t *testing.T, m Model, history []Message, run func(Function) (string, bool)) (calls []Function, texts []string, after []Message) {
	t.Helper()
	for range 20 {
		a, err := callModel(t, m, Request{Messages: history, Tools: allTools})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, a.Text)
		history = append(history, Message{Role: Assistant, Content: a.Text, ToolCalls: a.ToolCalls})
		if len(a.ToolCalls) == 0 {
			return calls, texts, history
		}
		for _, c := range a.ToolCalls {
			calls = append(calls, c.Function)
			text, failed := run(c.Function)
			history = append(history, Message{Role: ToolRole, ToolCallID: c.ID, Content: text, IsError: failed})
		}
	}
	t.Fatal("it does not end")
	return nil, nil, nil
}

func userMessage(text string) []Message {
	return []Message{{Role: System, Content: "You help."}, {Role: User, Content: text}}
}

func TestDemoCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ prompt, tool, args string }{
		{"Run: echo hello", "shell", `{"cmd":"echo hello"}`},
		{"RUN:  rm -rf /tmp/test ", "shell", `{"cmd":"rm -rf /tmp/test"}`},
		{"List files in current dir", "shell", `{"cmd":"ls"}`},
		{"list files", "shell", `{"cmd":"ls"}`},
		{"Read notes.txt", "read_file", `{"path":"notes.txt"}`},
		{"read: \"my notes.txt\"", "read_file", `{"path":"my notes.txt"}`},
		{"Write a/b.txt: two words: here", "write_file", `{"content":"two words: here","path":"a/b.txt"}`},
		{"Delegate to helper: Run: ls", "transfer_task", `{"agent":"helper","task":"Run: ls"}`},
		{"Background helper: Run: ls", "run_background_agent", `{"agent":"helper","task":"Run: ls"}`},
		{"Hand off to helper.", "handoff", `{"agent":"helper"}`},
		{"Send: all is well", "send_message", `{"message":"all is well"}`},
		{"please\nrun: make\nthanks", "shell", `{"cmd":"make"}`},
		{"Your goal: Run: make test\nWork until it is reached, then say so.", "shell", `{"cmd":"make test"}`},
	} {
		t.Run(tt.prompt, func(t *testing.T) {
			t.Parallel()
			calls, texts, _ := runDemo(t, openModel(t, Config{Ref: "scripted/demo"}), userMessage(tt.prompt), func(Function) (string, bool) { return "the result", false })
			if len(calls) != 1 || calls[0] != (Function{tt.tool, tt.args}) {
				t.Fatalf("calls %+v, want %s %s", calls, tt.tool, tt.args)
			}
			if got := texts[len(texts)-1]; !strings.Contains(got, "the result") || !strings.Contains(got, tt.tool) {
				t.Errorf("ends with %q", got)
			}
		})
	}
}

func TestDemoReplies(t *testing.T) {
	t.Parallel()
	m := openModel(t, Config{Ref: "scripted/demo"})
	for _, tt := range []struct{ prompt, want string }{
		{"Say: I pushed it", "I pushed it"},
		{"say: one\nSay: two", "one\ntwo"},
		{"hello", helpText},
		{"Run:", helpText},
		{"Write : x", helpText},
		{"Delegate to helper:", helpText},
		{"", helpText},
	} {
		if a, err := callModel(t, m, Request{Messages: userMessage(tt.prompt), Tools: allTools}); err != nil || a.Text != tt.want || len(a.ToolCalls) > 0 {
			t.Errorf("%q: %+v, %v, want %q", tt.prompt, a, err, tt.want)
		}
	}
	if a, err := callModel(t, m, Request{}); err != nil || a.Text != helpText {
		t.Errorf("without a message: %+v, %v", a, err)
	}
	if a, err := callModel(t, m, Request{Messages: userMessage("Run: ls")}); err != nil || !strings.Contains(a.Text, "no tool shell") {
		t.Errorf("without tools: %+v, %v", a, err)
	}
}

func TestDemoWorksThroughLines(t *testing.T) {
	t.Parallel()
	m := openModel(t, Config{Ref: "scripted/demo"})
	calls, texts, history := runDemo(t, m, userMessage("Say: first\nRun: one\nRun: two\nRead three\nSay: that was all"), func(f Function) (string, bool) {
		return "denied by a hook", strings.Contains(f.Arguments, "two")
	})
	if len(calls) != 3 || calls[1].Arguments != `{"cmd":"two"}` || calls[2].Name != "read_file" {
		t.Errorf("calls %+v", calls)
	}
	if got := strings.Join(texts, "|"); got != "first|||that was all" {
		t.Errorf("texts %q", got)
	}
	seen := map[string]bool{}
	for _, msg := range history {
		for _, c := range msg.ToolCalls {
			if seen[c.ID] {
				t.Errorf("the id %s twice", c.ID)
			}
			seen[c.ID] = true
		}
	}
	_, texts, _ = runDemo(t, m, userMessage("Run: one\nRun: two"), func(f Function) (string, bool) {
		if strings.Contains(f.Arguments, "two") {
			return "denied by a hook: 🚫 no", true
		}
		return "fine", false
	})
	if got, want := texts[2], "shell worked and says: fine\nshell did not work: denied by a hook: 🚫 no"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

func TestDemoContinuesForHook(t *testing.T) {
	t.Parallel()
	m := openModel(t, Config{Ref: "scripted/demo"})
	_, _, history := runDemo(t, m, userMessage("Say: all done"), nil)
	redo := func(text string) []Message {
		return append(history[:len(history):len(history)], Message{Role: User, Content: text + "\n(attempt 1 of 3)"})
	}
	calls, texts, _ := runDemo(t, m, redo("The tests did not run. Run: make test"), func(Function) (string, bool) { return "passed", false })
	if len(calls) != 1 || calls[0].Arguments != `{"cmd":"make test"}` {
		t.Errorf("calls %+v", calls)
	}
	if !strings.HasPrefix(texts[0], "Understood, I go on: The tests did not run.") || !strings.Contains(texts[1], "passed") {
		t.Errorf("texts %q", texts)
	}
	calls, texts, _ = runDemo(t, m, redo("Think again"), nil)
	if len(calls) != 0 || texts[0] != "Understood, I go on: Think again" {
		t.Errorf("%+v %q", calls, texts)
	}
}

func TestDemoSummarizes(t *testing.T) {
	t.Parallel()
	m := openModel(t, Config{Ref: "scripted/demo"})
	a, err := callModel(t, m, Request{Messages: []Message{
		{Role: System, Content: "Summarize the conversation so far for the agent that continues it: …"},
		{Role: User, Content: "user: Run: rm x\nassistant: \nassistant calls shell {}\ntool: gone\nuser: Say: hi\n"},
	}})
	if want := "So far the user asked for:\n- Run: rm x\n- Say: hi"; err != nil || a.Text != want {
		t.Errorf("%q, %v", a.Text, err)
	}
}

func TestDemoUsage(t *testing.T) {
	t.Parallel()
	m := openModel(t, Config{Ref: "scripted/demo"})
	if m.ID() != "scripted/demo" || m.ContextLimit() != 0 || m.Endpoint().Model != "demo" {
		t.Errorf("%s %d %+v", m.ID(), m.ContextLimit(), m.Endpoint())
	}
	little, _ := callModel(t, m, Request{Messages: userMessage("Say: x")})
	much, _ := callModel(t, m, Request{Messages: append(userMessage("Say: "+strings.Repeat("long ", 100)), Message{Role: ToolRole, Content: strings.Repeat("x", 4000)})})
	if *little.Cost != 0 || little.Usage.Input <= 0 || little.Usage.Output <= 0 || much.Usage.Input < little.Usage.Input+1000 || much.Usage.Output < 100 {
		t.Errorf("usage %+v and %+v", little.Usage, much.Usage)
	}
}

// Whatever the input, demo ends, streams its answer in whole runes, and calls only tools that it has.
func TestDemoAlwaysEnds(t *testing.T) {
	t.Parallel()
	m := openModel(t, Config{Ref: "scripted/demo"})
	line := rapid.OneOf(rapid.String(), rapid.StringMatching(`(Run:|Say:|Write |Read |Delegate to |list files|Send:|Hand off to |\(attempt 1 of 3\)|é)[ a:]{0,6}[é中😀\n"]{0,3}`))
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 0, 6).Draw(rt, "lines"), "\n")
		history := userMessage(text)
		for range strings.Count(text, "\n") + 3 {
			a, err := m.Call(t.Context(), Request{Messages: history, Tools: allTools[:3]}, func(s string) {
				if utf8.ValidString(text) && !utf8.ValidString(s) {
					rt.Fatalf("half a character: %q", s)
				}
			})
			if err != nil {
				rt.Fatal(err)
			}
			if len(a.ToolCalls) == 0 {
				if a.Text == "" {
					rt.Fatal("it says nothing")
				}
				return
			}
			c := a.ToolCalls[0]
			if !offersTool(allTools[:3], c.Function.Name) {
				rt.Fatalf("it calls %s", c.Function.Name)
			}
			history = append(history, Message{Role: Assistant, ToolCalls: a.ToolCalls}, Message{Role: ToolRole, ToolCallID: c.ID, Content: text})
		}
		rt.Fatal("it does not end")
	})
}
