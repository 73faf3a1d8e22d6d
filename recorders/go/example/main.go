// Four goroutines increment a counter. usage: example FILE correct|broken [plain]
package main

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"linpointrecorder"
)

// counter is the service. The broken one forgets every fifth addition.
type counter struct {
	mu     sync.Mutex
	value  int64
	calls  int
	broken bool
}

func (c *counter) incr() (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	switch {
	case c.calls%7 == 0:
		return 0, fmt.Errorf("refused: %w", linpointrecorder.ErrFailed)
	case c.calls%11 == 0:
		c.value++
		return 0, errors.New("the answer was lost")
	case c.broken && c.calls%5 == 0:
		return c.value + 1, nil
	}
	c.value++
	return c.value, nil
}

func main() {
	path, broken := os.Args[1], os.Args[2] == "broken"
	plain := len(os.Args) > 3 && os.Args[3] == "plain"
	create := linpointrecorder.Create
	if plain {
		create = linpointrecorder.CreateWithoutTimes
	}
	log, err := create(path, "counter")
	if err != nil {
		panic(err)
	}
	if !plain {
		log.Fault("slow network", "every eleventh answer is lost")
	}
	service := &counter{broken: broken}
	var clients sync.WaitGroup
	for i := 0; i < 4; i++ {
		clients.Add(1)
		go func(name string) {
			defer clients.Done()
			for n := 0; n < 50; n++ {
				op := log.Call(name, "add_fetch", 1)
				value, err := service.incr()
				op.End(value, err)
			}
		}(fmt.Sprintf("client-%d", i))
	}
	clients.Wait()
	if !plain {
		log.Heal("slow network")
	}
	if err := log.Close(); err != nil {
		panic(err)
	}
}
