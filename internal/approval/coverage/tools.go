package coverage

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// harmless lists programs that no option can make run a program of the caller's choice.
const harmless = "echo printf cat tac ls stat file wc head tail nl cut paste tr uniq comm diff cmp md5sum sha1sum sha256sum sha512sum cksum sum b2sum rm rmdir unlink cp mv ln mkdir touch chmod chown chgrp test [ true false : basename dirname realpath readlink du df grep egrep fgrep jq shellcheck gofmt gzip gunzip zcat xz bzip2 tee"

// noteNamesReadAsOptions records the existing files that a pattern such as * matches and whose
// names c would read as options.
func (p *planner) noteNamesReadAsOptions(c *shell.Call, at spot) {
	if hasWord(harmless, c.Name) {
		return
	}
	for i := range c.Args {
		w := &c.Args[i]
		if w.Text == "--" {
			return
		}
		if !w.Glob || w.Text == "" || !strings.ContainsRune("*?[", rune(w.Text[0])) {
			continue
		}
		pattern, _, _ := strings.Cut(strings.ReplaceAll(w.Text, "[!", "[^"), "/")
		for _, dir := range at.dirs {
			if !p.inRepo(dir) {
				continue
			}
			names, err := p.disk.Names(dir)
			if err != nil {
				p.noteUnsure("whether " + messageText(w.Text) + " matches names that " + c.Name + " reads as options")
			}
			for _, name := range names {
				if is, err := path.Match(pattern, name); name[0] == '-' && (is || err != nil) {
					p.noteUnsureAnywhere(c.Name + " reads the name of the file " + messageText(name) + " as an option; to prevent that, write ./* instead of *")
				}
			}
		}
	}
}
