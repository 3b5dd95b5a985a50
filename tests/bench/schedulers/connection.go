// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// connection sends requests to the API server over HTTP/2 for as little of the processors' time as can be, which is the API
// server's then: requests that come together share a write, nothing of an answer is kept unless it is an error, and nobody
// waits for one. client-go takes several times as long for a request.
type connection struct {
	conn      net.Conn
	authority string
	wake      chan struct{} // there is something to flush
	ready     chan struct{} // the server has said what it takes
	over      chan struct{}

	mutex   sync.Mutex // of all below
	out     *bufio.Writer
	framer  *http2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
	waiting []*call // for room
	stream  uint32  // the next one
	calls   map[uint32]*call
	most    uint32 // calls under way that the server allows
	window  int64  // bytes that it takes now
	failed  error
}

// request is what is sent.
type request struct {
	method, path, contentType string
	body                      []byte
}

// call is a request that waits or is under way.
type call struct {
	request
	status int
	said   []byte // of an error
	done   func(status int, body []byte, err error)
}

const (
	largestWindow  = 1<<31 - 1
	firstWindow    = 65535 // of HTTP/2, before either side says otherwise
	updateEach     = 1 << 24
	fewestStreams  = 100 // what a client may assume of a server that sets no limit
	bufferedOutput = 64 << 10
)

// connect opens one to the API server of a configuration.
func connect(config *rest.Config) (*connection, error) {
	server, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	secure, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, err
	}
	secure.NextProtos = []string{http2.NextProtoTLS}
	conn, err := tls.Dial("tcp", server.Host, secure)
	if err != nil {
		return nil, err
	}
	if agreed := conn.ConnectionState().NegotiatedProtocol; agreed != http2.NextProtoTLS {
		return nil, errors.Join(fmt.Errorf("the API server speaks %q, expected %s", agreed, http2.NextProtoTLS), conn.Close())
	}
	return converse(conn, server.Host)
}

// converse begins the conversation, and returns when the server has said how many requests it takes at a time.
func converse(conn net.Conn, authority string) (*connection, error) {
	c := &connection{conn: conn, authority: authority, wake: make(chan struct{}, 1), ready: make(chan struct{}), over: make(chan struct{}), stream: 1, out: bufio.NewWriterSize(conn, bufferedOutput),
		calls: map[uint32]*call{}, most: fewestStreams, window: firstWindow}
	c.encoder = hpack.NewEncoder(&c.block)
	c.framer = http2.NewFramer(c.out, bufio.NewReaderSize(conn, bufferedOutput))
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.framer.SetReuseFrames()
	_, err := c.out.WriteString(http2.ClientPreface)
	err = errors.Join(err, c.framer.WriteSettings(http2.Setting{ID: http2.SettingEnablePush, Val: 0},
		http2.Setting{ID: http2.SettingInitialWindowSize, Val: updateEach}), c.framer.WriteWindowUpdate(0, largestWindow-firstWindow), c.out.Flush())
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	go c.flush()
	go c.listen()
	select {
	case <-c.ready:
		return c, nil
	case <-c.over:
		return nil, c.failed
	}
}

// send returns at once; done is called from another goroutine when the answer is there, with its body if that is an error.
func (c *connection) send(r request, done func(status int, body []byte, err error)) {
	c.mutex.Lock()
	if ended := c.failed; ended != nil {
		c.mutex.Unlock()
		done(0, nil, ended)
		return
	}
	c.waiting = append(c.waiting, &call{request: r, done: done})
	err := c.pump()
	c.mutex.Unlock()
	if err != nil {
		c.fail(err)
	}
}

// pump writes what there is room for. Called with the lock held.
func (c *connection) pump() error {
	for len(c.waiting) > 0 && len(c.calls) < int(c.most) && c.window >= int64(len(c.waiting[0].body)) {
		one := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.calls[c.stream] = one
		c.window -= int64(len(one.body))
		if err := c.write(one.request); err != nil {
			return err
		}
		c.stream += 2
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	return nil
}

func (c *connection) write(r request) error {
	c.block.Reset()
	for _, field := range []hpack.HeaderField{{Name: ":method", Value: r.method}, {Name: ":scheme", Value: "https"},
		{Name: ":authority", Value: c.authority}, {Name: ":path", Value: r.path},
		{Name: "accept", Value: runtime.ContentTypeProtobuf}, {Name: "content-type", Value: r.contentType},
		{Name: "content-length", Value: strconv.Itoa(len(r.body))}} {
		if err := c.encoder.WriteField(field); err != nil {
			return err
		}
	}
	err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: c.block.Bytes(), EndHeaders: true,
		EndStream: len(r.body) == 0})
	if err == nil && len(r.body) > 0 {
		err = c.framer.WriteData(c.stream, true, r.body)
	}
	return err
}

// flush lets requests gather while one write is made.
func (c *connection) flush() {
	for {
		select {
		case <-c.wake:
		case <-c.over:
			return
		}
		c.mutex.Lock()
		err := c.out.Flush()
		c.mutex.Unlock()
		if err != nil {
			c.fail(err)
		}
	}
}

// listen reads answers until the connection ends.
func (c *connection) listen() {
	taken := uint32(0)
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			c.fail(err)
			return
		}
		switch frame := frame.(type) {
		case *http2.MetaHeadersFrame:
			status, _ := strconv.Atoi(frame.PseudoValue("status"))
			err = c.answer(frame.StreamID, status, nil, frame.StreamEnded(), nil)
		case *http2.DataFrame:
			taken += frame.Length
			err = c.answer(frame.StreamID, 0, frame.Data(), frame.StreamEnded(), nil)
		case *http2.RSTStreamFrame:
			err = c.answer(frame.StreamID, 0, nil, true, http2.StreamError{StreamID: frame.StreamID, Code: frame.ErrCode})
		case *http2.GoAwayFrame:
			c.fail(fmt.Errorf("the API server ends the connection: %v %s", frame.ErrCode, frame.DebugData()))
			return
		default:
			err = c.control(frame)
		}
		if taken >= updateEach {
			c.mutex.Lock()
			err = errors.Join(err, c.framer.WriteWindowUpdate(0, taken), c.out.Flush())
			c.mutex.Unlock()
			taken = 0
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// control reads what belongs to no request.
func (c *connection) control(frame http2.Frame) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	switch frame := frame.(type) {
	case *http2.WindowUpdateFrame:
		if frame.StreamID == 0 {
			c.window += int64(frame.Increment)
			return c.pump()
		}
	case *http2.SettingsFrame:
		if frame.IsAck() {
			return nil
		}
		if most, said := frame.Value(http2.SettingMaxConcurrentStreams); said {
			c.most = most
		}
		select {
		case <-c.ready:
		default:
			close(c.ready)
		}
		return errors.Join(c.framer.WriteSettingsAck(), c.out.Flush())
	case *http2.PingFrame:
		if !frame.IsAck() {
			return errors.Join(c.framer.WritePing(true, frame.Data), c.out.Flush())
		}
	}
	return nil
}

func (c *connection) answer(stream uint32, status int, data []byte, ended bool, err error) (failed error) {
	c.mutex.Lock()
	one := c.calls[stream]
	if one != nil && status > 0 {
		one.status = status
	}
	if one != nil && one.status >= http.StatusMultipleChoices {
		one.said = append(one.said, data...)
	}
	if one != nil && ended {
		delete(c.calls, stream)
		failed = c.pump()
	}
	c.mutex.Unlock()
	if one != nil && ended {
		one.done(one.status, one.said, err)
	}
	return failed
}

func (c *connection) close() { c.fail(net.ErrClosed) }

// fail ends it; whatever is under way fails with it.
func (c *connection) fail(err error) {
	c.mutex.Lock()
	if c.failed != nil {
		c.mutex.Unlock()
		return
	}
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		err = errors.New("the connection has ended")
	}
	c.failed = err
	left := c.waiting
	for _, one := range c.calls {
		left = append(left, one)
	}
	c.waiting, c.calls = nil, nil
	close(c.over)
	c.mutex.Unlock()
	_ = c.conn.Close()
	for _, one := range left {
		one.done(0, nil, err)
	}
}
