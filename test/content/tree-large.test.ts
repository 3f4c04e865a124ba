import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig } from '../../src/content/config.ts'
import { parseSummary } from '../../src/content/summary.ts'
import { buildTree } from '../../src/content/tree.ts'

test('a list of 150,000 entries makes a tree', () => {
  const tree = buildTree({
    spaceId: 'space',
    files: [],
    identity: new Map(),
    config: readConfig(undefined).config,
    summary: parseSummary('* a\n'.repeat(150_000)),
    facts: () => undefined,
    variables: {},
  })
  assert.is(tree.pages.length, 150_000)
})

test.run()
