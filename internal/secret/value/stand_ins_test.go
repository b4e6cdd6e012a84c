package value

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// everyPart lists the parts of stand-ins.
var everyPart = func() (list []string) {
	for c := range 256 {
		list = append(list, strings.Fields(fillersStartingWith(byte(c))+" "+standInsStartingWith(byte(c)))...)
	}
	return list
}()

func TestStandIns(t *testing.T) {
	t.Parallel()
	if len(everyPart) != 78 {
		t.Errorf("%d parts", len(everyPart))
	}
	for _, p := range everyPart {
		if len(p) > MaxPart {
			t.Errorf("%s is too long", p)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		part := everyPart[r.IntN(len(everyPart))]
		if r.IntN(2) == 0 { // add something that is no stand-in
			b := []byte(part)
			b[r.IntN(len(b))] = byte('a' + r.IntN(26))
			part = string(b)
		}
		s := "Q7" + part + "Zk"
		want := hasLongRun(s)
		for _, p := range everyPart {
			want = want || strings.Contains(strings.ToLower(s), p)
		}
		if got := IsStandIn(s); got != want {
			t.Fatalf("%q: %v", s, got)
		}
		if got := IsStandIn(strings.ToUpper(s)); got != want && !hasLongRun(strings.ToUpper(s)) {
			t.Fatalf("%q: %v", strings.ToUpper(s), got)
		}
	}
}
