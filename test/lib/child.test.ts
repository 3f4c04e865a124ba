import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { PrintOutcome } from '../../src/content/print-order.ts'
import { ChildError, runChild } from '../../src/lib/child.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-child-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

/** What printing this source comes to. */
async function print(source: string, { ms = 60_000, signal = new AbortController().signal } = {}) {
  const order = { fontFolders: [], images: [], time: 0 }
  writeFileSync(join(folder, 'order.json'), JSON.stringify(order))
  writeFileSync(join(folder, 'main.typ'), source)
  return JSON.parse(await runChild('print-pdf', { ms, megabytes: 1024, folder, signal })) as PrintOutcome
}

const whyNot = (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'it ended well',
    error => (error instanceof ChildError ? error.why : String(error)),
  )

const forever = '#let x = 0\n#for i in range(20000000) { x += 1 }\n#x'

test('native code that takes too long, or is not wanted any more, is ended', async () => {
  const stop = new AbortController()
  const stopped = whyNot(print(forever, { signal: stop.signal }))
  const late = whyNot(print(forever, { ms: 1_500 }))
  stop.abort()
  assert.is(await stopped, 'aborted')
  assert.is(await late, 'timeout')
})

test('what breaks native code or wants too much memory breaks that process alone', async () => {
  assert.is(await whyNot(print(`${'#block['.repeat(20_000)}x${']'.repeat(20_000)}`)), 'broken')
  assert.is(await whyNot(print('#let a = range(200000000)\n#a.len()')), 'broken')
})

test('a document reads no file of the machine and asks nobody', async () => {
  writeFileSync(join(folder, '..', 'stemma-beside.txt'), 'secret')
  const hostile = [
    '#read("/etc/passwd")',
    '#read("../stemma-beside.txt")',
    '#import "@preview/example:0.1.0": *',
    '#import "@local/example:0.1.0": *',
  ]
  const outcomes = await Promise.all(hostile.slice(0, 1).map(source => print(source)))
  for (const source of hostile.slice(1)) outcomes.push(await print(source))
  for (const [i, outcome] of outcomes.entries()) assert.ok('error' in outcome, hostile[i])
  assert.not(readdirSync(folder).includes('out.pdf'))
  rmSync(join(folder, '..', 'stemma-beside.txt'))
})

test.run()
