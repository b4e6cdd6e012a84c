// Package starchild reads starchild's shell_hooks.yaml, encodes payloads for its hooks as starchild
// does, and writes hooks as such a file.
package starchild

import (
	"bytes"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// Dialect is the entry for this format in the table of dialects.
var Dialect = hookfile.Dialect{
	Name:     name,
	Parse:    parse,
	Detect:   detect,
	Encode:   encode,
	Localize: localize,
	ToolName: toolName,
	Form: hookfile.AnswerForm{
		// Starchild's hooks deny or have no opinion. The words that sound like consent come from
		// model judges and from scripts for other systems. They mean "continue", and the host still
		// asks the user if it would have done so anyway.
		Decisions: []hookfile.DecisionWord{
			{Word: "block", Is: checkrein.Deny}, {Word: "deny", Is: checkrein.Deny},
			{Word: "allow", Is: checkrein.NoOpinion}, {Word: "approve", Is: checkrein.NoOpinion},
			{Word: "continue", Is: checkrein.NoOpinion},
		},
		ContextOn:   []checkrein.Kind{checkrein.BeforeLLMCall},
		ObserveOn:   []checkrein.Kind{checkrein.PostToolUse, checkrein.AfterLLMCall},
		EmptyBody:   true, // an empty answer means continue, whatever the transport
		CannotAllow: true,
		KnownKeys:   true,
		NoteOn:      []checkrein.Kind{checkrein.ToolResponseTransform},
	},
	Write:    writeFile,
	Approval: true,
	Beside:   switchFile,
}

const (
	name       = "starchild"
	fileName   = "shell_hooks.yaml"
	switchFile = "agent.yaml" // has the master switch
)

// ownEventName returns starchild's name for events of kind k, or "" if it has none.
func ownEventName(k checkrein.Kind) string {
	for _, a := range checkrein.ContractOf(k).Aliases {
		if a.Dialect == name {
			return a.Name
		}
	}
	return ""
}

// eventNames returns the names of all starchild events.
func eventNames() []string {
	var out []string
	for _, row := range checkrein.Contracts() {
		if n := ownEventName(row.Kind); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// detect reports whether src has a usual file name, or has what no other dialect has: a top-level list
// of hooks whose entries name their event.
func detect(src hookfile.Source) bool {
	switch filepath.Base(src.File) {
	case fileName, "shell_hooks.yml":
		return true
	}
	found := false
	for key, value := range yamldoc.TopLevelKeys(src.Data) {
		switch key {
		case "version", "packs", "include", "agents": // keys of other dialects
			return false
		case "hooks":
			found = found || listsEvents(value)
		}
	}
	return found
}

// listsEvents reports whether the YAML text value is a list with an item that names an event.
func listsEvents(value []byte) bool {
	first := byte(0)
	for line := range bytes.Lines(value) {
		text := bytes.TrimSpace(line)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		if first == 0 {
			first = text[0]
		}
		if (first == '-' || first == '[') && namesEvent(text) {
			return true
		}
	}
	return false
}

// namesEvent reports whether a line of the list has the key event.
func namesEvent(text []byte) bool {
	for part := range bytes.SplitSeq(text, []byte(",")) {
		key, _, ok := bytes.Cut(part, []byte(":"))
		if ok && string(bytes.Trim(key, " \t-[{\"'")) == "event" {
			return true
		}
	}
	return false
}

// EventName returns starchild's name for events of kind k, or checkrein's name if it has none.
func EventName(k checkrein.Kind) string {
	if n := ownEventName(k); n != "" {
		return n
	}
	return k.String()
}

// RunsCommand reports whether h, a hook of a shell_hooks.yaml, runs command, which is a command line
// as the file spells it, or a URL.
func RunsCommand(h *checkrein.Hook, command string) bool {
	if h.Run == "http" {
		return rawjson.GetText(h.With, "url") == command
	}
	argv, err := splitCommand(command)
	return err == nil && h.Run == "command" && len(argv) > 0 && bytes.Equal(h.With, argvSettings(argv))
}
