package doctor

import (
	"fmt"
	"os"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// sought are members of payloads that scripts look for as text.
var sought = []string{"command", "cmd", "tool_name", "event", "event_type", "hook_event_name", "path", "file_path", "prompt"}

// textual finds scripts that read the payload with text tools and expect blanks
// in it that it does not have, or the other way round: they find nothing, and let
// everything pass.
func (d *doctor) textual(h *checkrein.Hook) {
	if h.Run != "command" {
		return
	}
	lang, ok := dialect.Named(h.Dialect)
	if !ok {
		return
	}
	payload, err := lang.Encode(Event(h, "/", "/"))
	if err != nil {
		return
	}
	texts := []string{rawjson.GetText(h.With, "command")}
	for _, path := range coverage.Files(h, d.place(d.Kit.Root())) {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= maxScript {
			text, _ := os.ReadFile(path)
			texts = append(texts, string(text))
		}
	}
	for _, text := range texts {
		if member, wants := misread(text, string(payload)); member != "" {
			d.find("json-by-text", h, Finding{Level: byGuard(h), Message: message.New(fmt.Sprintf("it searches the payload's text for %s but never finds it, because spaces in JSON can differ", wants))})
			return
		}
	}
}

// misread returns a member that a script looks for as it is not written in the
// payload, and what it looks for.
func misread(script, payload string) (member, wants string) {
	if !strings.Contains(script, "grep") && !strings.Contains(script, "sed ") && !strings.Contains(script, "awk ") {
		return "", ""
	}
	script = strings.ReplaceAll(script, `\`, "")
	for _, name := range sought {
		tight, wide := `"`+name+`":"`, `"`+name+`": "`
		switch {
		case strings.Contains(script, wide) && !strings.Contains(script, tight) && strings.Contains(payload, tight):
			return name, wide
		case strings.Contains(script, tight) && !strings.Contains(script, wide) && strings.Contains(payload, wide):
			return name, tight
		}
	}
	return "", ""
}
