package secret

import (
	"slices"
	"strings"
	"testing"
)

// thresholdOf are the thresholds that other rows ask for.
var thresholdOf = map[trait]struct {
	rows threshold
	at   place
}{
	asTyped: {typedRows, 0}, asChosen: {chosenRows, 0}, asArgument: {argumentRows, 0}, asMade: {madeRows, 0}, asKey: {chanceRows, 0}, asSaid: {saidRows, 0}, asSaidLast: {saidRows, last},
}

// explain returns why the values without a shape in a text were taken for secrets,
// or not: a line for each row that decided.
func explain(text string) (why []string) {
	f := newFinder(text, Secrets)
	f.told = func(val string, r *row) { why = append(why, val+": "+reason(val, r)) }
	f.all()
	return why
}

// reason returns why the row decides, and what decided about the threshold that it
// asks for.
func reason(val string, r *row) string {
	if r == nil {
		return "its place has to tell"
	}
	said := r.why
	if r.yes {
		said = "a secret: " + said
	}
	for t, of := range thresholdOf {
		if (r.is|r.isnt)&t == 0 {
			continue
		}
		l := lookAt(val)
		if inner := of.rows.fit(of.at, &l); inner == nil || !inner.yes {
			said += " (" + strings.TrimPrefix(reason(val, inner), "a secret: ") + ")"
		}
	}
	return said
}

// Whoever wonders about a value can ask: go test -run TestExplain -v.
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
		{"{user: joe, password: canyon54}", "canyon54: a secret: two digits, after a user name"},
		{"new password changed2 for all", "changed2: not like a password that users choose, or the sentence continues (letters and few digits)"},
	} {
		got := explain(tt.text)
		if tt.want == "" && len(got) > 0 || tt.want != "" && !slices.Contains(got, tt.want) {
			t.Errorf("%s\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

// Every row says why, and can decide: none fits only what the rows before it took.
// The last one decides about what is left.
func TestRows(t *testing.T) {
	t.Parallel()
	for n, rows := range []threshold{firstRows, typedRows, chosenRows, argumentRows, saidRows, madeRows, chanceRows, settingRows, passwordRows, secretRows, keyRows, flowRows, spacedRows, partedRows, pairRows} {
		if end := rows[len(rows)-1]; n > 0 && end != (row{yes: end.yes, why: end.why}) {
			t.Errorf("%q does not fit every value, and no row follows", end.why)
		}
		for i, r := range rows {
			if r.why == "" {
				t.Errorf("row %d does not say why: %+v", i, r)
			}
			for _, other := range rows[:i] {
				if other.at&^r.at == 0 && other.off&^r.off == 0 && other.has&^r.has == 0 && other.lacks&^r.lacks == 0 && other.is&^r.is == 0 && other.isnt&^r.isnt == 0 {
					t.Errorf("%q is never asked: %q comes first", r.why, other.why)
				}
			}
		}
	}
}
