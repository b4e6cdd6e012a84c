package classify_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSameEveryTime checks that a command has the same report each time, whatever was classified
// before.
func TestSameEveryTime(t *testing.T) {
	t.Parallel()
	all := readCorpus(t)
	first := make([]string, len(all))
	for i, s := range all {
		first[i] = describe(s.report())
	}
	for _, i := range rand.Perm(len(all)) {
		if again := describe(all[i].report()); again != first[i] {
			t.Errorf("%s: %q\n%s\nand then\n%s", all[i].at, all[i].Command, first[i], again)
		}
	}
	if out := os.Getenv("CHECKREIN_TEST_REPORTS"); out != "" {
		text := ""
		for _, s := range first {
			text += s
		}
		if err := os.WriteFile(out, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSameInEveryProcess checks that the reports of two processes are equal.
func TestSameInEveryProcess(t *testing.T) {
	t.Parallel()
	if os.Getenv("CHECKREIN_TEST_REPORTS") != "" {
		t.Skip("this is one of the two processes")
	}
	var texts []string
	for _, name := range []string{"a", "b"} {
		out := filepath.Join(t.TempDir(), name)
		cmd := exec.Command(os.Args[0], "-test.run", "TestSameEveryTime$")
		cmd.Env = append(os.Environ(), "CHECKREIN_TEST_REPORTS="+out)
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, msg)
		}
		text, err := os.ReadFile(out)
		if err != nil || len(text) == 0 {
			t.Fatalf("%d bytes, %v", len(text), err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Error("the reports of two processes differ")
	}
}
