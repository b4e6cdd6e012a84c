package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A row is the row of a program, with the fields that are set as Go source.
type row struct {
	name   string
	as     string // the program that it is an alias of, or ""
	fields []string
}

// textColumns maps the names of columns in programs.txt to the fields that hold their text.
var textColumns = map[string]string{
	"as": "As", "words": "Words", "in": "In", "to": "To", "runs": "Runs", "puts": "Puts", "help": "Help", "dry": "Dry",
	"on": "On", "at": "At", "unless": "Unless",
}

// flagFields maps the flags in programs.txt to the fields that they set.
var flagFields = map[string]string{
	"exact": "Style: Exact", "single": "Style: Single", "bare": "Style: Bare",
	"all": "All: true", "before": "Before: true", "subs": "Subs: true", "drop": "Drop: true", "old": "Old: true", "real": "Real: true",
}

// readRows returns the rows in programs.txt, sorted by name. The names of the constants of package
// shell for categories are in categories.
func readRows(dir string, categories []string) ([]row, error) {
	lines, err := readLines(dir, "programs.txt")
	if err != nil {
		return nil, err
	}
	var out []row
	for i := range lines {
		l := &lines[i]
		columns := l.columns()
		var fields []string
		for _, column := range columns[1:] {
			more, err := columnFields(l, column, categories)
			if err != nil {
				return nil, err
			}
			fields = append(fields, more...)
		}
		as := ""
		for _, column := range columns[1:] {
			if name, ok := strings.CutPrefix(column, "as: "); ok {
				as = name
			}
		}
		for name := range strings.SplitSeq(columns[0], ", ") {
			out = append(out, row{name: name, as: as, fields: fields})
		}
	}
	slices.SortFunc(out, func(a, b row) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// columnFields returns the fields that column sets, as Go source.
func columnFields(l *line, column string, categories []string) ([]string, error) {
	text, err := l.expand(column)
	if err != nil {
		return nil, err
	}
	if text != "" && strings.ContainsRune("-+/", rune(text[0])) {
		return []string{"Options: " + strconv.Quote(text)}, nil
	}
	if key, value, ok := strings.Cut(text, ": "); ok {
		return goField(l, key, value, categories)
	}
	var out []string
	for word := range strings.FieldsSeq(text) {
		if flagFields[word] == "" {
			return nil, l.errorf("unknown column or flag %q", word)
		}
		out = append(out, flagFields[word])
	}
	return out, nil
}

// goField returns the field that the column "key: value" sets, as Go source.
func goField(l *line, key, value string, categories []string) ([]string, error) {
	switch {
	case textColumns[key] != "":
		return []string{textColumns[key] + ": " + strconv.Quote(value)}, nil
	case key == "is":
		category, ok := shell.CategoryNamed(value)
		if !ok {
			return nil, l.errorf("unknown category %q", value)
		}
		return []string{"Is: shell." + categories[category]}, nil
	case key == "stop":
		if _, err := strconv.ParseInt(value, 10, 8); err != nil {
			return nil, l.errorf("stop: %q must be a number up to 127", value)
		}
		return []string{"Stop: " + value}, nil
	}
	return nil, l.errorf("unknown column %q", key)
}
