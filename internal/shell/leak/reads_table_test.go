package leak

import "testing"

func TestReadRowsSorted(t *testing.T) {
	for i := 1; i < len(readRows); i++ {
		if readRows[i-1].name >= readRows[i].name {
			t.Errorf("%s stands before %s", readRows[i-1].name, readRows[i].name)
		}
	}
}
