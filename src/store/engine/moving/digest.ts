import { createHash, type Hash } from 'node:crypto'
import type { Row, Value } from './shapes.ts'

/** How many rows a table has, and a digest of them in the order of its key. */
export type TableDigest = { rows: number; sha256: string }

/** Computes the digest of a table from its rows in order. */
export class Digest {
  readonly #hash: Hash = createHash('sha256')
  #rows = 0

  add(rows: readonly Row[]): void {
    for (const row of rows) for (const value of row) this.#add(value)
    this.#rows += rows.length
  }

  /** Each value has its type and its length in front, so that no two rows look alike. */
  #add(value: Value): void {
    if (value === null) {
      this.#hash.update('n')
      return
    }
    const type = typeof value === 'bigint' ? 'i' : typeof value === 'string' ? 't' : 'b'
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value))
    this.#hash.update(`${type}${bytes.length}:`)
    this.#hash.update(bytes)
  }

  end(): TableDigest {
    return { rows: this.#rows, sha256: this.#hash.digest('hex') }
  }
}
