package starchild

import "testing"

// TestSwitchOn checks that the switch is changed in place and everything else stays the same.
func TestSwitchOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, agent, want string }{
		{"as the document has it", "shell_hooks:\n  enabled: false\n", "shell_hooks:\n  enabled: true\n"},
		{"with comments and other keys", "# agent\nmodel: x # false\nshell_hooks: # off\n  # enabled: false\n  enabled: false   # false for now\n  dir: /x\nlast: [1,  2]", "# agent\nmodel: x # false\nshell_hooks: # off\n  # enabled: false\n  enabled: true   # false for now\n  dir: /x\nlast: [1,  2]"},
		{"in braces", "shell_hooks: {false: 1, enabled: false}\n", "shell_hooks: {false: 1, enabled: true}\n"},
		{"CRLF", "a: 1\r\nshell_hooks:\r\n  enabled: false\r\n", "a: 1\r\nshell_hooks:\r\n  enabled: true\r\n"},
		{"another spelling", "shell_hooks:\n  'enabled': False\n", "shell_hooks:\n  'enabled': true\n"},
		{"another's switch", "other:\n  enabled: false\nshell_hooks:\n  enabled: false\n", "other:\n  enabled: false\nshell_hooks:\n  enabled: true\n"},
		{"an alias", "off: &off false\nshell_hooks:\n  enabled: *off\n", ""},
		{"on already", "shell_hooks:\n  enabled: true\n", ""},
		{"a text", "shell_hooks:\n  enabled: 'false'\n", ""},
		{"none", "model: x\n", ""},
		{"not YAML", "a: [\n", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, line, err := SwitchOn([]byte(tt.agent))
			if string(got) != tt.want || (err == nil) != (tt.want != "") || (line > 0) != (tt.want != "") {
				t.Errorf("got %q, line %d, %v", got, line, err)
			}
		})
	}
}
