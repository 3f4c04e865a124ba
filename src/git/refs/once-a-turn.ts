/**
 * Returns `read` with its results cached until the end of this turn of the event loop, so that
 * requests that arrive together share one read of a value that cannot change in between. Errors are
 * not cached.
 */
export function onceATurn<Value>(read: (key: string) => Value): (key: string) => Value {
  const seen = new Map<string, Value>()
  return key => {
    const known = seen.get(key)
    if (known !== undefined) return known
    if (seen.size === 0) setImmediate(() => seen.clear())
    const value = read(key)
    seen.set(key, value)
    return value
  }
}
