package secret

// Passwords that a program reads from its input, or from what a command writes.

// lookPiped reads echo X | sudo -S, echo joe:X | chpasswd and kinit <<< X.
func (f *finder) lookPiped(rule, start, end int) {
	s := f.text
	if !OpensWord(s, start) && s[start] != '-' || !ClosesWord(s, end) {
		return
	}
	users := HasFold(s[start:end], "chpasswd")
	if users && end < len(s) && s[end] == ':' {
		f.readUsers(rule, end)
		return
	}
	line := s[end:min(len(s), end+64)]
	if at := Skip(line, 0, len(line), func(c byte) bool { return c != '\n' }); at < len(line) {
		line = line[:at]
	}
	if HasFold(s[start:end], "sudo") && !ContainsFold(line, "-s") {
		return
	}
	for i := 0; i+3 <= len(line); i++ {
		if line[i:i+3] == "<<<" {
			w := words{s: s, at: end + i + 3, most: min(len(s), end+i+3+MaxValue)}
			if w.next() {
				from, to := w.inner()
				f.addInput(rule, from, to, users)
			}
			return
		}
	}
	if from, to, ok := pipedTo(s, start); ok {
		f.addInput(rule, from, to, users)
	}
}

// readUsers reads the lines joe:X of a list below chpasswd: in YAML.
func (f *finder) readUsers(rule, i int) {
	s := f.text
	end := min(len(s), i+Window/2)
	for range 16 {
		i = Skip(s, i, end, func(c byte) bool { return c != '\n' })
		i = Skip(s, i, end, func(c byte) bool { return IsSpace(c) || c == '-' || IsQuote(c) })
		to := Skip(s, i, end, IsToken)
		colon := Skip(s, i, to, func(c byte) bool { return IsName(c) })
		if colon > i && colon+1 < to && s[colon] == ':' {
			f.addTyped(rule, colon+1, to)
		} else if to == i || s[to-1] != ':' && s[to-1] != '|' {
			return
		}
	}
}

// addInput notes an input, or what is behind the user in it.
func (f *finder) addInput(rule, from, to int, users bool) {
	if users {
		from = Skip(f.text, from, to, func(c byte) bool { return c != ':' }) + 1
	}
	for i := from; i+1 < to; i++ {
		if f.text[i] == '\\' && f.text[i+1] == 'n' {
			to = i
		}
	}
	if to > from && Skip(f.text, from, to, func(c byte) bool { return !IsSpace(c) }) == to {
		f.addTyped(rule, from, to)
	}
}

// pipedTo returns what an echo or printf writes to the command that has i.
func pipedTo(s string, i int) (from, to int, ok bool) {
	least := max(0, i-maxCommand)
	for i > least && s[i-1] != '|' {
		if c := s[i-1]; !IsName(c) && !IsBlank(c) && c != '/' {
			return 0, 0, false
		}
		i--
	}
	if i == least {
		return 0, 0, false
	}
	pipe := i - 1
	for i = pipe; i > least && s[i-1] != '\n' && s[i-1] != '|'; i-- {
		at := i - 1
		if s[at] != 'e' && s[at] != 'p' || !OpensWord(s, at) {
			continue
		}
		if n := len("echo"); HasFold(s[at:pipe], "echo ") {
			return lastPiped(s, at+n, pipe)
		}
		if n := len("printf"); HasFold(s[at:pipe], "printf ") {
			return lastPiped(s, at+n, pipe)
		}
	}
	return 0, 0, false
}

// lastPiped returns the last word from i to end.
func lastPiped(s string, i, end int) (from, to int, ok bool) {
	w := words{s: s, at: i, most: end}
	for w.next() {
		from, to = w.inner()
		ok = true
	}
	return from, to, ok
}

// lookEchoed reads the words of --password-command "echo X".
func (f *finder) lookEchoed(rule, start, end int) {
	s := f.text
	at := Skip(s, end, min(len(s), end+4), func(c byte) bool { return IsBlank(c) || IsQuote(c) || c == '=' || c == '\\' })
	if !HasFold(s[at:], "echo ") {
		return
	}
	w := words{s: s, at: at + len("echo "), most: min(len(s), at+maxCommand)}
	for w.next() {
		if from, to := w.inner(); to > from && s[from] != '-' {
			f.addTyped(rule, from, to)
			return
		}
	}
}

// lookDecoded reads echo X | base64 -d.
func (f *finder) lookDecoded(rule, start, end int) {
	s := f.text
	flag := Skip(s, end, min(len(s), end+2), IsBlank)
	if flag == end || !HasFold(s[flag:], "-d") && !HasFold(s[flag:], "--d") || start == 0 {
		return
	}
	from, to, ok := pipedTo(s, start)
	if !ok || to-from < 8 || Skip(s, from, to, IsBase64) < to {
		return
	}
	if plain := string(decode64(make([]byte, 0, to-from), s[from:to])); len(plain) > 5 && isText([]byte(plain)) {
		n := len(plain)
		for n > 0 && IsSpace(plain[n-1]) {
			n--
		}
		if n > 5 && isChosen(plain[:n]) {
			f.add(rule, from, to)
		}
	}
}

// lookWritten reads <(echo X), the file that a flag for a secret names.
func (f *finder) lookWritten(rule, start, end int) {
	s := f.text
	line := s[Back(s, start, max(0, start-48), func(c byte) bool { return c != '\n' }):start]
	if !ContainsAny(line, "pass secret token key pwd cred auth") {
		return
	}
	w := words{s: s, at: end, most: min(len(s), end+MaxValue)}
	for w.next() {
		if from, to := w.inner(); to > from && s[from] != '-' && s[from] != '%' {
			f.addTyped(rule, from, to)
			return
		}
	}
}
