package secretcorpus

import (
	"reflect"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret"
)

// maxWrong maps families to the number of cases that may be judged wrong; it is 0 for all others. When
// a number falls, it is lowered here.
var maxWrong = map[string]int{
	"chat-prose": 21, "ci-github": 5, "ci-gitlab-jenkins": 4, "code-go": 11, "code-java-kotlin-csharp": 19, "code-javascript": 9, "code-python": 13, "code-ruby-php-perl": 6,
	"code-rust-swift-c-other": 12, "compose-docker": 4, "config-ini-toml": 18, "connection-string": 2, "env-file": 7, "keys-no-prefix": 1, "kubernetes": 4, "logs": 8,
	"odd-places": 34, "shell-commands": 13, "sql": 5, "tables-csv": 18, "terraform": 9, "wrapped": 7,
	"token/discord-bot": 1, "token/facebook": 1, "token/ngrok": 4, "token/okta-like": 2,
	"config-harmless": 17, "logs-harmless": 8,
}

func TestScores(t *testing.T) {
	t.Parallel()
	scores := Scores(All())
	for i := range scores {
		s := &scores[i]
		n := s.Cases - s.Right
		if n > maxWrong[s.Family] {
			t.Errorf("%s: %d of %d are wrong, and %d may be", s.Family, n, s.Cases, maxWrong[s.Family])
			for _, c := range s.Wrong[:min(len(s.Wrong), 20)] {
				if !s.HeldOut {
					t.Logf("%q in %q", c.Text[c.Start:c.End], c.Text)
				}
			}
		}
		if n < maxWrong[s.Family] {
			t.Logf("%s: %d are wrong, write that down in place of %d", s.Family, n, maxWrong[s.Family])
		}
	}
}

// TestStrictScore checks that the strict level leaves few secrets, and most harmless texts unchanged.
func TestStrictScore(t *testing.T) {
	t.Parallel()
	s := ScoreStrict(All())
	if left := percent(s.Left, s.Secrets); left > 4.1 {
		t.Errorf("%.2f %% of the secrets are left, and 4.1 %% may be", left)
	}
	if touched := percent(s.Touched, s.Harmless); touched > 42 {
		t.Errorf("%.2f %% of the harmless texts are changed, and 42 %% may be", touched)
	}
}

// TestCorpora checks that the corpora are large enough and the same in each run, and that both halves
// contain texts with and without secrets.
func TestCorpora(t *testing.T) {
	t.Parallel()
	cases := All()
	if !reflect.DeepEqual(cases, All()) {
		t.Error("two runs differ")
	}
	count := map[[2]bool]int{}
	texts := map[string]bool{}
	for i := range cases {
		c := &cases[i]
		count[[2]bool{c.Positive(), HeldOut(c.Family)}]++
		if texts[c.Text] {
			t.Errorf("%s: twice: %q", c.Family, c.Text)
		}
		texts[c.Text] = true
		if c.Positive() && c.End-c.Start < 6 || strings.Contains(c.Text, open) {
			t.Errorf("%s: %q from %d to %d", c.Family, c.Text, c.Start, c.End)
		}
	}
	for kind, n := range count {
		if n < 1000 {
			t.Errorf("%v: only %d", kind, n)
		}
	}
	if len(count) != 4 {
		t.Errorf("halves: %v", count)
	}
}

// TestPlacesHaveNoSecrets checks that neither checkrein nor other scanners find a secret in the
// template files.
func TestPlacesHaveNoSecrets(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"positive.txt", "negative.txt", "vendors.txt", "token_places.txt"} {
		data, err := files.ReadFile("text/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range secret.Find(nil, string(data), secret.Secrets) {
			t.Errorf("%s: %s at %d", file, f.Rule, f.Start)
		}
	}
}
