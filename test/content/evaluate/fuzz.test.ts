import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pageScope } from '../../../src/content/evaluate/evaluator.ts'
import { evaluateMarkdown } from '../../support/evaluate-markdown.ts'
import { runs } from '../../support/long-run.ts'

const code = (expression: string) => `<code class="expression">${expression}</code>`
const all = (markdown: string, value = 'x') =>
  evaluateMarkdown(markdown, pageScope({ value }, {}), 'all')

const words =
  'a  1 # * - > | ` ``` ~~~ \\ < > & [ ] ( ) ! {% {% hint %} {% endif %} <!-- --> <pre> </pre> <code> </code> <div> </div> <b> \n \r\n \n\n \t {{ }} --- +++ é \ufeff'
    .split(' ')
    .concat(' ', '    ', '\n> ', '\n* ', '\n1. ', '```\n')
const soup = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map(picked => picked.join(''))

test('a page without expressions is unchanged, byte for byte', () => {
  fc.assert(
    fc.property(soup, soup, (text, more) => {
      assert.is(all(text), text)
      // An expression without an end tag is not one.
      const open = `${text}{% if false %}${more}`.replaceAll('endif', 'end')
      assert.is(all(open), open)
    }),
    { numRuns: runs(500) },
  )
})

test('evaluating a page changes nothing but its expressions', () => {
  const part = fc.oneof(
    fc
      .constantFrom(
        'Word',
        'two words',
        '*em*',
        '`code`',
        '[a](b.md)',
        '`<code class="expression">1</code>`',
      )
      .map(text => [text, text]),
    fc.constant([code('value'), '']),
    fc.constant([code('space.vars.value'), 'x']),
    fc.constant([code('1 + 1'), '2']),
  )
  const paragraph = fc
    .array(part, { minLength: 1, maxLength: 5 })
    .map(parts => [0, 1].map(side => `.${parts.map(each => each[side]).join(' ')}.`))
  const block = fc.oneof(
    paragraph.map(([from, to]) => [`${from}\n\n`, `${to}\n\n`]),
    paragraph.map(([from, to]) => [`{% if true %}\n${from}\n{% endif %}\n\n`, `${to}\n\n`]),
    paragraph.map(([from]) => [`{% if false %}\n${from}\n\n${from}\n{% endif %}\n\n`, '']),
    fc
      .constantFrom('```\n{% if false %}\n```\n\n', '<!-- {% endif %} -->\n\n')
      .map(text => [text, text]),
  )

  fc.assert(
    fc.property(fc.array(block, { maxLength: 8 }), blocks => {
      const [from, to] = [0, 1].map(
        side => `Begin.\n\n${blocks.map(each => each[side]).join('')}End.\n`,
      )
      assert.is(all(from!), to)
      assert.is(all(from!.replaceAll('\n', '\r\n')), to!.replaceAll('\n', '\r\n'))
    }),
    { numRuns: runs(500) },
  )
})

const grammar = new MarkdownIt({ html: true })
/** Returns the text of a page as rendered, without HTML. */
const textIn = (markdown: string): string => {
  const parts: string[] = []
  for (const { type, children } of grammar.parse(markdown, {})) {
    if (type !== 'inline') parts.push(type === 'html_block' ? '<HTML>' : '')
    for (const child of children ?? []) {
      if (child.type === 'text' || child.type === 'text_special') parts.push(child.content)
      else parts.push(child.type === 'softbreak' ? ' ' : `<${child.type}>`)
    }
  }

  return parts.join('')
}

test('the value of a variable is read back as the same text, whatever it contains', () => {
  const marks =
    '# * - > | ` ``` ~ ~~ \\ < > & [ ] ( ) ! _ = + . : ; $ { } {% %} 1 1. a b <b> </b> &lt; &#60; --- === :- \n \n\n \t https://x.y'.split(
      ' ',
    )

  const value = fc.oneof(
    fc.array(fc.constantFrom(...marks, ' ', '  '), { maxLength: 8 }).map(picked => picked.join('')),
    fc.string({ maxLength: 12 }),
  )

  const around = fc.constantFrom<[string, string]>(
    ...([
      ['', ''],
      ['a ', ' b'],
      ['a', 'b'],
      ['* ', ''],
      ['> ', '\n> b'],
      ['# ', ''],
      ['a\n', '\nb'],
      ['1', '. b'],
      ['a 1', '. b'],
      ['', '. b'],
      ['x]', '(y)'],
      ['&', ';'],
      ['-', '-'],
      ['`', 'c'],
      ['| a | b |\n| - | - |\n| ', ' | d |'],
    ] as [string, string][]),
  )

  fc.assert(
    fc.property(around, value, ([before, after], text) => {
      // An empty value joins its neighbours, which is not tested here.
      if (text === '') return
      const shown = all(`${before}${code('space.vars.value')}${after}`, text)

      // Its surroundings must be rendered as around a plain word in its place.
      const plain = textIn(`${before}WORD${after}`)
      const wanted = plain.replace('WORD', () => text)
      const squeeze = (words: string) => words.replace(/[\s\0\ufffd]+/g, ' ').trim()

      assert.is(
        squeeze(textIn(shown)),
        squeeze(wanted),
        JSON.stringify({ before, text, after, shown }),
      )
    }),
    { numRuns: runs(1500), examples: [[['1', '. b'], '1. #']] },
  )
})

test.run()
