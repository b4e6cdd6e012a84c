package guard

import (
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"testing"
)

func TestAddDate(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	guardtest.CheckEqual(t, m.contextOf("", "add_date"), "Today's date: 2026-03-04")
	guardtest.CheckEqual(t, m.contextOf(t.TempDir(), "add_date"), "Today's date: 2026-03-04")
}
