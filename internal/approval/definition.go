package approval

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect/hookmd"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// DefinitionHex returns the digest of the definition of h in hex. It covers every field that changes
// what the hook does or when it runs, but not its position, its id or the layout of its JSON.
func DefinitionHex(h *checkrein.Hook) string {
	sum := DefinitionDigest(h)
	return hex.EncodeToString(sum[:])
}

// DefinitionDigest returns the same digest as [DefinitionHex], as bytes.
func DefinitionDigest(h *checkrein.Hook) [sha256.Size]byte {
	var room [768]byte // enough for most
	d := definition{room[:0]}
	d.addText("checkrein definition 2")
	if h.Run == "http" {
		// A person approves that data of this event is sent to this address with these settings. When it is
		// sent, and how long the call may take, is not part of that.
		d.addText(h.On.String())
		d.addText(h.Event)
		d.addText(h.Dialect)
		d.addJSON(h.With)
		return sha256.Sum256(d.b)
	}
	d.addText(h.Name)
	d.addText(h.On.String()) // by name, since numbers change when the table grows
	d.addText(h.Event)
	d.addText(h.Match)
	d.addNumber(int64(matchRule(h)))
	d.addText(h.Args)
	d.addText(h.Search)
	d.addText(h.Chain)
	d.addJSON(json.RawMessage(h.If))
	d.addText(h.Run)
	d.addJSON(settingsToDigest(h))
	d.addNumber(int64(h.Timeout))
	d.addNumber(int64(h.Priority))
	for _, flag := range [...]bool{h.Async, h.Gate, h.Rewrites, h.Preempt, h.Strict} {
		d.addText(strconv.FormatBool(flag))
	}
	d.addText(h.OnFault.String())
	d.addText(h.Dialect)
	return sha256.Sum256(d.b)
}

// A definition is the input of a digest. Each field is preceded by its length, so that no two
// definitions have the same encoding.
type definition struct{ b []byte }

func (d *definition) addText(s string) {
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

func (d *definition) addNumber(n int64) {
	var room [20]byte
	s := strconv.AppendInt(room[:0], n, 10)
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

// addJSON adds val in compact form, so that its layout does not count. If val is not valid JSON, every
// byte counts.
func (d *definition) addJSON(val json.RawMessage) {
	if len(val) == 0 || rawjson.Check(val) != nil {
		d.addText(string(val))
		return
	}
	var room [512]byte
	s := rawjson.Compact(room[:0], val)
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

// settingsToDigest returns the settings of h. If h runs the folder that contains its own file, the
// path of that folder is replaced by a constant, since its location is not part of the definition.
func settingsToDigest(h *checkrein.Hook) json.RawMessage {
	folder := hookFolder(h)
	if folder == "" || filepath.Clean(folder) != filepath.Dir(h.From.File) {
		return h.With
	}
	with, err := rawjson.Patch(h.With, []byte(`{"hook_folder":true}`)) // a value that no file can have
	if err != nil {
		return h.With
	}
	return with
}

// EventName returns the name of the event of h as approvals store it. For an event X that only the
// host has, it is native:X.
func EventName(h *checkrein.Hook) string {
	if h.On == checkrein.Other && h.Event != "" {
		return "native:" + h.Event
	}
	return h.On.String()
}

// canDeny reports whether h can block a call, in which case people are notified when it disappears.
func canDeny(h *checkrein.Hook) bool {
	guards := checkrein.ContractOf(h.On).Closed || h.Gate || h.OnFault == checkrein.FaultBlock
	return guards && !h.Async
}

// RunText returns what h runs, for display: the command, POST and the address, or the name of the
// builtin or rule. Of a HOOK.md folder that is its script. Characters that a terminal would interpret or hide are escaped.
func RunText(h *checkrein.Hook) string {
	text := func(key string) string {
		return rawjson.GetText(h.With, key)
	}
	var s string
	switch h.Run {
	case "command":
		if s = text("command"); s == "" {
			s = quoteArgv(hookArgv(h))
		}
		if folder := hookFolder(h); folder != "" {
			s = filepath.Join(folder, "scripts", "run")
			if argv, err := hookmd.Script(folder); err == nil {
				s = argv[len(argv)-1]
			}
		}
	case "http":
		if s = text("url"); s != "" {
			s = "POST " + s
		}
	case "builtin":
		if s = text("name"); s == "" {
			s = text("command")
		}
	}
	if s = strings.TrimSpace(s); s == "" {
		s = h.Label()
	}
	return visible.EscapeText(s)
}

// hookArgv returns the program and arguments of h, a command hook that runs without a shell.
func hookArgv(h *checkrein.Hook) []string {
	var argv []string
	val, _ := rawjson.Get(h.With, "argv")
	rawjson.Elements(val, func(_ int, val []byte) bool {
		s, _ := rawjson.Text(val)
		argv = append(argv, s)
		return true
	})
	return argv
}

// quoteArgv returns argv as a command line for a shell.
func quoteArgv(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$`;&|<>()*?[]#~") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
