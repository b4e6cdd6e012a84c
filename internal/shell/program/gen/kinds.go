package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A kind is a line of kinds.txt, which lists the programs that a package treats alike.
type kind struct {
	family, name string
	programs     []string
}

// readKinds returns the kinds in kinds.txt. An alias has the kinds of its program, unless its family
// lists the alias itself.
func readKinds(dir string, rows []row) ([]kind, error) {
	lines, err := readLines(dir, "kinds.txt")
	if err != nil {
		return nil, err
	}
	var out []kind
	listed := map[string]map[string]bool{} // whether a family lists a program
	for i := range lines {
		l := &lines[i]
		head, list, ok := strings.Cut(l.text, ": ")
		family, name, dot := strings.Cut(head, ".")
		if !ok || !dot {
			return nil, l.errorf("want family.kind: programs")
		}
		if list, err = l.expand(list); err != nil {
			return nil, err
		}
		one := kind{family, name, strings.FieldsFunc(list, func(c rune) bool { return c == ' ' || c == '|' })}
		if listed[family] == nil {
			listed[family] = map[string]bool{}
		}
		for _, program := range one.programs {
			if listed[family][program] && family != traitFamily {
				return nil, l.errorf("%s is listed twice in %s", program, family)
			}
			listed[family][program] = true
		}
		out = append(out, one)
	}
	for i := range rows {
		as := rows[i].as
		for j := range out {
			if k := &out[j]; slices.Contains(k.programs, as) && (k.family == traitFamily || !listed[k.family][rows[i].name]) && !slices.Contains(k.programs, rows[i].name) {
				k.programs = append(k.programs, rows[i].name)
			}
		}
	}
	return out, nil
}

// traitFamily is the family whose kinds are traits. A program may have several of them.
const traitFamily = "is"

// kindsText returns the Go source of a type for each family, with a function that returns the kind of
// a program.
func kindsText(kinds []kind) string {
	var b strings.Builder
	for len(kinds) > 0 {
		n := 1
		for n < len(kinds) && kinds[n].family == kinds[0].family {
			n++
		}
		if kinds[0].family == traitFamily {
			writeTraits(&b, kinds[:n])
		} else {
			writeFamily(&b, kinds[:n])
		}
		kinds = kinds[n:]
	}
	return b.String()
}

// writeFamily writes the Go source of a family of which a program has at most one kind.
func writeFamily(b *strings.Builder, kinds []kind) {
	family := goName(kinds[0].family)
	fmt.Fprintf(b, "// %sKind is a kind of programs that are treated alike; see kinds.txt. 0 means no special treatment.\ntype %sKind uint8\n\nconst (\n", family, family)
	for i := range kinds {
		fmt.Fprintf(b, "%s%s", family, goName(kinds[i].name))
		if i == 0 {
			fmt.Fprintf(b, " %sKind = iota + 1", family)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, ")\n\n// %sOf returns the kind of a program.\nfunc %sOf(name string) %sKind {\nswitch name {\n", family, family, family)
	for i := range kinds {
		fmt.Fprintf(b, "case %s:\nreturn %s%s\n", quoteList(kinds[i].programs), family, goName(kinds[i].name))
	}
	b.WriteString("}\nreturn 0\n}\n\n")
}

// writeTraits writes the Go source of the traits.
func writeTraits(b *strings.Builder, kinds []kind) {
	b.WriteString("const (\n")
	of := map[string][]string{} // the constants of each program
	for i := range kinds {
		name := "Is" + goName(kinds[i].name)
		b.WriteString(name)
		if i == 0 {
			b.WriteString(" Trait = 1 << iota")
		}
		b.WriteString("\n")
		for _, program := range kinds[i].programs {
			of[program] = append(of[program], name)
		}
	}
	groups := map[string][]string{} // the programs with the same constants
	for program, names := range of {
		key := strings.Join(names, " | ")
		groups[key] = append(groups[key], program)
	}
	b.WriteString(")\n\nfunc traitsOf(name string) Trait {\nswitch name {\n")
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		slices.Sort(groups[key])
		fmt.Fprintf(b, "case %s:\nreturn %s\n", quoteList(groups[key]), key)
	}
	b.WriteString("}\nreturn 0\n}\n")
}

// goName returns name as part of a Go identifier: FileSharer for file-sharer.
func goName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// quoteList returns the strings in list as Go literals, separated by commas.
func quoteList(list []string) string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = strconv.Quote(list[i])
	}
	return strings.Join(out, ", ")
}
