package evasion

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"time"
)

// A listener plays every machine on the network: all names resolve to it, and it records what it
// receives.
type listener struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.data.Len() < 16<<20 {
		l.data.Write(p)
	}
	return len(p), nil
}

// receivedText returns all data received so far.
func (l *listener) receivedText() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.String()
}

// Default ports of common programs, and a few that attacks often use.
var (
	tcpPorts = []int{21, 22, 25, 53, 80, 873, 1234, 3128, 3306, 4444, 5432, 6379, 8000, 8080, 8888, 9000, 9418}
	udpPorts = []int{69, 123, 514, 4444, 8125, 9999}
)

// listen listens on all ports and starts the DNS server.
func (l *listener) listen() error {
	for _, port := range tcpPorts {
		s, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return err
		}
		go l.serve(s, port)
	}
	config, err := selfSignedTLS()
	if err != nil {
		return err
	}
	s, err := tls.Listen("tcp", "127.0.0.1:443", config)
	if err != nil {
		return err
	}
	go l.serve(s, 443)
	for _, port := range udpPorts {
		c, err := net.ListenPacket("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			return err
		}
		go func() {
			buf := make([]byte, 65536)
			for {
				n, _, err := c.ReadFrom(buf)
				if err != nil {
					return
				}
				_, _ = l.Write(buf[:n])
			}
		}()
	}
	return l.serveDNS()
}

// serve records what connections send, and answers FTP, mail and HTTP requests.
func (l *listener) serve(s net.Listener, port int) {
	for {
		c, err := s.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			switch port {
			case 21:
				fmt.Fprint(c, "220 ready\r\n")
			case 25:
				fmt.Fprint(c, "220 mail\r\n")
			}
			buf := make([]byte, 65536)
			for {
				n, err := c.Read(buf)
				_, _ = l.Write(buf[:n])
				if err != nil {
					return
				}
				l.answer(c, port, buf[:n])
			}
		}()
	}
}

func (l *listener) answer(c io.Writer, port int, said []byte) {
	switch {
	case port == 21 || port == 25:
		if bytes.HasPrefix(bytes.ToUpper(said), []byte("DATA")) {
			fmt.Fprint(c, "354 go on\r\n")
		} else {
			fmt.Fprint(c, "250 fine\r\n")
		}
	case bytes.Contains(said, []byte(" HTTP/1.")):
		if bytes.Contains(said, []byte("100-continue")) {
			fmt.Fprint(c, "HTTP/1.1 100 Continue\r\n\r\n")
		}
		go func() { // a body may follow
			time.Sleep(300 * time.Millisecond)
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n")
		}()
	}
}

// serveDNS answers every DNS query for an IPv4 address with 127.0.0.1, and records the name.
func (l *listener) serveDNS() error {
	c, err := net.ListenPacket("udp", "127.0.0.1:53")
	if err != nil {
		return err
	}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			if n < 17 {
				continue
			}
			q := bytes.Clone(buf[:n])
			end := 12
			var name []byte
			for end < n && q[end] != 0 {
				size := int(q[end])
				if end+1+size > n {
					break
				}
				name = append(append(name, q[end+1:end+1+size]...), '.')
				end += 1 + size
			}
			_, _ = l.Write(append(name, '\n'))
			if end+5 > n {
				continue
			}
			kind := binary.BigEndian.Uint16(q[end+1:])
			reply := append(bytes.Clone(q[:2]), 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0)
			reply = append(reply, q[12:end+5]...)
			if kind == 1 {
				reply[7] = 1
				reply = append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
			}
			_, _ = c.WriteTo(reply, from)
		}
	}()
	return nil
}

// selfSignedTLS returns a TLS configuration with a self-signed certificate for evil.example.
func selfSignedTLS() (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "evil.example"}, DNSNames: []string{"evil.example", "*.evil.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, nil
}
