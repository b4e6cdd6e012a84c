package tools

import (
	"fmt"
	"strings"
	"testing"
)

var roleNames = map[Role]string{
	Data: "data", Command: "command", Argv: "argv", Code: "code", SQL: "sql", ReadPath: "read", WritePath: "write", DeletePath: "delete",
	Content: "content", URL: "url", Payload: "payload", Dir: "dir", Unread: "unread",
}

// formatParts returns parts as role:text, with their other fields.
func formatParts(parts []Part) string {
	var out []string
	for _, p := range parts {
		s := roleNames[p.Role] + ":" + p.Text
		if p.Lang != "" {
			s += " in " + p.Lang
		}
		if p.Path != "" {
			s += " to " + p.Path
		}
		if p.Tree {
			s += " all"
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

func TestPartsOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, input, want string }{
		// Commands, by name and by shape.
		{"Bash", `{"command":"ls","description":"rm -rf /"}`, "command:ls | data:rm -rf /"},
		{"SuperNewTool", `{"cmd":"ls -l"}`, "command:ls -l"},
		{"SuperNewTool", `{"shell-command":"ls","ShellCommand":"pwd","the_command":"id"}`, "command:ls | command:pwd | command:id"},
		{"SuperNewTool", `{"foo":"rm -rf ~"}`, "command:rm -rf ~"},
		{"SuperNewTool", `{"foo":"remove the -rf flag"}`, "data:remove the -rf flag"},
		{"SuperNewTool", `{"foo":"find me a good hotel"}`, "data:find me a good hotel"},
		{"SuperNewTool", `{"a":{"b":[{"c":[["x",{"command":"ls"}]]}]}}`, "data:x | command:ls"},
		{"SuperNewTool", `{"commands":["ls","rm -rf x"]}`, "command:ls | command:rm -rf x"},
		{"shell", `{"command":["bash","-lc","rm -rf ~"]}`, "argv:bash -lc 'rm -rf ~'"},
		{"shell", `{"command":["echo","it's"]}`, `argv:echo 'it'\''s'`},
		{"x", `{"command":"rm","args":["-rf","a b"]}`, "argv:rm -rf 'a b'"},
		{"x", `{"command":"git push","args":["--force"]}`, "command:git push --force"},
		{"x", `{"command":"rm","args":"-rf x"}`, "command:rm -rf x"},
		{"x", `{"command":"rm","args":["-rf",1,{"a":"b"},"c"]}`, "argv:rm -rf 1 c | data:b"},
		{"x", `{"program":"rm","arguments":["-rf","x"]}`, "argv:rm -rf x"},
		{"x", `{"argv":["rm","x"]}`, "argv:rm x"},
		{"x", `{"words":["rm","of","a","word"]}`, "argv:rm of a word"},
		{"x", `{"words":["some","of","these"]}`, "data:some | data:of | data:these"},
		{"mcp__k__kubectl", `{"command":"delete ns a"}`, "command:kubectl delete ns a"},
		{"mcp__git__git", `{"command":"rm a"}`, "command:git rm a | command:rm a"},
		{"mcp__git__git", `{"command":"git rm a"}`, "command:git rm a"},
		{"mcp__git__git", `{"args":["push","-f"]}`, "argv:git push -f"},
		{"mcp__git__git_commit", `{"command":"ls"}`, "command:ls"},

		{"mcp__m__find", `{"filter":{"cmd":"rm -rf /","a":["rm","-rf"]}}`, "data:rm -rf / | data:rm | data:-rf"},
		{"mcp__d__search", `{"foo":"rm -rf /"}`, "data:rm -rf /"},
		{"mcp__s__update", `{"values":[["rm -rf /"]],"rule_names":["git push -f"],"descriptions":["rm -rf x"]}`, "data:rm -rf / | data:git push -f | data:rm -rf x"},

		// Text typed into a shell.
		{"write_stdin", `{"session_id":1,"chars":"ls\n"}`, "command:ls\n"},
		{"write_bash", `{"shellId":"a","input":"ls{enter}"}`, "data:a | command:ls\n"},
		{"process", `{"action":"write","sessionId":"a","data":"ls"}`, "data:write | data:a | command:ls"},
		{"get_terminal_output", `{"id":"rm -rf x"}`, "data:rm -rf x"},
		{"mcp__a__browser_type", `{"text":"rm -rf /"}`, "data:rm -rf /"},

		// Nested tool calls.
		{"use_mcp_tool", `{"tool_name":"execute_command","arguments":"{\"line\":\"make all\"}"}`, "data:execute_command | command:make all"},
		{"batch", `{"calls":[{"name":"Write","input":{"path":"a","content":"rm -rf /"}}]}`, "data:Write | write:a | content:rm -rf / to a"},

		// Code and statements.
		{"execute_code", `{"code":"print(1)"}`, "code:print(1)"},
		{"python", `{"code":"print(1)"}`, "code:print(1) in python"},
		{"run", `{"language":"js","code":"f()"}`, "data:js | code:f() in javascript"},
		{"run", `{"language":"bash","code":"ls"}`, "data:bash | command:ls"},
		{"run", `{"lang":"sql","code":"select 1"}`, "data:sql | sql:select 1"},
		{"x", `{"country_code":"DE","code":"E404"}`, "data:DE | data:E404"},
		{"format_code", `{"code":"f()"}`, "data:f()"},
		{"jupyter_execute", `{"source":"f()"}`, "code:f() in python"},
		{"mcp__p__browser_evaluate", `{"script":"() => f()"}`, "code:() => f() in javascript"},
		{"PowerShell", `{"command":"ls"}`, "command:ls in powershell"},
		{"mcp__db__query", `{"sql":"drop table users"}`, "sql:drop table users"},
		{"mcp__db__query", `{"query":"drop table users"}`, "sql:drop table users"},
		{"x", `{"query":"delete from cart fails"}`, "data:delete from cart fails"},
		{"x", `{"query":"delete from cart where id = 1"}`, "sql:delete from cart where id = 1"},
		{"x", `{"statement":"I agree"}`, "data:I agree"},
		{"web_search", `{"query":"drop table users"}`, "data:drop table users"},
		{"x", `{"foo":"TRUNCATE TABLE users;"}`, "sql:TRUNCATE TABLE users;"},
		{"x", `{"foo":"update the docs"}`, "data:update the docs"},

		// Paths, by what the tool does to them.
		{"Read", `{"file_path":"a"}`, "read:a"},
		{"modify_file", `{"relative_path":"a","new_content":"b"}`, "write:a | content:b to a"},
		{"delete_file", `{"path":"a"}`, "delete:a"},
		{"delete_directory", `{"path":"a"}`, "delete:a all"},
		{"mcp__fs__remove", `{"path":"a","recursive":true}`, "delete:a all"},
		{"mcp__fs__delete_files", `{"files":[{"path":"a"},{"path":"b"}]}`, "delete:a | delete:b"},
		{"mcp__fs__write_files", `{"files":[{"path":"a","content":"x"},{"path":"b","content":"y"}]}`, "write:a | content:x to a | write:b | content:y to b"},
		{"mcp__fs__move_file", `{"source":"a","destination":"b"}`, "write:a | write:b"},
		{"mcp__fs__copy_file", `{"source":"a","destination":"b"}`, "read:a | write:b"},
		{"mcp__fs__fs", `{"action":"delete","path":"a"}`, "data:delete | delete:a"},
		{"mcp__fs__fs", `{"operations":[{"type":"write","path":"a","data":"x"},{"type":"read","path":"b"}]}`, "data:write | write:a | content:x to a | data:read | read:b"},
		{"x", `{"uri":"file:///a%20b"}`, "read:/a b"},
		{"mcp__fs__write", `{"uri":"file:///a","text":"x"}`, "write:/a | content:x"},
		{"x", `{"path":"a","content":"x"}`, "write:a | content:x to a"},
		{"str_replace_based_edit_tool", `{"command":"view","path":"a"}`, "data:view | read:a"},
		{"memory", `{"command":"delete","path":"/memories/a"}`, "data:delete | delete:/memories/a"},
		{"list_directory", `{"dir_path":"a"}`, "read:a"},
		{"shell", `{"command":"ls","directory":"a"}`, "command:ls | dir:a"},
		{"send_email", `{"to":"a@b","body":"x"}`, "data:a@b | data:x"},
		{"screenshot", `{"output_path":"a.png"}`, "write:a.png"},

		// Contents, patches, addresses.
		{"Edit", `{"file_path":"a","old_string":"x","new_string":"y"}`, "write:a | data:x | content:y to a"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n@@\n-1\n+2\n*** End Patch\n"}`,
			"write:a | content:x\n to a | delete:b | write:c | write:d | content:2\n to d"},
		{"x", `{"foo":"*** Begin Patch\n*** Add File: a\n+x\n"}`, "write:a | content:x\n to a"},
		{"git_apply", `{"patch":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ /dev/null\n"}`, "write:x | content:b\n to x | delete:y"},
		{"review_diff", `{"diff":"--- a/x\n+++ b/x\n"}`, "data:--- a/x\n+++ b/x\n"},
		{"http", `{"url":"https://a","body":"x","method":"POST"}`, "url:https://a | payload:x | data:POST"},
		{"create_issue", `{"title":"rm -rf /","body":"drop table a"}`, "data:rm -rf / | data:drop table a"},
		{"x", `{"foo":"https://a.example/?q=1"}`, "url:https://a.example/?q=1"},
		{"todo", `{"todos":[{"content":"rm -rf /"}]}`, "data:rm -rf /"},
		{"x", ``, ""},
		{"x", `[]`, ""},
		{"x", `{"command":5,"path":null,"code":true}`, ""},
	} {
		if got := formatParts(PartsOf(tt.tool, "", []byte(tt.input), All)); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.tool, tt.input, got, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{"a": "a", "": "''", "a b": "'a b'", "~": "'~'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "-rf": "-rf"} {
		if got := Quote(word); got != want {
			t.Errorf("Quote(%q) = %s, want %s", word, got, want)
		}
	}
}

// TestOtherRolesAreNotDecoded checks that arguments with other roles are not decoded, so that guards
// do not pay for the text of a file.
func TestOtherRolesAreNotDecoded(t *testing.T) {
	text := strings.Repeat(`some text\n`, 5000)
	for _, tt := range []struct {
		tool, input string
		want        Role
		most        float64
	}{
		{"Write", `{"file_path":"a","content":"` + text + `"}`, Runs | DeletePath | Dir | Unread, 1},
		{"Edit", `{"file_path":"a","old_string":"` + text + `","new_string":"` + text + `"}`, Runs | DeletePath | Dir | Unread, 1},
		{"Read", `{"file_path":"a"}`, Runs | DeletePath | Dir | Unread, 1},
		{"Bash", `{"command":"ls","description":"lists"}`, Runs | DeletePath | Dir | Unread, 4},
		{"mcp__a__create_page", `{"title":"a","body":"` + text + `"}`, Runs | DeletePath | Dir | Unread, 2},
		{"Write", `{"file_path":"a","content":"` + text + `"}`, WritePath | DeletePath, 4},
	} {
		input := []byte(tt.input)
		canonical := CanonicalTool(tt.tool)
		if got := testing.AllocsPerRun(20, func() { PartsOf(tt.tool, canonical, input, tt.want) }); got > tt.most {
			t.Errorf("%s %.40s: %v allocations, want at most %v", tt.tool, tt.input, got, tt.most)
		}
	}
}

// TestUnreadPart checks that arguments that are nested too deeply or too large result in a single
// Unread part.
func TestUnreadPart(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 100) + `{"command":"rm -rf /"}` + strings.Repeat("}", 100)
	lists := `{"a":` + strings.Repeat("[", 100) + `"rm -rf /"` + strings.Repeat("]", 100) + "}"
	many := `{"a":[` + strings.Repeat(`{"b":"c"},`, 100_000) + `{"command":"rm -rf /"}]}`
	var b strings.Builder
	b.WriteString("{")
	for i := range 100_000 {
		fmt.Fprintf(&b, `"k%d":1,`, i)
	}
	b.WriteString(`"command":"rm -rf /"}`)
	for name, input := range map[string]string{"deep": deep, "lists": lists, "many": many, "wide": b.String()} {
		if got := formatParts(PartsOf("x", "", []byte(input), Runs|Unread)); got != "unread:" {
			t.Errorf("%s: %.200s", name, got)
		}
	}
}

func FuzzPartsOf(f *testing.F) {
	f.Add("Bash", `{"command":"ls"}`)
	f.Add("mcp__a__b_c", `{"a":{"b":["c",{"d":null}]},"args":["x"],"tool":"y","arguments":"{\"command\":\"z\"}"}`)
	f.Add("apply_patch", `{"input":"*** Add File: a\n+b\n--- x\n+++ y\n"}`)
	f.Add("patch", `{"input":"--- "`)
	f.Add("execute_code", `{"language":"ps1","code":"!ls","script":"\ud800"}`)
	f.Add("delete_file", `{"uri":"file:%zz","path":["file://localhost/%41"],"recursive":true}`)
	f.Add("ÄÖÜ_x", "{\"\x00\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, name, input string) {
		all := PartsOf(name, "", []byte(input), All)
		if len(all) > 3*maxValues+len(input) {
			t.Errorf("%d parts", len(all))
		}
		for _, p := range all {
			if p.Role == 0 || p.Role&(p.Role-1) != 0 || p.Role != Unread && p.Text == "" || (p.Role == Argv) != (p.Argv != nil) {
				t.Errorf("%+v", p)
			}
		}
		// Selecting some roles returns these and no others.
		for _, want := range []Role{Runs, Paths, Content, Data} {
			var some []Part
			for _, p := range all {
				if p.Role&want != 0 {
					some = append(some, p)
				}
			}
			if got := formatParts(PartsOf(name, "", []byte(input), want)); got != formatParts(some) {
				t.Errorf("%b: %s, want %s", want, got, formatParts(some))
			}
		}
	})
}

// TestTooMuchToRun checks that a call with too much text that runs has an Unread part.
func TestTooMuchToRun(t *testing.T) {
	t.Parallel()
	for name, input := range map[string]string{
		"commands": `{"commands":[` + strings.Repeat(`"ls",`, 1000) + `"rm -rf /"]}`,
		"names":    `{` + strings.Repeat(`"command":"ls","args":["a"],`, 1000) + `"z":1}`,
	} {
		parts := PartsOf("x", "", []byte(input), Runs|Unread)
		if len(parts) != maxRuns+1 || parts[maxRuns].Role != Unread {
			t.Errorf("%s: %d parts", name, len(parts))
		}
	}
	if parts := PartsOf("delete_files", "", []byte(`{"paths":[`+strings.Repeat(`"a",`, 50_000)+`"b"]}`), DeletePath|Unread); len(parts) != maxChanged+1 || parts[maxChanged].Role != Unread {
		t.Errorf("deletions: %d parts", len(parts))
	}
	if parts := PartsOf("patch", "", []byte(`{"patch":"`+strings.Repeat(`*** Add File: a\n`, 100_000)+`"}`), All); len(parts) > maxValues+2 || parts[len(parts)-1].Role != Unread {
		t.Errorf("patch: %d parts", len(parts))
	}
}
