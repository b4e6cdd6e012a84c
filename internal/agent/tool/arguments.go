package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// argumentNames lists the names of the arguments of all tools.
var argumentNames = []string{"cmd", "command", "cwd", "timeout", "path", "paths", "content", "edits", "oldText", "newText", "query", "thought",
	"agent", "task", "expected_output", "task_id", "message", "channel", "file_path",
	"description", "descriptions", "updates", "id", "status", "memory", "category", "urls", "format", "name", "skill_name"}

// ParseArguments parses input, the arguments of a call, into into. The standard library would accept
// CMD for cmd, which hooks do not recognise. Such a name is an error, so that the tool runs what hooks
// judged.
func ParseArguments(input json.RawMessage, into any) error {
	var tree any
	if err := json.Unmarshal(input, &tree); err != nil {
		return err
	}
	if err := checkCase(tree); err != nil {
		return err
	}
	return json.Unmarshal(input, into)
}

// checkCase returns an error if a name in tree differs from the name of an argument only in case.
func checkCase(tree any) error {
	switch v := tree.(type) {
	case []any:
		for _, item := range v {
			if err := checkCase(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			like := slices.IndexFunc(argumentNames, func(w string) bool { return strings.EqualFold(w, name) })
			if like >= 0 && argumentNames[like] != name {
				return fmt.Errorf("unknown argument %q: write %s", name, argumentNames[like])
			}
			if err := checkCase(item); err != nil {
				return err
			}
		}
	}
	return nil
}
