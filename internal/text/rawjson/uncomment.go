package rawjson

// Uncomment returns JSON without comments and trailing commas, which some readers accept. It does not
// check the result.
func Uncomment(src []byte) []byte {
	out := make([]byte, 0, len(src))
	comma := -1 // the offset in out of the last comma, if only white space follows it
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '"':
			end := stringEnd(src, i+1) + 1
			if end == 0 {
				end = len(src)
			}
			out = append(out, src[i:end]...)
			i, comma = end, -1
			continue
		case c == '/' && i+1 < len(src) && (src[i+1] == '/' || src[i+1] == '*'):
			i = commentEnd(src, i)
			out = append(out, ' ')
			continue
		case c == ',':
			comma = len(out)
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
		out = append(out, src[i])
		i++
	}
	return out
}

// commentEnd returns the offset after the comment that starts at i.
func commentEnd(src []byte, i int) int {
	if src[i+1] == '/' {
		for i < len(src) && src[i] != '\n' {
			i++
		}
		return i
	}
	for i += 2; i+1 < len(src); i++ {
		if src[i] == '*' && src[i+1] == '/' {
			return i + 2
		}
	}
	return len(src)
}
