package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// A row holds the fields of a program's row that are set, as Go source.
type row struct {
	name   string
	as     string // the program that it is an alias of
	fields []string
}

// textColumns maps the columns of programs.txt with a text to fields.
var textColumns = map[string]string{
	"as": "As", "words": "Words", "in": "In", "to": "To", "runs": "Runs", "puts": "Puts", "help": "Help", "dry": "Dry",
}

// flags maps the single words of programs.txt to the fields that they set.
var flags = map[string]string{
	"exact": "Style: Exact", "single": "Style: Single", "bare": "Style: Bare",
	"all": "All: true", "before": "Before: true", "subs": "Subs: true", "drop": "Drop: true", "old": "Old: true", "real": "Real: true",
}

// readRows returns the rows of programs.txt, sorted by name.
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
			more, err := fieldsOf(l, column, categories)
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

// fieldsOf returns the fields that a column sets.
func fieldsOf(l *line, column string, categories []string) ([]string, error) {
	text, err := l.expand(column)
	if err != nil {
		return nil, err
	}
	if text != "" && strings.ContainsRune("-+/", rune(text[0])) {
		return []string{"Options: " + strconv.Quote(text)}, nil
	}
	if key, value, ok := strings.Cut(text, ": "); ok {
		return namedField(l, key, value, categories)
	}
	var out []string
	for word := range strings.FieldsSeq(text) {
		if flags[word] == "" {
			return nil, l.errorf("unknown column or flag %q", word)
		}
		out = append(out, flags[word])
	}
	return out, nil
}

// namedField returns the field that a column "key: value" sets.
func namedField(l *line, key, value string, categories []string) ([]string, error) {
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
			return nil, l.errorf("stop: %q must be a small number", value)
		}
		return []string{"Stop: " + value}, nil
	}
	return nil, l.errorf("unknown column %q", key)
}
