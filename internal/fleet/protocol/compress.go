package protocol

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// coders returns the encoder and the decoder of batches. Both are safe for concurrent use.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	// Without a reader or writer and with valid options, neither fails.
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(MaxBatchPlain))
	return e, d
})

// Compress returns the body of the request for the batch text.
func Compress(text []byte) []byte {
	e, _ := coders()
	return e.EncodeAll(text, make([]byte, 0, len(text)/6))
}

// Decompress returns the text of a batch whose body Compress returned. It appends to dst.
func Decompress(dst, body []byte) ([]byte, error) {
	_, d := coders()
	text, err := d.DecodeAll(body, dst)
	if err != nil {
		return nil, fmt.Errorf("decompressing the batch: %w", err)
	}
	return text, nil
}
