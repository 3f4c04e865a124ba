import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { printProblems } from '../../src/cli/output/print-problems.ts'

test('a remedy is printed once per space, with the first problems it applies to', () => {
  const lost = Array.from({ length: 592 }, (_, at) => ({
    space: 'a',
    what: `Lost ${at}.`,
    remedy: 'Fetch it.',
  }))
  const { write } = process.stdout
  let text = ''
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += chunk
    return true
  }
  let sentence: string

  try {
    sentence = printProblems([
      { what: 'The database\nis damaged.', remedy: 'Restore it.' },
      ...lost,
      { space: 'b', what: 'Lost too.', remedy: 'Fetch it.' },
    ])
  } finally {
    Object.assign(process.stdout, { write })
  }

  assert.is(sentence, '594 problems found.')
  assert.equal(text.trimEnd().split('\n'), [
    'data folder:',
    '  The database is damaged.',
    '  To do: Restore it.',
    'space a:',
    '  Lost 0.',
    '  Lost 1.',
    '  Lost 2.',
    '  … and 589 more.',
    '  To do: Fetch it.',
    'space b:',
    '  Lost too.',
    '  To do: Fetch it.',
  ])
})

test.run()
