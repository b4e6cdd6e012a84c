package files

import "strings"

// judgeApplyPatch judges apply_patch, with which some agents edit files in their shell. The patch
// names the files that it changes. It reports false if no patch is found.
func (j *job) judgeApplyPatch() bool {
	var texts []string
	for i := range j.c.Args {
		texts = append(texts, j.c.Args[i].Text)
	}
	for i := range j.c.Redir {
		if r := &j.c.Redir[i]; r.Op == "<<" || r.Op == "<<<" || r.Op == "<<-" {
			texts = append(texts, r.Target.Text)
		}
	}
	if j.c.In != nil {
		texts = append(texts, j.c.In.Text)
	}
	for i := range j.c.Files {
		texts = append(texts, j.c.Files[i].Text)
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), "*** ")
			if !ok {
				continue
			}
			if head, name, ok := strings.Cut(rest, ": "); ok && name != "" {
				j.addPatchedFile(head, name)
			}
		}
	}
	return j.out != nil
}

// addPatchedFile adds the effect of a header line of a patch, which consists of head and the file
// name.
func (j *job) addPatchedFile(head, name string) {
	switch s := j.base.locate(name); head {
	case "Delete File":
		j.addEffect(&deletes, s, deleteVerdict(s, false))
	case "Add File", "Update File", "Move to":
		j.addEdit(s)
	}
}
