package wiring

import (
	"path/filepath"
	"slices"
	"strings"
)

// Words reads the words of a simple command. What only a shell could resolve stays
// as it is written.
func Words(line string) []string {
	var words []string
	var word strings.Builder
	inside, open := byte(0), false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case inside != 0 && c == inside:
			inside = 0
		case inside == '\'':
			word.WriteByte(c)
		case c == '\\' && i+1 < len(line) && (inside == 0 || strings.IndexByte("\"\\$`", line[i+1]) >= 0):
			i++
			word.WriteByte(line[i])
			open = true
		case inside == 0 && (c == '\'' || c == '"'):
			inside, open = c, true
		case inside == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteByte(c)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// Ours reports whether a command line is one that we, or a person in our stead,
// wrote for a host, and which program it runs.
func Ours(line, host string) (program string, ok bool) {
	words := Words(line)
	if len(words) > 0 && words[0] == "exec" {
		words = words[1:]
	}
	if len(words) < 3 || words[1] != "hook" || words[2] != host {
		return "", false
	}
	return words[0], IsCheckrein(words[0]) || slices.Contains(words, "--within")
}

// IsCheckrein reports whether a program has our name.
func IsCheckrein(program string) bool {
	base := filepath.Base(filepath.FromSlash(strings.ReplaceAll(program, `\`, "/")))
	return base == "checkrein" || base == "checkrein.exe"
}
