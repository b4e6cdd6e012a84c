package windows

import "github.com/checkrein/checkrein/internal/catalog/facts"

// evalRead adds a read of the file p if it holds secrets, and returns its content.
func (r *reader) evalRead(p string) flow {
	f := flow{text: placeholder, file: true, secret: facts.IsSecretFile(p)}
	if f.secret {
		r.addCommand([]string{"cat", toSlash(p)})
	}
	return f
}
