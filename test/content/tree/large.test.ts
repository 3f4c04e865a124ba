import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { ContentFile } from '../../../src/content/files.ts'
import { parseSummary } from '../../../src/content/summary/parse.ts'
import { buildTree, pageFileSteps, treeSteps } from '../../../src/content/tree/build.ts'
import { readConfig } from '../../../src/content/tree/config.ts'
import { asOid } from '../../../src/lib/oid.ts'
import type { Steps } from '../../../src/lib/slices.ts'

test('a table of contents with 150,000 entries results in a tree', () => {
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

/** The maximum number of files whose path one step read, and the number of reads. */
function mostInOneStep(
  steps: (files: ContentFile[]) => Steps<unknown>,
  count: number,
  type: string,
): number {
  let asked = 0
  const files = Array.from({ length: count }, (_, i) => ({
    get path() {
      asked++
      return `f${i}.${type}`
    },
    oid: asOid('a'.repeat(40)),
    mode: '100644',
  }))
  let most = 0

  for (const work = steps(files); ; asked = 0) {
    const { done } = work.next()
    most = Math.max(most, asked)
    if (done) return most
  }
}

test('no step of building a large tree visits all files more than once', () => {
  const { config } = readConfig(undefined)
  const given = { spaceId: 's', identity: new Map(), config, summary: null, facts: () => undefined }
  for (const type of ['txt', 'md']) {
    const most = [
      mostInOneStep(files => pageFileSteps(files, config, null), 30_000, type),
      mostInOneStep(files => treeSteps({ ...given, files, variables: {} }), 30_000, type),
    ]
    assert.ok(Math.max(...most) <= 36_000, `${type}: ${most}`)
  }
})

test.run()
