package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A line is a line of a text file that is neither empty nor a comment.
type line struct {
	file   string
	number int
	text   string            // without indentation
	lists  map[string]string // the named lists that the line may refer to
}

// errorf returns an error that begins with the file and the number of the line.
func (l *line) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.file, l.number, fmt.Sprintf(format, args...))
}

// columns returns the columns of the line, without surrounding spaces.
func (l *line) columns() []string {
	out := strings.Split(l.text, " | ")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// listRef matches a reference to a named list, which is a word or one of the alternatives of a word.
var listRef = regexp.MustCompile(`(^|[ |])@([a-z0-9-]+)`)

// expand replaces references to lists in text by the lists, and words with braces by their expansions.
// It returns an error if a list is not defined.
func (l *line) expand(text string) (string, error) {
	for at := listRef.FindStringSubmatchIndex(text); at != nil; at = listRef.FindStringSubmatchIndex(text) {
		list, ok := l.lists[text[at[4]:at[5]]]
		if !ok {
			return "", l.errorf("unknown list @%s", text[at[4]:at[5]])
		}
		text = text[:at[3]] + list + text[at[5]:]
	}
	if !strings.Contains(text, "{") {
		return text, nil
	}
	words := strings.Split(text, " ")
	for i := range words {
		words[i] = expandBraces(words[i])
	}
	return strings.Join(words, " "), nil
}

// expandBraces returns the expansions of word, separated by spaces: "-v=/* --volume=/*" for
// -{v,-volume}=/*. It returns a word without braces unchanged.
func expandBraces(word string) string {
	open := strings.IndexByte(word, '{')
	for end := open + 1; open >= 0 && end < len(word); end++ {
		switch word[end] {
		case '{':
			open = end
		case '}':
			if !strings.Contains(word[open:end], ",") {
				continue
			}
			var out []string
			for one := range strings.SplitSeq(word[open+1:end], ",") {
				out = append(out, expandBraces(word[:open]+one+word[end+1:]))
			}
			return strings.Join(out, " ")
		}
	}
	return word
}

// sharedLists is the file with the lists that all other files may refer to.
const sharedLists = "lists.txt"

// readLines returns the lines of file, which is relative to dir, without those that define named
// lists.
func readLines(dir, file string) ([]line, error) {
	lists := map[string]string{}
	if _, err := readLinesAndLists(dir, sharedLists, lists); err != nil {
		return nil, err
	}
	return readLinesAndLists(dir, file, lists)
}

// readLinesAndLists is readLines that adds the named lists of file to lists.
func readLinesAndLists(dir, file string, lists map[string]string) ([]line, error) {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	var out []line
	for i, text := range strings.Split(string(data), "\n") {
		l := line{file: file, number: i + 1, text: strings.TrimSpace(text), lists: lists}
		switch {
		case l.text == "" || l.text[0] == '#':
			continue
		case l.text[0] != '@':
			out = append(out, l)
			continue
		}
		name, words, ok := strings.Cut(l.text[1:], " = ")
		if !ok || lists[name] != "" {
			return nil, l.errorf("want @name = words, with a name that is not yet used")
		}
		if lists[name], err = l.expand(words); err != nil {
			return nil, err
		}
	}
	return out, nil
}
