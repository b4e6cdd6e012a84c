package checkrein

import (
	"encoding/json"
	"strings"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// The generators draw from small alphabets on purpose, because laws are most likely to be violated if
// values collide.

func drawDecision(t *rapid.T, label string) Decision {
	return rapid.SampledFrom([]Decision{NoOpinion, Allow, Ask, Deny}).Draw(t, label)
}

func drawText(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"", "", "a", "b", "two words", "läuft: nicht"}).Draw(t, label)
}

func drawTexts(t *rapid.T, label string) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3).Draw(t, label)
}

// spelledKeys are keys as written in JSON. Some of them are the same key.
var spelledKeys = []string{`"a"`, `"\u0061"`, `"b"`, `"command"`, `"é"`, `"\u00e9"`, `""`, `"\ud800"`}

// jsonValues are JSON values whose text must not change.
var jsonValues = []string{
	`null`, `1`, `1.0`, `1e2`, `-0`, `12345678901234567890`, `0.1000`, `true`, `"x"`, `"null"`, `"\u0041"`,
	`{"a":null}`, `{"z":1,"a":2}`, `[null]`, `[]`, `{}`,
}

func drawObject(t *rapid.T, label string, values []string) json.RawMessage {
	var b strings.Builder
	b.WriteByte('{')
	for i := range rapid.IntRange(0, 5).Draw(t, label+" members") {
		if i > 0 {
			b.WriteString(rapid.SampledFrom([]string{",", " ,\n"}).Draw(t, label+" comma"))
		}
		b.WriteString(rapid.SampledFrom(spelledKeys).Draw(t, label+" key"))
		b.WriteString(rapid.SampledFrom([]string{":", " : "}).Draw(t, label+" colon"))
		b.WriteString(rapid.SampledFrom(values).Draw(t, label+" value"))
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

func drawMaybe(t *rapid.T, label string, draw func() json.RawMessage) json.RawMessage {
	if !rapid.Bool().Draw(t, label+" set") {
		return nil
	}
	return draw()
}

// drawRewrite draws a verdict that only rewrites.
func drawRewrite(t *rapid.T) Verdict {
	return Verdict{
		Input: drawMaybe(t, "input", func() json.RawMessage { return drawObject(t, "input", jsonValues) }),
		Output: drawMaybe(t, "output", func() json.RawMessage {
			return rawjson.Quote(drawText(t, "output"))
		}),
		Append: drawText(t, "append"),
		Messages: drawMaybe(t, "messages", func() json.RawMessage {
			return json.RawMessage(rapid.SampledFrom([]string{`[]`, `[1]`, `[{"role":"user"}]`}).Draw(t, "messages"))
		}),
	}
}

// drawOpinion draws a verdict that rewrites nothing.
func drawOpinion(t *rapid.T) Verdict {
	return Verdict{
		Decision: drawDecision(t, "decision"),
		Reason:   drawText(t, "reason"),
		Context:  drawTexts(t, "context"),
		Notice:   drawTexts(t, "notice"),
		Redo:     drawText(t, "redo"),
		Halt:     rapid.Bool().Draw(t, "halt"),
		Summary:  drawText(t, "summary"),
		Metadata: rapid.MapOfN(rapid.SampledFrom([]string{"k", "l"}), rapid.SampledFrom([]string{"1", "2", ""}), 0, 2).Draw(t, "metadata"),
	}
}

func drawVerdict(t *rapid.T) Verdict {
	v, r := drawOpinion(t), drawRewrite(t)
	v.Input, v.Output, v.Append, v.Messages = r.Input, r.Output, r.Append, r.Messages
	return v
}

func drawVerdicts(t *rapid.T) []Verdict {
	return rapid.SliceOfN(rapid.Custom(drawVerdict), 0, 5).Draw(t, "verdicts")
}
