import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { verifySpace } from '../../src/actions/upkeep/verify-space.ts'
import { findSpace } from '../../src/store/spaces/spaces.ts'
import { openClient } from '../support/git/client.ts'
import { openSyncBench } from '../support/git/remote.ts'
import { fsck } from '../support/git/repo.ts'
import { fileRules, sentences } from './file-rules.ts'
import { type Ended, fileWays, groundFor, objectsOf } from './files-in.ts'
import { readWays } from './ways.ts'

const templates = mkdtempSync(join(tmpdir(), 'stemma-file-templates-'))
const bench = await openSyncBench(undefined, { STEMMA_TEMPLATES: templates })
const client = await openClient()
test.after(async () => {
  await client.remove()
  await bench.stop()
  rmSync(templates, { recursive: true, force: true })
})

const lines = readWays('files.txt')
const columns = Object.keys(fileRules)

/**
 * Ways that bring Git's objects to the server before they are judged: a copy of the branch of the
 * remote stays.
 */
const keepsCopy = (way: string): boolean => /^(?:import|standalone|export)/.test(way)

function cellOf({ how, text }: Ended): string {
  if (how === 'ok') return 'taken'
  const said = Object.entries(sentences).find(([, sentence]) => sentence.test(text))
  return `${how}:${said?.[0] ?? JSON.stringify(text.slice(0, 300))}`
}

for (const { way, cells } of lines)
  test(`${way}: the files that it refuses`, async () => {
    const ground = await groundFor({ bench, client, templates })
    const found: Record<string, string> = {}
    for (const column of columns) {
      const attempt = await fileWays[way]!(ground, fileRules[column]!)
      if (!attempt) {
        found[column] = '-'
        continue
      }

      const before = objectsOf(ground)
      found[column] = cellOf(await attempt())
      if (found[column] === 'taken' || keepsCopy(way)) continue

      const known = new Set(before)
      if (objectsOf(ground).some(oid => !known.has(oid))) found[column] += '+objects'
    }

    assert.equal(found, cells)
    fsck(ground)
    assert.equal(await verifySpace(bench.app.ctx, findSpace(bench.app.ctx.store, ground.id)!), [])
  })

/** Ways of ways.txt that bring in nothing new, or that have no checks. */
const untried = ['export', 'push', 'git-fetch', 'duplicate', 'restore']

test('every way in has a line, and every file a column', () => {
  assert.equal(lines.map(({ way }) => way).sort(), Object.keys(fileWays).sort())
  const tried = new Set(lines.map(({ way }) => way.split('@')[0]))
  assert.equal(
    readWays()
      .map(({ way }) => way)
      .filter(way => !tried.has(way)),
    untried,
  )
  assert.equal(Object.keys(lines[0]!.cells), columns)
})

/** Returns what a source file of the rules says when it refuses, with words for its values. */
const refusalsIn = (file: string, start: RegExp): string[] =>
  readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
    .split(start)
    .slice(1)
    .map(text => text.slice(0, text.search(/[`']/)).replace(/\$\{[^}]*\}/g, 'U+AD gitmodules'))

test('every rule has a cell', () => {
  const words = new Set(
    lines.flatMap(({ cells }) => Object.values(cells).map(cell => cell.split(/[:+]/)[1])),
  )
  const used = Object.entries(sentences).filter(([word]) => words.has(word))
  assert.equal(
    used.map(([word]) => word),
    Object.keys(sentences),
  )

  const said = [
    ...refusalsIn('actions/clearance/check-files.ts', /\binvalid\(\s*`/),
    ...refusalsIn('content/edit/paths.ts', /\bwrong\(\s*'/),
  ]
  const without = said.filter(text => !used.some(([, sentence]) => sentence.test(text)))

  assert.equal(without, ['is not a file name'])
})

test.run()
