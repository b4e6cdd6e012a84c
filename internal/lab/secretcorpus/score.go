package secretcorpus

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/checkrein/checkrein/internal/secret"
)

// A Score is the number of cases of a family that were judged correctly.
type Score struct {
	Family   string
	HeldOut  bool
	Positive bool
	Cases    int
	Right    int    // secrets that were found, or texts in which nothing was found
	Wrong    []Case // all other cases
}

// Share returns the share of cases that were judged correctly. For texts with secrets this is the
// recall.
func (s *Score) Share() float64 { return float64(s.Right) / float64(max(s.Cases, 1)) }

// IsFound reports whether the finder finds the secret of a case or, for a case without one, anything
// at all. A secret counts as found if findings cover four fifths of its bytes.
func IsFound(c *Case) bool {
	list := secret.Find(nil, c.Text, secret.Secrets)
	if !c.Positive() {
		return len(list) > 0
	}
	covered := 0
	for _, f := range list {
		covered += max(0, min(f.End, c.End)-max(f.Start, c.Start))
	}
	return covered*5 >= (c.End-c.Start)*4
}

// Scores returns a score for each family, those with secrets first.
func Scores(cases []Case) []Score {
	byFamily := map[string]*Score{}
	var list []*Score
	for i := range cases {
		c := &cases[i]
		s := byFamily[c.Family]
		if s == nil {
			s = &Score{Family: c.Family, HeldOut: HeldOut(c.Family), Positive: c.Positive()}
			byFamily[c.Family] = s
			list = append(list, s)
		}
		s.Cases++
		if IsFound(c) == c.Positive() {
			s.Right++
		} else {
			s.Wrong = append(s.Wrong, *c)
		}
	}
	out := make([]Score, len(list))
	for i, s := range list {
		out[i] = *s
	}
	slices.SortStableFunc(out, func(a, b Score) int {
		if a.Positive != b.Positive {
			return cmp.Compare(toInt(b.Positive), toInt(a.Positive))
		}
		return cmp.Compare(a.Family, b.Family)
	})
	return out
}

// toInt returns 1 for true and 0 for false.
func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Total returns the sum of the scores for which want returns true.
func Total(scores []Score, want func(*Score) bool) Score {
	total := Score{}
	for i := range scores {
		if s := &scores[i]; want(s) {
			total.Cases += s.Cases
			total.Right += s.Right
			total.Wrong = append(total.Wrong, s.Wrong...)
		}
	}
	return total
}

// A StrictScore counts the results of masking at the strict level.
type StrictScore struct {
	Secrets, Left     int // texts with a secret, and those of them that still contain it
	Harmless, Touched int // texts without a secret, and those of them that were changed
}

// ScoreStrict masks all cases at the strict level and counts the results.
func ScoreStrict(cases []Case) (s StrictScore) {
	for i := range cases {
		c := &cases[i]
		masked := secret.Redactor{}.MaskText(c.Text)
		if !c.Positive() {
			s.Harmless++
			s.Touched += toInt(masked != c.Text)
			continue
		}
		s.Secrets++
		s.Left += toInt(strings.Contains(masked, c.Text[c.Start:c.End]))
	}
	return s
}

// Print writes the score.
func (s *StrictScore) Print(w io.Writer) {
	fmt.Fprintf(w, "strict, secrets left    %d of %d  %.2f %%\n", s.Left, s.Secrets, percent(s.Left, s.Secrets))
	fmt.Fprintf(w, "strict, texts touched   %d of %d  %.2f %%\n", s.Touched, s.Harmless, percent(s.Touched, s.Harmless))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

// Print writes a table of the families with errors, or of all families if every is true, and the
// totals.
func Print(w io.Writer, scores []Score, every bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "family\thalf\ttexts\tright\t")
	for i := range scores {
		s := &scores[i]
		if every || s.Right < s.Cases {
			fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%.1f %%\n", s.Family, half(s.HeldOut), s.Cases, s.Right, 100*s.Share())
		}
	}
	for _, held := range []bool{false, true} {
		for _, positive := range []bool{true, false} {
			s := Total(scores, func(s *Score) bool { return s.HeldOut == held && s.Positive == positive })
			what := "false positives"
			n := s.Cases - s.Right
			if positive {
				what, n = "recall", s.Right
			}
			fmt.Fprintf(t, "%s, %s\t\t%d\t%d\t%.2f %%\n", half(held), what, s.Cases, n, percent(n, s.Cases))
		}
	}
	return t.Flush()
}

func half(heldOut bool) string {
	if heldOut {
		return "held out"
	}
	return "tuned"
}
