// Package secretcorpus contains texts with and without secrets, to score the secret engine. The
// templates are in text/*.txt and were written without knowledge of the engine. The values are
// generated from a seed, so that no file contains a secret.
package secretcorpus

import (
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

//go:embed text/*.txt
var files embed.FS

// A Case is one text.
type Case struct {
	Family string
	Text   string
	Start  int // Text[Start:End] is the secret; both are 0 if there is none
	End    int
}

// Positive reports whether the text contains a secret.
func (c *Case) Positive() bool { return c.End > 0 }

// HeldOut reports whether the engine must not be tuned to the family: its misses are counted, but not
// examined. The rule is fixed, so that a family always stays in the same half.
func HeldOut(family string) bool {
	h := fnv.New32a()
	h.Write([]byte(family))
	return h.Sum32()>>2&1 == 1
}

// A family is a set of similar templates.
type family struct {
	name      string
	times     int // how many cases are made from each template
	templates []string
}

// All returns all cases. They are the same in every run, and no text occurs twice.
func All() []Case {
	negatives := readFamilies("negative.txt")
	b := builder{seen: map[string]bool{}}
	var harmless []string
	for _, f := range negatives {
		b.neighbours = f.templates // so that what is found there counts for its family
		b.addFamily(f)
		harmless = append(harmless, f.templates...)
	}
	b.neighbours = harmless
	for _, f := range readFamilies("positive.txt") {
		b.addFamily(f)
	}
	b.addTokens()
	return b.cases
}

// readFamilies returns the families in a file: each is a line "## NAME xTIMES", followed by templates
// separated by lines of %%.
func readFamilies(file string) []family {
	data, err := files.ReadFile("text/" + file)
	if err != nil {
		panic(err) // is embedded
	}
	var list []family
	for part := range strings.SplitSeq("\n"+string(data), "\n## ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		head, body, _ := strings.Cut(part, "\n")
		f := family{templates: strings.Split(strings.TrimSuffix(body, "\n"), "\n%%\n")}
		if _, err := fmt.Sscanf(head, "%s x%d", &f.name, &f.times); err != nil {
			panic(fmt.Sprintf("%s: %q: %v", file, head, err))
		}
		list = append(list, f)
	}
	return list
}

type builder struct {
	cases      []Case
	seen       map[string]bool
	neighbours []string // harmless templates, for the surrounding text
}

// newRand returns a generator seeded with the family's name, so that other families do not affect its
// numbers.
func newRand(family string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(family))
	return rand.New(rand.NewPCG(h.Sum64(), 8))
}

// addFamily adds the cases of a family.
func (b *builder) addFamily(f family) {
	m := &maker{r: newRand(f.name)}
	for i, place := range f.templates {
		for k := range f.times {
			b.addCase(m, f.name, place, i, k)
		}
	}
}

// addTokens adds eight cases for the tokens of each vendor, in different templates.
func (b *builder) addTokens() {
	data, err := files.ReadFile("text/vendors.txt")
	if err != nil {
		panic(err) // is embedded
	}
	placeData, err := files.ReadFile("text/token_places.txt")
	if err != nil {
		panic(err) // is embedded
	}
	places := strings.Split(strings.TrimSuffix(string(placeData), "\n"), "\n%%\n")
	n := 0
	for line := range strings.Lines(string(data)) {
		vendor, pattern, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok {
			continue
		}
		name := "token/" + vendor
		m := &maker{r: newRand(name)}
		for k := range 8 {
			n += 7 // use all templates, and different ones for each vendor
			place := strings.Replace(places[n%len(places)], "§{tok}", "§{!of:"+pattern+"}", 1)
			b.addCase(m, name, strings.ReplaceAll(place, "§{tok}", "another"), n, k)
		}
	}
}

// addCase adds the case number k of the template place, which has index i. The first case is the
// template's text; the others are surrounded by other text.
func (b *builder) addCase(m *maker, name, place string, i, k int) {
	text, start, end := m.expand(place)
	c := Case{Family: name, Text: text, Start: start, End: end}
	if k > 0 {
		c = b.embedCase(m, c, (i+k)%5)
	}
	if !b.seen[c.Text] {
		b.seen[c.Text] = true
		b.cases = append(b.cases, c)
	}
}

// embedCase returns a case with the text of c inside other text; how selects the kind. It returns c if
// the secret would not stay in one piece.
func (b *builder) embedCase(m *maker, c Case, how int) Case {
	secret := c.Text[c.Start:c.End]
	var text string
	switch how {
	case 0: // in a file
		text = b.harmlessText(m) + "\n" + c.Text + "\n" + b.harmlessText(m) + "\n"
	case 1: // in a payload of a host
		quoted, _ := json.Marshal(c.Text)
		if within, _ := json.Marshal(secret); string(within) != `"`+secret+`"` {
			return c
		}
		text = `{"session_id":"` + m.makeValue("uuid") + `","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":` + string(quoted) + `,"stderr":"","interrupted":false}}`
	case 2: // in a diff
		text = "@@ -" + m.makeValue("int:1-90") + ",3 +" + m.makeValue("int:1-90") + ",5 @@\n+" + strings.ReplaceAll(c.Text, "\n", "\n+") + "\n"
	case 3: // in a file with line numbers, as a tool returns it
		lines := strings.Split(c.Text, "\n")
		for i, at := 0, 10+m.r.IntN(80); i < len(lines); i++ {
			lines[i] = fmt.Sprintf("%6d\t%s", at+i, lines[i])
		}
		text = strings.Join(lines, "\n") + "\n"
	case 4: // in a document
		text = "For " + m.makeValue("word") + " it looks like this:\n\n```\n" + c.Text + "\n```\n\nAsk " + m.makeValue("Name") + " when in doubt.\n"
	}
	if !c.Positive() {
		return Case{Family: c.Family, Text: text}
	}
	at := strings.Index(text, secret)
	if at < 0 {
		return c // a secret of several lines was split
	}
	return Case{Family: c.Family, Text: text, Start: at, End: at + len(secret)}
}

// harmlessText returns the text of a random harmless template.
func (b *builder) harmlessText(m *maker) string {
	text, _, _ := m.expand(b.neighbours[m.r.IntN(len(b.neighbours))])
	return text
}
