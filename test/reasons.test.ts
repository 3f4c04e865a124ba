import { readFileSync, writeFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Fault } from '../src/errors.ts'
import { failureOf } from '../src/http/faults.ts'
import { type Reason, reasons } from '../src/reasons.ts'
import { matchSnapshot } from './support/snapshot.ts'
import { filesBelow, readSources } from './support/source.ts'

const words = Object.values(reasons).flatMap(Object.keys)

/** Made in many places, by `invalid` and `missing`: their sentences mean the same by their kind. */
const general = new Set(['invalid_input', 'not_found'])

const texts = new Map(filesBelow('src').map(path => [path, readFileSync(path, 'utf8')]))
const made = readSources(
  [...texts].filter(([, text]) => text.includes('new Fault(')).map(([path]) => path),
).flatMap(({ path, faults }) => faults.map(fault => ({ path, ...fault })))

/** The tables of `http/faults.ts` have words and sentences for errors of Git, of the database and others. */
const translated = [
  ...(texts.get('src/http/faults.ts') ?? '').matchAll(
    /(?:\[|failure\()\s*'(\w+)',\s*(?:'([^']*)'|"([^"]*)")/g,
  ),
].map(([, word = '', single, double]) => ({
  ...{ path: 'src/http/faults.ts', line: 0 },
  reasons: [word],
  sentences: [single ?? double ?? ''],
}))
const faults = [...made, ...translated]

test('each word is used', () => {
  const code = [...texts].filter(([path]) => path !== 'src/reasons.ts').map(([, text]) => text)
  const unused = words.filter(word => !code.some(text => text.includes(`'${word}'`)))
  assert.equal(unused, [], 'leave the word out, or refuse something with it')
})

test('the same sentence has the same word everywhere', () => {
  const wordOf = new Map<string, string>()
  const problems = faults.flatMap(({ path, line, reasons: [word = '', other], sentences }) =>
    other !== undefined
      ? []
      : sentences.flatMap(sentence => {
          const first = wordOf.get(sentence) ?? word
          wordOf.set(sentence, first)
          return first === word || sentence.startsWith('{')
            ? []
            : [`${path}:${line} has ${word}, and ${first} elsewhere: ${sentence}`]
        }),
  )

  assert.ok(faults.length > 200)
  assert.equal(problems, [])
})

test('the sentences of each word are those of the snapshot', () => {
  const sentencesOf = (word: string): string[] => {
    const own = faults.filter(({ reasons }) => reasons.includes(word))
    return [...new Set(own.flatMap(({ sentences }) => sentences))].sort()
  }
  const shown = words
    .filter(word => !general.has(word))
    .sort()
    .map(word => [word, ...sentencesOf(word).map(sentence => `  ${sentence}`)].join('\n'))

  matchSnapshot('reasons.txt', `${shown.join('\n\n')}\n`)
})

test('the manual has a table of the words of each status', () => {
  const tables = Object.values(reasons).map(words => {
    const [first = ''] = Object.keys(words)
    const { status } = failureOf(new Fault(first as Reason, ''))
    const rows = Object.entries(words).map(([word, text]) => `| \`${word}\` | ${text} |`)
    const head = ['| Reason | What it means, and what to do |', '| --- | --- |']
    return [`### ${status} ${STATUS_CODES[status]}`, '', ...head, ...rows, ''].join('\n')
  })
  const path = 'docs/errors.md'
  const text = readFileSync(path, 'utf8')
  const expected = `${text.split('## Reasons\n')[0]}## Reasons\n\n${tables.join('\n')}`
  const cells = (markdown: string) => markdown.replace(/ *\| */g, '|').replace(/-{3,}/g, '---')

  if (process.env.UPDATE === '1') writeFileSync(path, expected)
  else assert.is(cells(text), cells(expected), 'run UPDATE=1 npm test -- test/reasons')
})

test.run()
