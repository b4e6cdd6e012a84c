package desk

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/spf13/cobra"
)

// What the library for command lines says of mistakes.
var (
	flagsClash   = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set none of the others can be; \[(.*)\] were all set$`)
	flagsLack    = regexp.MustCompile(`^at least one of the flags in the group \[(.*)\] is required$`)
	flagsPart    = regexp.MustCompile(`^if any flags in the group \[(.*)\] are set they must all be set; missing \[(.*)\]$`)
	argsCount    = regexp.MustCompile(`^(?:accepts|requires) (at most |at least |between )?([0-9]+)(?: and ([0-9]+))? arg\(s\), (?:only )?received ([0-9]+)$`)
	wordUnknown  = regexp.MustCompile(`^unknown command "(.*)" for "(.*)"`)
	valueInvalid = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-., )?(.*)" flag: (.*)$`)
)

// wording is an error for the person, in place of the words of the library or the system.
// ran is the command that was given.
func wording(ran *cobra.Command, err error) string {
	text := console.Plain(err)
	var known *base.Exit
	if errors.As(err, &known) {
		return text
	}
	if m := flagsClash.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("use only one of %s (you gave %s)", flagList(m[1], "and"), flagList(m[2], "and"))
	}
	if m := flagsLack.FindStringSubmatch(text); m != nil {
		return "give one of " + flagList(m[1], "or")
	}
	if m := flagsPart.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("%s go together: add %s", flagList(m[1], "and"), flagList(m[2], "and"))
	}
	if m := argsCount.FindStringSubmatch(text); m != nil {
		return argsText(ran, m)
	}
	if m := wordUnknown.FindStringSubmatch(text); m != nil {
		names := base.CommandNames(ran)
		if len(names) == 0 {
			return fmt.Sprintf("no argument is allowed, but %q was given: %s", m[1], m[2])
		}
		return fmt.Sprintf("unknown command %q of %s%s", m[1], m[2], suggest.Hint(m[1], names))
	}
	if m := valueInvalid.FindStringSubmatch(text); m != nil {
		why := m[3]
		if strings.HasPrefix(why, "strconv.") {
			why = "write a number"
		} else if strings.HasPrefix(why, "time: ") {
			why = "write a duration, such as 30s or 10m"
		}
		return fmt.Sprintf("%s: %q is not valid: %s", m[2], m[1], why)
	}
	return text
}

// flagList names flags as people type them.
func flagList(names, last string) string {
	list := strings.Fields(names)
	for i := range list {
		list[i] = "--" + list[i]
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " " + last + " " + list[len(list)-1]
}

// argsText says how many arguments a command takes, by what argsCount found.
func argsText(ran *cobra.Command, m []string) string {
	limit, n, most, got := m[1], m[2], m[3], m[4]
	verb := "needed"
	switch limit {
	case "between ":
		limit, n = "", n+" to "+most
	case "at most ":
		verb = "allowed"
	}
	noun := "arguments are"
	if n == "1" {
		noun = "argument is"
	}
	given := "were"
	if got == "1" {
		given = "was"
	}
	return fmt.Sprintf("%s%s %s %s, but %s %s given: %s", limit, n, noun, verb, got, given, strings.TrimSuffix(ran.UseLine(), " [flags]"))
}
