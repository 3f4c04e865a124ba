import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { frontSource, partSource, partSteps } from '../../../src/content/print/book.ts'
import type { PrintBook, PrintPage } from '../../../src/content/print/book-types.ts'
import { PdfJoiner } from '../../../src/content/print/join.ts'
import { canPrint, loadCompiler } from '../../../src/content/print/packages.ts'
import { atOnce } from '../../../src/lib/slices.ts'
import { factsOfPdf, hasPoppler, textOfPdf, urlsOfPdf } from '../../support/media/poppler.ts'
import { skip } from '../../support/skip.ts'

const page = (id: string, depth: number, markdown: string): PrintPage => ({
  id,
  title: `Title ${id} (ü) 5 0 R`,
  depth,
  filePath: `${id}.md`,
  markdown,
})

const filler = 'Some words that fill the page. '.repeat(60)
const book: PrintBook = {
  title: 'A long book',
  revision: 'abc',
  date: '2026-01-01',
  language: 'en',
  pages: [
    page(
      'a',
      0,
      `# A\n\n${filler}\n\n[to c](c.md#deep) [to b](b.md) [web](https://example.org/5)\n`,
    ),
    page('b', 1, `# B\n\n## Part of B\n\n${filler}\n\n[own](b.md#part-of-b)\n`),
    page('c', 1, `# C\n\n${filler}\n\n## Deep\n\n[back](a.md) [anchor](d.md#mark)\n`),
    page('d', 0, `# D\n\n${filler}\n\nWith <a id="mark"></a> an anchor.\n`),
  ],
  include: () => undefined,
  link: (_, target) => {
    if (target.startsWith('http')) return { url: target }
    const [path = '', anchor] = target.split('#')
    return { page: path.replace('.md', ''), ...(anchor && { anchor }) }
  },
  image: () => undefined,
  fonts: { body: ['Libertinus Serif'], mono: ['DejaVu Sans Mono'] },
}

test('a book in parts has the pages, page numbers, bookmarks and links of one document', () => {
  if (!canPrint()) return skip('the compiler of PDF files is not installed')
  const parts = atOnce(partSteps(book, 2_500))
  assert.equal(
    parts.map(({ level, entries }) => [level, ...entries.map(({ label }) => label)]),
    [
      [1, 'p-a'],
      [2, 'p-b'],
      [2, 'p-c'],
      [1, 'p-d'],
    ],
  )

  const folder = mkdtempSync(join(tmpdir(), 'join-'))
  const compiler = loadCompiler().create({ workspace: folder })
  const compile = (source: string) =>
    compiler.pdf({ mainFileContent: source }, { creationTimestamp: 1, pdfTags: false })
  const joiner = new PdfJoiner()
  const pieces = [joiner.start()]
  const numbers = new Map<string, number>()
  let before = 2

  for (const part of parts) {
    const added = joiner.add(compile(partSource(book, part, before)), part)
    for (const { label } of part.entries) numbers.set(label, before + added.pageOf(label)! + 1)
    pieces.push(added.bytes)
    before += added.pages
  }

  assert.equal([...numbers.values()], [3, 4, 5, 6])
  const front = compile(frontSource(book, parts, ({ label }) => numbers.get(label)!))
  pieces.push(joiner.add(front, { level: 1, headings: [] }, true).bytes, joiner.end())
  const pdf = Buffer.concat(pieces)

  writeFileSync(join(folder, 'out.pdf'), pdf)
  rmSync(folder, { recursive: true })
  const text = pdf.toString('latin1')

  assert.not.match(text, 'stemma:')
  // Four pages with six headings; "A" contains "B" and "C".
  assert.is(text.match(/\/Title [^/]*\/Dest \d+ 0 R/g)?.length, 6)
  assert.match(text, /\/Type \/Outlines [^>]*\/Count 2 >>/)
  assert.ok((text.match(/\/Subtype \/Link/g)?.length ?? 0) >= 10)
  if (!hasPoppler()) return skip('poppler-utils is not installed: the text is not checked')
  assert.match(factsOfPdf(pdf), /Pages:\s+6/)
  assert.equal(urlsOfPdf(pdf), ['https://example.org/5'])
  const pages = textOfPdf(pdf)
  assert.match(pages[1] ?? '', 'Contents')
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries())
    assert.match(pages[at + 2] ?? '', `Title ${name}`)
})

test.run()
