package secretguard

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/secret"
)

// TestCleanCacheGivesSameResult checks that the cache does not change the result of cleaning a
// conversation.
func TestCleanCacheGivesSameResult(t *testing.T) {
	t.Parallel()
	c := &secret.Cleaner{Want: secret.Secrets}
	token := "gh" + "p_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	texts := []string{"hello", "use " + token, "password: " + "Kx9m" + "Q2vLp7wR4tZ8", "", `{"a":"` + token + `"}`, strings.Repeat("long ", 200)}
	known := new(cleanCache)
	rapid.Check(t, func(t *rapid.T) {
		var list []map[string]string
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(texts)-1), 0, 40).Draw(t, "texts") {
			list = append(list, map[string]string{"role": "user", "content": texts[i]})
		}
		raw, _ := json.Marshal(list)
		want, n := CleanJSON(c, raw, true)
		for range 2 { // the second time from the cache
			got, m := known.cleanMessages(c, raw)
			if string(got) != string(want) || m != n {
				t.Fatalf("%s (%d), want %s (%d)", got, m, want, n)
			}
		}
	})
}

// TestCleanCacheIsBounded checks that the cache does not grow without limit.
func TestCleanCacheIsBounded(t *testing.T) {
	t.Parallel()
	var k cleanCache
	for i := range maxCleared * 3 {
		sum, _ := k.lookup([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
		k.addClean(sum)
	}
	if len(k.seen) > maxCleared+1 {
		t.Errorf("%d messages are remembered", len(k.seen))
	}
}
