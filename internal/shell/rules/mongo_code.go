package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell/program"
)

// withoutStringValues returns code without string literals after a colon, which are search values and
// not operations. A literal that contains a parenthesis stays, because it may be a call.
func withoutStringValues(code string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(code, ':')
		if i < 0 || b.Len() > program.MaxMatch {
			break
		}
		i++
		for i < len(code) && code[i] == ' ' {
			i++
		}
		b.WriteString(code[:i])
		code = code[i:]
		if code == "" || code[0] != '\'' && code[0] != '"' {
			continue
		}
		end := strings.IndexByte(code[1:], code[0])
		if end < 0 {
			break
		}
		if !strings.Contains(code[1:end+1], "(") {
			code = code[end+2:]
			continue
		}
		b.WriteString(code[:end+2])
		code = code[end+2:]
	}
	b.WriteString(code)
	return b.String()
}
