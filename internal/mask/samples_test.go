package mask

import "github.com/checkrein/checkrein/internal/secret/sample"

const uppers, digits, hexes = sample.Uppers, sample.Digits, sample.Hexes

var (
	fill, base62, tokens, passwords  = sample.Fill, sample.Base62, sample.Tokens, sample.Passwords
	each, utf16Text, encode64, spelt = sample.Each, sample.UTF16, sample.Base64, sample.Spelt
	places, namedPlaces              = sample.Places, sample.NamedPlaces
)
