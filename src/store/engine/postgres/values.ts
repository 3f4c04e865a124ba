import type { Column, Value } from './messages.ts'

/** Type ids of PostgreSQL, which never change. */
const oids = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  float4: 700,
  float8: 701,
  numeric: 1700,
}

const numbers = new Set([
  oids.int8,
  oids.int2,
  oids.int4,
  oids.oid,
  oids.float4,
  oids.float8,
  oids.numeric,
])

const asText = (text: string): Value => text
const asBytes = (text: string): Value => Buffer.from(text.slice(2), 'hex')
/** A comparison is 0 or 1, as in SQLite. */
const asBit = (text: string): Value => (text === 't' ? 1 : 0)

/**
 * Returns what turns the text of a value into a number, a text or bytes, as SQLite returns it. JSON
 * stays text, which `Store` parses.
 */
export const types = {
  getTypeParser(oid: number): (text: string) => Value {
    if (numbers.has(oid)) return Number
    if (oid === oids.bytea) return asBytes
    return oid === oids.bool ? asBit : asText
  },
}

/** Returns rows as objects. */
export function asObjects(
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
): Record<string, Value>[] {
  return rows.map(row => {
    const object: Record<string, Value> = {}
    for (let at = 0; at < columns.length; at++) object[columns[at]!.name] = asBuffer(row[at]!)
    return object
  })
}

/** Bytes come as a plain array from the other thread. */
const asBuffer = (value: Value): Value =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : value
