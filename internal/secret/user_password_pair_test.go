package secret

import (
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

func TestAWSPair(t *testing.T) {
	t.Parallel()
	r := newRandom(11)
	id := "AK" + "IA" + randomLetters(r, upperAZ+"234567", 16)
	key := "a1B" + randomLetters(r, base64AZ, 37)
	for _, text := range []string{
		`new BasicAWSCredentials("` + id + `", "` + key + `")`,
		"User name,Access key ID,Secret access key\ndeploy," + id + "," + key + "\n",
		id + "\n" + key, id + ": " + key,
	} {
		if out, n := Redact(text, rules.Secrets, nil); n != 2 || len(out) > len(text)-30 {
			t.Errorf("%d found in %q", n, out)
		}
	}
	for _, text := range []string{id + " " + randomLetters(r, hexAZ, 40), id + " " + key + "x", id + key[:4], id + " is the id of the key that we use here"} {
		if _, n := Redact(text, rules.Secrets, nil); n > 1 {
			t.Errorf("%d found in %q", n, text)
		}
	}
}
