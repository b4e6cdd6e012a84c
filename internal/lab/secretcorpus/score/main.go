// Command score prints how many secrets of the corpus the secret engine finds, and how many false
// positives it has.
//
//	go run ./internal/lab/secretcorpus/score [-all] [-wrong FAMILY]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/checkrein/checkrein/internal/lab/secretcorpus"
)

func main() {
	every := flag.Bool("all", false, "also print families without errors")
	wrong := flag.String("wrong", "", "print the texts that were judged wrong in tuned families whose names begin with this; all means all families")
	flag.Parse()
	cases := secretcorpus.All()
	scores := secretcorpus.Scores(cases)
	if *wrong != "" {
		for _, s := range scores {
			if s.HeldOut || *wrong != "all" && !strings.HasPrefix(s.Family, *wrong) {
				continue
			}
			for _, c := range s.Wrong {
				fmt.Printf("%s: %q in %q\n", c.Family, c.Text[c.Start:c.End], c.Text)
			}
		}
		return
	}
	if err := secretcorpus.Print(os.Stdout, scores, *every); err != nil {
		fmt.Fprintln(os.Stderr, "score:", err)
		os.Exit(1)
	}
	strict := secretcorpus.ScoreStrict(cases)
	strict.Print(os.Stdout)
}
