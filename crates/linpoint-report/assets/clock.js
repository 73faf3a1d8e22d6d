// The clock: ticks at calls and returns, as html/ticks.rs wrote them, and the way between the axis of events, on which text
// fits, and the axis of time.

const clock = facts.clock;

/** The tick at each position of the axis of events. */
function momentsOf(set) {
  if (set.moments) return set.moments;
  const moments = new Float64Array(set.extent).fill(-1);
  for (let i = 0; i < set.n; i++) {
    moments[set.from[i]] = set.at[i];
    if (set.to[i] !== NEVER) moments[set.to[i]] = set.until[i];
  }
  let last = set.n ? set.at[0] : 0;
  for (let k = 0; k < moments.length; k++) last = moments[k] = moments[k] < 0 ? last : moments[k];
  return set.moments = moments;
}

/** The tick at a position of the axis of events, in proportion between two events. */
function toClock(set, x) {
  const moments = momentsOf(set), last = moments.length - 1;
  if (last < 1 || x <= 0) return moments[0] || 0;
  if (x >= last) return moments[last];
  const k = Math.floor(x);
  return moments[k] + (x - k) * (moments[k + 1] - moments[k]);
}

/** The position on the axis of events at a tick. */
function fromClock(set, tick) {
  const moments = momentsOf(set), k = firstAbove(moments, tick) - 1;
  if (k < 0) return 0;
  if (k >= moments.length - 1) return moments.length - 1;
  return k + (tick - moments[k]) / (moments[k + 1] - moments[k]);
}

const SECONDS = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 };
const UNITS = [["ns", 1e-9], ["µs", 1e-6], ["ms", 1e-3], ["s", 1]];

/** A number with at most four significant digits, whole numbers with all of them. */
function shortNumber(value) {
  const size = Math.abs(value);
  return value.toLocaleString("en", { maximumFractionDigits: size >= 1000 || Number.isInteger(value) ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3 });
}

/** A distance in ticks as a duration: `1.25 ms`. Without a unit it is a number. */
function durationText(ticks) {
  const value = ticks * clock.step, seconds = SECONDS[clock.unit];
  if (!seconds) return shortNumber(value);
  const [name, size] = UNITS.findLast(([, size]) => value * seconds >= size * 0.9995) || UNITS[0];
  return `${shortNumber(value * seconds / size)} ${name}`;
}

/** A tick as a time since the first one, exact to a distance in ticks. */
function timeText(tick, distance) {
  const seconds = SECONDS[clock.unit], value = tick * clock.step, exact = distance * clock.step;
  if (!seconds) return value.toLocaleString("en", { maximumFractionDigits: Math.max(0, Math.min(12, -Math.floor(Math.log10(exact) + 1e-9))) });
  const [name, size] = UNITS.findLast(([, size]) => exact * seconds >= size * 0.9995) || UNITS[0];
  return `${Math.round(value * seconds / size).toLocaleString("en")} ${name}`;
}

/** The reading of the clock at a tick, as the file has it. */
function readingText(tick) {
  if (/^\d+$/.test(clock.first) && Number.isSafeInteger(clock.step)) return String(BigInt(clock.first) + BigInt(tick) * BigInt(clock.step));
  return String(Number((Number(clock.first) + tick * clock.step).toPrecision(15)));
}

const A_SECOND = { ns: 1_000_000_000, us: 1_000_000, ms: 1000, s: 1 };

/** The date and time at a tick, in UTC; null if it is not known that the clock counts since 1970. */
function dateText(tick) {
  const units = clock.dated && A_SECOND[clock.unit];
  if (!units) return null;
  const [whole, fraction = ""] = readingText(tick).split(".");
  if (!/^\d+$/.test(whole)) return null;
  const seconds = BigInt(whole) / BigInt(units), rest = String(BigInt(whole) % BigInt(units)).padStart(String(units).length - 1, "0");
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return null;
  const digits = (units > 1 ? rest : "") + fraction;
  return date.toISOString().slice(0, 19).replace("T", " ") + (digits ? "." + digits : "") + " UTC";
}

/** The date and time of the call and of the return. */
function datesText(set, i) {
  const from = dateText(set.at[i]);
  return from === null || set.ret[i] === NEVER ? from : `${from} to ${dateText(set.until[i])}`;
}

/** When an operation was open: `at 12.4 ms for 310 µs`. */
function openText(set, i) {
  const since = `at ${durationText(set.at[i])}`;
  return set.ret[i] === NEVER ? `${since}, never returned` : `${since} for ${durationText(set.until[i] - set.at[i])}`;
}
