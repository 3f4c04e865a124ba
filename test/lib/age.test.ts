import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { AgeError, decryptAge, encryptAge, isAge } from '../../src/lib/age.ts'
import { runs } from '../support/long-run.ts'

/**
 * The output of age-encryption 0.3.1 (typage, by the author of age) for "hello from typage\n" with
 * the same passphrase.
 */
const foreign = Buffer.from(
  'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBiSVRMcUxrMmRaZ2doc2cwUXM5NnRBIDEwClhBMFQ5Ykswd2czZEJueGpjK3MvazJta2d1NzZXbnZueGlxckpydlFFY0UKLS0tIFdyMFVWNzRDVG9QT3M1ZDF5TitaWlR3OWxFa0tMQ1Zyb1ZIN3ZrekNyUzgKOlXYTtkWgEeFblazuIew5GtO6TglTOpKk6gJel1afRZHPQV+BxdZmbgRQrXHRt0JCMk=',
  'base64',
)
const passphrase = 'correct horse'

/** The bytes in pieces of these sizes. */
async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}

const seal = (bytes: Buffer, size = 50_000) =>
  all(encryptAge(inPieces(bytes, size), passphrase, 10))
const open = (bytes: Buffer, size = 50_000, words = passphrase) =>
  all(decryptAge(inPieces(bytes, size), words))
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    error => (error instanceof AgeError ? error.message : `not an AgeError: ${error}`),
  )

test('a file encrypted by another program is decrypted, however it is chunked', async () => {
  for (const size of [1, 7, 1000])
    assert.is((await open(foreign, size)).toString(), 'hello from typage\n')
})

test('streams of every length are restored, also at chunk boundaries', async () => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]) {
    const bytes = Buffer.alloc(length, 'stemma')
    const sealed = await seal(bytes)
    assert.ok(isAge(sealed))
    assert.not(sealed.includes('stemma'))
    assert.ok((await open(sealed, 33_333)).equals(bytes), String(length))
  }
})

test('a wrong passphrase, any modified byte and any truncation are refused', async () => {
  assert.match(await refusal(open(foreign, 100, 'wrong horse')), /passphrase is wrong/)
  const sealed = await seal(Buffer.alloc(65_536 * 2 + 100, 'x'))

  // Includes a cut at a chunk boundary, which leaves a complete last chunk.
  for (const cut of [
    0,
    10,
    150,
    sealed.length - 100 - 16,
    sealed.length - 65_552,
    sealed.length - 1,
  ])
    assert.not.equal(await refusal(open(sealed.subarray(0, cut))), 'taken', String(cut))

  const swapped = Buffer.concat([
    foreign.subarray(0, foreign.length - 34),
    foreign.subarray(foreign.length - 34),
    foreign,
  ])

  assert.not.equal(await refusal(open(swapped)), 'taken')
  await fc.assert(
    fc.asyncProperty(
      fc.nat(foreign.length - 1),
      fc.integer({ min: 1, max: 255 }),
      async (at, mask) => {
        const changed = Buffer.from(foreign)
        changed[at]! ^= mask
        const said = await refusal(open(changed))
        assert.ok(said !== 'taken' && !said.startsWith('not an'), `${at}: ${said}`)
      },
    ),
    { numRuns: runs(300) },
  )
})

test('a header that demands too much memory, has no cost, or never ends is refused', async () => {
  const free = Buffer.from(foreign.toString('latin1').replace(' 10\n', ' 00\n'), 'latin1')
  assert.match(await refusal(open(free)), /not encrypted with a passphrase/)
  const costly = Buffer.from(foreign.toString('latin1').replace(' 10\n', ' 30\n'), 'latin1')
  assert.match(await refusal(open(costly)), /not encrypted with a passphrase/)
  const endless = Buffer.from(`age-encryption.org/v1\n-> scrypt ${'A'.repeat(5000)}`)
  assert.match(await refusal(open(endless, 64)), /header is malformed/)
})

test.run()
