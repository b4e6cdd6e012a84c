package secret

import written "github.com/checkrein/checkrein/internal/lab/secretsample"

const uppers, sampleDigits, hexes = written.Uppers, written.Digits, written.Hexes

var (
	fill, sampleBase62, tokens, passwords  = written.Fill, written.Base62, written.Tokens, written.Passwords
	each, utf16Text, encode64, sampleSpelt = written.Each, written.UTF16, written.Base64, written.Spelt
	samplePlaces, namedPlaces              = written.Places, written.NamedPlaces
)
