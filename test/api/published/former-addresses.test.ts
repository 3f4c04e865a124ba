import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startApp } from '../../support/app.ts'
import { makeSpace } from '../../support/corpus/corpus.ts'
import { commitFiles } from '../../support/git/repo.ts'
import { publishedSite } from '../../support/sites.ts'
import { putTeamSchema } from '../reading/house.ts'

const app = await startApp()
test.after(() => app.stop())

type Files = Record<string, string>

/** A published site with these spaces, and what addresses on it lead to. */
async function world(spaces: Record<string, Files>) {
  const made = new Map<string, Awaited<ReturnType<typeof makeSpace>>>()
  for (const [title, files] of Object.entries(spaces))
    made.set(title, await makeSpace(app, { 'README.md': `# ${title}\n`, ...files }, title))
  const spaceOf = (title: string) => made.get(title)!.space.id
  const [first] = made.keys()
  const row = await publishedSite(app, [spaceOf(first!)], { adaptive: 1 })

  putTeamSchema(app, row.id)
  const site = `/v1/orgs/acme/sites/${row.id}`
  const base = `${app.url}/sites/acme/${row.basename}/`
  const titleOf = (spaceId: string) => [...made].find(([, { space }]) => space.id === spaceId)?.[0]

  /** Returns `Title: path of the page`, `→ address` for a redirect, or the status. */
  const open = async (path: string, unsignedClaims?: object): Promise<string> => {
    const { status, body } = await app.anonymous.post('/v1/urls/published', {
      url: base + path,
      ...(unsignedClaims && { visitor: { unsignedClaims } }),
    })
    if (status !== 200) return String(status)
    return body.redirect
      ? `→ ${body.redirect.slice(base.length)}`
      : `${titleOf(body.space)}: ${body.pathname}`
  }

  const send = async (method: 'post' | 'patch' | 'delete', path: string, body?: object) => {
    const reply = await app.admin[method](path.startsWith('/v1') ? path : `${site}/${path}`, body)
    assert.ok(reply.status < 300, `${method} ${path} answered ${reply.status} ${reply.text}`)
    return reply.body
  }

  const siteSpace = async (title: string): Promise<{ id: string }> => {
    const { items } = (await app.admin.get(`${site}/site-spaces?limit=100`)).body
    return items.find((each: { space: { id: string } }) => each.space.id === spaceOf(title))
  }

  return {
    open,
    send,
    siteSpace,
    repoOf: (title: string) => made.get(title)!.repo,
    rename: async (title: string, path: string) =>
      send('patch', `site-spaces/${(await siteSpace(title)).id}`, { path }),
    trash: (title: string) => send('delete', `/v1/spaces/${spaceOf(title)}`),
    restore: (title: string) => send('post', `/v1/spaces/${spaceOf(title)}/restore`),
    place: (title: string, sectionId?: string) =>
      send('post', 'site-spaces', {
        spaceId: spaceOf(title),
        ...(sectionId !== undefined && { sectionId }),
      }),
    section: (title: string) => send('post', 'sections', { spaceId: spaceOf(title), title }),
    moveAfter: async (title: string, other: string) =>
      send('patch', 'structure/sort', {
        item: { type: 'site-space', id: (await siteSpace(title)).id },
        position: { after: { type: 'site-space', id: (await siteSpace(other)).id } },
      }),
  }
}

test('a site space that leaves its section empty keeps its addresses, also when the section is deleted', async () => {
  const { open, section, place, moveAfter, send } = await world({
    One: {},
    Two: {},
    Three: {},
    Four: {},
  })
  const second = await section('Two')
  await place('Three', second.id)
  assert.is(await open('two/three/page'), 'Three: page')
  await moveAfter('Three', 'One')
  await moveAfter('Two', 'One')
  const main = (await open('two/page')).replace(/^→ |two\/page$/g, '')
  const check = async () => {
    assert.is(await open('two/'), `→ ${main}two/`)
    assert.is(await open('two/page'), `→ ${main}two/page`)
    assert.is(await open('two/two/page'), `→ ${main}two/page`)
    assert.is(await open('two/three/page'), `→ ${main}three/page`)
    assert.is(await open(`${main}two/page`), 'Two: page')
  }

  await check()
  await send('delete', `sections/${second.id}`)
  await check()
  const four = await section('Four')

  await send('patch', `sections/${four.id}`, { path: 'two' })
  assert.is(await open('two/page'), 'Four: page')
})

test('a path of a space in the trash leads to the page of the default space, and back when it is restored', async () => {
  const { open, place, rename, trash, restore } = await world({
    Main: { 'vone/x.md': '# X\n' },
    vone: {},
  })

  assert.is(await open('vone/x'), 'Main: vone/x')
  await place('vone')
  await rename('vone', 'vone')
  assert.is(await open('vone/x'), 'vone: x')
  assert.is(await open('main/vone/x'), 'Main: vone/x')
  await trash('vone')
  assert.is(await open('vone/x'), 'Main: vone/x')
  assert.is(await open('main/vone/x'), '→ vone/x')
  await restore('vone')
  assert.is(await open('vone/x'), 'vone: x')
})

test('the derived path of a variant leaves the pages of the default space where they are', async () => {
  const { open, place } = await world({ Main: { 'guides/x.md': '# X\n' }, Guides: {} })
  assert.is((await place('Guides')).path, 'guides-1')
  assert.is(await open('guides/x'), 'Main: guides/x')
  assert.is(await open('guides-1/x'), 'Guides: x')
})

test('a page of the default space that a hidden site space shadows has its long address', async () => {
  const { open, place, rename, siteSpace, send } = await world({
    Main: { 'vone/x.md': '# X\n' },
    vone: {},
  })

  await place('vone')
  await rename('vone', 'vone')
  await send('patch', `site-spaces/${(await siteSpace('vone')).id}`, {
    condition: "visitor.claims.unsigned.team === 'a'",
  })
  assert.is(await open('vone/x'), '404')
  assert.is(await open('main/vone/x'), 'Main: vone/x')
  assert.is(await open('main/other'), '→ other')
})

test('a former path wins over a page that the visitor is not shown, and not over one that has another form', async () => {
  const { open, place, rename, repoOf } = await world({
    Main: {
      'old/secret.md': "---\nif: visitor.claims.team == 'a'\n---\n# S\n",
      'old/open.md': '# O\n',
    },
    Old: {},
  })

  await place('Old')
  await rename('Old', 'old')
  await rename('Old', 'new')
  for (const page of ['old/secret', 'old/absent'])
    assert.is(await open(page), `→ new/${page.slice(4)}`)
  for (const page of ['old/open', 'old/open.md', 'old/open/README'])
    assert.is(await open(page), `Main: ${page}`)
  await commitFiles(repoOf('Main'), { 'old/absent.md': '# A\n' })
  assert.is(await open('old/absent'), 'Main: old/absent')
})

test.run()
