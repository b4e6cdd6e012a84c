package rules

import "github.com/checkrein/checkrein/internal/shell/program"

// isSecretManagerRun reports whether a secret manager passes secrets to a program that it starts
// instead of printing them, as in op run -- make test, or prints values of the user's own stack, as in
// terraform output.
func (r *reading) isSecretManagerRun() bool {
	return program.Is(r.Name, program.IsSecretRunner) && len(r.Words) > 0 && inListFold("run exec exec-env output", r.Words[0].Text)
}
