package guard

import "testing"

func TestAddDate(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	check(t, m.tell("", "add_date"), "Today's date: 2026-03-04")
	check(t, m.tell(t.TempDir(), "add_date"), "Today's date: 2026-03-04")
}
