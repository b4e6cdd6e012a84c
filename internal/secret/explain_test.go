package secret

import (
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
	"github.com/checkrein/checkrein/internal/secret/value"
)

// explain returns why the values without a recognisable form in text were taken for secrets, or not: a
// line for each row that decided.
func explain(text string) (why []string) {
	f := search.New(text, rules.Secrets)
	f.OnDecision = func(val string, r *value.Row) { why = append(why, val+": "+r.Reason(val)) }
	findAll(&f)
	return why
}

// TestExplain checks the reasons for some values. To see why a value is found, run go test -run
// TestExplain -v.
func TestExplain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{`password = "Winter2019!"`, "Winter2019!: a secret: a symbol not used in names, and a digit"},
		{`password = "${DB_PASSWORD}"`, "${DB_PASSWORD}: a placeholder"},
		{`password = "$(pass show db)"`, "$(pass show db): a reference to the secret, or code"},
		{"password = canyon5423\n", "canyon5423: a secret: a word and four or more digits"},
		{"password: 40281773", "40281773: a secret: a numeric password setting"},
		{"password: sha256", "sha256: a technical term, a version or a date"},
		{"password: input-field2-box", "input-field2-box: a name like input-password2"},
		{`token = "Zk3mQ8vLx1Bn7TcZ"`, "Zk3mQ8vLx1Bn7TcZ: a secret: random"},
		{`sort_by_key = "d41d8cd98f"`, ""},
		{`routing key = "east-west-12"`, "east-west-12: too short"},
		{"the password is Canyon54\n", "Canyon54: a secret: stated in a sentence"},
		{"the password is wrong\n", "wrong: a reference to the secret, or code"},
		{"new password changed2 for all", "changed2: not like a password that users choose, or the sentence continues (letters and few digits)"},
	} {
		got := explain(tt.text)
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%s\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}
