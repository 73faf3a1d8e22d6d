// Package linpointrecorder records the operations of concurrent clients for `linpoint check`.
//
// One file without dependencies: copy it into your tests.
//
//	log, err := linpointrecorder.Create("run.jsonl", "counter")
//	defer log.Close()
//	op := log.Call("client-1", "add_fetch", 1)
//	value, err := api.Incr()
//	op.End(value, err)
//
// A call is written before the operation begins and its end after it has ended, each with one write, so a crash loses
// nothing that matters. What linpoint's model calls an operation, and what its results look like, `linpoint models`
// says. docs/recording.md explains how to record what is true.
package linpointrecorder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"
)

// ErrFailed is for operations that certainly did not happen: wrap it, and End records a failure.
var ErrFailed = errors.New("the operation did not happen")

// Recorder is a history that is being recorded. All methods may be called by any goroutine.
type Recorder struct {
	mu     sync.Mutex
	file   *os.File
	next   int64
	times  bool
	origin time.Time
	err    error
}

// Operation is an open operation.
type Operation struct {
	log    *Recorder
	number int64
}

type line map[string]any

// Create starts a file with the time of each event.
func Create(path, model string) (*Recorder, error) { return create(path, model, true) }

// CreateWithoutTimes starts a file that has only the order of events.
func CreateWithoutTimes(path, model string) (*Recorder, error) { return create(path, model, false) }

func create(path, model string, times bool) (*Recorder, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	log := &Recorder{file: file, times: times, origin: time.Now()}
	header := line{"linpoint": 1}
	if model != "" {
		header["model"] = model
	}
	if times {
		header["unit"] = "ns"
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	log.write(header)
	return log, log.err
}

// Call says that an operation begins. Call it before the request is sent, and a method of the operation after.
func (log *Recorder) Call(process any, op string, args ...any) *Operation {
	return log.CallOn(nil, process, op, args...)
}

// CallOn is Call for one of several objects.
func (log *Recorder) CallOn(object, process any, op string, args ...any) *Operation {
	values := make([]any, 0, len(args))
	for _, arg := range args {
		values = append(values, value(arg))
	}
	log.mu.Lock()
	defer log.mu.Unlock()
	log.next++
	event := line{"call": log.next, "process": value(process), "op": op, "args": values}
	if object != nil {
		event["object"] = value(object)
	}
	log.event(event)
	return &Operation{log, log.next}
}

// End records the result; ErrFailed as a failure; every other error as an unknown outcome.
func (op *Operation) End(result any, err error) {
	switch {
	case err == nil:
		op.Returned(result)
	case errors.Is(err, ErrFailed):
		op.Failed()
	default:
		op.Unknown()
	}
}

// Returned says that the operation ended with this result.
func (op *Operation) Returned(result any) {
	op.log.locked(line{"return": op.number, "value": value(result)})
}

// Failed says that the operation certainly did not happen.
func (op *Operation) Failed() { op.log.locked(line{"fail": op.number}) }

// Unknown says that nobody knows: a timeout, a lost connection. It may happen later, or may have happened.
func (op *Operation) Unknown() { op.log.locked(line{"info": op.number}) }

// Fault says that a fault begins: a partition, a pause.
func (log *Recorder) Fault(name, detail string) {
	log.locked(line{"fault": name, "detail": detail})
}

// Heal says that a fault ends.
func (log *Recorder) Heal(name string) { log.locked(line{"heal": name}) }

// Event says that something else happened: a new leader, a restart.
func (log *Recorder) Event(text, detail string) {
	log.locked(line{"event": text, "detail": detail})
}

// Close ends the file, and returns the first error of all writes. Operations that are still open never returned.
func (log *Recorder) Close() error {
	log.mu.Lock()
	defer log.mu.Unlock()
	if err := log.file.Close(); log.err == nil {
		log.err = err
	}
	return log.err
}

func (log *Recorder) locked(event line) {
	log.mu.Lock()
	defer log.mu.Unlock()
	log.event(event)
}

func (log *Recorder) event(event line) {
	if log.times {
		// The monotonic clock, read under the lock, so that times never go back.
		event["time"] = time.Since(log.origin).Nanoseconds()
	}
	log.write(event)
}

func (log *Recorder) write(event line) {
	text, err := json.Marshal(event)
	if err == nil {
		_, err = log.file.Write(append(text, '\n'))
	}
	if log.err == nil {
		log.err = err
	}
}

// value makes a value that linpoint reads: null, true, false, 64-bit integers, strings, lists, objects. Other numbers
// become strings.
func value(v any) any {
	switch v := v.(type) {
	case nil, bool, string, int, int8, int16, int32, int64, uint8, uint16, uint32:
		return v
	case []byte:
		return string(v)
	case error:
		return v.Error()
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var decoded any
	if decoder.Decode(&decoded) != nil {
		return fmt.Sprint(v)
	}
	return wholeNumbers(decoded)
}

func wholeNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		return v.String()
	case []any:
		for i := range v {
			v[i] = wholeNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = wholeNumbers(v[key])
		}
	}
	return v
}
