package rules

// handsOn reports whether a program that keeps secrets starts another one with
// them, so that they are not printed: op run -- make test.
func (r *reading) handsOn() bool {
	switch r.Name {
	case "op", "doppler", "infisical", "aws-vault", "chamber", "dotenvx", "phase", "teller", "envkey", "akeyless", "saml2aws", "berglas", "keeper":
	case "terraform", "terragrunt":
		return len(r.Words) > 0 && r.Words[0].Text == "output" // the values of one's own stack
	default:
		return false
	}
	return len(r.Words) > 0 && (r.Words[0].Text == "run" || r.Words[0].Text == "exec" || r.Words[0].Text == "exec-env")
}
