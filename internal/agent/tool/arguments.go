package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// words are the names of arguments, of all tools.
var words = []string{"cmd", "command", "cwd", "timeout", "path", "paths", "content", "edits", "oldText", "newText", "query", "thought",
	"agent", "task", "expected_output", "task_id", "message", "channel", "file_path",
	"description", "descriptions", "updates", "id", "status", "memory", "category", "urls", "format", "name", "skill_name"}

// Arguments reads the arguments of a call. The standard library would take CMD
// for cmd, which nobody who judged the call did: such a name is refused, so that
// what was judged is what runs.
func Arguments(input json.RawMessage, into any) error {
	var tree any
	if err := json.Unmarshal(input, &tree); err != nil {
		return err
	}
	if err := spelled(tree); err != nil {
		return err
	}
	return json.Unmarshal(input, into)
}

// spelled finds names that differ from an argument's in case only.
func spelled(tree any) error {
	switch v := tree.(type) {
	case []any:
		for _, item := range v {
			if err := spelled(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			like := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, name) })
			if like >= 0 && words[like] != name {
				return fmt.Errorf("unknown argument %q: write %s", name, words[like])
			}
			if err := spelled(item); err != nil {
				return err
			}
		}
	}
	return nil
}
