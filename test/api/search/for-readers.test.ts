import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { jobs } from '../../../src/jobs/all.ts'
import {
  findSearchSpace,
  listSearchPages,
  pageRange,
} from '../../../src/store/search/search-index.ts'
import { type Actor, startApp } from '../../support/app.ts'
import { makeSpace, type TestSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { holdSearch } from '../../support/hold-search.ts'
import { publishedSite, readerOf } from '../../support/sites.ts'
import { putTeamSchema } from '../reading/house.ts'

const app = await startApp()
holdSearch(app.ctx)
test.after(() => app.stop())

const index = ({ space }: TestSpace) =>
  jobs['index-search']!(
    app.ctx,
    { spaceId: space.id },
    { signal: new AbortController().signal, attempt: 1 },
  )

const home = '# Home\n\nAn ocelot.\n'
const forTeam = "---\nif: visitor.claims.team == 'a'\n---\n"

/**
 * Creates an indexed space on a site of its own. Returns what searches for a word find: the paths
 * of pages.
 */
async function searchable(files: Record<string, string>) {
  const made = await makeSpace(app, files)
  await index(made)
  const { id } = await publishedSite(app, [made.space.id], { adaptive: 1 })
  putTeamSchema(app, id)
  const pathsFor = (caller: Actor) => async (word: string) => {
    const { status, body, text } = await caller.post(`/v1/orgs/acme/sites/${id}/search`, {
      query: word,
      scope: { mode: 'all' },
    })
    assert.is(status, 200, text)
    const [found] = body.items
    return (found?.pages ?? []).map(({ path }: { path: string }) => path).sort()
  }

  return {
    ...made,
    anyone: pathsFor(readerOf(app, id)),
    member: pathsFor(readerOf(app, id, { claims: { team: 'a' } })),
    hides: () => findSearchSpace(app.ctx.store, made.space.id)?.hides,
  }
}

test('the index says whether readers may be shown the pages differently', async () => {
  const table: [files: Record<string, string>, hides: 0 | 1][] = [
    [{ 'b.md': "# Bee\n\n{% if visitor.claims.team == 'a' %}team{% endif %}\n" }, 0],
    [{ 'b.md': '# Bee <code class="expression">visitor.claims.name</code>\n' }, 1],
    [{ 'b.md': `${forTeam}# Bee\n` }, 1],
    [{ 'b.md': '---\nif: [\n---\n# Bee\n' }, 1],
    [
      {
        'b.md': '# Bee\n',
        'SUMMARY.md': '* [Home](README.md)\n* [Note](https://example.com)\n  * [Bee](b.md)\n',
      },
      1,
    ],
    [{ 'b.md': '# Bee\n', 'SUMMARY.md': '* [Home](README.md)\n  * [Bee](b.md)\n' }, 0],
  ]
  for (const [files, hides] of table) {
    const made = await makeSpace(app, { 'README.md': home, ...files })
    await index(made)
    assert.is(findSearchSpace(app.ctx.store, made.space.id)?.hides, hides, JSON.stringify(files))
  }
})

test('the index says of each page whether it depends on the reader, also below a page that does', async () => {
  const made = await makeSpace(app, {
    'README.md': home,
    'SUMMARY.md': '* [Home](README.md)\n* [Top](top.md)\n  * [Below](below.md)\n',
    'top.md': '# Top\n',
    'below.md': '# Below\n',
  })
  const varying = async () => {
    await index(made)
    const { number } = findSearchSpace(app.ctx.store, made.space.id)!
    const rows = listSearchPages(app.ctx.store, number, 10, pageRange(number)[0] - 1)
    return rows.filter(({ varies }) => varies === 1).map(({ title }) => title)
  }

  assert.equal(await varying(), [])
  await commitFiles(made.repo, { 'top.md': `${forTeam}# Top\n` })
  assert.equal((await varying()).sort(), ['Below', 'Top'])
  await commitFiles(made.repo, { 'top.md': '# Top\n' })
  assert.equal(await varying(), [])
})

test('the index says which pages tell how rare words are: those with one text for all readers', async () => {
  const made = await makeSpace(app, {
    'README.md': home,
    'comment.md': '<!-- A licence. -->\n\n# Comment\n',
    'code.md': '# Code\n\n<code title="x">y</code>\n',
    'condition.md': "# Condition\n\n{% if visitor.claims.team == 'a' %}team{% endif %}\n",
    'expression.md': '# Expression\n\n<code class="expression">visitor.claims.name</code>\n',
    'draft.md': '---\ndraft: true\n---\n# Draft\n',
  })
  await index(made)
  const { number } = findSearchSpace(app.ctx.store, made.space.id)!
  const rows = listSearchPages(app.ctx.store, number, 10, pageRange(number)[0] - 1)

  assert.equal(rows.flatMap(({ path, counts }) => (counts === 1 ? [path] : [])).sort(), [
    'code',
    'comment',
    'readme',
  ])
})

test('a condition hides a page from a search before the index has it, and shows it again when it is gone', async () => {
  const space = await searchable({ 'README.md': home, 'b.md': '# Bee\n\nAn ocelot.\n' })
  assert.is(space.hides(), 0)
  assert.equal(await space.anyone('ocelot'), ['b', 'readme'])
  await commitFiles(space.repo, { 'b.md': `${forTeam}# Bee\n\nAn ocelot.\n` })
  assert.equal(await space.anyone('ocelot'), ['readme'])
  await index(space)
  assert.is(space.hides(), 1)
  assert.equal(await space.anyone('ocelot'), ['readme'])
  assert.equal(await space.member('ocelot'), ['b', 'readme'])

  // Another page changes: the condition is still there.
  await commitFiles(space.repo, { 'README.md': `${home}More.\n` })
  await index(space)
  assert.is(space.hides(), 1)
  await commitFiles(space.repo, { 'b.md': '# Bee\n\nAn ocelot again.\n' })
  await index(space)
  assert.is(space.hides(), 0)
  assert.equal(await space.anyone('ocelot'), ['b', 'readme'])
})

test('a page whose text depends on the reader is found by what the reader gets', async () => {
  const space = await searchable({
    'README.md': home,
    'b.md': "# Bee\n\nA lynx.\n\n{% if visitor.claims.team == 'a' %}\nAn ocelot.\n{% endif %}\n",
  })
  assert.is(space.hides(), 0)
  assert.equal(await space.anyone('ocelot'), ['readme'])
  assert.equal(await space.member('ocelot'), ['b', 'readme'])
  assert.equal(await space.anyone('lynx'), ['b'])
})

test('a page of a text that the index does not have yet is not found by its former text', async () => {
  const space = await searchable({ 'README.md': home, 'b.md': '# Bee\n\nA secret ocelot.\n' })
  await commitFiles(space.repo, { 'b.md': '# Bee\n\nA lynx.\n' })
  assert.equal(await space.anyone('secret'), [])
  assert.equal(await space.anyone('ocelot'), ['readme'])
})

test('a space with a damaged repository is left out of a search', async () => {
  const files = {
    'README.md': home,
    'b.md': '# Bee {% if visitor.claims.x %}x{% endif %}\n\nAn ocelot.\n',
  }

  const damages: ((dir: string) => void)[] = [
    dir => rmSync(dir, { recursive: true }),
    dir => rmSync(join(dir, 'objects'), { recursive: true }),
    dir => writeFileSync(join(dir, 'refs/heads/main'), 'nothing'),
  ]

  for (const damage of damages) {
    const [whole, damaged] = [await makeSpace(app, files), await makeSpace(app, files)]
    await index(whole)
    await index(damaged)

    // The index is not at its head, so that the search opens the space.
    await commitFiles(damaged.repo, { 'README.md': `${home}More.\n` })
    const { id } = await publishedSite(app, [whole.space.id, damaged.space.id])

    damage(damaged.repo.dir)
    const answer = await readerOf(app, id).post(`/v1/orgs/acme/sites/${id}/search`, {
      query: 'ocelot',
      scope: { mode: 'all' },
    })

    assert.is(answer.status, 200, `${damage}: ${answer.text}`)
    assert.equal(
      answer.body.items.map((item: { id: string }) => item.id),
      [whole.space.id],
      String(damage),
    )
  }
})

test.run()
