// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"regexp"
	"time"
)

var acquired = regexp.MustCompile(`(?mi)^I(\d{4} [\d:.]+) .*successfully acquired lease`)

// led is the moment at which the process took the lease, as its log says; empty: it has not.
func (s *scheduler) led() string {
	s.mutex.Lock()
	began := s.began
	s.mutex.Unlock()
	log, err := os.Open(s.log.Name())
	if err != nil {
		return ""
	}
	defer log.Close()
	if _, err := log.Seek(began, io.SeekStart); err != nil {
		return ""
	}
	text, err := io.ReadAll(log)
	found := acquired.FindSubmatch(text)
	if err != nil || found == nil {
		return ""
	}
	return string(found[1])
}

// leader is the instance that took the lease last; nil: none of those that run has it.
func (b *bench) leader() (leads *scheduler) {
	latest := ""
	for _, one := range b.schedulers {
		if since := one.led(); since > latest {
			leads, latest = one, since
		}
	}
	return leads
}

// victim is the leader, for whom it waits, and each fourth time another one.
func (b *bench) victim(turn int) (one *scheduler, leads bool) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		leader := b.leader()
		if leader == nil {
			continue
		}
		for _, other := range b.schedulers {
			if turn%4 == 3 && other != leader {
				return other, false
			}
		}
		return leader, true
	}
	return b.schedulers[turn%len(b.schedulers)], false
}

// strike picks the leader, or a standby, and says which of the two things is done to it.
func (b *bench) strike(turn int, toLeader, toStandby kind) *scheduler {
	one, leads := b.victim(turn)
	if leads {
		b.did(toLeader)
	} else {
		b.did(toStandby)
	}
	return one
}

// killOne kills the leader, or a standby.
func (b *bench) killOne(turn int, _ float64) error {
	return b.strike(turn, leaderKilled, standbyKilled).kill()
}

// pauseOne stops the leader, or a standby, and continues it: now and then for longer than a lease lasts, so that another one
// leads when it wakes.
func (b *bench) pauseOne(turn int, part float64) error {
	return b.strike(turn, leaderPaused, standbyPaused).pause(time.Duration(part * float64(25*time.Second)))
}

// did notes and counts something that the bench did.
func (b *bench) did(what kind) {
	b.note(string(what))
	b.plan.happened(what)
}
