"""Records the operations of concurrent clients for `linpoint check`.

One file without dependencies: copy it into your tests. Python 3.8 or newer.

    from linpoint_recorder import Recorder

    with Recorder("run.jsonl", model="counter") as log:
        value = log.record("client-1", "add_fetch", [1], lambda: api.incr())

A call is written before the operation begins and its end after it has ended, each with one write, so a crash loses
nothing that matters. What linpoint's model calls an operation, and what its results look like, `linpoint models` says.
docs/recording.md explains how to record what is true.
"""

import json
import threading
import time


class Failed(Exception):
    """Raise this if the operation certainly did not happen."""


class Recorder:
    """A history that is being recorded. All methods may be called by any thread."""

    def __init__(self, path, model=None, times=True, note=None, **options):
        """Starts a file. `options` are those of the model: initial=0. Without `times`, only the order is recorded."""
        self._lock = threading.Lock()
        self._next = 0
        self._times = times
        self._file = open(path, "w", encoding="utf-8", newline="\n")
        header = {"linpoint": 1}
        if model is not None:
            header["model"] = model
        if note is not None:
            header["note"] = note
        if times:
            header["unit"] = "ns"
        header.update({key: _value(value) for key, value in options.items()})
        self._write(header, timed=False)

    def record(self, process, op, args, call, object=None):
        """Calls `call()` as an operation of a client, and returns what it returns.

        Failed: the operation did not happen. Any other exception: nobody knows whether it happened.
        """
        operation = self.call(process, op, args, object=object)
        try:
            value = call()
        except Failed:
            operation.failed()
            raise
        except BaseException:
            operation.unknown()
            raise
        operation.returned(value)
        return value

    def call(self, process, op, args=(), object=None):
        """An operation begins. Call this before the request is sent, and one of the methods of what it returns after."""
        line = {"call": 0, "process": _value(process), "op": op, "args": [_value(arg) for arg in args]}
        if object is not None:
            line["object"] = _value(object)
        with self._lock:
            self._next += 1
            line["call"] = number = self._next
            self._write_locked(line)
        return Operation(self, number)

    def fault(self, name, lane=None, detail=None):
        """A fault begins: a partition, a pause."""
        self._write({"fault": name, "lane": lane, "detail": detail})

    def heal(self, name, lane=None):
        """A fault ends."""
        self._write({"heal": name, "lane": lane})

    def event(self, text, lane=None, detail=None):
        """Something else happened: a new leader, a restart."""
        self._write({"event": text, "lane": lane, "detail": detail})

    def close(self):
        """Ends the file. Operations that are still open never returned."""
        with self._lock:
            self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _write(self, line, timed=True):
        with self._lock:
            self._write_locked(line, timed)

    def _write_locked(self, line, timed=True):
        if timed and self._times:
            # Under the lock, so that times never go back.
            line["time"] = time.monotonic_ns()
        # Only a result can be null.
        line = {key: value for key, value in line.items() if value is not None or key == "value"}
        self._file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        self._file.flush()


class Operation:
    """An open operation."""

    def __init__(self, recorder, number):
        self._recorder = recorder
        self._number = number

    def returned(self, value=None):
        """It ended with this result."""
        self._recorder._write({"return": self._number, "value": _value(value)})

    def failed(self):
        """It certainly did not happen."""
        self._recorder._write({"fail": self._number})

    def unknown(self):
        """Nobody knows: a timeout, a lost connection. It may happen later, or may have happened."""
        self._recorder._write({"info": self._number})


def _value(value):
    """A value that linpoint reads: null, true, false, 64-bit integers, strings, lists, objects. Others become strings."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**63 else str(value)
    if isinstance(value, (list, tuple)):
        return [_value(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _value(item) for key, item in value.items()}
    return str(value)
