package tool

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent/team"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sets []team.Toolset
		want string // the tools, or what the error says
	}{
		{"none", nil, ""},
		{"shell", []team.Toolset{{Type: "shell"}}, "shell"},
		{"all files", []team.Toolset{{Type: "filesystem"}}, "read_file, read_multiple_files, list_directory, search_files_content, write_file, edit_file, create_directory"},
		{"some", []team.Toolset{{Type: "filesystem", Tools: []string{"write_file", "read_file"}}}, "read_file, write_file"},
		{"several", []team.Toolset{{Type: "think"}, {Type: "shell"}}, "think, shell"},
		{"the runtime has these tools itself", []team.Toolset{{Type: "background_agents"}, {Type: "shell"}}, "shell"},
		{"unknown toolset", []team.Toolset{{Type: "telepathy"}}, `unknown toolset "telepathy"`},
		{"unknown tool", []team.Toolset{{Type: "shell", Tools: []string{"bash"}}}, `no tool "bash": it has shell`},
		{"twice", []team.Toolset{{Type: "shell"}, {Type: "shell"}}, `two toolsets have a tool named "shell"`},
	} {
		tools, err := ToolsOf(&team.Agent{Toolsets: tt.sets}, Place{Dir: t.TempDir()})
		got := joinNames(tools)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Exactly the tools that change nothing are read-only.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	tools, err := ToolsOf(&team.Agent{Toolsets: []team.Toolset{{Type: "shell"}, {Type: "filesystem"}, {Type: "think"}}}, Place{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range tools {
		if tool.ReadOnly {
			got = append(got, tool.Name)
		}
	}
	if want := "read_file read_multiple_files list_directory search_files_content think"; strings.Join(got, " ") != want {
		t.Errorf("read-only: %v", got)
	}
}

func TestThink(t *testing.T) {
	t.Parallel()
	if out, err := callTool(t, newPlace(t), "think", "think", `{"thought":"hm"}`); out != "hm" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}
