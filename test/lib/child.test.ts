import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadCompiler } from '../../src/content/print/packages.ts'
import { ChildError, runChild } from '../../src/lib/child.ts'
import { skip } from '../support/skip.ts'

const beside = mkdtempSync(join(tmpdir(), 'stemma-child-'))
const folder = mkdtempSync(join(beside, 'work-'))
test.after(() => rmSync(beside, { recursive: true, force: true }))

type Options = { ms?: number; signal?: AbortSignal; pages?: number }

/** What becomes of printing so many pages: what was said last, or why nothing was. */
async function print({
  ms = 60_000,
  signal = new AbortController().signal,
  pages = 1,
}: Options): Promise<string> {
  const book = {
    title: 'T',
    revision: 'r',
    date: '2026-01-01',
    fonts: { body: ['Libertinus Serif'], mono: ['DejaVu Sans Mono'] },
  }

  const page = {
    id: 'a',
    title: 'A',
    depth: 0,
    markdown: '# A\n\n|a|b|\n|-|-|\n'.padEnd(pages === 1 ? 0 : 20_000, '|x|y|\n'),
  }

  const files = {
    'order.json': JSON.stringify({ book, root: '', fontFolders: [], decodedPixels: 0, time: 0 }),
    pages: Array.from({ length: pages }, (_, i) => JSON.stringify({ ...page, id: `p${i}` })).join(
      '\n',
    ),
    includes: '',
    images: '',
  }

  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const reply = (line: string) =>
    line.includes('blobs') ? Promise.resolve('{"images":[],"left":[],"notes":[]}') : undefined

  return runChild('print-pdf', { ms, megabytes: 1024, folder, signal }, reply).catch(
    (error: unknown) => {
      if (error instanceof ChildError) return error.why
      throw error
    },
  )
}

test('a process answers, and is killed on a timeout or when cancelled', async () => {
  assert.is(await print({}), '{"notes":[]}')
  assert.is(await print({ pages: 100, ms: 1_000 }), 'timeout')
  const stop = new AbortController()
  const stopped = print({ pages: 100, signal: stop.signal })
  stop.abort()
  assert.is(await stopped, 'aborted')
})

test('a crash is distinguished from a lack of memory', async () => {
  const empty = mkdtempSync(join(beside, 'empty-'))
  const run = (megabytes: number) =>
    runChild(
      'print-pdf',
      { ms: 60_000, megabytes, folder: empty, signal: new AbortController().signal },
      () => undefined,
    )

  const why = (megabytes: number) =>
    run(megabytes).then(
      () => '',
      (error: ChildError) => `${error.why}: ${error.message}`,
    )

  assert.match(await why(1024), /^broken: [\s\S]*ENOENT/)
  if (['/usr/bin/prlimit', '/bin/prlimit'].some(existsSync))
    assert.match(await why(64), /^memory: /)
  else skip('prlimit is not installed: no memory limit')
})

test('a question that cannot be answered ends the process, with the reason', async () => {
  const signal = new AbortController().signal
  writeFileSync(join(folder, 'pages'), '')
  const reply = () => Promise.reject(new Error('no answer'))
  const run = runChild('print-pdf', { ms: 60_000, megabytes: 1024, folder, signal }, reply)
  const why = await run.then(
    () => '',
    error => (error as Error).message,
  )

  assert.is(why, 'no answer')
})

test('a document reads nothing outside its folder', () => {
  writeFileSync(join(beside, 'secret.txt'), 'secret')
  const compiler = loadCompiler().create({ workspace: folder })
  for (const source of [
    '#read("/etc/passwd")',
    '#read("../secret.txt")',
    `#read("${join(beside, 'secret.txt')}")`,
  ])
    assert.throws(() => compiler.pdf({ mainFileContent: source }), undefined, source)
})

test.run()
