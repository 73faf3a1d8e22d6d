"""Four threads increment a counter. usage: example.py FILE correct|broken [plain]"""

import sys
import threading

from linpoint_recorder import Failed, Recorder


class Counter:
    """The service. The broken one forgets every fifth addition."""

    def __init__(self, broken):
        self.lock, self.value, self.calls, self.broken = threading.Lock(), 0, 0, broken

    def incr(self):
        with self.lock:
            self.calls += 1
            if self.calls % 7 == 0:
                raise Failed("refused: nothing was added")
            if self.calls % 11 == 0:
                self.value += 1
                raise TimeoutError("the answer was lost")
            if self.broken and self.calls % 5 == 0:
                return self.value + 1
            self.value += 1
            return self.value


def client(log, counter, name):
    for _ in range(50):
        try:
            log.record(name, "add_fetch", [1], counter.incr)
        except (Failed, TimeoutError):
            pass


def main():
    path, mode = sys.argv[1], sys.argv[2]
    plain = "plain" in sys.argv[3:]
    counter = Counter(mode == "broken")
    with Recorder(path, model="counter", times=not plain) as log:
        if not plain:
            log.fault("slow network", detail="every eleventh answer is lost")
        threads = [threading.Thread(target=client, args=(log, counter, f"client-{i}")) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not plain:
            log.heal("slow network")


main()
