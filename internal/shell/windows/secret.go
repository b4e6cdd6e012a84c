package windows

import "github.com/checkrein/checkrein/internal/catalog/facts"

// evalRead adds a read of the file p if it holds secrets, and returns its content.
func (r *evaluator) evalRead(p string) flow {
	f := flow{text: placeholder, fromFile: true, secret: facts.IsSecretFile(p)}
	if f.secret {
		r.addNestedCommand([]string{"cat", toSlash(p)})
	}
	return f
}
