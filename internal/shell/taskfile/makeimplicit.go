package taskfile

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// sources adds the files that make's own rules make others of, without a word in any
// makefile: dep.sh becomes dep, and Makefile.sh the Makefile.
func (p *makePart) sources(r *reading, list []instance) {
	made := p.ruled(list)
	var names []string
	for name := range p.wanted {
		if !made[name] && known(name) && name != "" && !strings.Contains(name, star) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	dirs := map[string][]string{}
	for _, name := range names {
		at := strings.LastIndexByte(name, '/') + 1
		dir := join(p.dir, name[:at])
		there, ok := dirs[dir]
		if !ok {
			var err error
			if there, err = p.look.Names(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !missing(err) {
				r.unsure("make: whether it makes files in " + name[:at] + " by rules of its own")
			}
			dirs[dir] = there
			if slices.Contains(there, "RCS") || slices.Contains(there, "SCCS") {
				r.unsure("make fetches files from RCS or SCCS by rules of its own")
			}
		}
		base := name[at:]
		for _, one := range there {
			if one == "s."+base || len(one) > len(base) && strings.HasPrefix(one, base) && inWords(sourceEnds, one[len(base):]) {
				r.whole(join(dir, one))
			}
		}
	}
}

// ruled are the targets that a recipe of a makefile makes, and those that no file is
// looked for.
func (p *makePart) ruled(list []instance) map[string]bool {
	out := map[string]bool{}
	recipe := make([]bool, len(p.rules))
	for i := range p.items {
		it := &p.items[i]
		if it.kind == recipeItem || it.kind == ruleItem && strings.Contains(it.text, ";") {
			for _, n := range it.rules {
				recipe[n] = true
			}
		}
	}
	for _, in := range list {
		if rule := &p.rules[in.rule]; recipe[in.rule] && !rule.maybe && slices.Contains(rule.targets, in.want) {
			out[in.want] = true
		}
	}
	for i := range p.rules {
		if slices.Contains(p.rules[i].targets, ".PHONY") && !p.rules[i].maybe {
			for _, name := range p.rules[i].needs {
				out[name] = true
			}
		}
	}
	return out
}

// sourceEnds are what the files end in that make knows how to make a program or a
// script of.
const sourceEnds = ".sh .c .cc .C .cpp .p .f .F .m .r .s .S .mod .o .y .l ,v"
