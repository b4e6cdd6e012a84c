package jsplugin

import (
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// CopyMember copies the member key of from to o under name. It does nothing if there is no such
// member.
func CopyMember(o *rawjson.Object, name string, from []byte, key string) {
	val, _ := rawjson.Get(from, key)
	o.Raw(name, val)
}

// MessageText returns the text of a message: its content, or the texts in a list of parts. It reports
// false if there is no text.
func MessageText(msg []byte) (string, bool) {
	content, _ := rawjson.Get(msg, "content")
	if s, ok := rawjson.Text(content); ok {
		return s, true
	}
	var texts []string
	rawjson.Elements(content, func(_ int, part []byte) bool {
		if rawjson.GetText(part, "type") == "text" {
			texts = append(texts, rawjson.GetText(part, "text"))
		}
		return true
	})
	return strings.Join(texts, "\n"), len(texts) > 0
}
