package team

import (
	"reflect"
	"testing"
)

// TestServers reads all spellings of toolsets of type mcp.
func TestServers(t *testing.T) {
	t.Parallel()
	team, err := Parse("agent.yaml", []byte(`mcps:
  fs: {type: mcp, command: npx, args: [-y, server-filesystem, 1, ""], env: {A: base, B: base}, tools: [read_file]}
  far: {remote: {url: "https://example.com/mcp", transport_type: sse, headers: {Authorization: "Bearer ${env.TOKEN}"}}, name: far}
agents:
  root:
    model: scripted/demo
    toolsets:
      - {type: mcp, ref: fs, env: {A: own}}
      - {type: mcp, ref: fs, name: other, args: [x], tools: [a, b]}
      - {type: mcp, ref: far}
      - {type: mcp, command: /opt/bin/my-server}
      - {type: mcp, remote: {url: "http://127.0.0.1:1/mcp", transport_type: streamable-http}}
      - {type: mcp, ref: far, command: here}
`))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-y", "server-filesystem", "1", ""}
	want := []Toolset{
		{Tools: []string{"read_file"}, Server: &Server{Label: "fs", Command: "npx", Args: args, Env: []Variable{{"A", "own"}, {"B", "base"}}, Line: 8}},
		{Tools: []string{"a", "b"}, Server: &Server{Name: "other", Label: "other", Command: "npx", Args: []string{"x"}, Env: []Variable{{"A", "base"}, {"B", "base"}}, Line: 9}},
		{Server: &Server{Name: "far", Label: "far", URL: "https://example.com/mcp", SSE: true, Headers: []Variable{{"Authorization", "Bearer ${env.TOKEN}"}}, Line: 10}},
		{Server: &Server{Label: "my-server", Command: "/opt/bin/my-server", Line: 11}},
		{Server: &Server{Label: "127.0.0.1", URL: "http://127.0.0.1:1/mcp", Line: 12}},
		{Server: &Server{Name: "far", Label: "far", Command: "here", Line: 13}},
	}
	got := team.Agents[0].Toolsets
	if len(got) != len(want) {
		t.Fatalf("%d toolsets", len(got))
	}
	for i := range want {
		want[i].Type = "mcp"
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("toolset %d is %+v with %+v\nwant %+v with %+v", i, got[i], got[i].Server, want[i], want[i].Server)
		}
	}
	if len(team.Ignored) != 0 {
		t.Errorf("ignored %q", team.Ignored)
	}
}
