package process

import (
	"testing"
	"time"
)

func TestStartupAge(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for time.Since(began) < 100*time.Millisecond || StartupAge() == 0 { // work
	}
	if got, least := StartupAge(), time.Since(began); got < least-StartSlack {
		t.Errorf("started %v ago, and has worked for %v", got, least)
	}
}
