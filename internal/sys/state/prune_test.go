package state

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestPruneKeepsTheNewest(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	for i := range 6 {
		name := fmt.Sprintf("cache/f%d", i)
		if err := d.Write(name, []byte("x")); err != nil {
			t.Fatal(err)
		}
		ageFile(t, d.Path(name), time.Duration(10-i)*time.Hour)
	}
	if err := d.Prune("cache", 2); err != nil {
		t.Fatal(err)
	}
	if got, want := dirEntryNames(t, d.Path("cache")), []string{"f4", "f5"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if err := d.Prune("cache", 2); err != nil {
		t.Error(err)
	}
	if err := d.Prune("nowhere", 2); err == nil {
		t.Error("pruning what does not exist: want an error")
	}
}
