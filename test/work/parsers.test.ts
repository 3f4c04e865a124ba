import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { App } from '../support/app.ts'
import { cpuTime } from '../support/cpu-time.ts'
import { costsOfParser } from './measure-parser.ts'
import type { Parser } from './parsers/parser.ts'

// `npm run test:work` measures every parser; here are parsers that it must tell apart.

/**
 * Takes processor time in proportion to the size of its input, or to the square of it. It reads the
 * clock of the measurement: a count of steps takes longer while V8 compiles them.
 */
const parserOf = (name: string, mostMs?: number): Parser => ({
  name,
  most: 10_000,
  forms: { bytes: bytes => Buffer.alloc(bytes) },
  ...(mostMs !== undefined && { mostMs }),
  parse: ({ length }: Buffer) => {
    const end = cpuTime() + (name === 'quadratic' ? (length / 1_000) ** 2 : length / 200)
    while (cpuTime() < end);
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
