package examples_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Secrets that belong to nobody, made where they are used: no file of ours has one.
var (
	exampleKey    = "gh" + "p_" + "6Ev7aHj4uXnlOePqT3zxKbKXupAly8xBwgLJ"
	examplePhrase = "scheme spot photo card baby mountain device kick cradle " + "pact join borrow" // a vector of the standard's
)

func exampleSum() []byte { sum := sha256.Sum256([]byte("example")); return sum[:] }

func examplePEM() string {
	body := base64.StdEncoding.EncodeToString(append(exampleSum(), exampleSum()...))
	return "-----BEGIN " + "PRIVATE KEY-----\n" + body[:64] + "\n" + body[64:] + "\n-----END " + "PRIVATE KEY-----"
}

func exampleSolana() string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint([]byte(ed25519.NewKeyFromSeed(exampleSum()))), "[]"), " ", ",")
}

// exampleWIF is a key of a wallet in base 58, which ends in a checksum.
func exampleWIF() string {
	raw := append(append([]byte{0x80}, exampleSum()...), 1)
	once := sha256.Sum256(raw)
	twice := sha256.Sum256(once[:])
	n := new(big.Int).SetBytes(append(raw, twice[:4]...))
	const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	var out []byte
	for digit := new(big.Int); n.Sign() > 0; {
		n.DivMod(n, big.NewInt(58), digit)
		out = append(out, alphabet[digit.Int64()])
	}
	slices.Reverse(out)
	return string(out)
}

// secrets are what people paste, with the part of each that must not get through.
func secrets() map[string][2]string {
	evm := "0x" + hex.EncodeToString(exampleSum())
	token := hex.EncodeToString(exampleSum()[:16])
	return map[string][2]string{
		"API key":      {"deploy with " + exampleKey, exampleKey},
		"bearer token": {"curl -H 'Authorization: Bearer " + token + "'", token},
		"PEM":          {"use this:\n" + examplePEM(), examplePEM()},
		"EVM key":      {"my private key is " + evm, evm},
		"seed phrase":  {"my words: " + examplePhrase, examplePhrase},
		"Solana array": {"keypair [" + exampleSolana() + "]", exampleSolana()},
		"WIF":          {"import " + exampleWIF(), exampleWIF()},
	}
}
