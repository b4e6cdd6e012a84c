package hookmd

import "bytes"

// A flaw is why a file has no front matter.
type flaw struct {
	line         int
	what, remedy string
}

// frontMatter returns what stands between the first two --- lines of a file,
// with a line break for the first one so that line numbers stay, and where the
// body begins. It does not look behind the closing line, nor behind
// MaxFrontMatter.
func frontMatter(data []byte) (front []byte, body int, bad *flaw) {
	const mark = "\ufeff" // which some editors begin files with
	head := data[:min(len(data), MaxFrontMatter)]
	// A last line without its end may go on in what was not read. A loader
	// may have taken the mark off already.
	cut := len(data) >= MaxFrontMatter-len(mark)
	start := 0
	if bytes.HasPrefix(head, []byte(mark)) {
		start = len(mark)
	}
	first := bytes.IndexByte(head[start:], '\n')
	if first < 0 || !isFence(head[start:start+first]) {
		return nil, 0, &flaw{1, "the file does not start with front matter", "start with a --- line, then name:, description: and trigger:, then another --- line"}
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
		return nil, 0, &flaw{1, "the front matter does not end within 64 KiB", "close it with a --- line, and move long text to the body"}
	}
	return nil, 0, &flaw{1, "the front matter is never closed", "close it with a --- line"}
}

// front is how many bytes of a file are front matter.
func front(data []byte) int {
	text, _, _ := frontMatter(data)
	return len(text)
}

// isFence reports whether a line, without its end, is ---.
func isFence(line []byte) bool {
	return bytes.Equal(bytes.TrimRight(line, " \t\r"), []byte("---"))
}
