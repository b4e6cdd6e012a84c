package files

import "github.com/checkrein/checkrein/internal/shell"

// RuleNamed returns the category and the reason of the rule of this package with the id, which
// consists of an act and a zone. It reports false if there is none.
func RuleNamed(id string) (category shell.Category, reason string, ok bool) {
	for _, a := range []*act{&deletes, &shreds, &empties, &overwrite, &writes, &appends, &edits, &moves, &replaces, &links, &mirrors, &rights, &owners, &rawWrites, &linksTo, &setsSuid} {
		if a.rule+"-nothing" == id {
			return a.category, a.verb + " files that the command does not name", true
		}
		for z := inNowhere; z <= inSink; z++ {
			if a.rule+"-"+z.String() == id {
				return a.category, a.verb + " " + z.description(), true
			}
		}
	}
	return shell.NoCategory, "", false
}
