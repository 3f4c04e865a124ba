/** Returns the value of a key that a map must have. Throws an error that names a missing key. */
export function mustGet<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key)
  if (value === undefined) throw new Error(`The map has no entry for "${String(key)}".`)
  return value
}
