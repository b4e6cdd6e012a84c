package process

import "os"

// pipes are the three pipes between us and a program: reading and writing end
// of its input, output and errors. The input is missing if there is none.
type pipes struct {
	inR, inW   *os.File
	outR, outW *os.File
	errR, errW *os.File
}

// open makes the pipes. On an error it leaves none behind.
func (p *pipes) open(input bool) (err error) {
	defer func() {
		if err != nil {
			p.closeTheirs()
			p.closeOurs()
		}
	}()
	if input {
		if p.inR, p.inW, err = os.Pipe(); err != nil {
			return err
		}
	}
	if p.outR, p.outW, err = os.Pipe(); err != nil {
		return err
	}
	p.errR, p.errW, err = os.Pipe()
	return err
}

// feed puts as much of b as fits into the input before the program runs, which
// nearly always is all: that spares a goroutine and the program a wait. It
// returns the rest; without one the input is complete and closed.
func (p *pipes) feed(b []byte) []byte {
	if p.inW == nil {
		return nil
	}
	if n := writeNow(p.inW, b); n < len(b) {
		return b[n:]
	}
	_ = p.inW.Close()
	p.inW = nil
	return nil
}

// closeTheirs closes our copies of the program's ends.
func (p *pipes) closeTheirs() { closeAll(p.inR, p.outW, p.errW) }

// closeOurs closes our own ends.
func (p *pipes) closeOurs() { closeAll(p.inW, p.outR, p.errR) }

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
