package secret

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
)

// rulesAt returns the rules of the findings that overlap the span from start to end.
func rulesAt(found []Finding, start, end int) []string {
	var list []string
	for _, f := range found {
		if f.Start < end && f.End > start {
			list = append(list, f.Rule)
		}
	}
	return list
}

// sameShape lists rules whose tokens have the same shape as those of another rule.
var sameShape = map[string]string{
	"bittrex-secret-key":   "bittrex-access-key",
	"gitlab-pat":           "gitlab-pat-routable", // when it has the longer form
	"codecov-access-token": "generic-api-key",
}

// isKnownByShape reports whether the tokens of r are recognised by their shape alone.
func isKnownByShape(r *rules.Rule) bool { return r.By == rules.ByShape || r.By == rules.ByAWSID }

func TestEveryRuleFindsItsShape(t *testing.T) {
	r := newRandom(1)
	for i := range rules.Table {
		rl := &rules.Table[i]
		if !isKnownByShape(rl) && rl.By != rules.ByName {
			continue
		}
		for n := range 6 {
			token := sampleToken(t, r, rl)
			text := "see " + token + " there\n"
			if rl.By == rules.ByName {
				name := strings.Fields(rl.Anchors)[n%len(strings.Fields(rl.Anchors))]
				if name[len(name)-1] == '"' {
					text = "<add " + name + ` value="` + token + `"/>`
				} else if rl.Demands&rules.Exact != 0 {
					text = "//host/:" + name + "=" + token + "\n"
				} else {
					text = name + "_x = \"" + token + "\"\n"
				}
			}
			at := strings.Index(text, token)
			names := rulesAt(Find(nil, text, rules.All), at, at+len(token))
			if len(names) == 0 {
				t.Errorf("%s: nothing found in %q", rl.ID, text)
				break
			}
			if !slices.Contains(names, rl.ID) && sameShape[rl.ID] == "" && isKnownByShape(rl) && rl.ID != "sk-api-key" {
				t.Errorf("%s: %q is taken for %v", rl.ID, text, names)
				break
			}
		}
	}
}

func TestShapesAreRegularExpressions(t *testing.T) {
	r := newRandom(2)
	for i := range rules.Table {
		for _, shape := range []string{rules.Table[i].Shape, rules.Table[i].Before} {
			re, err := regexp.Compile("^(?:" + shape + ")$")
			if err != nil {
				t.Errorf("%s: %v", rules.Table[i].ID, err)
				continue
			}
			for range 10 {
				if s := sampleOfShape(r, shape); !re.MatchString(s) || shape == rules.Table[i].Shape && lex.MatchShape(shape, s, 0) != len(s) {
					t.Errorf("%s: %q is not matched by %s", rules.Table[i].ID, s, shape)
					break
				}
			}
		}
	}
}

func TestRowsHaveReaders(t *testing.T) {
	for i := range rules.Table {
		r := &rules.Table[i]
		if r.By == 0 || r.Anchors != "" && readers[r.By].find == nil {
			t.Errorf("%s has no reader", r.ID)
			continue
		}
		if want := map[rules.Kind]rank{rules.Private: ofPlace, rules.Personal: ofPerson}[r.Kind]; r.Kind != rules.Secrets && readers[r.By].rank != want {
			t.Errorf("%s would hide others: rank %d", r.ID, readers[r.By].rank)
		}
	}
}

func TestNothingIsAllocatedWhereNothingIsFound(t *testing.T) {
	const text = `token := os.Getenv("API_TOKEN") // see https://example.com/login(user, pass) and -u user` + "\n"
	if n := testing.AllocsPerRun(20, func() { Find(nil, text, rules.All) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRules(t *testing.T) {
	list := Rules()
	for i, r := range list {
		if r.ID == "" || r.About == "" || r.Kind == 0 || strings.ToLower(r.ID) != r.ID {
			t.Errorf("incomplete rule %+v", r)
		}
		if i > 0 && list[i-1].ID >= r.ID {
			t.Errorf("%s comes after %s", r.ID, list[i-1].ID)
		}
	}
	t.Logf("%d rules, %d rows", len(list), len(rules.Table))
}

// places lists typical places of tokens; § is the token.
var places = []string{
	"§", "see § there", "TOKEN=§\n", "export TOKEN=§\n", "export TOKEN='§'", `token = "§"`, "token: §\n", `{"t": "§"}`, `{\"t\": \"§\"}`, `"line\n§\nline"`, "`§`", "<t>§</t>",
	"https://x.y/z?t=§&u=1", "https://x.y/z?t=§", "[§](x)", "(§)", "a,§,b", "§, b", "2024-01-01T00:00:00Z INFO got § from x", "Authorization: Bearer §\r\n", "x|§|y", "'§';", "{§}",
	"https://§@host/x", "--token §", "--token=§ x", "\t§\t", "\x1b[32m§\x1b[0m", "%22§%22", "«§»", "t=§;", "It is §.",
}

func TestTokensInAllPlaces(t *testing.T) {
	r := newRandom(10)
	for i := range rules.Table {
		rl := &rules.Table[i]
		if !isKnownByShape(rl) || rl.Demands&rules.Inside != 0 {
			continue
		}
		for _, place := range places {
			token := sampleToken(t, r, rl)
			text := strings.ReplaceAll(place, "§", token)
			if place[0] == '%' && lex.IsDigit(token[0]) {
				continue // after %22 it is ambiguous where a number starts
			}
			if out, _ := Redact(text, rules.Secrets, nil); leakedPiece(out, token) != "" {
				t.Errorf("%s: %q became %q", rl.ID, text, out)
			}
		}
	}
}

// forms lists notations of a named value; ¶ is the name, in words with _ between them.
var forms = []string{
	`¶="§"`, "¶=§\n", "export ¶='§'", `¶: "§"`, "  ¶: §\n", `"¶": "§"`, `'¶' => '§'`, "¶ := `§`", `const ¶ string = "§"`, `¶: str = "§"`, `os.environ["¶"] = "§"`,
	`setenv("¶", "§")`, `{\"¶\":\"§\"}`, "<¶>§</¶>", `<x name="¶" value="§"/>`, "- name: ¶\n  value: §\n", "https://x?¶=§&a=b", `-D¶=§ x`, "¶ = §\n", `set ¶ "§"`, "| ¶ | § |",
}

func TestValuesOfNamesInAllForms(t *testing.T) {
	r := newRandom(11)
	missed, all := 0, 0
	for i := range rules.Table {
		rl := &rules.Table[i]
		if rl.By != rules.ByName || rl.Demands&(rules.Exact|rules.Worded) != 0 {
			continue
		}
		for _, form := range forms[:len(forms)-2] {
			anchor := strings.Fields(rl.Anchors)[0]
			for _, name := range []string{anchor + "_token", strings.ToUpper(anchor) + "_API_KEY", anchor + "ClientSecret", "my_" + anchor} {
				token := sampleToken(t, r, rl)
				text := strings.ReplaceAll(strings.ReplaceAll(form, "¶", name), "§", token)
				all++
				if out, _ := Redact(text, rules.Secrets, nil); leakedPiece(out, token) != "" {
					if missed++; missed < 30 {
						t.Logf("%s: %q became %q", rl.ID, text, out)
					}
				}
			}
		}
	}
	if missed*200 > all {
		t.Errorf("%d of %d missed", missed, all)
	}
}

// TestNumbersAsKeys checks keys that consist of digits, which have few different characters.
func TestNumbersAsKeys(t *testing.T) {
	for _, key := range []string{"94700470140868188041" + "617467747045", "83421661463712924629" + "664826634662"} {
		if list := Find(nil, `discord_token = "`+key+`"`, rules.Secrets); len(list) != 1 {
			t.Errorf("%s: got %v", key, list)
		}
	}
	for _, key := range []string{strings.Repeat("12", 16), strings.Repeat("0", 32)} {
		if list := Find(nil, `discord_token = "`+key+`"`, rules.Secrets); len(list) != 0 {
			t.Errorf("%s: got %v", key, list)
		}
	}
}
