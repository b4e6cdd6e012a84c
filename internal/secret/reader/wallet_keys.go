package reader

import (
	"crypto/sha256"
	"crypto/sha512"

	"filippo.io/edwards25519"
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds keys of cryptocurrency wallets. They can be verified, because they contain a
// checksum or the public key.

const alphabet58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// FindWalletKeys finds Bitcoin and Solana keys among the words of s[i:end] that have the right length.
func FindWalletKeys(f *search.Finder, i, end int) {
	s := f.Text
	for i < end {
		to := lex.Skip(s, i, end, lex.IsAlnum)
		switch n := to - i; {
		case (n == 51 || n == 52) && (s[i] == '5' || s[i] == 'K' || s[i] == 'L' || s[i] == '9' || s[i] == 'c'):
			if isWIF(s[i:to]) {
				f.Add(rules.IndexOf("bitcoin-wif-key"), i, to)
			}
		case n >= 84 && n <= 88:
			var key [80]byte
			if b := decode58(key[:], s[i:to]); len(b) == 2*seedSize && isEd25519Pair(b) {
				f.Add(rules.IndexOf("solana-private-key"), i, to)
			}
		}
		i = to + 1
	}
}

// isWIF reports whether s is a private key in the wallet import format of Bitcoin and similar
// currencies: a version, 32 bytes, optionally a 1 for a compressed public key, and a checksum.
func isWIF(s string) bool {
	var buf [48]byte
	b := decode58(buf[:], s)
	if len(b) != 37 && (len(b) != 38 || b[33] != 1) {
		return false
	}
	return b[0] >= 0x80 && hasChecksum(b)
}

// FindExtendedKey finds an extended private key (BIP 32) that starts with the anchor.
func FindExtendedKey(f *search.Finder, rule, start, end int) {
	s := f.Text
	to := lex.Skip(s, end, min(len(s), end+120), lex.IsAlnum)
	if to-start < 107 || to-start > 113 || !lex.OpensWord(s, start) {
		return
	}
	var buf [96]byte
	if b := decode58(buf[:], s[start:to]); len(b) == 82 && hasChecksum(b) {
		f.Add(rule, start, to)
	}
}

// hasChecksum reports whether the last four bytes of b are the double SHA-256 checksum of the bytes
// before them.
func hasChecksum(b []byte) bool {
	body := b[:len(b)-4]
	sum := sha256.Sum256(body)
	sum = sha256.Sum256(sum[:])
	return string(sum[:4]) == string(b[len(body):])
}

// decode58 returns the bytes that s encodes in base58, in buf. It returns nil if s is not base58 or
// too long for buf.
func decode58(buf []byte, s string) []byte {
	n := 0 // bytes in use, at the end of buf
	for i := range len(s) {
		carry := digit58(s[i])
		if carry < 0 {
			return nil
		}
		for k := range n {
			at := len(buf) - 1 - k
			carry += int(buf[at]) * 58
			buf[at] = byte(carry)
			carry >>= 8
		}
		for ; carry > 0; carry >>= 8 {
			if n == len(buf) {
				return nil
			}
			n++
			buf[len(buf)-n] = byte(carry)
		}
	}
	for i := 0; i < len(s) && s[i] == '1' && n < len(buf); i++ {
		n++
		buf[len(buf)-n] = 0
	}
	return buf[len(buf)-n:]
}

// digit58 returns the value of the base58 digit c, or -1.
func digit58(c byte) int {
	for i := range len(alphabet58) {
		if alphabet58[i] == c {
			return i
		}
	}
	return -1
}

// seedSize is the length in bytes of a private key, and of a public key.
const seedSize = 32

// isEd25519Pair reports whether b is an Ed25519 private key followed by its public key. The
// standard library's ed25519 would link its random source and big numbers into a program that runs
// for a millisecond.
func isEd25519Pair(b []byte) bool {
	digest := sha512.Sum512(b[:seedSize])
	scalar, err := edwards25519.NewScalar().SetBytesWithClamping(digest[:32])
	if err != nil {
		return false
	}
	return string(new(edwards25519.Point).ScalarBaseMult(scalar).Bytes()) == string(b[seedSize:])
}

// MinKeyArray is the minimum length in bytes of a list of 64 numbers.
const MinKeyArray = 64*2 - 1

// FindKeyArrays finds Solana keys that are written as lists of 64 numbers.
func FindKeyArrays(f *search.Finder) {
	s := f.Text
	for i := 0; i+MinKeyArray <= len(s); {
		p := i + MinKeyArray - 1
		for p >= i && IsArrayByte(s[p]) {
			p--
		}
		if p >= i {
			i = p + 1
			continue
		}
		end := i + MinKeyArray
		for end < len(s) && IsArrayByte(s[end]) {
			end++
		}
		AddKeyArray(f, i, end)
		i = end + 1
	}
}

// IsArrayByte reports whether c may be part of a list of numbers.
func IsArrayByte(c byte) bool { return lex.IsDigit(c) || c == ',' || lex.IsSpace(c) }

// AddKeyArray adds the list of numbers from i to end if it is a Solana key.
func AddKeyArray(f *search.Finder, i, end int) {
	var key [64]byte
	n, num, digits := 0, 0, 0
	from, to := i, i
	if end-i > 64*16 {
		return
	}
	for ; i <= end; i++ {
		if i < end && lex.IsDigit(f.Text[i]) {
			if n == 0 && digits == 0 {
				from = i
			}
			num = num*10 + int(f.Text[i]-'0')
			if digits++; digits > 3 || num > 255 {
				return
			}
			to = i + 1
			continue
		}
		if digits > 0 {
			if n == len(key) {
				return
			}
			key[n] = byte(num)
			n, num, digits = n+1, 0, 0
		}
	}
	if n == len(key) && isEd25519Pair(key[:]) {
		f.Add(rules.IndexOf("solana-private-key"), from, to)
	}
}
