import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { printSteps } from '../../../src/content/print/book.ts'
import { loadCompiler } from '../../../src/content/print/packages.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { skip } from '../../support/skip.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-tables-'))
const compiler = loadCompiler().create({ workspace: folder })
const hasPoppler = spawnSync('pdftotext', ['-v']).error === undefined

test.after(() => rmSync(folder, { recursive: true, force: true }))

type Word = { left: number; right: number; top: number; bottom: number; text: string }

/** Prints a page and returns its words with their boxes in points, those of the second sheet. */
function wordsOf(markdown: string): Word[] {
  const { source } = atOnce(
    printSteps({
      title: 'Book',
      revision: 'a7a42eb',
      date: '2026-11-21',
      pages: [{ id: 'a', title: 'Tables', depth: 0, filePath: 'a.md', markdown }],
      include: () => undefined,
      link: () => undefined,
      image: () => undefined,
      fonts: { body: ['Libertinus Serif'], mono: ['DejaVu Sans Mono'] },
    }),
  )
  const { result } = compiler.compile({ mainFileContent: source })
  assert.ok(result)
  const file = join(folder, 'book.pdf')

  writeFileSync(file, compiler.pdf(result))
  spawnSync('pdftotext', ['-bbox', '-f', '2', file, join(folder, 'book.html')])
  const html = readFileSync(join(folder, 'book.html'), 'utf8')

  return [
    ...html.matchAll(
      /<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)<\/word>/g,
    ),
  ].map(([, left, top, right, bottom, text = '']) => ({
    left: Number(left),
    top: Number(top),
    right: Number(right),
    bottom: Number(bottom),
    text,
  }))
}

/** Returns the words that overlap another one or exceed the right margin of the sheet. */
function misprinted(words: readonly Word[]): string[] {
  const margin = 595 - 2.4 * 28.35 + 2
  return words.flatMap(word => {
    if (word.right > margin) return [`${word.text} at ${word.right}`]
    const middle = (word.top + word.bottom) / 2
    const over = words.find(
      other =>
        other !== word &&
        other.top < middle &&
        other.bottom > middle &&
        other.left < word.right - 0.5 &&
        other.left > word.left,
    )

    return over ? [`${word.text} over ${over.text}`] : []
  })
}

const tables: Record<string, string> = {
  'methods of an API': [
    '| Method | Standalone | Package | Components |',
    '| --- | --- | --- | --- |',
    "| Show | `GitBook('show')` / `GitBook('hide')` | `client.createFrame(iframe)` | `useGitBook().createFrame(iframe)` |",
    '| List | `GET /workflow-definitions` | `IWorkflowDefinitionsApi.ListAsync` | `read:workflow-definitions` |',
  ].join('\n'),
  'names of variables': [
    '| Variable | Description | Options | Required |',
    '| --- | --- | --- | --- |',
    '| `CONNECTIONSTRINGS__POSTGRESQL` | PostgreSQL connection string | See example above | If using PostgreSQL |',
  ].join('\n'),
  hashes: [
    '| File | Digest | Purpose |',
    '| --- | --- | --- |',
    `| a | ${'e3b0c44298fc1c149afbf4c8996fb924'.repeat(4)} | A sentence of some length that needs room of its own |`,
  ].join('\n'),
  'twelve columns': [
    `|${' Configuration |'.repeat(12)}`,
    `|${' --- |'.repeat(12)}`,
    `|${' `internal_error_code` |'.repeat(12)}`,
  ].join('\n'),
  'code and words without blanks between them': [
    '| Function | Result | Text |',
    '| --- | --- | --- |',
    `| \`pg_read_binary_file(\`_filename_\`text\` \`[,\`_offset_\`bigint\`_length_\`bigint\`,_missing_ok_\`boolean\`.attnum | \`setof text\` | ${'word '.repeat(40)} |`,
  ].join('\n'),
  'a table in a list': [
    '* Item',
    '',
    '  | A | B |',
    '  | - | - |',
    `  | \`${'a.b'.repeat(40)}\` | ${'word '.repeat(30)} |`,
  ].join('\n'),
}

for (const [name, markdown] of Object.entries(tables))
  test(`a table of ${name} is printed within its columns`, () => {
    if (!hasPoppler) return skip('poppler-utils is not installed')
    assert.equal(misprinted(wordsOf(markdown)), [])
  })

test('code in a table is broken without a hyphen', () => {
  if (!hasPoppler) return skip('poppler-utils is not installed')
  const text = wordsOf(tables['methods of an API']!)
    .map(word => word.text)
    .join('')
  for (const code of ["GitBook('hide')", 'read:workflow-definitions', 'client.createFrame(iframe)'])
    assert.ok(
      text.replaceAll('&apos;', "'").replaceAll('&#39;', "'").includes(code),
      `${code} in ${text}`,
    )
})

test.run()
