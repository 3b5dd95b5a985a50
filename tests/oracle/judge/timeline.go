// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"

	"berth/tests/oracle/judge/timeline"
)

// timelinesCommand plays random timelines on both schedulers. It ends the program: the bubbles of virtual time that upstream runs in
// belong to Go's tests.
func timelinesCommand(args []string) error {
	flags := flag.NewFlagSet("timelines", flag.ExitOnError)
	r := &timelineRun{}
	flags.StringVar(&r.play, "play", "", "path of berth_timeline_play")
	flags.StringVar(&r.plugins, "plugin-dir", "", "folder of Berth's plugin libraries")
	flags.Uint64Var(&r.seed, "seed", 1, "seed of the random timelines")
	flags.IntVar(&r.n, "n", 100, "number of timelines")
	flags.IntVar(&r.jobs, "j", 2, "timelines at a time")
	flags.StringVar(&r.keep, "keep", "", "folder for timelines that fail, shrunk")
	flags.BoolVar(&r.spoil, "spoil", false, "spoil what Berth says of timelines, and see that it is found")
	flags.StringVar(&onlyTheme, "theme", "", "what every timeline is about (generate_theme.go); as a rule they take turns")
	flags.StringVar(&r.replay, "replay", "", "a kept timeline to be played, and told of in full")
	flags.BoolVar(&r.groups, "groups", false, "timelines with pod groups, with the feature gate GenericWorkload")
	flags.BoolVar(&r.first, "first", false, "stop at the first timeline that fails")
	flags.StringVar(&r.never, "never", "../timeline/never.txt", "answers of hints that cannot come")
	flags.StringVar(&defaultsFile, "defaults", defaultsFile, "which plugins Berth has by default")
	_ = flags.Parse(args)
	if r.play == "" || r.plugins == "" {
		return errors.New("timelines needs -play PATH and -plugin-dir DIR")
	}
	if r.groups {
		if err := timeline.WithPodGroups(); err != nil {
			return err
		}
		onlyTheme = aboutGroups
	}
	os.Args = os.Args[:1]
	testing.Main(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "timelines", F: func(t *testing.T) {
			differences, err := r.run(t)
			if err != nil {
				fmt.Fprintln(os.Stderr, "oracle:", err)
				os.Exit(2)
			}
			os.Exit(min(differences, 1))
		}}}, nil, nil)
	return nil
}

type timelineRun struct {
	play, plugins, keep, replay, never string
	spoil, groups                      bool
	seed                               uint64
	n, jobs                            int
	first                              bool

	mu                  sync.Mutex
	coverage            timeline.Coverage
	signatures          map[string]int
	played, differences int
	attempts            int
	shortest, longest   int // timelines, in events
}

func (r *timelineRun) run(t *testing.T) (int, error) {
	debug.SetGCPercent(400) // Memory is plenty, and the collector takes a fifth of the time.
	theExtender()           // Nobody may start it within a bubble.
	r.coverage, r.signatures = timeline.Coverage{}, map[string]int{}
	if r.replay != "" {
		return r.again(t)
	}
	if r.spoil {
		return r.spoilAll(t)
	}
	next := make(chan int)
	var group sync.WaitGroup
	for range r.jobs {
		group.Go(func() {
			t.Run("", func(t *testing.T) {
				player := &timeline.Player{Path: r.play, Plugins: r.plugins}
				defer player.Stop()
				for i := range next {
					r.one(t, player, i)
				}
			})
		})
	}
	for i := range r.n {
		r.mu.Lock()
		stop := r.first && r.differences > 0 || len(r.signatures) > 20
		r.mu.Unlock()
		if stop {
			break
		}
		next <- i
	}
	close(next)
	group.Wait()
	wrong, err := r.covered()
	fmt.Printf("%d timelines, %d differences\n", r.played, r.differences)
	return r.differences + wrong, err
}

// covered tells what the timelines brought about, and counts what came although it cannot.
func (r *timelineRun) covered() (int, error) {
	never, err := timeline.ReadNever(r.never)
	if err != nil {
		return 0, err
	}
	const enough = 20
	r.coverage.Print(os.Stdout, never)
	rare, others := r.coverage.Rare(never, enough)
	fmt.Printf("%d combinations of plugin, event and answer came %d times or more, %d cannot come, %d came less often\n", others, enough, len(never), len(rare))
	for _, answer := range rare {
		fmt.Println("    rare: " + answer)
	}
	wrong := r.coverage.Wrong(never, r.played >= 100 && !r.groups)
	for _, answer := range wrong {
		fmt.Printf("FAIL %s is wrong: %s\n", r.never, answer)
	}
	fmt.Printf("%d to %d events in a timeline; %d attempts\n", r.shortest, r.longest, r.attempts)
	return len(wrong), nil
}

// again plays a timeline that was kept.
func (r *timelineRun) again(t *testing.T) (int, error) {
	c, err := storedTimeline(r.replay)
	if err != nil {
		return 0, err
	}
	player := &timeline.Player{Path: r.play, Plugins: r.plugins}
	defer player.Stop()
	result := timeline.Play(t, c, player, os.Stdout)
	if result.Signature() == "" {
		return 0, nil
	}
	result.Print(os.Stdout)
	return 1, nil
}

// storedTimeline reads one that was kept.
func storedTimeline(path string) (*timeline.Case, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s timeline.Script
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	setup, err := setupOf([]byte(s.Config))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return timeline.Replay(&s, setup), nil
}

// one plays timeline number i.
func (r *timelineRun) one(t *testing.T, player *timeline.Player, i int) {
	c, err := newTimeline(r.seed, i)
	if err != nil {
		panic(err)
	}
	result := timeline.Play(t, c, player, nil)
	r.mu.Lock()
	r.played++
	r.attempts += result.Attempts
	steps := len(result.Script.Steps)
	r.longest = max(r.longest, steps)
	if result.Difference == nil && !result.Open && (r.shortest == 0 || steps < r.shortest) {
		r.shortest = steps
	}
	r.coverage.Add(result.Coverage)
	signature := result.Signature()
	fresh := signature != "" && r.signatures[signature] == 0
	if signature != "" {
		r.differences++
		r.signatures[signature]++
	}
	r.mu.Unlock()
	if fresh {
		r.tell(t, player, result)
	} else if signature != "" {
		fmt.Printf("%s: fails as another one does: %s\n", result.Script.Name, signature)
	}
}

// tell writes down a timeline that failed, and keeps it.
func (r *timelineRun) tell(t *testing.T, player *timeline.Player, result *timeline.Result) {
	setup, err := setupOf([]byte(result.Script.Config))
	if err == nil && r.keep != "" {
		result = timeline.Shrink(t, result, setup, player)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Printf("%s: ", result.Script.Name)
	result.Print(os.Stdout)
	if r.keep == "" {
		return
	}
	_ = os.MkdirAll(r.keep, 0o755)
	text, err := json.MarshalIndent(result.Script, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(r.keep, result.Script.Name+".json"), text, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
	}
}
