// Command list prints the texts of the programs that users can see, one per line, with their positions
// in the source. It must be run in the root directory of the module.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/lab/plainenglish"
)

func main() {
	sample := flag.Int("sample", 0, "print `N` texts, drawn at random")
	seed := flag.Uint64("seed", 1, "the `number` that the draw begins with: the same number draws the same texts")
	under := flag.String("under", "", "only files whose path begins with `PREFIX`")
	stops := flag.Bool("stops", false, "only texts that the test refuses, with the words that it refuses")
	code := flag.Bool("code", false, "instead, print names and comments of the code that the test refuses")
	flag.Parse()
	if *code {
		listCode(*under)
		return
	}
	texts, err := plainenglish.Texts(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	texts = slices.DeleteFunc(texts, func(t plainenglish.Text) bool {
		return !strings.HasPrefix(t.File, *under) || *stops && len(plainenglish.Stops(t.Text)) == 0
	})
	if *sample > 0 && *sample < len(texts) {
		r := rand.New(rand.NewPCG(*seed, 0))
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		texts = texts[:*sample]
	}
	for _, t := range texts {
		fmt.Printf("%s:%d: %s: %q", t.File, t.Line, t.Kind, t.Text)
		if *stops {
			fmt.Printf("  [%s]", strings.Join(plainenglish.Stops(t.Text), ", "))
		}
		fmt.Println()
	}
}

// listCode prints what a reader of the source would have to translate.
func listCode(folder string) {
	terms, err := plainenglish.Glossary(".")
	if err == nil {
		var problems []plainenglish.Problem
		if problems, err = plainenglish.CheckCode(".", folder, terms); err == nil {
			for _, p := range problems {
				fmt.Printf("%s:%d %s: %s → %s\n", p.File, p.Line, p.Kind, p.Text, p.Advice)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
