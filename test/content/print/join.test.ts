import { mkdtempSync, rmSync } from 'node:fs'
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

/** Returns the book as one file, made from parts of about 2,500 characters, after `front` pages. */
function joined(book: PrintBook, front: number): { pdf: Buffer; numbers: Map<string, number> } {
  const parts = atOnce(partSteps(book, 2_500))
  const folder = mkdtempSync(join(tmpdir(), 'join-'))
  const compiler = loadCompiler().create({ workspace: folder })
  const compile = (source: string) =>
    compiler.pdf({ mainFileContent: source }, { creationTimestamp: 1, pdfTags: false })
  const joiner = new PdfJoiner()
  const pieces = [joiner.start()]
  const numbers = new Map<string, number>()
  let before = front

  for (const part of parts) {
    const added = joiner.add(compile(partSource(book, part, before)), part)
    for (const { label } of part.entries) numbers.set(label, before + added.pageOf(label)! + 1)
    pieces.push(added.bytes)
    before += added.pages
  }

  const first = compile(frontSource(book, parts, ({ label }) => numbers.get(label)!))
  pieces.push(joiner.add(first, { level: 1, headings: [] }, true).bytes, joiner.end())
  rmSync(folder, { recursive: true })

  return { pdf: Buffer.concat(pieces), numbers }
}

test('a book in parts has the pages, page numbers, bookmarks and links of one document', () => {
  if (!canPrint()) return skip('the compiler of PDF files is not installed')
  assert.equal(
    atOnce(partSteps(book, 2_500)).map(({ level, entries }) => [
      level,
      ...entries.map(({ label }) => label),
    ]),
    [
      [1, 'p-a'],
      [2, 'p-b'],
      [2, 'p-c'],
      [1, 'p-d'],
    ],
  )

  const { pdf, numbers } = joined(book, 2)
  assert.equal([...numbers.values()], [3, 4, 5, 6])
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

test('words of pages that look like objects of a PDF stay words', () => {
  if (!canPrint()) return skip('the compiler of PDF files is not installed')
  const tricks = [
    '/A << /S /URI /URI (stemma:%ZZ) >>',
    '/Type /Catalog',
    '/First 1 0 R /Next 1 0 R /Dest 1 0 R',
    ...Array.from({ length: 60 }, (_, id) => `/First ${id} 0 R`),
  ]
  const pages = tricks.map((trick, at) => ({
    ...page(`p${at}`, 0, `# T\n\n## ${trick.replaceAll('<', '\\<')}\n\n${filler}\n`),
    title: trick,
  }))
  const links = [
    '[x](<https://e.org/URI (stemma:%ZZ)>)',
    '[y](<https://e.org/?/A<</S/URI/URI(stemma:%ZZ)>>)',
    '[z](https://e.org/%20/URI%20(stemma:%ZZ))',
    '[to p1](p1.md)',
  ]
  const { pdf } = joined(
    {
      ...book,
      title: tricks.slice(0, 2).join(' '),
      pages: [page('links', 0, `# L\n\n${filler}\n\n${links.join('\n\n')}\n`), ...pages],
    },
    3,
  )
  const text = pdf.toString('latin1')
  assert.match(text, /\/Title \(.*stemma:%ZZ/)
  // One bookmark of each page, and one of its heading.
  assert.is(text.match(/\/Title [^\n]*\/Dest \d+ 0 R >>/g)?.length, 2 * pages.length + 1)
  if (!hasPoppler()) return skip('poppler-utils is not installed: the text is not checked')
  const facts = factsOfPdf(pdf)
  assert.match(facts, 'Title:           /A << /S /URI /URI (stemma:%ZZ) >> /Type /Catalog')
  assert.ok(urlsOfPdf(pdf).includes('https://e.org/%20/URI%20(stemma:%ZZ)'))
})

test('the table of contents is as long whatever its numbers are', () => {
  if (!canPrint()) return skip('the compiler of PDF files is not installed')
  const compiler = loadCompiler().create({ workspace: tmpdir() })
  const pagesWith = (title: string, number: number) => {
    const entries = Array.from({ length: 60 }, (_, at) => ({ level: 3, label: `p${at}`, title }))
    const part = { code: '', level: 1, entries, headings: [] }
    const source = frontSource(book, [part], () => number)
    const pdf = compiler.pdf({ mainFileContent: source }, { pdfTags: false })
    return new PdfJoiner().add(pdf, { level: 1, headings: [] }).pages
  }

  // Titles that end near the right margin.
  for (let length = 70; length < 110; length += 2) {
    const title = `${'word '.repeat(10)}${'i '.repeat(length - 50)}`
    const drafted = pagesWith(title, 888)
    for (const number of [1, 1234]) assert.is(pagesWith(title, number), drafted, `${length}`)
  }
})

test.run()
