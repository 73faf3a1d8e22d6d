// Four clients increment a counter. usage: example.mjs FILE correct|broken [plain]
import { Failed, Recorder } from "./linpoint-recorder.mjs";

const [path, mode, plain] = process.argv.slice(2);
const pause = () => new Promise((done) => setTimeout(done, Math.random()));

/** The service. The broken one forgets every fifth addition. */
const counter = {
  value: 0,
  calls: 0,
  async incr() {
    await pause();
    const calls = ++this.calls;
    let result;
    if (calls % 7 === 0) throw new Failed("refused: nothing was added");
    if (calls % 11 === 0) {
      this.value += 1;
      throw new Error("the answer was lost");
    }
    if (mode === "broken" && calls % 5 === 0) result = this.value + 1;
    else result = this.value += 1;
    await pause();
    return result;
  },
};

const log = new Recorder(path, { model: "counter", times: plain === undefined });
if (plain === undefined) log.fault("slow network", { detail: "every eleventh answer is lost" });
const client = async (name) => {
  for (let n = 0; n < 25; n += 1) {
    await log.record(name, "add_fetch", [1], () => counter.incr()).catch(() => {});
  }
};
await Promise.all([0, 1, 2, 3].map((i) => client(`client-${i}`)));
if (plain === undefined) log.heal("slow network");
log.close();
