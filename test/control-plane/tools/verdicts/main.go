// Tells what Go's crypto/tls says of certificates: for each case of the JSON array on standard
// input, one handshake as the API server's webhook client makes it, with the certificates of the
// caBundle as the only roots and the name of the Service. GODEBUG chooses the defaults of older
// versions of Go.
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"time"
)

type testCase struct {
	Served string    `json:"served"`
	Key    string    `json:"key"`
	Bundle string    `json:"bundle"`
	Name   string    `json:"name"`
	Now    time.Time `json:"now"`
}

type result struct {
	Go       string   `json:"go"`
	Verdicts []string `json:"verdicts"`
}

func main() {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		fail(err)
	}
	out := result{Go: runtime.Version(), Verdicts: []string{}}
	for _, each := range cases {
		verdict := "accepted"
		if err := handshake(each); err != nil {
			verdict = err.Error()
		}
		out.Verdicts = append(out.Verdicts, verdict)
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// handshake returns the client's error.
func handshake(each testCase) error {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(each.Bundle)) {
		return fmt.Errorf("unable to load root certificates: %w", whyNone([]byte(each.Bundle)))
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: blocks(each.Served), PrivateKey: keyOf(each.Key)}},
	})
	if err != nil {
		fail(err)
	}
	defer listener.Close()
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		fail(err)
	}
	defer near.Close()
	far, err := listener.Accept()
	if err != nil {
		fail(err)
	}
	deadline := time.Now().Add(10 * time.Second)
	near.SetDeadline(deadline)
	far.SetDeadline(deadline)
	go func() {
		// it reads until the client closes, so that the client's last words arrive
		far.Read(make([]byte, 1))
		far.Close()
	}()
	client := tls.Client(near, &tls.Config{
		RootCAs:    roots,
		ServerName: each.Name,
		Time:       func() time.Time { return each.Now },
	})
	return client.Handshake()
}

// whyNone is client-go's reason why a bundle holds no root.
func whyNone(bundle []byte) error {
	block, rest := pem.Decode(bundle)
	if block == nil {
		return fmt.Errorf("unable to parse bytes as PEM block")
	}
	for ; block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("failed to parse certificate: %w", err)
		}
	}
	return fmt.Errorf("no valid certificate authority data seen")
}

func blocks(text string) [][]byte {
	var found [][]byte
	for rest := []byte(strings.TrimSpace(text)); ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			return found
		}
		if block.Type == "CERTIFICATE" {
			found = append(found, block.Bytes)
		}
	}
}

// keyOf returns some other key where Go cannot read it: the certificate is then refused before any
// signature is looked at.
func keyOf(text string) crypto.PrivateKey {
	block, _ := pem.Decode([]byte(text))
	if block != nil {
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if signer, ok := key.(crypto.Signer); ok {
				return signer
			}
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		fail(err)
	}
	return key
}
