package tools

import "testing"

func TestDestructiveAndSendingNames(t *testing.T) {
	for name, want := range map[string][2]bool{
		"mcp__github__delete_repository": {true, false}, "mcp__kubernetes__resources_delete": {true, false}, "mcp__vercel__deleteProject": {true, false},
		"mcp__mongodb__drop-database": {true, false}, "mcp__redis__flushall": {true, false}, "mcp:aws/terminate_instances": {true, false},
		"mcp__slack__upload_file": {false, true}, "mcp__gmail__send_email": {false, true},
		"mcp__memory__delete_entities": {}, "mcp__filesystem__delete_file": {}, "mcp__github__delete_issue_comment": {}, "TodoWrite": {}, "Bash": {}, "mcp__db__list_tables": {},
		"mcp__x__create_database": {}, "": {}, "mcp____": {},
	} {
		if got := [2]bool{IsDestructiveName(name), IsSendingName(name)}; got != want {
			t.Errorf("%s: destroys, sends %v, want %v", name, got, want)
		}
	}
}
