package packs

// handsOn reports whether a program that keeps secrets starts another one with
// them, so that they are not printed: op run -- make test.
func (r *reading) handsOn() bool {
	switch r.name {
	case "op", "doppler", "infisical", "aws-vault", "chamber", "dotenvx", "phase", "teller", "envkey", "akeyless", "saml2aws", "berglas", "keeper":
	case "terraform", "terragrunt":
		return len(r.words) > 0 && r.words[0].Text == "output" // the values of one's own stack
	default:
		return false
	}
	return len(r.words) > 0 && (r.words[0].Text == "run" || r.words[0].Text == "exec" || r.words[0].Text == "exec-env")
}
