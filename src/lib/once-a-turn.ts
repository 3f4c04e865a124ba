/**
 * `read` with what it gave kept until this turn of the event loop ends: requests that arrive together share one look at
 * what none of them could have seen change. Errors are not kept.
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
