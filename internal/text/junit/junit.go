// Package junit writes test results as JUnit XML, which CI systems read.
package junit

import (
	"encoding/xml"
	"fmt"
	"os"
	"time"
)

// A Suite is a group of test cases.
type Suite struct {
	Name  string
	Cases []Case
}

// A Case is the result of a test. At most one of Failure, Error and Skipped is set; without them, it passed.
type Case struct {
	Class, Name             string
	Took                    time.Duration
	Failure, Error, Skipped *Note
	Output                  string
}

// A Note says why a test did not pass.
type Note struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Counts of results, as attributes.
type counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		counts
		Suites []suite `xml:"testsuite"`
	}
	suite struct {
		Name string `xml:"name,attr"`
		counts
		Time  string     `xml:"time,attr"`
		Cases []testCase `xml:"testcase"`
	}
	testCase struct {
		Class   string `xml:"classname,attr"`
		Name    string `xml:"name,attr"`
		Time    string `xml:"time,attr"`
		Failure *Note  `xml:"failure"`
		Error   *Note  `xml:"error"`
		Skipped *Note  `xml:"skipped"`
		Output  string `xml:"system-out,omitempty"`
	}
)

// WriteFile writes the results of a run, which is called name, to the file at path.
func WriteFile(path, name string, list ...Suite) error {
	out := suites{Name: name}
	for _, s := range list {
		one, took := suite{Name: s.Name}, time.Duration(0)
		for _, c := range s.Cases {
			one.Cases = append(one.Cases, testCase{c.Class, c.Name, seconds(c.Took), c.Failure, c.Error, c.Skipped, c.Output})
			one.counts.add(counts{1, count(c.Failure), count(c.Error), count(c.Skipped)})
			took += c.Took
		}
		one.Time = seconds(took)
		out.counts.add(one.counts)
		out.Suites = append(out.Suites, one)
	}
	data, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte(xml.Header), append(data, '\n')...), 0o644)
}

func (c *counts) add(o counts) {
	c.Tests, c.Failures, c.Errors, c.Skipped = c.Tests+o.Tests, c.Failures+o.Failures, c.Errors+o.Errors, c.Skipped+o.Skipped
}

func count(n *Note) int {
	if n == nil {
		return 0
	}
	return 1
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
