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

// Dialect is the row of the dialect table.
var Dialect = hookfile.Dialect{
	Name:     name,
	Parse:    parse,
	Detect:   detect,
	Encode:   encode,
	Localize: localize,
	ToolName: toolName,
	Form: hookfile.AnswerForm{
		// Its hooks deny or have no opinion. The words that sound like consent
		// come from model judges and from scripts for other systems: they mean
		// "continue", and the host still asks the person if it would have.
		Decisions: []hookfile.DecisionWord{
			{Word: "block", Is: checkrein.Deny}, {Word: "deny", Is: checkrein.Deny},
			{Word: "allow", Is: checkrein.NoOpinion}, {Word: "approve", Is: checkrein.NoOpinion},
			{Word: "continue", Is: checkrein.NoOpinion},
		},
		ContextOn:   []checkrein.Kind{checkrein.BeforeLLMCall},
		ObserveOn:   []checkrein.Kind{checkrein.PostToolUse, checkrein.AfterLLMCall},
		EmptyBody:   true, // <empty> means continue, whatever the transport
		CannotAllow: true,
		KnownKeys:   true,
		NoteOn:      []checkrein.Kind{checkrein.ToolResponseTransform},
	},
	Write:    write,
	Approval: true,
	Beside:   switchFile,
}

const (
	name       = "starchild"
	fileName   = "shell_hooks.yaml"
	switchFile = "agent.yaml" // has the master switch
)

// eventName returns starchild's name for an event; "" if it has none.
func eventName(k checkrein.Kind) string {
	for _, a := range checkrein.ContractOf(k).Aliases {
		if a.Dialect == name {
			return a.Name
		}
	}
	return ""
}

// eventNames returns the names of starchild's events.
func eventNames() []string {
	var out []string
	for _, row := range checkrein.Contracts() {
		if n := eventName(row.Kind); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// detect recognises a file by its name, or by what no other dialect has: a list of hooks at the top
// level whose entries name their event.
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

// listsEvents reports whether the text of a value is a list that names an event.
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

// namesEvent reports whether a line within hooks has the key event.
func namesEvent(text []byte) bool {
	for part := range bytes.SplitSeq(text, []byte(",")) {
		key, _, ok := bytes.Cut(part, []byte(":"))
		if ok && string(bytes.Trim(key, " \t-[{\"'")) == "event" {
			return true
		}
	}
	return false
}

// EventName returns starchild's name for an event, else checkrein's.
func EventName(k checkrein.Kind) string {
	if n := eventName(k); n != "" {
		return n
	}
	return k.String()
}

// Runs reports whether a hook of a shell_hooks.yaml runs a command: the command line as the file has
// it, or the URL.
func Runs(h *checkrein.Hook, command string) bool {
	if h.Run == "http" {
		return rawjson.GetText(h.With, "url") == command
	}
	argv, err := splitCommand(command)
	return err == nil && h.Run == "command" && len(argv) > 0 && bytes.Equal(h.With, argvSettings(argv))
}
