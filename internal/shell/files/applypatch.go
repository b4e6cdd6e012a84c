package files

import "strings"

// judgeApplyPatch judges the patch that some agents let their shell apply. It names the files that it
// changes.
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

// addPatchedFile adds the effect of one header line of a patch.
func (j *job) addPatchedFile(head, name string) {
	switch s := j.base.locate(name); head {
	case "Delete File":
		j.addEffect(&deletes, s, deleteVerdict(s, false))
	case "Add File", "Update File", "Move to":
		j.addEdit(s)
	}
}
