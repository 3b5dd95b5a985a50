// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// api is the server as the bench itself sees it: directly, as an administrator.
type api struct {
	server string
	client *http.Client
}

type object map[string]any

// refusal is an answer of 400 and above.
type refusal struct {
	code    int
	message string
}

func (r refusal) Error() string { return fmt.Sprintf("HTTP %d: %s", r.code, r.message) }

func (a api) open(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, "https://"+a.server+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 400 {
		defer answer.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000))
		return nil, refusal{answer.StatusCode, string(text)}
	}
	return answer, nil
}

func (a api) do(method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	answer, err := a.open(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// within tries again until it works; the last error after the limit.
func within(limit time.Duration, try func() error) error {
	for end := time.Now().Add(limit); ; time.Sleep(200 * time.Millisecond) {
		err := try()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

// known is err, unless it is a refusal with that code.
func known(err error, code int) error {
	var refused refusal
	if errors.As(err, &refused) && refused.code == code {
		return nil
	}
	return err
}
