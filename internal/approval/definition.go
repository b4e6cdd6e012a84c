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
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Definition returns the digest of a hook's definition, in hex: of every field
// that changes what it does or when. Where it stands, what tells it from others
// and how its JSON is laid out are no part of it.
func Definition(h *checkrein.Hook) string {
	sum := DefinitionSum(h)
	return hex.EncodeToString(sum[:])
}

// DefinitionSum is Definition before it is written out.
func DefinitionSum(h *checkrein.Hook) [sha256.Size]byte {
	var room [768]byte // most need no more
	d := definition{room[:0]}
	d.text("checkrein definition 2")
	if h.Run == "http" {
		// What a person approves is that this event's data leaves for this
		// place, with what goes along; not when or how long is waited.
		d.text(h.On.String())
		d.text(h.Event)
		d.text(h.Dialect)
		d.value(h.With)
		return sha256.Sum256(d.b)
	}
	d.text(h.Name)
	d.text(h.On.String()) // by name: numbers shift when the table grows
	d.text(h.Event)
	d.text(h.Match)
	d.number(int64(h.MatchBy))
	d.text(h.Args)
	d.text(h.Search)
	d.text(h.Chain)
	d.value(h.If)
	d.text(h.Run)
	d.value(settings(h))
	d.number(int64(h.Timeout))
	d.number(int64(h.Priority))
	for _, flag := range [...]bool{h.Async, h.Gate, h.Rewrites, h.Preempt, h.Strict} {
		d.text(strconv.FormatBool(flag))
	}
	d.text(h.OnFault.String())
	d.text(h.Dialect)
	return sha256.Sum256(d.b)
}

// A definition is what is digested. Each field carries its length, so that no
// two definitions read the same.
type definition struct{ b []byte }

func (d *definition) text(s string) {
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

func (d *definition) number(n int64) {
	var room [20]byte
	s := strconv.AppendInt(room[:0], n, 10)
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

// value adds the text of a value without its layout; of what is no JSON, every
// byte counts.
func (d *definition) value(val json.RawMessage) {
	if len(val) == 0 || rawjson.Check(val) != nil {
		d.text(string(val))
		return
	}
	var room [512]byte
	s := rawjson.Compact(room[:0], val)
	d.b = binary.AppendUvarint(d.b, uint64(len(s)))
	d.b = append(d.b, s...)
}

// settings are the hook's, without the path of the folder that it lies in: that
// is where it stands.
func settings(h *checkrein.Hook) json.RawMessage {
	folder := folderOf(h)
	if folder == "" || filepath.Clean(folder) != filepath.Dir(h.From.File) {
		return h.With
	}
	with, err := rawjson.Patch(h.With, []byte(`{"hook_folder":true}`)) // which no file can say
	if err != nil {
		return h.With
	}
	return with
}

// EventOf names the hook's event in approvals: native:X for the host's own X.
func EventOf(h *checkrein.Hook) string {
	if h.On == checkrein.Other && h.Event != "" {
		return "native:" + h.Event
	}
	return h.On.String()
}

// couldDeny reports whether the hook guards something, so that people are told
// when it goes.
func couldDeny(h *checkrein.Hook) bool {
	guards := checkrein.ContractOf(h.On).Closed || h.Gate || h.OnFault == checkrein.FaultBlock
	return guards && !h.Async
}

// Shows returns what a hook runs, for people: the command, POST and the address,
// or the name of the builtin or rule. Characters that a terminal would act on
// or hide are spelt out.
func Shows(h *checkrein.Hook) string {
	text := func(key string) string {
		return rawjson.GetText(h.With, key)
	}
	var s string
	switch h.Run {
	case "command":
		if s = text("command"); s == "" {
			s = joinArgv(argvOf(h))
		}
		if folder := folderOf(h); folder != "" {
			s = filepath.Join(folder, "scripts", "run")
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
	return visible.Text(s)
}

// argvOf returns the program and arguments of a command hook without a shell.
func argvOf(h *checkrein.Hook) []string {
	var argv []string
	val, _ := rawjson.Get(h.With, "argv")
	rawjson.Elements(val, func(_ int, val []byte) bool {
		s, _ := rawjson.Text(val)
		argv = append(argv, s)
		return true
	})
	return argv
}

func joinArgv(argv []string) string {
	words := make([]string, len(argv))
	for i, arg := range argv {
		words[i] = arg
		if arg == "" || strings.ContainsAny(arg, " \t\n'\"\\$`;&|<>()*?[]#~") {
			words[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
