package rules

import "github.com/checkrein/checkrein/internal/shell/program"

// handsOn reports whether a program that keeps secrets starts another one with
// them, so that they are not printed: op run -- make test.
func (r *reading) handsOn() bool {
	if r.Name == "terraform" || r.Name == "terragrunt" {
		return len(r.Words) > 0 && r.Words[0].Text == "output" // the values of one's own stack
	}
	return program.Is(r.Name, program.IsSecretRunner) && len(r.Words) > 0 && (r.Words[0].Text == "run" || r.Words[0].Text == "exec" || r.Words[0].Text == "exec-env")
}
