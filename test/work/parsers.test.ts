import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { App } from '../support/app.ts'
import { costsOfParser } from './measure-parser.ts'
import type { Parser } from './parsers/parser.ts'

// `npm run test:work` measures every parser; here are parsers that it must tell apart.

/** Compares every byte with every byte, or with one. */
const parserOf = (name: string, mostMs?: number): Parser => ({
  name,
  most: 10_000,
  forms: { bytes: bytes => Buffer.alloc(bytes) },
  ...(mostMs !== undefined && { mostMs }),
  parse: (bytes: Buffer) => {
    let equal = 0
    const others = name === 'quadratic' ? bytes.length : 1_000
    for (const byte of bytes) for (let at = 0; at < others; at++) if (bytes[at] === byte) equal++
    return equal
  },
})

const problemsOf = async (parser: Parser) =>
  (await costsOfParser({} as App, parser)).map(({ problem }) =>
    problem?.replace(/^[\d.]+ times$/, 'steep'),
  )

test('a parser whose cost grows with the square of its input is found', async () => {
  assert.equal(await problemsOf(parserOf('quadratic')), ['steep'])
  assert.equal(await problemsOf(parserOf('linear')), [undefined])
  assert.equal(await problemsOf(parserOf('linear', 1)), ['more than 1 ms'])
})

test.run()
