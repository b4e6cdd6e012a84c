package fakehost

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// Main runs the agent with arguments of Claude Code's and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	b, err := ownBuild()
	if err != nil {
		fmt.Fprintln(stderr, "reading the build:", err)
		return 1
	}
	o, err := parse(args)
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return 1
	}
	if o.version {
		v := b.version()
		if b.lies(OtherVersion) {
			v = OtherVersions
		}
		fmt.Fprintln(stdout, v+" (Claude Code)")
		return 0
	}
	sits, err := o.person(stdin, stdout)
	if err != nil {
		fmt.Fprintln(stderr, "Error:", err)
		return 1
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := newSession(b, o)
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return 1
	}
	defer s.log.close()
	s.person = sits
	said, err := s.answer(ctx)
	if err != nil {
		fmt.Fprintln(stdout, err)
		return 1
	}
	if o.streams {
		said = string(raw(map[string]any{"type": "result", "subtype": "success", "is_error": false, "result": said}))
	}
	fmt.Fprintln(stdout, said)
	return 0
}

// person finds who is asked, nil = nobody, and the prompt where it is no argument.
func (o *options) person(stdin io.Reader, stdout io.Writer) (person, error) {
	switch f, _ := stdin.(*os.File); {
	case o.streams:
		e := &editor{Reader: bufio.NewReader(stdin), Writer: stdout}
		var err error
		if o.prompt, err = e.prompt(); err != nil || o.asks != "stdio" {
			return nil, err
		}
		return e, nil
	case !o.print && (f == nil || !isTerminal(f) || o.prompt == ""):
		return nil, errors.New("without a terminal and a prompt this agent needs -p")
	case !o.print:
		return &terminal{bufio.NewReader(stdin), stdout}, nil
	case o.prompt == "":
		text, err := io.ReadAll(stdin)
		if err != nil || len(text) == 0 {
			return nil, errors.New("input must be provided either through stdin or as a prompt argument when using --print")
		}
		o.prompt = string(text)
	}
	return nil, nil
}

// options are what the command line says.
type options struct {
	print, version bool
	prompt         string
	allowed        []string // tools
	settings       string   // a file, or JSON
	sources        []string // of settings; nil is all
	mcp            []string // files, or JSON
	strict         bool     // no other MCP servers than those
	mode           string   // of permissions
	resume         string   // a session
	streams        bool     // messages go both ways, as editors want it
	asks           string   // who is asked then
}

func parse(args []string) (options, error) {
	o := options{mode: "default"}
	for i := 0; i < len(args); i++ {
		// values are the arguments that follow a flag.
		values := func(most int) []string {
			from := i + 1
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") && i+1-from < most {
				i++
			}
			return args[from : i+1]
		}
		one := func() string { return strings.Join(values(1), "") }
		switch args[i] {
		case "-p", "--print":
			o.print = true
		case "-v", "--version":
			o.version = true
		case "--allowedTools", "--allowed-tools":
			for _, v := range values(len(args)) {
				o.allowed = append(o.allowed, strings.Split(v, ",")...)
			}
		case "--settings":
			o.settings = one()
		case "--setting-sources":
			o.sources = strings.Split(one(), ",")
		case "--mcp-config":
			o.mcp = values(len(args))
		case "--permission-mode":
			o.mode = one()
		case "-r", "--resume":
			o.resume = one()
		case "--input-format":
			o.streams = one() == "stream-json"
		case "--permission-prompt-tool":
			o.asks = one()
		case "--output-format", "--model", "--max-turns":
			one()
		case "--strict-mcp-config":
			o.strict = true
		case "--verbose":
		default:
			if strings.HasPrefix(args[i], "-") {
				return o, fmt.Errorf("unknown option '%s'", args[i])
			}
			o.prompt = args[i]
		}
	}
	return o, nil
}

// A session is one run of the host.
type session struct {
	build   Build
	options options
	id      string
	cwd     string
	config  string // the folder of the user's settings
	branch  string
	log     *transcript
	read    known
	tasks   tasks
	person  person // nil = headless
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// entrypoint is what the host calls the way that it was started.
func (s *session) entrypoint() string {
	if _, ok := s.person.(*terminal); ok {
		return "cli"
	}
	return "sdk-cli"
}

func newSession(b Build, o options) (*session, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s := &session{build: b, options: o, id: newID(), cwd: cwd, tasks: tasks{done: make(chan string)}}
	if o.resume != "" {
		s.id = o.resume
	}
	if s.config = os.Getenv("CLAUDE_CONFIG_DIR"); s.config == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		s.config = filepath.Join(home, ".claude")
	}
	if head, err := os.ReadFile(filepath.Join(cwd, ".git", "HEAD")); err == nil {
		s.branch = strings.TrimPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/")
	}
	s.log, err = s.openLog(s.transcriptPath(), newID(), "")
	return s, err
}

// transcriptPath is where the real host keeps what happened in a session.
func (s *session) transcriptPath() string {
	return filepath.Join(s.config, "projects", s.folder(), s.id+".jsonl")
}

// folder is how the real host names those that it has for a project.
func (s *session) folder() string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, s.cwd)
}

// newID returns a UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// newAgentID returns the name of a sub-agent.
func newAgentID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return "a" + hex.EncodeToString(b[:])
}
