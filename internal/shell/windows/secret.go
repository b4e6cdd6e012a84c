package windows

import "github.com/checkrein/checkrein/internal/catalog/facts"

// evalFileRead returns the content of the file p. If p contains secrets, it adds a nested command that
// prints it.
func (r *evaluator) evalFileRead(p string) flow {
	f := flow{text: placeholder, fromFile: true, secret: facts.IsSecretFile(p)}
	if f.secret {
		r.addNestedCommand([]string{"cat", toSlash(p)})
	}
	return f
}
