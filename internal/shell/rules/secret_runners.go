package rules

import "github.com/checkrein/checkrein/internal/shell/program"

// passesSecretsOn reports whether a secret manager starts another program with the secrets instead of
// printing them (op run -- make test), or prints values of the user's own stack (terraform output).
func (r *reading) passesSecretsOn() bool {
	return program.Is(r.Name, program.IsSecretRunner) && len(r.Words) > 0 && inListFold("run exec exec-env output", r.Words[0].Text)
}
