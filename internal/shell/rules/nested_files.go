package rules

import "strings"

// addWriteCommand adds a command that stands for writing the file path.
func (n *nestedCollector) addWriteCommand(path string) { n.addFileCommand("echo x > ", path) }

// addUnpackCommand adds a command that stands for unpacking an archive in dir, if dir may be outside
// the project.
func (n *nestedCollector) addUnpackCommand(dir string) {
	if n.mayBeOutsideProject(dir) {
		var b strings.Builder
		b.WriteString("tar -xf archive -C ")
		appendQuotedWord(&b, dir, false)
		n.addCommand(b.String())
	}
}

// addFileCommand adds command with the file path appended. A relative path is joined with the
// directory of the call.
func (n *nestedCollector) addFileCommand(command, path string) {
	var b strings.Builder
	b.WriteString(command)
	if n.dir != "" && path[0] != '/' && path[0] != '~' {
		path = n.dir + "/" + path
	}
	if strings.HasSuffix(path, "/") {
		path += "out"
	}
	appendQuotedWord(&b, path, false)
	n.addCommand(b.String())
}

// mayBeOutsideProject reports whether path may lie outside the project, by its text and the directory
// that the call runs in.
func (n *nestedCollector) mayBeOutsideProject(path string) bool {
	if path == "" || path == "-" || strings.Contains(path, "://") {
		return false
	}
	return path[0] == '/' || path[0] == '~' || strings.HasPrefix(path, "../") || n.dir != "" && path[0] != '-' && !strings.Contains(n.dir, placeholder)
}

// addClientOutputFile adds a command for the file outside the project that a command of a database
// client in line writes, as with \o f, \copy t to 'f' and .output f.
func (n *nestedCollector) addClientOutputFile(line string) {
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
		if _, dir, ok := cutAtLastWord(rest, "-C"); ok && strings.Contains(rest, "x") {
			n.addUnpackCommand(strings.Trim(dir, `'"; `))
		}
		return
	case `\copy`:
		_, behind, ok := cutAtLastWord(rest, "to")
		if !ok {
			return
		}
		if rest, _ = nextSQLWord(behind); strings.EqualFold(rest, "stdout") || strings.EqualFold(rest, "program") {
			return
		}
	default:
		return
	}
	if rest = strings.Trim(rest, `'"; `); n.mayBeOutsideProject(rest) {
		n.addWriteCommand(rest)
	}
}
