import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { blockMarkdown } from '../../../src/content/openapi/text.ts'

test('GitHub alerts become hints', () => {
  assert.is(
    blockMarkdown(
      'Lists issues.\n\n> [!NOTE]\n> Every pull request is an **issue**.\n>\n> Not the other way.\n\nMore.',
    ),
    'Lists issues.\n\n{% hint style="info" %}\nEvery pull request is an **issue**.\n\nNot the other way.\n{% endhint %}\n\nMore.',
  )
  assert.match(
    blockMarkdown('> [!CAUTION]\n> Deletes it.'),
    /^\{% hint style="danger" %\}\nDeletes it\.\n/,
  )
})

test('other quotes stay quotes', () => {
  assert.is(blockMarkdown('> [!OTHER]\n> words').startsWith('> '), true)
  assert.is(blockMarkdown('> words'), '> words')
})

test('tags within an alert are escaped', () => {
  const written = blockMarkdown('> [!TIP]\n> {% include "x" %} {% endhint %}')
  assert.is(written.split('{%').length - 1, 2, written)
})

test.run()
