package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	logs "go.opentelemetry.io/proto/otlp/logs/v1"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/sys/build"
)

// A Source says where records come from.
type Source struct {
	ID   string // of the machine
	Name string // of the machine
	User string // whose ledger it is
}

// A Line converts a line of the ledger into one line of another format and appends it to dst, without
// a newline.
type Line func(dst, line []byte, from *Source) ([]byte, error)

// ownSource returns the source of the records of this machine.
func ownSource() *Source {
	name, _ := os.Hostname() // without one, readers see the ledger's records without a name
	return &Source{Name: name}
}

// lines returns a sink that writes each record with format, one per line.
func lines(format Line) func(io.Writer) Sink {
	return func(w io.Writer) Sink {
		return &lineSink{w: bufio.NewWriterSize(w, 1<<16), format: format, from: ownSource()}
	}
}

type lineSink struct {
	w      *bufio.Writer // remembers its first error
	format Line
	from   *Source
	text   []byte
}

func (s *lineSink) Write(line []byte) (err error) {
	if s.text, err = s.format(s.text[:0], line, s.from); err != nil {
		return err
	}
	_, err = s.w.Write(append(s.text, '\n'))
	return err
}

func (s *lineSink) Close() error { return s.w.Flush() }

// title returns what r, decoded from line, is about, in one line.
func title(r *record.Record, line []byte) string {
	switch r.Kind {
	case ledger.KindEvent:
		return eventSentence(r)
	case ledger.KindPerson:
		return personSentence(line)
	}
	return "ledger: " + r.Kind
}

// severity returns the severity of r on the scale of OpenTelemetry.
func severity(r *record.Record) logs.SeverityNumber {
	if r.Kind == ledger.KindEvent {
		return decisionSeverity(r)
	}
	return ledgerSeverity(r.Kind)
}

// AppendCEF is the [Line] of the Common Event Format:
//
//	CEF:0|checkrein|checkrein|VERSION|deny.pre_tool_use|deny pre_tool_use Bash: …|6|rt=… dvchost=… …
func AppendCEF(dst, line []byte, from *Source) ([]byte, error) {
	r, err := decodeRecord(line)
	if err != nil {
		return dst, err
	}
	id := r.Kind
	if r.Kind == ledger.KindEvent {
		id = r.Decision + "." + r.Event
	}
	level := map[logs.SeverityNumber]string{logs.SeverityNumber_SEVERITY_NUMBER_INFO: "1", logs.SeverityNumber_SEVERITY_NUMBER_WARN: "4", logs.SeverityNumber_SEVERITY_NUMBER_WARN2: "6"}[severity(r)]
	if level == "" {
		level = "8"
	}
	dst = append(dst, "CEF:0"...)
	for _, text := range []string{"checkrein", "checkrein", build.Version, id, title(r, line), level} {
		dst = append(append(dst, '|'), cefHeader.Replace(text)...)
	}
	dst = append(dst, '|')
	tool, call := "", ""
	if r.Tool != nil {
		tool, call = r.Tool.Name, r.Tool.CallID
	}
	for _, m := range [][2]string{
		{"rt", strconv.FormatInt(r.Time.UnixMilli(), 10)}, {"externalId", strconv.FormatUint(r.Seq, 10)}, {"act", r.Decision}, {"reason", r.Reason},
		{"dvchost", from.Name}, {"deviceExternalId", from.ID}, {"suser", from.User}, {"sproc", r.Host}, {"deviceAction", answerOf(r)},
		{"cs1Label", "tool"}, {"cs1", tool}, {"cs2Label", "rules"}, {"cs2", strings.Join(r.Deciders(), " ")}, {"cs3Label", "session"}, {"cs3", r.Session},
		{"cs4Label", "project"}, {"cs4", r.Root}, {"cs5Label", "call"}, {"cs5", call}, {"cs6Label", "policy"}, {"cs6", r.Policy},
	} {
		if m[1] != "" {
			dst = append(append(append(append(dst, m[0]...), '='), cefValue.Replace(m[1])...), ' ')
		}
	}
	return bytes.TrimSuffix(dst, []byte(" ")), nil
}

// Escapes of the header and of values.
var (
	cefHeader = strings.NewReplacer(`\`, `\\`, "|", `\|`, "\n", " ", "\r", " ")
	cefValue  = strings.NewReplacer(`\`, `\\`, "=", `\=`, "\n", `\n`, "\r", `\r`)
)

// answerOf returns the answer to the call of r, which is saved or contained in place of its decision.
func answerOf(r *record.Record) string {
	if r.Answer != "" {
		return r.Answer
	}
	return r.Decision
}

// Classes of the Open Cybersecurity Schema Framework.
const (
	ocsfVersion   = "1.5.0"
	ocsfDetection = 2004 // Detection Finding: a call that was denied or asked about, or a damaged ledger
	ocsfActivity  = 6003 // API Activity: everything else
)

// AppendOCSF is the [Line] of the Open Cybersecurity Schema Framework: a Detection Finding for what was
// denied or asked about, else an API Activity, with the profile security_control.
func AppendOCSF(dst, line []byte, from *Source) ([]byte, error) {
	r, err := decodeRecord(line)
	if err != nil {
		return dst, err
	}
	type object = map[string]any
	level := severity(r)
	class, category, activity := ocsfActivity, 6, 99
	if level != logs.SeverityNumber_SEVERITY_NUMBER_INFO {
		class, category, activity = ocsfDetection, 2, 1
	}
	device := object{"hostname": from.Name, "type_id": 0, "uid": from.ID}
	out := object{
		"class_uid": class, "category_uid": category, "activity_id": activity, "type_uid": 100*class + activity,
		"time": r.Time.UnixMilli(), "severity_id": ocsfSeverity(level), "status_id": 1, "message": title(r, line),
		"metadata": object{
			"version": ocsfVersion, "uid": r.Hash, "sequence": r.Seq, "profiles": []string{"host", "security_control"}, "original_time": r.Time.Format(time.RFC3339Nano),
			"product": object{"name": "checkrein", "vendor_name": "checkrein", "version": build.Version},
		},
		"device": device, "actor": object{"app_name": r.Host, "user": object{"name": from.User}, "session": object{"uid": r.Session}},
		"unmapped": object{"checkrein": object{"kind": r.Kind, "event": r.Event, "answer": answerOf(r), "rules": r.Deciders(), "project": r.Root, "policy": r.Policy, "shadow": r.Shadow}},
	}
	operation := r.Event
	if r.Tool != nil {
		operation = r.Tool.Name
	}
	if class == ocsfActivity {
		out["activity_name"], out["api"], out["src_endpoint"] = "Tool call", object{"operation": operation}, object{"hostname": from.Name, "uid": from.ID}
	} else {
		out["finding_info"] = object{"title": title(r, line), "uid": r.Hash, "types": r.Deciders(), "analytic": object{"name": "checkrein", "type_id": 1, "uid": r.Policy}}
	}
	if r.Kind == ledger.KindEvent {
		out["action_id"], out["disposition_id"] = 1, 1 // allowed
		if r.Decision == "deny" && !r.Shadow {
			out["action_id"], out["disposition_id"] = 2, 2 // denied, blocked
		}
	}
	text, err := json.Marshal(out)
	return append(dst, text...), err
}

// ocsfSeverity returns the severity_id for level.
func ocsfSeverity(level logs.SeverityNumber) int {
	switch level {
	case logs.SeverityNumber_SEVERITY_NUMBER_INFO:
		return 1
	case logs.SeverityNumber_SEVERITY_NUMBER_WARN:
		return 2
	case logs.SeverityNumber_SEVERITY_NUMBER_WARN2:
		return 3
	}
	return 4
}
