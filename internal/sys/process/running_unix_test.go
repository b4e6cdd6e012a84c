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

// endsAtOnce is the variable that makes the test program run a stubborn hook, and
// leave it in the middle with KillAll.
const endsAtOnce = "CHECKREIN_TEST_ENDS_AT_ONCE"

// leaveInTheMiddle prints the processes of a program that heeds no TERM, and ends
// while it runs.
func leaveInTheMiddle() {
	read, write, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	go func() {
		script := fmt.Sprintf("trap '' TERM; sleep 1000 & setsid sleep 1000 & echo $$ $! > /proc/%d/fd/%d; wait; wait", os.Getpid(), write.Fd())
		Run(context.Background(), sh(script))
	}()
	line, _, _ := bufio.NewReader(read).ReadLine()
	fmt.Println(string(line))
	KillAll()
	os.Exit(0)
}

// A program that must end leaves nothing of what it ran behind, not even what left
// its group.
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
	cmd.Env = append(os.Environ(), endsAtOnce+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pidsIn(t, out, 2) {
		eventually(t, fmt.Sprintf("process %d ends", pid), func() bool {
			e, err := lookup(pid)
			return err != nil || e.dead
		})
	}
}
