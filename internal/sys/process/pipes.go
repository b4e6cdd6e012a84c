package process

import "os"

// pipes holds the reading and writing ends of the three pipes to a program: its input, output and
// errors. The input pipe is nil if there is no input.
type pipes struct {
	inR, inW   *os.File
	outR, outW *os.File
	errR, errW *os.File
}

// open creates the pipes, with one for the input if input is set. On an error it leaves none open.
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

// prefillInput writes as much of b as fits into the input pipe before the program runs. That is nearly
// always all of b, and saves this process a goroutine and the program a wait. It returns the rest; if
// there is none, it closes the input.
func (p *pipes) prefillInput(b []byte) []byte {
	if p.inW == nil {
		return nil
	}
	if n := writeNoWait(p.inW, b); n < len(b) {
		return b[n:]
	}
	_ = p.inW.Close()
	p.inW = nil
	return nil
}

// closeTheirs closes this process's copies of the program's ends.
func (p *pipes) closeTheirs() { closeAll(p.inR, p.outW, p.errW) }

// closeOurs closes the ends of this process.
func (p *pipes) closeOurs() { closeAll(p.inW, p.outR, p.errR) }

// closeAll closes the files that are not nil.
func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
