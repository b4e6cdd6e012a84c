package secret

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// Texts returns the texts that the tests of this package search, by name. The texts of one rule do not
// depend on other rules.
func Texts(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, test := range sampleFindings() {
		list["made/"+test.name] = test.before + test.secret + test.after
	}
	for name, group := range map[string][]string{
		"harmless": harmlessTexts(), "nothing": readTexts(t, "nothing.txt"), "no passwords": noPasswords, "no made keys": noMadeKeys,
	} {
		for i, text := range group {
			list[fmt.Sprintf("%s/%03d", name, i)] = text
		}
	}
	addRuleTexts(t, list)
	addPlaceTexts(t, list)
	return list
}

// addRuleTexts adds tokens of all rules that have a shape to list.
func addRuleTexts(t *testing.T, list map[string]string) {
	for i := range rules.Table {
		rl := &rules.Table[i]
		if rl.Shape == "" {
			continue
		}
		h := fnv.New64a()
		fmt.Fprint(h, rl.ID, rl.Shape)
		r := newRandom(h.Sum64())
		id := fmt.Sprintf("rule/%s/%x/", rl.ID, h.Sum64()>>48)
		for j, place := range places {
			list[fmt.Sprint(id, "place/", j)] = strings.ReplaceAll(place, "§", sampleToken(t, r, rl))
		}
		names := strings.Fields(rl.Anchors)
		if len(names) == 0 {
			continue
		}
		for j, form := range forms {
			name := names[j%len(names)] + []string{"_token", "_API_KEY", "ClientSecret"}[j%3]
			list[fmt.Sprint(id, "form/", j)] = strings.ReplaceAll(strings.ReplaceAll(form, "¶", name), "§", sampleToken(t, r, rl))
		}
	}
}

// addPlaceTexts adds passwords and keys in typical places to list.
func addPlaceTexts(t *testing.T, list map[string]string) {
	groups := map[string][]string{
		"code": inCode, "files": inFiles, "commands": inCommands, "prose": inProse, "places": readTexts(t, "places.txt"), "made places": madeKeyPlaces,
		"made commands": madeKeyCommands, "made calls": madeKeyCalls, "chosen places": chosenPlaces, "typed": typed, "assigned": assigned,
	}
	for name, group := range groups {
		for i, place := range group {
			r := newRandom(uint64(i))
			keys := []string{"5f" + randomLetters(r, hexAZ, 28) + "a7", randomLetters(r, base62, 37) + "aB3", randomLetters(r, hexAZ, 6) + "a1-4b2c-4d5e-8f60-" + randomLetters(r, hexAZ, 10) + "7c"}
			for j, secret := range slices.Concat(keys, chosenPasswords(r)) {
				text := strings.ReplaceAll(place, "§", secret)
				list[fmt.Sprintf("%s/%03d/%02d", name, i, j)] = text
				if j%5 == 0 {
					list[fmt.Sprintf("%s/%03d/%02d/json", name, i, j)] = wrapInJSON(text)
				}
			}
		}
	}
}
