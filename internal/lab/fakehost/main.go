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

// Main runs the agent with Claude Code's command line arguments and returns its exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	b, err := readOwnBuild()
	if err != nil {
		fmt.Fprintln(stderr, "reading the build:", err)
		return 1
	}
	o, err := parseArgs(args)
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
	user, err := o.connectUser(stdin, stdout)
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
	s.person = user
	said, err := s.answer(ctx)
	if err != nil {
		fmt.Fprintln(stdout, err)
		return 1
	}
	if o.streams {
		said = string(mustJSON(map[string]any{"type": "result", "subtype": "success", "is_error": false, "result": said}))
	}
	fmt.Fprintln(stdout, said)
	return 0
}

// connectUser returns the approver for this run, or nil if it is headless. If the prompt is not an
// argument, it reads it from stdin.
func (o *options) connectUser(stdin io.Reader, stdout io.Writer) (approver, error) {
	switch f, _ := stdin.(*os.File); {
	case o.streams:
		e := &editor{Reader: bufio.NewReader(stdin), Writer: stdout}
		var err error
		if o.prompt, err = e.readPrompt(); err != nil || o.asks != "stdio" {
			return nil, err
		}
		return e, nil
	case !o.print && (f == nil || !isCharDevice(f) || o.prompt == ""):
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

// options holds the parsed command line.
type options struct {
	print, version bool
	prompt         string
	allowed        []string // tools
	settings       string   // a file or JSON
	sources        []string // settings sources; nil means all
	mcp            []string // files or JSON
	strict         bool     // use no other MCP servers than mcp
	mode           string   // permission mode
	resume         string   // session id
	streams        bool     // read and write JSON messages, as editors do
	asks           string   // with streams: where permission requests go
}

// parseArgs parses the command line. It returns an error for an unknown option.
func parseArgs(args []string) (options, error) {
	o := options{mode: "default"}
	for i := 0; i < len(args); i++ {
		// values returns up to most arguments that follow the flag and are no flags.
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
	config  string // the directory of the user's settings
	branch  string
	log     *transcript
	read    fileSet
	tasks   tasks
	person  approver // nil if headless
}

func isCharDevice(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// entrypoint returns the host's name for the way it was started: "cli" at a terminal, otherwise
// "sdk-cli".
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
	s.log, err = s.openTranscript(s.transcriptPath(), newID(), "")
	return s, err
}

// transcriptPath returns the path of the session's transcript, the same as the real host's.
func (s *session) transcriptPath() string {
	return filepath.Join(s.config, "projects", s.projectDirName(), s.id+".jsonl")
}

// projectDirName returns the name of the project's directory below projects/, which is the working
// directory's path with all special characters replaced by hyphens.
func (s *session) projectDirName() string {
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

// newAgentID returns a random id for a sub-agent.
func newAgentID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return "a" + hex.EncodeToString(b[:])
}
