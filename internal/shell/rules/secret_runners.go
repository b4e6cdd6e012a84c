package rules

import "github.com/checkrein/checkrein/internal/shell/program"

// handsOn reports whether a program that keeps secrets starts another one with
// them, so that they are not printed (op run -- make test), or prints values of one's own
// stack (terraform output).
func (r *reading) handsOn() bool {
	return program.Is(r.Name, program.IsSecretRunner) && len(r.Words) > 0 && listed("run exec exec-env output", r.Words[0].Text)
}
