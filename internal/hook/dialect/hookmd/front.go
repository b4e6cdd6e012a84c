package hookmd

import "bytes"

// A frontMatterError is the reason why a file has no valid front matter.
type frontMatterError struct {
	line         int
	what, remedy string
}

// frontMatter returns the text between the first two --- lines of data and the offset of the body. The
// text begins with a line break in place of the first --- line, so that line numbers stay the same. It
// reads neither beyond the closing line nor beyond MaxFrontMatter bytes.
func frontMatter(data []byte) (front []byte, body int, bad *frontMatterError) {
	const mark = "\ufeff" // a byte order mark, which some editors add
	head := data[:min(len(data), MaxFrontMatter)]
	// The last line may continue beyond the bytes that were read. The loader may have removed the
	// byte order mark already.
	cut := len(data) >= MaxFrontMatter-len(mark)
	start := 0
	if bytes.HasPrefix(head, []byte(mark)) {
		start = len(mark)
	}
	first := bytes.IndexByte(head[start:], '\n')
	if first < 0 || !isFence(head[start:start+first]) {
		return nil, 0, &frontMatterError{1, "the file does not start with front matter", "start with a --- line, then name:, description: and trigger:, then another --- line"}
	}
	first += start
	for at := first + 1; at < len(head); {
		end := bytes.IndexByte(head[at:], '\n')
		whole := end >= 0
		if !whole {
			end = len(head) - at
		}
		if isFence(head[at:at+end]) && (whole || !cut) {
			return head[first:at], min(at+end+1, len(head)), nil
		}
		at += end + 1
	}
	if cut {
		return nil, 0, &frontMatterError{1, "the front matter does not end within 64 KiB", "close it with a --- line, and move long text to the body"}
	}
	return nil, 0, &frontMatterError{1, "the front matter is never closed", "close it with a --- line"}
}

// frontSize returns the length of the front matter in data.
func frontSize(data []byte) int {
	text, _, _ := frontMatter(data)
	return len(text)
}

// isFence reports whether a line, without its newline, is ---.
func isFence(line []byte) bool {
	return bytes.Equal(bytes.TrimRight(line, " \t\r"), []byte("---"))
}
