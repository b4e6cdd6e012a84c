package person

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// multiplexers lists programs with terminals that a person can detach from and reattach to. Their
// servers are adopted by init, so their ancestors say nothing about who uses them; the clients
// attached to them do.
var multiplexers = []string{"tmux", "screen", "SCREEN", "zellij", "dtach", "abduco"}

// isMultiplexer reports whether a is a multiplexer, judging by the file that it runs if that is known,
// since names are easily forged.
func isMultiplexer(a *process.Ancestor) bool {
	name := programName(a)
	return slices.Contains(multiplexers, name) || strings.HasPrefix(name, "screen-")
}

// checkAttached returns nil if a person's own terminal is attached to the terminal of the multiplexer
// at index at of l, and otherwise a doubt. If mustBeVisible is set, the pane must also be visible.
func (c *Situation) checkAttached(l *ancestry, at int, mustBeVisible bool) error {
	server := &l.up[at]
	if !c.isGenuine(server) {
		return c.doubtProgram(server)
	}
	clients, err := c.multiplexerClients(l, at, mustBeVisible)
	if err != nil {
		return newDoubt(c.mainHost(), "%v: use a window outside %s", err, programName(server))
	}
	var seen error
	for _, pid := range clients {
		err := c.checkOrigin(pid, false)
		if err == nil {
			return nil
		}
		seen = cmp.Or(seen, fmt.Errorf("this %s terminal (process %d) is attached to by process %d, which may not be the user's: %w", programName(server), server.PID, pid, err))
	}
	if seen != nil {
		return seen
	}
	return newDoubt(c.mainHost(), "this %s terminal (process %d) is not attached to any user's terminal: attach to it from your own terminal, or use a window outside %s", programName(server), server.PID, programName(server))
}

// multiplexerClients returns the processes that display the terminal of the multiplexer at index at of
// l.
func (c *Situation) multiplexerClients(l *ancestry, at int, onlyVisible bool) ([]int, error) {
	server := &l.up[at]
	if programName(server) == "tmux" {
		return tmuxClients(l, at, onlyVisible)
	}
	devices, err := process.OpenTerminals(server.PID)
	sees := strings.HasPrefix(strings.ToLower(programName(server)), "screen") && err == nil
	if !sees && !c.predatesAllHosts(server) {
		return nil, fmt.Errorf("checkrein cannot determine who is using this %s terminal (process %d)", programName(server), server.PID)
	}
	all, err := process.ListAll()
	var out []int
	for i := range all {
		p := &all[i]
		same := strings.EqualFold(programName(p), programName(server)) && p.PID != server.PID && p.Terminal && p.TTY != l.up[at-1].TTY
		if same && (!sees || slices.Contains(devices, p.TTY)) {
			out = append(out, p.PID)
		}
	}
	return out, err
}

// tmuxTimeout is how long tmux may take to answer.
const tmuxTimeout = 10 * time.Second

// tmuxClients returns the clients that display the pane of the tmux server at index at of l, as tmux
// lists them. If onlyVisible is set, only visible panes count.
func tmuxClients(l *ancestry, at int, onlyVisible bool) ([]int, error) {
	server := &l.up[at]
	socket := ""
	for i := at - 1; i >= 0 && socket == ""; i-- {
		for _, v := range process.EnvironOf(l.up[i].PID) {
			rest, ok := strings.CutPrefix(v, "TMUX=")
			if f := strings.Split(rest, ","); ok && len(f) >= 3 && f[len(f)-2] == strconv.Itoa(server.PID) {
				socket = strings.Join(f[:len(f)-2], ",")
			}
		}
	}
	if socket == "" {
		return nil, fmt.Errorf("checkrein cannot find tmux's socket (process %d)", server.PID)
	}
	ask := func(args ...string) ([][]string, error) { return queryTmux(server.PID, socket, args...) }
	panes, err := ask("list-panes", "-a", "-F", "#{pid} #{session_id} #{window_active} #{pane_active} #{pane_tty}")
	if err != nil {
		return nil, err
	}
	// The pane is that of the server's child, since a program in it may have opened another terminal, as sudo does.
	pane := l.up[at-1].TTY
	var sessions []string
	for _, p := range panes {
		if len(p) == 5 && pane != 0 && deviceAt(p[4]) == pane && (!onlyVisible || p[2] == "1" && p[3] == "1") {
			sessions = append(sessions, p[1])
		}
	}
	clients, err := ask("list-clients", "-F", "#{pid} #{session_id} #{client_pid}")
	var out []int
	for _, p := range clients {
		if len(p) == 3 && slices.Contains(sessions, p[1]) {
			if pid, err := strconv.Atoi(p[2]); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out, err
}

// queryTmux runs the tmux command args and returns the words of each line that begins with the pid of
// server, and so was answered by it.
func queryTmux(server int, socket string, args ...string) ([][]string, error) {
	program := process.ExecutableLink(server)
	if program == "" {
		program = "tmux"
	}
	ctx, stop := context.WithTimeout(context.Background(), tmuxTimeout)
	defer stop()
	res, err := process.Run(ctx, process.Spec{Argv: append([]string{program, "-S", socket}, args...), Env: []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}})
	if err != nil || res.Exit != 0 {
		return nil, fmt.Errorf("tmux (process %d) did not answer the question who is using this terminal", server)
	}
	var out [][]string
	for text := range strings.Lines(string(res.Stdout)) {
		if words := strings.Fields(text); len(words) > 0 && words[0] == strconv.Itoa(server) {
			out = append(out, words)
		}
	}
	return out, nil
}
