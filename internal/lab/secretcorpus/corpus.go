// Package secretcorpus has texts with secrets and texts without, to score what finds
// secrets. Places are in text/*.txt and were written without a look at the
// engine; the values are made from a seed, so that no file has one.
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
	Start  int // where the secret is; both are 0 in a text that has none
	End    int
}

// Positive reports whether the text has a secret.
func (c *Case) Positive() bool { return c.End > 0 }

// HeldOut reports whether the engine is not repaired for the family: what is missed
// of it is counted and not looked at. The rule is fixed, so that the halves stay what they are.
func HeldOut(family string) bool {
	h := fnv.New32a()
	h.Write([]byte(family))
	return h.Sum32()>>2&1 == 1
}

// A family is places of one kind.
type family struct {
	name   string
	times  int // how many cases each place gives
	places []string
}

// All returns the cases, the same in every run and no text twice.
func All() []Case {
	negatives := read("negative.txt")
	b := builder{seen: map[string]bool{}}
	var harmless []string
	for _, f := range negatives {
		b.neighbours = f.places // so that what is found there counts for its family
		b.add(f)
		harmless = append(harmless, f.places...)
	}
	b.neighbours = harmless
	for _, f := range read("positive.txt") {
		b.add(f)
	}
	b.tokens()
	return b.cases
}

// read returns the families of a file: a line with the name and the times, then
// places with lines of %% between them.
func read(file string) []family {
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
		f := family{places: strings.Split(strings.TrimSuffix(body, "\n"), "\n%%\n")}
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
	neighbours []string // harmless places
}

// source gives the same numbers for a family, whatever the others are.
func source(family string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(family))
	return rand.New(rand.NewPCG(h.Sum64(), 8))
}

func (b *builder) add(f family) {
	m := &maker{r: source(f.name)}
	for i, place := range f.places {
		for k := range f.times {
			b.put(m, f.name, place, i, k)
		}
	}
}

// tokens adds what vendors give out, each in a few of the places.
func (b *builder) tokens() {
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
		m := &maker{r: source(name)}
		for k := range 8 {
			n += 7 // all places come up, each vendor with others
			place := strings.Replace(places[n%len(places)], "§{tok}", "§{!of:"+pattern+"}", 1)
			b.put(m, name, strings.ReplaceAll(place, "§{tok}", "another"), n, k)
		}
	}
}

// put makes a text of a place. The first of a place is as it is written; others
// are as hooks and people meet it.
func (b *builder) put(m *maker, name, place string, i, k int) {
	text, start, end := m.expand(place)
	c := Case{Family: name, Text: text, Start: start, End: end}
	if k > 0 {
		c = b.dress(m, c, (i+k)%5)
	}
	if !b.seen[c.Text] {
		b.seen[c.Text] = true
		b.cases = append(b.cases, c)
	}
}

// dress puts the text of a case among other text.
func (b *builder) dress(m *maker, c Case, how int) Case {
	secret := c.Text[c.Start:c.End]
	var text string
	switch how {
	case 0: // in a file
		text = b.neighbour(m) + "\n" + c.Text + "\n" + b.neighbour(m) + "\n"
	case 1: // in what a host sends
		quoted, _ := json.Marshal(c.Text)
		if within, _ := json.Marshal(secret); string(within) != `"`+secret+`"` {
			return c
		}
		text = `{"session_id":"` + m.one("uuid") + `","hook_event_name":"PostToolUse","tool_name":"Bash","tool_response":{"stdout":` + string(quoted) + `,"stderr":"","interrupted":false}}`
	case 2: // in a difference
		text = "@@ -" + m.one("int:1-90") + ",3 +" + m.one("int:1-90") + ",5 @@\n+" + strings.ReplaceAll(c.Text, "\n", "\n+") + "\n"
	case 3: // in what a tool reads
		lines := strings.Split(c.Text, "\n")
		for i, at := 0, 10+m.r.IntN(80); i < len(lines); i++ {
			lines[i] = fmt.Sprintf("%6d\t%s", at+i, lines[i])
		}
		text = strings.Join(lines, "\n") + "\n"
	case 4: // in a document
		text = "For " + m.one("word") + " it looks like this:\n\n```\n" + c.Text + "\n```\n\nAsk " + m.one("Name") + " when in doubt.\n"
	}
	if !c.Positive() {
		return Case{Family: c.Family, Text: text}
	}
	at := strings.Index(text, secret)
	if at < 0 {
		return c // has lines of its own
	}
	return Case{Family: c.Family, Text: text, Start: at, End: at + len(secret)}
}

func (b *builder) neighbour(m *maker) string {
	text, _, _ := m.expand(b.neighbours[m.r.IntN(len(b.neighbours))])
	return text
}
