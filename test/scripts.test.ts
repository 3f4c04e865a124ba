import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parseStory, playStory } from './support/script.ts'

const folder = 'test/scripts'
const wanted = process.env.STORY ?? ''

test('a story parses into commands and their expected output', () => {
  const steps = parseStory(
    'Told.\n\n$ echo one\n  two\n> one ... $X\nX = (\\d+)\n\n  not a command\n! false\n',
  )
  assert.equal(steps, [
    {
      line: 3,
      kind: '$',
      command: 'echo one\ntwo',
      expected: [
        { line: 5, text: 'one ... $X' },
        { line: 6, name: 'X', pattern: '(\\d+)' },
      ],
    },
    { line: 9, kind: '!', command: 'false', expected: [] },
  ])
  assert.throws(() => parseStory('> nothing before'), /line 1 has an expectation without a command/)
})

for (const file of readdirSync(folder).filter(
  file => file.endsWith('.txtar') && file.includes(wanted),
))
  test(file.replace(/\.txtar$/, '').replaceAll('-', ' '), () => playStory(join(folder, file)))

test.run()
