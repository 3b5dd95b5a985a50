// SPDX-License-Identifier: Apache-2.0

package main

import (
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"sort"
	"strings"
	"sync"
	"time"
)

// kind is one way in which an API server, or what stands before it, fails a client.
type kind string

const (
	none kind = ""

	late       kind = "answer late"
	cut        kind = "connection cut before the request"
	lost       kind = "answer lost: carried out, connection cut"
	silent     kind = "answer withheld: carried out, connection silent"
	truncated  kind = "answer cut in the middle"
	refuse409  kind = "409 instead"
	refuse410  kind = "410 instead"
	refuse429  kind = "429 instead"
	refuse500  kind = "500 instead"
	refuse504  kind = "504 instead"
	after409   kind = "409 though carried out"
	after429   kind = "429 though carried out"
	after500   kind = "500 though carried out"
	after504   kind = "504 though carried out"
	watchStall kind = "watch goes silent"
	watchPause kind = "watch events late"
	watchEnd   kind = "watch ends early"
	watchCut   kind = "watch cut in an event"
	watchGone  kind = "watch told 410"
)

// answers are the kinds that put an answer in the place of the server's.
var answers = map[kind]struct {
	status int
	reason string // as Kubernetes' Status has it
	after  bool   // the request is passed on all the same
}{
	refuse409: {http.StatusConflict, "Conflict", false},
	refuse410: {http.StatusGone, "Expired", false},
	refuse429: {http.StatusTooManyRequests, "TooManyRequests", false},
	refuse500: {http.StatusInternalServerError, "InternalError", false},
	refuse504: {http.StatusGatewayTimeout, "Timeout", false},
	after409:  {http.StatusConflict, "Conflict", true},
	after429:  {http.StatusTooManyRequests, "TooManyRequests", true},
	after500:  {http.StatusInternalServerError, "InternalError", true},
	after504:  {http.StatusGatewayTimeout, "Timeout", true},
}

// class is a sort of request; each has faults of its own.
type class string

const (
	reading  class = "reading"
	watching class = "watching"
	writing  class = "writing"
	binding  class = "binding"
)

func classOf(r *http.Request) class {
	switch {
	case r.URL.Query().Get("watch") == "true":
		return watching
	case r.Method == http.MethodGet:
		return reading
	case strings.HasSuffix(r.URL.Path, "/binding"):
		return binding
	}
	return writing
}

type weights map[kind]float64

// What each class suffers, by weight. A withheld answer costs its client a minute, so it is rare.
var suffers = map[class]weights{
	reading: {late: 4, cut: 2, silent: 0.7, truncated: 2, refuse410: 1, refuse429: 2, refuse500: 2, refuse504: 2},
	writing: {late: 3, cut: 2, lost: 2, silent: 1.4, truncated: 2, refuse409: 1.5, refuse410: 1.5, refuse429: 2, refuse500: 2,
		refuse504: 2, after409: 1.5, after429: 1.5, after500: 1.5, after504: 1.5},
	binding: {late: 3, cut: 2, lost: 3, silent: 1.4, truncated: 2, refuse409: 1.5, refuse410: 1.5, refuse429: 2, refuse500: 2,
		refuse504: 2, after409: 2, after429: 1.5, after500: 2, after504: 2},
	// Only for watches that begin well; the others suffer as a read does.
	watching: {watchStall: 1, watchPause: 4, watchEnd: 3, watchCut: 3, watchGone: 1},
}

// fault is what happens to one request.
type fault struct {
	kind  kind
	after time.Duration // how late the answer is; of a watch, how long it was well
	part  float64       // how much of the answer gets through, from 0 to 1
}

// plan draws the faults: the nth request of a class meets the same one with the same seed.
type plan struct {
	mutex   sync.Mutex
	rate    float64 // of the requests that meet a fault
	suffers map[class]weights
	ceased  bool
	chance  map[class]*rand.Rand
	counts  map[kind]int
}

func newPlan(seed uint64, rate float64) *plan {
	p := &plan{rate: rate, suffers: suffers, chance: map[class]*rand.Rand{}, counts: map[kind]int{}}
	for class := range suffers {
		hash := fnv.New64a()
		io.WriteString(hash, string(class))
		p.chance[class] = rand.New(rand.NewPCG(seed, hash.Sum64()))
	}
	return p
}

// only leaves one kind of fault; false if there is none of that name.
func (p *plan) only(what kind) bool {
	found := false
	suffers := map[class]weights{}
	for class, all := range p.suffers {
		if weight, known := all[what]; known {
			suffers[class] = weights{what: weight}
			found = true
		}
	}
	p.suffers = suffers
	return found
}

// draw says what happens to a request. A watch is drawn for twice: as a read when it begins, then as a watch.
func (p *plan) draw(of class) fault {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	chance := p.chance[of]
	// The same number of draws each time, so that one fault does not decide the next.
	hit, which, length, part := chance.Float64(), chance.Float64(), chance.Float64(), chance.Float64()
	rate, most := p.rate, 2*time.Second
	if of == watching {
		// Sooner or later something happens to most of them.
		rate, most = min(1, p.rate*10), 40*time.Second
	}
	if p.ceased || hit >= rate || len(p.suffers[of]) == 0 {
		return fault{}
	}
	f := fault{kind: pick(p.suffers[of], which), after: time.Duration(float64(most) * length), part: part}
	if of != watching {
		p.counts[f.kind]++
	}
	return f
}

// happened counts what was drawn for a watch once it comes about; false when faults have ceased meanwhile.
func (p *plan) happened(what kind) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.ceased {
		return false
	}
	p.counts[what]++
	return true
}

// counted is how often each kind came about so far.
func (p *plan) counted() map[kind]float64 {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	counts := map[kind]float64{}
	for one, count := range p.counts {
		counts[one] = float64(count)
	}
	return counts
}

func (p *plan) cease() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.ceased = true
}

// pick takes one by its weight; `at` is from 0 to 1.
func pick(from weights, at float64) kind {
	kinds := []kind{}
	sum := 0.0
	for one, weight := range from {
		kinds = append(kinds, one)
		sum += weight
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i] < kinds[j] })
	at *= sum
	for _, one := range kinds {
		if at -= from[one]; at < 0 {
			return one
		}
	}
	return kinds[len(kinds)-1]
}
