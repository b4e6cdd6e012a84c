package windows

import "github.com/checkrein/checkrein/internal/catalog/facts"

// readFile is the content of a file.
func (r *reader) readFile(p string) flow {
	f := flow{text: hole, file: true, secret: facts.SecretFile(p)}
	if f.secret {
		r.hand([]string{"cat", unix(p)})
	}
	return f
}
