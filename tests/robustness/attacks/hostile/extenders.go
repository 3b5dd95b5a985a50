// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"flag"
	"fmt"
	"math/big"
	"net"
	"os"
	"sort"
	"strings"
	"sync/atomic"
	"time"
)

// What is sent to one connection at most.
const floodBytes = 256 << 20

func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	out := make([]byte, 9, 9+len(payload))
	out[0], out[1], out[2], out[3], out[4] = byte(len(payload)>>16), byte(len(payload)>>8), byte(len(payload)), kind, flags
	binary.BigEndian.PutUint32(out[5:], stream)
	return append(out, payload...)
}

// A field that goes into the table of the compression, and then a byte for each time that it is meant again.
func bomb() []byte {
	block := append([]byte{0x88, 0x40, 1, 'a', 0x7f, 0xb9, 0x16}, bytes.Repeat([]byte{'x'}, 3000)...)
	return append(block, bytes.Repeat([]byte{0xbe}, 12000)...)
}

// How each kind of extender answers: what it says once, and what it repeats without end. The kinds that begin with "h2-"
// speak HTTP/2, and read nothing after the request.
var answersWithoutEnd = map[string][2][]byte{
	"h2-ping":          {nil, frame(6, 0, 0, []byte("12345678"))},
	"h2-settings":      {nil, frame(4, 0, 0, nil)},
	"h2-reset":         {nil, frame(3, 0, 1, []byte{0, 0, 0, 8})},
	"h2-window":        {nil, frame(8, 0, 0, []byte{0, 0, 0, 1})},
	"h2-continuation":  {frame(1, 0, 1, []byte{0x88}), frame(9, 0, 1, []byte("\x40\x01a\x01b"))},
	"h2-hpack":         {nil, frame(1, 4, 1, bomb())},
	"h2-no-streams":    {frame(4, 0, 0, []byte{0, 3, 0, 0, 0, 0}), nil},
	"http1-body":       {[]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), []byte("400\r\n" + strings.Repeat("x", 1024) + "\r\n")},
	"http1-line":       {[]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;"), []byte(strings.Repeat("x", 1024))},
	"http1-headers":    {[]byte("HTTP/1.1 200 OK\r\n"), []byte(strings.Repeat("A: "+strings.Repeat("x", 1019)+"\r\n", 1))},
	"http1-one-header": {[]byte("HTTP/1.1 200 OK\r\nA: "), []byte(strings.Repeat("x", 1024))},
}

type flood struct{ connections, bytes atomic.Int64 }

func (f *flood) serve(conn net.Conn, kind string, deadline time.Time) {
	defer conn.Close()
	_ = conn.SetDeadline(deadline)
	said := answersWithoutEnd[kind]
	if strings.HasPrefix(kind, "h2-") {
		// Its preface and its request; the first frame of a server is SETTINGS.
		if _, err := conn.Write(frame(4, 0, 0, nil)); err != nil {
			return
		}
	}
	request := make([]byte, 64<<10)
	for got := 0; got < 100; {
		n, err := conn.Read(request)
		if err != nil {
			return
		}
		got += n
	}
	f.connections.Add(1)
	if _, err := conn.Write(said[0]); err != nil {
		return
	}
	if said[1] == nil {
		for {
			if _, err := conn.Read(request); err != nil {
				return
			}
		}
	}
	many := bytes.Repeat(said[1], 1+(32<<10)/len(said[1]))
	for sent := 0; sent < floodBytes; {
		n, err := conn.Write(many)
		sent += n
		f.bytes.Add(int64(n))
		if err != nil {
			return
		}
	}
}

func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// extenders serves one of each kind and writes the configuration of a scheduler that asks all of them and heeds none.
func extenders(arguments []string) error {
	flags := flag.NewFlagSet("extenders", flag.ExitOnError)
	configuration := flags.String("config", "", "where to write the configuration that names them")
	timeout := flags.Duration("timeout", time.Second, "their httpTimeout")
	seconds := flags.Int("seconds", 60, "how long they live")
	_ = flags.Parse(arguments)
	pair, err := selfSigned()
	if err != nil {
		return err
	}
	var kinds []string
	for kind := range answersWithoutEnd {
		kinds = append(kinds, kind)
	}
	sort.Strings(kinds)
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n"
	floods := map[string]*flood{}
	deadline := time.Now().Add(time.Duration(*seconds) * time.Second)
	for _, kind := range kinds {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		f, scheme, more := &flood{}, "http", ""
		floods[kind] = f
		if strings.HasPrefix(kind, "h2-") {
			listener = tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}})
			scheme, more = "https", ", enableHTTPS: true, tlsConfig: {insecure: true}"
		}
		text += fmt.Sprintf("- {urlPrefix: '%s://%s/%s', filterVerb: filter, ignorable: true, nodeCacheCapable: true, httpTimeout: %s%s}\n",
			scheme, listener.Addr(), kind, *timeout, more)
		go func(kind string) {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go f.serve(conn, kind, deadline)
			}
		}(kind)
	}
	if err := os.WriteFile(*configuration, []byte(text), 0o600); err != nil {
		return err
	}
	for time.Now().Before(deadline) {
		time.Sleep(time.Second)
		for _, kind := range kinds {
			fmt.Printf("%s: connections=%d mib=%d\n", kind, floods[kind].connections.Load(), floods[kind].bytes.Load()>>20)
		}
	}
	return nil
}
