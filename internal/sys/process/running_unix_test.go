//go:build unix

package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// killAllHelper is the variable that makes the test program run a program that ignores TERM, and end
// it with KillAll.
const killAllHelper = "CHECKREIN_TEST_ENDS_AT_ONCE"

// runAndKillAll starts a program that ignores TERM, prints the numbers of its processes, and exits
// after KillAll.
func runAndKillAll() {
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() {
		script := fmt.Sprintf("trap '' TERM; sleep 1000 & setsid sleep 1000 & echo $$ $! > /proc/%d/fd/%d; wait; wait", os.Getpid(), write.Fd())
		Run(context.Background(), shellSpec(script))
	}()
	line, _, _ := bufio.NewReader(read).ReadLine()
	fmt.Println(string(line))
	KillAll()
	os.Exit(0)
}

// TestKillAll checks that a program that must exit leaves none of its processes behind, not even those
// that left their group.
func TestKillAll(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the script writes to /proc")
	}
	t.Parallel()
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(me)
	cmd.Env = append(os.Environ(), killAllHelper+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range parsePIDs(t, out, 2) {
		eventually(t, fmt.Sprintf("process %d ends", pid), func() bool {
			e, err := lookupProcess(pid)
			return err != nil || e.dead
		})
	}
}
