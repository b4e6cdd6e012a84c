package resolve

import (
	"slices"
	"strings"
	"testing"
)

func TestCompiledTables(t *testing.T) {
	if !slices.IsSorted(acting[:]) {
		t.Error("acting is not sorted")
	}
	if !slices.IsSortedFunc(builders[:], func(a, b builder) int { return strings.Compare(a.name, b.name) }) {
		t.Error("builders is not sorted")
	}
}

func TestIsActing(t *testing.T) {
	for text, want := range map[string]bool{
		`#include <stdio.h>\nint main(){printf("the system file");}`: true, // words in texts count: better once too often
		"int main(){return 0;}":                        false,
		"#define S sys##tem":                           true,
		"fn main(){ let v = vec![1]; v.remove(0); }":   false,
		"#include <stdio.h>\nint main(){remove(x);}":   true,
		"int main(){execlp(a,b);}":                     true,
		"class A { int filesystems; void opened(){} }": false,
	} {
		if got := isActing(text); got != want {
			t.Errorf("isActing(%q) = %v", text, got)
		}
	}
}
