package match

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein"
)

// A Text is a template with {{field}} placeholders.
type Text struct{ parts []textPart }

type textPart struct {
	literal string
	field   *field // nil for a literal
	rest    string
}

// CompileText compiles a template whose placeholders are fields of events with the contract row.
func CompileText(src string, row *checkrein.Contract) (Text, error) {
	var out Text
	for src != "" {
		before, after, ok := strings.Cut(src, "{{")
		if before != "" {
			out.parts = append(out.parts, textPart{literal: before})
		}
		if !ok {
			break
		}
		name, rest, ok := strings.Cut(after, "}}")
		if !ok {
			return Text{}, fmt.Errorf("text %q: \"{{\" is never closed: add \"}}\"", src)
		}
		f, dotted, known := lookupField([]byte(strings.TrimSpace(name)), row)
		if !known {
			return Text{}, unknownFieldError(strings.TrimSpace(name), row)
		}
		out.parts = append(out.parts, textPart{field: f, rest: dotted})
		src = rest
	}
	return out, nil
}

// Plain returns the text and true if it has no placeholders, otherwise "" and false.
func (t *Text) Plain() (string, bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && t.parts[0].field == nil:
		return t.parts[0].literal, true
	}
	return "", false
}

// Render returns the text with the placeholders replaced by the fields of v. The elements of a list
// are joined with spaces; an absent field is empty.
func (t *Text) Render(v *View) string {
	if s, plain := t.Plain(); plain {
		return s
	}
	var out strings.Builder
	for _, p := range t.parts {
		if p.field == nil {
			out.WriteString(p.literal)
			continue
		}
		switch got := p.field.get(v, p.rest); got.kind {
		case isText:
			out.WriteString(got.text)
		case isList:
			out.WriteString(strings.Join(got.list, " "))
		case isRaw:
			out.Write(got.raw)
		}
	}
	return out.String()
}

// IsZero reports whether the text is empty.
func (t *Text) IsZero() bool { return len(t.parts) == 0 }
