package secret

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/rules"
)

// Texts returns what the tests of this package look into, each under a name of
// its own. What one rule gives does not depend on the others.
func Texts(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, test := range madeFindings() {
		list["made/"+test.name] = test.before + test.secret + test.after
	}
	for name, group := range map[string][]string{
		"harmless": harmless(), "nothing": texts(t, "nothing.txt"), "no passwords": noPasswords, "no made keys": noMadeKeys,
	} {
		for i, text := range group {
			list[fmt.Sprintf("%s/%03d", name, i)] = text
		}
	}
	ruleTexts(t, list)
	placeTexts(t, list)
	return list
}

// ruleTexts adds tokens of all rules that have a shape.
func ruleTexts(t *testing.T, list map[string]string) {
	for i := range rules.Table {
		rl := &rules.Table[i]
		if rl.Shape == "" {
			continue
		}
		h := fnv.New64a()
		fmt.Fprint(h, rl.ID, rl.Shape)
		r := random(h.Sum64())
		id := fmt.Sprintf("rule/%s/%x/", rl.ID, h.Sum64()>>48)
		for j, place := range places {
			list[fmt.Sprint(id, "place/", j)] = strings.ReplaceAll(place, "§", tokenOf(t, r, rl))
		}
		names := strings.Fields(rl.Anchors)
		if len(names) == 0 {
			continue
		}
		for j, form := range forms {
			name := names[j%len(names)] + []string{"_token", "_API_KEY", "ClientSecret"}[j%3]
			list[fmt.Sprint(id, "form/", j)] = strings.ReplaceAll(strings.ReplaceAll(form, "¶", name), "§", tokenOf(t, r, rl))
		}
	}
}

// placeTexts adds passwords and keys in the places where they are met.
func placeTexts(t *testing.T, list map[string]string) {
	groups := map[string][]string{
		"code": inCode, "files": inFiles, "commands": inCommands, "prose": inProse, "places": texts(t, "places.txt"), "made places": madeKeyPlaces,
		"made commands": madeKeyCommands, "made calls": madeKeyCalls, "chosen places": chosenPlaces, "typed": typed, "assigned": assigned,
	}
	for name, group := range groups {
		for i, place := range group {
			r := random(uint64(i))
			keys := []string{"5f" + letters(r, hexAZ, 28) + "a7", letters(r, base62, 37) + "aB3", letters(r, hexAZ, 6) + "a1-4b2c-4d5e-8f60-" + letters(r, hexAZ, 10) + "7c"}
			for j, secret := range slices.Concat(keys, chosenPasswords(r)) {
				text := strings.ReplaceAll(place, "§", secret)
				list[fmt.Sprintf("%s/%03d/%02d", name, i, j)] = text
				if j%5 == 0 {
					list[fmt.Sprintf("%s/%03d/%02d/json", name, i, j)] = quotedJSON(text)
				}
			}
		}
	}
}
