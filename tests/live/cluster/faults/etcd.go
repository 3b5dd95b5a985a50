// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// An API server that starts anew has forgotten what happened before, and a watch of it ends when it is killed. etcd has
// neither trouble: its watch (of the HTTP gateway) tells everything that any API server ever stored, in its order. The
// server must store JSON (--storage-media-type=application/json).

// The kinds as the API server names them in etcd.
const (
	registry = "/registry/"
	nodeKind = "minions"
	podKind  = "pods"

	claimKind = "resourceclaims"
)

type etcdEvent struct {
	Type string // absent of one that puts
	KV   struct {
		Key, Value  []byte // base64 in the JSON
		ModRevision string `json:"mod_revision"`
	}
}

// follow keeps the history of these kinds from the first revision on, until the context ends; it has begun when it returns.
func (h *history) follow(ctx context.Context, etcd string, kinds ...string) error {
	for _, kind := range kinds {
		key := registry + kind + "/"
		asked, err := json.Marshal(object{"create_request": object{
			"key": []byte(key), "range_end": []byte(registry + kind + "0"), // "0" comes after "/"
			"start_revision": 1,
		}})
		if err != nil {
			return err
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+etcd+"/v3/watch", bytes.NewReader(asked))
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("etcd answers a watch with %s", answer.Status)
		}
		go func() {
			defer answer.Body.Close()
			err := h.read(kind, json.NewDecoder(answer.Body))
			if ctx.Err() == nil {
				h.breaks(fmt.Sprintf("the history of %s broke off: %v", kind, err))
			}
		}()
	}
	return nil
}

// read takes what a watch says until it ends.
func (h *history) read(kind string, from *json.Decoder) error {
	last := map[string]item{}
	for {
		var said struct {
			Result struct {
				Canceled     bool
				CancelReason string `json:"cancel_reason"`
				Events       []etcdEvent
			}
		}
		if err := from.Decode(&said); err != nil {
			return err
		}
		if said.Result.Canceled {
			return fmt.Errorf("etcd ends the watch: %s", said.Result.CancelReason)
		}
		for _, event := range said.Result.Events {
			c, err := event.change(kind, last)
			if err != nil {
				return err
			}
			h.add(c)
		}
	}
}

// change reads an event; of what is deleted etcd says the name only, so `last` keeps what was there.
func (e etcdEvent) change(kind string, last map[string]item) (change, error) {
	key := string(e.KV.Key)
	one, gone := last[key], e.Type == "DELETE"
	if gone {
		delete(last, key)
	} else {
		one = item{}
		if err := json.Unmarshal(e.KV.Value, &one); err != nil {
			return change{}, fmt.Errorf("%s is not stored as JSON: %w", key, err)
		}
		last[key] = one
	}
	version, err := strconv.ParseUint(e.KV.ModRevision, 10, 64)
	return one.change(kind, version, gone), err
}
