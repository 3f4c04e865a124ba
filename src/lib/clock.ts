/** Gives a clock that never repeats a millisecond and never runs backwards, whatever the machine's does. */
export function steadyClock(read: () => number = Date.now): () => Date {
  let last = 0
  return () => {
    last = Math.max(read(), last + 1)
    return new Date(last)
  }
}
