// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// proxy stands before an API server and fails its clients as the plan says. It speaks to the server as `client`, whoever
// speaks to it, so that a certificate serves on both sides.
type proxy struct {
	plan     *plan
	upstream http.RoundTripper
	server   string // "127.0.0.1:6443"
	bound    func(uid, node string)
	note     func(string)
	borne    func(time.Duration) // told how long a client has borne a silent watch; may be nil
	patience time.Duration       // how long silence lasts if the client bears it
	hasten   func(fault) fault   // for tests: brings what happens to watches forward; may be nil
}

// files are the certificates of a cluster's directory.
type files struct{ dir string }

func (f files) pair(name string) (tls.Certificate, error) {
	return tls.LoadX509KeyPair(filepath.Join(f.dir, "pki", name+".crt"), filepath.Join(f.dir, "pki", name+".key"))
}

func (f files) authority() (*x509.CertPool, error) {
	text, err := os.ReadFile(filepath.Join(f.dir, "pki", "ca.crt"))
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool, nil
}

// transport speaks to the cluster's API server as the user whose certificate that is.
func (f files) transport(user string) (*http.Transport, error) {
	pair, err := f.pair(user)
	if err != nil {
		return nil, err
	}
	authority, err := f.authority()
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		TLSClientConfig:     &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: authority},
		MaxIdleConnsPerHost: 200,
		DisableCompression:  true, // what is asked for is passed on as it comes
	}, nil
}

// serve answers on a port of the loopback, by TLS and HTTP/1.1, those who show a certificate of the cluster.
func (p *proxy) serve(f files) (address string, err error) {
	pair, err := f.pair("server")
	if err != nil {
		return "", err
	}
	authority, err := f.authority()
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: p, TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}}
	secure := tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority,
	})
	go server.Serve(secure)
	return listener.Addr().String(), nil
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	of := classOf(r)
	drawn := of
	if of == watching {
		drawn = reading
	}
	f := p.plan.draw(drawn)
	if f.kind != none {
		p.note(fmt.Sprintf("%s: %s %s", f.kind, r.Method, r.URL.RequestURI()))
	}
	substitute, answered := answers[f.kind]
	switch {
	case f.kind == cut:
		panic(http.ErrAbortHandler) // which closes the connection
	case answered && !substitute.after:
		refuse(w, substitute.status, substitute.reason)
		return
	case f.kind == late:
		sleep(r.Context(), f.after)
		if r.Context().Err() != nil {
			return // What nobody waits for any more does not arrive either.
		}
	}
	// What is carried out though the client hears nothing of it must not end with the client's connection.
	ctx := context.WithoutCancel(r.Context())
	if of == watching {
		ctx = r.Context()
	}
	answer, err := p.pass(ctx, r, body)
	if err != nil {
		p.note(fmt.Sprintf("the server gives no answer: %s %s: %v", r.Method, r.URL.Path, err))
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	if of == watching && answer.StatusCode == http.StatusOK && !answered && f.kind != lost && f.kind != silent {
		p.watch(w, r, answer)
		return
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if of == binding && answer.StatusCode == http.StatusCreated {
		p.tellBound(body)
	}
	switch {
	case answered:
		refuse(w, substitute.status, substitute.reason)
	case f.kind == lost:
		panic(http.ErrAbortHandler)
	case f.kind == silent:
		sleep(r.Context(), p.patience)
		panic(http.ErrAbortHandler)
	case f.kind == truncated:
		head(w, answer, len(text))
		w.Write(text[:int(f.part*float64(len(text)))])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		head(w, answer, len(text))
		w.Write(text)
	}
}

// pass hands the request on and returns the server's own answer.
func (p *proxy) pass(ctx context.Context, r *http.Request, body []byte) (*http.Response, error) {
	target := *r.URL
	target.Scheme, target.Host = "https", p.server
	next, err := http.NewRequestWithContext(ctx, r.Method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	next.Header = r.Header.Clone()
	return p.upstream.RoundTrip(next)
}

// tellBound records that the server has carried out a Binding.
func (p *proxy) tellBound(body []byte) {
	var said struct {
		Metadata struct{ UID string }
		Target   struct{ Name string }
	}
	if err := json.Unmarshal(body, &said); err != nil {
		p.note("a Binding that cannot be read: " + err.Error())
		return
	}
	p.bound(said.Metadata.UID, said.Target.Name)
}

// head writes status and headers; a length of -1 is that of a stream.
func head(w http.ResponseWriter, answer *http.Response, length int) {
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.Header().Del("Transfer-Encoding")
	if length >= 0 {
		w.Header().Set("Content-Length", fmt.Sprint(length))
	}
	w.WriteHeader(answer.StatusCode)
}

// status is the object by which an API server says what went wrong.
func status(code int, reason string) []byte {
	text, _ := json.Marshal(map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure",
		"message": "injected by the fault bench", "reason": reason, "code": code,
	})
	return text
}

func refuse(w http.ResponseWriter, code int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	if code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(code)
	w.Write(status(code, reason))
}

func sleep(ctx context.Context, long time.Duration) {
	timer := time.NewTimer(long)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
