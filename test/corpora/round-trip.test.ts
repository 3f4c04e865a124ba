import { createHash } from 'node:crypto'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { spaceFolder } from '../../src/actions/repositories/space-repository.ts'
import { readCorpora } from '../support/corpus/corpora.ts'
import { openSyncBench, type SyncBench } from '../support/git/remote.ts'
import { fsck, gitOutside } from '../support/git/repo.ts'

type Page = {
  type: string
  git?: { oid: string; path: string }
  markdown?: string
  path?: string
  pages?: Page[]
}
let bench: SyncBench

test.before(async () => {
  bench = await openSyncBench()
})
test.after(async () => {
  await bench.stop()
})

/** Every page of a tree with how deep it stands; groups do not count as a level. */
function flatten(pages: Page[], depth = 1): { page: Page; depth: number }[] {
  return pages.flatMap(page => [
    { page, depth },
    ...flatten(page.pages ?? [], page.type === 'group' ? depth : depth + 1),
  ])
}

async function files(path: string): Promise<{ git: { path: string } }[]> {
  const { body } = await bench.app.admin.get(path)
  if (!body.next) return body.items
  const next = new URL(path, 'http://x')
  next.searchParams.set('page', body.next.page)
  return [...body.items, ...(await files(next.pathname + next.search))]
}

for (const { name, commit, source, roots } of readCorpora()) {
  const [root] = roots
  const directory = root.root === '.' ? {} : { repoProjectDirectory: root.root }

  test(`${name}: imports with the counts that were found in it, and exports as the same commits`, async () => {
    const dir = bench.remote(name, {}, 'docs')
    gitOutside(dir, ['fetch', '--quiet', source, `+${commit}:refs/heads/docs`])
    const remote = { url: `${bench.host.origin}/${name}.git`, ref: 'refs/heads/docs', ...directory }
    const space = await bench.space(name)
    const imported = await bench.sync('import', space, remote)

    assert.is(imported.state, 'success', imported.error)
    if (root.root === '.') assert.is(imported.revision, commit)

    const { body } = await bench.app.admin.get(`/v1/spaces/${space}/content/pages`)
    const pages = flatten(body.pages)
    const count = (pick: (page: Page) => boolean) => pages.filter(({ page }) => pick(page)).length

    assert.is(
      count(page => page.type === 'document' && page.git !== undefined),
      root.summary.file,
    )

    assert.is(
      count(page => page.type === 'document' && page.git === undefined),
      root.summary.text,
    )

    assert.is(
      count(page => page.type === 'group'),
      root.summary.groups,
    )
    const depths: Record<string, number> = {}

    for (const { page, depth } of pages) {
      if (page.type !== 'group') depths[depth] = (depths[depth] ?? 0) + 1
    }
    assert.equal(depths, root.summary.depthHist)
    for (const { file, treePath } of root.summary.treePathDiffers) {
      assert.is(pages.find(({ page }) => page.git?.path === file)?.page.path, treePath)
    }

    const all = await files(`/v1/spaces/${space}/content/files?limit=200`)
    const assets = all.filter(file => file.git.path.startsWith('.gitbook/assets/'))

    assert.is(assets.length, root.assets.count)

    const refs = bench.git(space, 'show-ref')
    const tip = gitOutside(dir, ['rev-parse', 'docs'])
    const exported = await bench.sync('export', space, { ...remote, commitMessage: 'Nothing' })

    assert.is(exported.state, 'success', exported.error)
    assert.is(gitOutside(dir, ['rev-parse', 'docs']), tip)
    assert.is(bench.git(space, 'show-ref'), refs)
    const tree = root.root === '.' ? 'docs^{tree}' : `docs:${root.root}`

    assert.is(bench.git(space, 'rev-parse', 'HEAD^{tree}'), gitOutside(dir, ['rev-parse', tree]))
    fsck({ dir: spaceFolder(bench.app.dataDir, space) })
  })

  test(`${name}: every page comes out byte for byte as it is in Git`, async () => {
    const { body: list } = await bench.app.admin.get('/v1/orgs/acme/spaces')
    const space = list.items.find((item: { title: string }) => item.title === name).id
    const { body } = await bench.app.admin.get(`/v1/spaces/${space}/content/pages?format=markdown`)
    const documents = flatten(body.pages).filter(({ page }) => page.git !== undefined)
    const output = gitOutside(spaceFolder(bench.app.dataDir, space), [
      'ls-tree',
      '-r',
      '-z',
      'HEAD',
    ])

    const oids = new Map(
      output
        .split('\0')
        .filter(Boolean)
        .map(line => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2]]),
    )

    for (const { page } of documents) {
      const { git, markdown = '' } = page
      assert.is(git?.oid, oids.get(git?.path ?? ''))
      assert.is(gitOid(Buffer.from(markdown)), git?.oid, git?.path ?? '')
    }

    assert.is(documents.length, root.summary.file)
  })
}

function gitOid(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

test.run()
