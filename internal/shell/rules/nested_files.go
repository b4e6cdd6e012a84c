package rules

import "strings"

// write takes in a file that is written.
func (n *nest) write(path string) { n.put("echo x > ", path) }

// unpack takes in a directory that an archive is unpacked in.
func (n *nest) unpack(dir string) {
	if n.isElsewhere(dir) {
		var b strings.Builder
		b.WriteString("tar -xf archive -C ")
		quote(&b, dir, false)
		n.add(b.String())
	}
}

// put takes in a command that writes a file.
func (n *nest) put(command, path string) {
	var b strings.Builder
	b.WriteString(command)
	if n.dir != "" && path[0] != '/' && path[0] != '~' {
		path = n.dir + "/" + path
	}
	if strings.HasSuffix(path, "/") {
		path += "out"
	}
	quote(&b, path, false)
	n.add(b.String())
}

// isElsewhere reports whether a path may lie outside the project, as far as its
// text and the directory that the call runs in tell.
func (n *nest) isElsewhere(path string) bool {
	if path == "" || path == "-" || strings.Contains(path, "://") {
		return false
	}
	return path[0] == '/' || path[0] == '~' || strings.HasPrefix(path, "../") || n.dir != "" && path[0] != '-' && !strings.Contains(n.dir, hole)
}

// clientFile takes in the file that a database client is told to write: \o f,
// \copy t to 'f', .output f.
func (n *nest) clientFile(line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(word) {
	case ".output", ".once", ".backup", ".save", ".clone", ".log", ".trace", "tee", `\o`, `\out`, `\w`, `\write`, `\t`:
		if word == `\t` {
			return
		}
		rest = strings.TrimSpace(rest)
		if i := strings.LastIndexByte(rest, ' '); i >= 0 {
			rest = rest[i+1:]
		}
	case ".archive", ".ar":
		if _, dir, ok := cutWord(rest, "-C"); ok && strings.Contains(rest, "x") {
			n.unpack(strings.Trim(dir, `'"; `))
		}
		return
	case `\copy`:
		_, behind, ok := cutWord(rest, "to")
		if !ok {
			return
		}
		if rest, _ = nextWord(behind); strings.EqualFold(rest, "stdout") || strings.EqualFold(rest, "program") {
			return
		}
	default:
		return
	}
	if rest = strings.Trim(rest, `'"; `); n.isElsewhere(rest) {
		n.write(rest)
	}
}
