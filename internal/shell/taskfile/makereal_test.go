package taskfile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A makeWriter writes Makefiles whose recipes only print.
type makeWriter struct {
	*rand.Rand
	from int // of the variables that a value may name: make refuses one that names itself
}

var makeNames = []string{"U", "V", "W", "X", "TERM", "CC", "LANG", "Z"}

func (w makeWriter) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w makeWriter) target() string { return w.pick("a", "a", "b", "b", "c", "d", "p-x", "q.o") }

func (w makeWriter) name() string {
	return w.pick(makeNames[w.from:]...)
}

func (w makeWriter) word(depth int) string {
	if depth > 2 {
		return w.pick("one", "two")
	}
	switch w.IntN(20) {
	case 0, 1, 2, 3:
		return "$(" + w.name() + ")"
	case 4:
		return "${" + w.name() + "}"
	case 5:
		return "$(shell echo " + w.word(depth+1) + ")"
	case 6:
		return "$(call F," + w.word(depth+1) + "," + w.word(depth+1) + ")"
	case 7:
		return "$(foreach i," + w.word(depth+1) + " z,<$(i)>)"
	case 8:
		return "$(patsubst %e,%i," + w.word(depth+1) + ")"
	case 9:
		return "$(if " + w.word(depth+1) + "," + w.word(depth+1) + ",no)"
	case 10:
		return "$($(" + w.name() + "))"
	case 11:
		return "$" + w.name()[:1]
	case 12:
		return "$(" + w.name() + ":e=f)"
	}
	return w.pick("one", "two", "three", "U", "V", "W", "a", "b", "c")
}

func (w makeWriter) needs() string {
	out := ""
	for range w.IntN(3) {
		switch w.IntN(8) {
		case 0:
			out += " $(" + w.name() + ")"
		case 1:
			out += " $(addprefix p-,$(" + w.name() + "))"
		default:
			out += " " + w.target()
		}
	}
	return out
}

func (w makeWriter) recipe() string {
	return "\t" + w.pick("", "@", "-", "+") + "echo " + w.word(0) + " " + w.pick("$@", "$<", "$^", "$*", "$$V", "$$LANG", w.word(0))
}

func (w makeWriter) assign() string {
	if w.IntN(10) == 0 {
		return "F = " + w.pick("$(1)", "$(2)", "<$(1)-$(2)>", "$(shell echo $(1))")
	}
	at := w.IntN(len(makeNames) - 1)
	w.from = at + 1
	return w.pick("", "", "", "export ", "override ") + makeNames[at] + " " + w.pick("=", ":=", "+=", "?=", "=", "!=") + w.pick(" echo ", " ", " ", " ") + w.word(0)
}

// item writes one line or block.
func (w makeWriter) item(depth int) []string {
	switch w.IntN(22) {
	case 0, 1, 2, 3, 4, 5:
		return []string{w.assign()}
	case 6:
		return []string{"# " + w.pick("note", "V = x", "note \\")}
	case 7:
		if depth > 1 {
			return nil
		}
		out := []string{w.pick("ifdef "+w.name(), "ifeq ($("+w.name()+"),one)", "ifneq (,"+w.word(1)+")")}
		for range 1 + w.IntN(2) {
			out = append(out, w.item(depth+1)...)
		}
		if w.IntN(2) == 0 {
			out = append(append(out, "else"), w.item(depth+1)...)
		}
		return append(out, "endif")
	case 8:
		return []string{"define Z", "echo " + w.pick("one", "two"), "echo two", "endef"}
	case 9:
		return []string{w.target() + ": " + w.pick("", "export ", "private ") + w.pick("U", "V", "W") + " " + w.pick("=", ":=", "+=") + " " + makeWriter{w.Rand, 3}.word(0)}
	case 10:
		return []string{w.pick(".PHONY: "+w.target()+" "+w.target(), ".DEFAULT_GOAL := "+w.target(), ".ONESHELL:", ".SILENT:", "export", "unexport "+w.name(), "MAKEFLAGS += -s", ".EXPORT_ALL_VARIABLES:", "SHELL = /bin/sh", ".DEFAULT: ; @echo none $@", ".SECONDEXPANSION:", "undefine "+w.name())}
	case 11:
		return []string{w.pick("-include inc.mk", "include inc.mk", "-include $("+w.name()+").mk")}
	case 12:
		return []string{w.pick("$(info "+w.word(0)+")", "$(call F,"+w.word(0)+")", "$("+w.name()+")", "$(eval "+w.assign()+")", "$(eval "+w.target()+": "+w.target()+")")}
	case 13:
		return []string{"%-x: " + w.pick("", w.target(), "%"), w.recipe()}
	case 14:
		return []string{w.pick("%.o", "q.%", "p-%", "%", ".c.o", "%.c") + ":" + w.pick("", " "+w.target()) + " ; @echo pattern " + w.pick("$*", "$@", w.word(0))}
	case 15:
		return []string{"$(" + w.name() + "): " + w.needs(), w.recipe()}
	case 16:
		return []string{"a b: p-%: c", w.recipe()}
	}
	out := []string{w.target() + w.pick(":", ":", ":", "::", " "+w.target()+":") + w.needs()}
	for range w.IntN(3) {
		out = append(out, w.recipe())
	}
	return out
}

func (w makeWriter) file(n int) []string {
	var out []string
	for range n {
		out = append(out, w.item(0)...)
	}
	return out
}

// edit changes a file in one place.
func (w makeWriter) edit(lines []string) []string {
	at := w.IntN(len(lines) + 1)
	out := append([]string(nil), lines[:at]...)
	if at == len(lines) {
		return append(out, w.item(0)...)
	}
	line, rest := lines[at], lines[at+1:]
	switch w.IntN(9) {
	case 0:
	case 1:
		out = append(append(out, w.item(0)...), line)
	case 2:
		out = append(out, line+" \\")
	case 3:
		out = append(out, strings.TrimPrefix(line, "\t"))
	case 4:
		out = append(out, "\t"+line)
	case 5:
		out = append(out, line+w.pick(" # x", " three", ";echo", " $("+w.name()+")"))
	case 6:
		words := strings.Split(line, " ")
		words[w.IntN(len(words))] = w.pick(w.word(1), w.target(), w.name(), "=", ":", "")
		out = append(out, strings.Join(words, " "))
	case 7:
		out = append(append(out, w.item(0)...), w.item(0)...)
	case 8:
		cut := w.IntN(len(line) + 1)
		out = append(out, line[:cut]+w.pick("", "#", "$", ":", "=", " ", ")")+line[min(cut+1, len(line)):])
	}
	return append(out, rest...)
}

// runMake is what make does, by what it prints.
func runMake(t *testing.T, dir, target string) string {
	t.Helper()
	cmd := exec.Command("make", strings.Fields("--no-print-directory "+target)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=t", "LANG=C", "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	if (strings.Contains(string(out), "Makefile:") || strings.Contains(string(out), "inc.mk:")) && strings.Contains(string(out), ": *** ") && !strings.Contains(string(out), "] Error") {
		return "" // it was not read to its end, so no recipe ran
	}
	// Where an error lies is not what runs.
	var b strings.Builder
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "Makefile:") || strings.Contains(line, "inc.mk:") || strings.HasPrefix(line, "make: ***") || strings.HasPrefix(line, "make: Nothing") || strings.HasPrefix(line, "make: Circular") || strings.Contains(line, " is up to date") || strings.HasSuffix(line, "'\n") {
			continue
		}
		b.WriteString(line)
	}
	if err != nil {
		b.WriteString("failed")
	}
	return b.String()
}

// What make itself does after an edit is the same, or the part is another.
func TestMakeItself(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("make is not here")
	}
	cases := 200
	if testing.Short() {
		cases = 15
	}
	seeds := []uint64{20, 5}
	if s := os.Getenv("CHECKREIN_MAKE_SEED"); s != "" {
		fmt.Sscan(s, &seeds[0])
		fmt.Sscan(os.Getenv("CHECKREIN_MAKE_CASES"), &cases)
	}
	w := makeWriter{rand.New(rand.NewPCG(seeds[0], seeds[1])), 0}
	dir := t.TempDir()
	put := func(name string, lines []string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	same, differ, wide, kept := 0, 0, 0, 0
	for n := range cases {
		file, inc := w.file(3+w.IntN(10)), w.file(1+w.IntN(3))
		target := w.pick("a", "b", "", "p-x", "a b", "q.o")
		put("Makefile", file)
		put("inc.mk", inc)
		before, out := readIn(t, dir, "TERM=t LANG=C make "+target), runMake(t, dir, target)
		old := digest(t, before)
		for range 3 {
			file2, inc2 := file, inc
			if w.IntN(5) == 0 {
				inc2 = w.edit(inc)
			} else {
				file2 = w.edit(file)
			}
			put("Makefile", file2)
			put("inc.mk", inc2)
			after := readIn(t, dir, "TERM=t LANG=C make "+target)
			changed := digest(t, after) != old
			out2 := runMake(t, dir, target)
			switch {
			case out == "" || out2 == "":
			case out == out2 && changed:
				wide++
			case out == out2:
				same++
			case changed:
				differ++
			default:
				t.Fatalf("case %d: make %s runs something else, and the part is the same\n--- before\n%s\n--- inc.mk\n%s\n--- prints\n%s\n--- after\n%s\n--- inc.mk\n%s\n--- prints\n%s\n--- part\n%s",
					n, target, strings.Join(file, "\n"), strings.Join(inc, "\n"), out, strings.Join(file2, "\n"), strings.Join(inc2, "\n"), out2, show(dir, after))
			}
		}
		for _, p := range before.Parts {
			kept += b2i(p.Name != "")
		}
	}
	t.Logf("edits: %d changed what runs; of %d that did not, %d changed the part; %d parts were not a whole file", differ, same+wide, wide, kept)
	if same == 0 || differ == 0 || kept == 0 {
		t.Error("the cases do not test both")
	}
}
