import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { messageOf } from '../../../src/workbench/editor-client/message.ts'

const before = {
  title: 'Install',
  body: 'Words.\n\n## On **Linux**\n\nOne.\n\n## On a Mac\n\nTwo.\n',
}
const after = (from: string, to: string, title = 'Install') =>
  messageOf(before, { title, body: before.body.replace(from, to) })

test('the message names the page and the first section that changed', () => {
  assert.is(after('¬', ''), '')
  assert.is(after('Words', 'Other words'), 'Update Install')
  assert.is(after('One', 'Three'), 'Update Install: On Linux')
  assert.is(after('Two', 'Three'), 'Update Install: On a Mac')
  assert.is(after('On a Mac', 'On Macs'), 'Update Install: On Macs')
  assert.is(after('Two.\n', ''), 'Update Install: On a Mac')
  assert.is(after('¬', '', 'Set up'), 'Rename Install to Set up')
  assert.is(after('¬', '', ' '), '')
})

test('lines of code are no headings, and a message is short', () => {
  assert.is(after('One.', '```sh\n# a comment\nOne\n```'), 'Update Install: On Linux')
  assert.is([...after('One.', `One.\n\n## ${'ü'.repeat(300)}`)].length < 101, true)
  assert.is([...after('¬', '', 'ü'.repeat(300))].length, 100)
})

test.run()
