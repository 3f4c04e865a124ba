// Loaded before a program (`NODE_OPTIONS=--import=…`), lets it run with a clock that is wrong by
// TEST_CLOCK_SHIFT_MS. The monotonic clock, `performance`, is right, as on a machine with a wrong time.
const shift = Number(process.env.TEST_CLOCK_SHIFT_MS ?? 0)
const RealDate = Date
const now = () => RealDate.now() + shift

class ShiftedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now())
    else super(...args)
  }

  static now() {
    return now()
  }
}

globalThis.Date = new Proxy(ShiftedDate, {
  // `Date()` without `new` is a text.
  apply: () => new ShiftedDate().toString(),
})
