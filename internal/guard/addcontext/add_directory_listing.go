package addcontext

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
)

// maxEntries is the maximum number of entries in a listing.
const maxEntries = 100

// NewAddDirectoryListing returns the builtin that gives the model the entries of its directory.
func NewAddDirectoryListing(args []string) (builtin.Func, error) {
	return addDirectoryListing, builtin.NoArgs(args)
}

// addDirectoryListing returns a verdict that lists the entries of the directory, without hidden ones.
func addDirectoryListing(_ context.Context, call builtin.Call) (checkrein.Verdict, error) {
	if call.Dir == "" {
		return checkrein.Verdict{}, nil
	}
	entries, err := os.ReadDir(call.Dir)
	if err != nil {
		return checkrein.Verdict{}, nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return checkrein.Verdict{}, nil
	}
	slices.Sort(names) // sort again, because "a/" comes after "a.txt" with its slash
	var out strings.Builder
	fmt.Fprintf(&out, "Top-level entries in %s:", builtin.QuoteUnprintable(call.Dir))
	for _, name := range names[:min(len(names), maxEntries)] {
		out.WriteString("\n- " + builtin.QuoteUnprintable(name))
	}
	if more := len(names) - maxEntries; more > 0 {
		fmt.Fprintf(&out, "\n... and %d more", more)
	}
	return builtin.AddContext(out.String()), nil
}
