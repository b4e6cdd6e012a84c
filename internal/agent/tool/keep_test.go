package tool

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/team"
)

// newCaller returns a function that calls a tool of a toolset as an agent.
func newCaller(t *testing.T, agent string, set team.Toolset, at Place) func(name, input string) (string, error) {
	t.Helper()
	tools, err := ToolsOf(&team.Agent{Name: agent, Toolsets: []team.Toolset{set}}, at)
	if err != nil {
		t.Fatal(err)
	}
	return func(name, input string) (string, error) {
		for _, tool := range tools {
			if tool.Name == name {
				return tool.Run(t.Context(), json.RawMessage(input))
			}
		}
		t.Fatalf("no tool %s", name)
		return "", nil
	}
}

func checkResult(t *testing.T, out string, err error, wantOut, wantErr string) {
	t.Helper()
	if (err == nil) != (wantErr == "") || err != nil && !strings.Contains(err.Error(), wantErr) || !strings.Contains(out, wantOut) {
		t.Errorf("%q, %v, want %q, %q", out, err, wantOut, wantErr)
	}
}

func TestTodo(t *testing.T) {
	t.Parallel()
	at := Place{Lists: &Lists{}}
	a, again, b := newCaller(t, "a", team.Toolset{Type: "todo"}, at), newCaller(t, "a", team.Toolset{Type: "todo"}, at), newCaller(t, "b", team.Toolset{Type: "todo"}, at)
	out, err := a("create_todo", `{"description":"one"}`)
	checkResult(t, out, err, `{"id":"todo_1","description":"one","status":"pending"}`, "")
	out, err = a("create_todos", `{"descriptions":["two","three"]}`)
	checkResult(t, out, err, `{"id":"todo_3","description":"three","status":"pending"}`, "")
	out, err = a("update_todos", `{"updates":[{"id":"todo_1","status":"completed"}]}`)
	checkResult(t, out, err, `"one","status":"completed"`, "")
	out, err = a("update_todos", `{"updates":[{"id":"todo_9","status":"completed"},{"id":"todo_2","status":"done"}]}`)
	checkResult(t, out, err, "", "the list has no item \"todo_9\"\ntodo_2: the status must be one of pending, in-progress, completed")
	out, err = a("create_todo", `{"description":" "}`)
	checkResult(t, out, err, "", "pass what to do")
	out, err = again("list_todos", `{}`) // as after a change of a server's tools
	checkResult(t, out, err, `"todo_3"`, "")
	out, err = b("list_todos", `{}`)
	checkResult(t, out, err, `{"all_todos":[]}`, "")

	c, d := newCaller(t, "c", team.Toolset{Type: "todo", Shared: true}, at), newCaller(t, "d", team.Toolset{Type: "todo", Shared: true}, at)
	_, err = c("create_todo", `{"description":"ours"}`)
	checkResult(t, "", err, "", "")
	out, err = d("list_todos", `{}`)
	checkResult(t, out, err, "ours", "")
}

func TestMemory(t *testing.T) {
	t.Parallel()
	at := Place{Base: t.TempDir(), Memories: filepath.Join(t.TempDir(), "memory")}
	set := team.Toolset{Type: "memory"}
	use := newCaller(t, "ro/ot", set, at)
	out, err := use("get_memories", `{}`)
	checkResult(t, out, err, "nothing is remembered", "")
	out, err = use("add_memory", `{"memory":"Tea, not coffee","category":"preference"}`)
	checkResult(t, out, err, "remembered as 1", "")
	out, err = use("add_memory", `{"memory":"the build needs Go"}`)
	checkResult(t, out, err, "remembered as 2", "")
	out, err = use("add_memory", `{"memory":""}`)
	checkResult(t, out, err, "", "pass what to remember")

	use = newCaller(t, "ro/ot", set, at) // another session
	out, err = use("search_memories", `{"query":"coffee TEA"}`)
	checkResult(t, out, err, `"memory":"Tea, not coffee","category":"preference"`, "")
	out, err = use("search_memories", `{"query":"tea go"}`)
	checkResult(t, out, err, "nothing is remembered", "")
	out, err = use("search_memories", `{"category":"Preference"}`)
	checkResult(t, out, err, "coffee", "")
	out, err = use("update_memory", `{"id":"1","memory":"coffee after all"}`)
	checkResult(t, out, err, "changed 1", "")
	out, err = use("delete_memory", `{"id":"2"}`)
	checkResult(t, out, err, "forgot 2", "")
	out, err = use("delete_memory", `{"id":"2"}`)
	checkResult(t, out, err, "", `nothing is saved under the name "2"`)
	out, err = use("get_memories", `{}`)
	checkResult(t, out, err, `"memory":"coffee after all","category":"preference"}]`, "")
	if list, err := filepath.Glob(filepath.Join(at.Memories, "ro_ot-*.json")); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
	out, err = newCaller(t, "ro/ot", set, Place{Base: t.TempDir(), Memories: at.Memories})("get_memories", `{}`)
	checkResult(t, out, err, "nothing is remembered", "") // of another repository
	out, err = newCaller(t, "other", set, at)("get_memories", `{}`)
	checkResult(t, out, err, "nothing is remembered", "")
	out, err = newCaller(t, "x", set, Place{})("get_memories", `{}`)
	checkResult(t, out, err, "", "give the toolset a path")
}

// The file that a toolset names is below the agent file's directory, and a file that is not a memory
// is not changed.
func TestMemoryFiles(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	at := Place{Base: t.TempDir()}
	use := func(path string) error {
		_, err := newCaller(t, "a", team.Toolset{Type: "memory", Path: path}, at)("add_memory", `{"memory":"x"}`)
		return err
	}
	if err := use("notes/mem.json"); err != nil {
		t.Error(err)
	}
	checkResult(t, "", use("../mem.json"), "", "escapes")
	checkResult(t, "", use(filepath.Join(out, "mem.json")), "", "escapes")
	for name, text := range map[string]string{"main.go": "package main\n", "mem.db": "SQLite format 3\x00", "empty": "", "p.json": `{"name":"x","memories":[]}`, "two": `{"memories":[]}{}`} {
		if err := os.WriteFile(filepath.Join(at.Base, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		checkResult(t, "", use(name), "", "is not a memory file of checkrein run, so it is not changed: name another file as path")
		if got, _ := os.ReadFile(filepath.Join(at.Base, name)); string(got) != text {
			t.Errorf("%s was changed", name)
		}
	}
	if err := os.Symlink(filepath.Join(out, "far.json"), filepath.Join(at.Base, "link.json")); err == nil {
		_ = use("link.json") // either refused, or the link replaced
		if _, err := os.Stat(filepath.Join(out, "far.json")); err == nil {
			t.Error("a link led out")
		}
	}
	if err := os.Symlink(out, filepath.Join(at.Base, "way")); err == nil {
		checkResult(t, "", use("way/far.json"), "", "escapes")
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	at := Place{Get: func(_ context.Context, url string) (Page, error) {
		switch url {
		case "https://a.example/page":
			return Page{Status: 200, Type: "text/html", Body: []byte("<head><title>t</title></head><h1>Hello</h1><script>let x = 1 < 2</script><p>a &amp; b<!-- no --> <b>c</b>")}, nil
		case "https://a.example/data":
			return Page{Status: 200, Type: "application/json", Body: []byte(`{"a":1}`), Cut: true}, nil
		case "https://a.example/image":
			return Page{Status: 200, Type: "image/png", Body: []byte("\xff\xfe")}, nil
		case "https://a.example/gone":
			return Page{Status: 404, Type: "text/plain", Body: []byte("not here")}, nil
		case "https://a.example/moved":
			return Page{Status: 302, Moved: "https://b.example/"}, nil
		}
		return Page{}, errors.New("127.0.0.1 is this machine")
	}}
	for _, tt := range []struct {
		set             team.Toolset
		input, out, err string
	}{
		{team.Toolset{}, `{"urls":["https://a.example/page"]}`, "status 200, text/html:\n\nHello\na & b c", ""},
		{team.Toolset{}, `{"urls":["https://a.example/page"],"format":"html"}`, "<h1>Hello</h1>", ""},
		{team.Toolset{}, `{"urls":["https://a.example/data"]}`, "{\"a\":1}\n… (cut off)", ""},
		{team.Toolset{}, `{"urls":["https://a.example/image"]}`, "(2 bytes of image/png, not text)", ""},
		{team.Toolset{}, `{"urls":["https://a.example/gone"]}`, "", "status 404: not here"},
		{team.Toolset{}, `{"urls":["https://a.example/moved"]}`, "", "the page moved: fetch https://b.example/"},
		{team.Toolset{}, `{"urls":["https://a.example/gone","https://a.example/data"]}`, "https://a.example/gone\nfailed: status 404: not here\n\nhttps://a.example/data\nstatus 200", ""},
		{team.Toolset{}, `{"urls":["http://localhost/"]}`, "", "this machine"},
		{team.Toolset{}, `{"urls":[]}`, "", "name 1 to 10 URLs"},
		{team.Toolset{}, `{"urls":["nothing"]}`, "", "write https://host/path"},
		{team.Toolset{Allowed: []string{"example"}}, `{"urls":["https://a.example/data"]}`, "status 200", ""},
		{team.Toolset{Allowed: []string{"b.example"}}, `{"urls":["https://a.example/data"]}`, "", "does not allow this tool to fetch from a.example"},
		{team.Toolset{Blocked: []string{"A.example"}}, `{"urls":["https://a.example/data"]}`, "", "does not allow this tool to fetch from a.example"},
	} {
		tt.set.Type = "fetch"
		out, err := newCaller(t, "a", tt.set, at)("fetch", tt.input)
		checkResult(t, out, err, tt.out, tt.err)
	}
	_, err := newCaller(t, "a", team.Toolset{Type: "fetch"}, Place{})("fetch", `{"urls":["https://a.example/"]}`)
	checkResult(t, "", err, "", "cannot reach the web")
}
