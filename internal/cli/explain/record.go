package explain

import (
	"fmt"
	"time"

	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/term"
)

// FullTime is the layout of times that people read, with milliseconds and zone.
const FullTime = "2006-01-02 15:04:05.000 MST"

// PrintRecord adds all members of a record to p, under the names that the ledger uses. A damaged
// record is shown as far as it can be read.
func PrintRecord(p *report.Report, raw []byte, zone *time.Location) {
	_, broken := ledger.ParseLine(raw)
	r, err := record.Decode(raw)
	if err != nil {
		p.BeginSection("A line that is not a record")
		p.Item("error", err.Error())
		p.Code("line", records.Clip(string(raw)))
		return
	}
	p.BeginSection(fmt.Sprintf("Record %d", r.Seq))
	p.Point(1, r.Time.In(zone).Format(FullTime))
	if broken != nil {
		p.StyledPoint(1, term.Bad, "DAMAGED: this line was changed or damaged. For details, run checkrein audit verify")
	}
	if r.Kind == ledger.KindPerson {
		p.Point(1, PersonText(raw))
	}
	printMembers(p, 1, raw)
}

// maxNested is the depth to which nested objects of a record are expanded. Deeper ones are shown as
// JSON.
const maxNested = 3

// printMembers adds the members of a JSON object to p, indented by depth. It expands nested objects
// and lists of objects.
func printMembers(p *report.Report, depth int, object []byte) {
	rawjson.Each(object, func(name string, val []byte) bool {
		switch text, isText := rawjson.Text(val); {
		case isText:
			p.Point(depth, name+": "+records.Clip(text))
		case depth < maxNested && rawjson.Kind(val) == '{':
			p.Point(depth, name+":")
			printMembers(p, depth+1, val)
		case depth < maxNested && rawjson.Kind(val) == '[' && len(val) > 1 && rawjson.Kind(val[1:]) == '{':
			rawjson.Elements(val, func(_ int, one []byte) bool {
				p.Point(depth, name+":")
				printMembers(p, depth+1, one)
				return true
			})
		default:
			p.Point(depth, name+": "+records.Clip(string(val)))
		}
		return true
	})
}
