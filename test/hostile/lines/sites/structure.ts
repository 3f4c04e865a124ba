import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { addSection, done, makeSite, makeSpace, messageOf, refuse, spaces } from './tools.ts'

const section = (id: string) => ({ type: 'site-section', id })
const group = (id: string) => ({ type: 'site-section-group', id })
const sort = (item: object, position: object) => ({
  request: 'PATCH /structure/sort',
  body: { item, position },
})

/** A site with four sections, of which two are in a group within a group. */
async function withGroups(stage: Stage) {
  const site = await makeSite(stage)
  const ids: string[] = []
  for (const [at, title] of ['One', 'Two', 'Three', 'Four'].entries())
    ids.push(await addSection(stage, site, at + 1, title))
  const add = async (body: object) =>
    (await done(stage, `POST ${site.path}/section-groups`, body)).id
  const outer: string = await add({ title: 'Outer' })
  const inner: string = await add({ title: 'Inner', parent: outer, sections: ids.slice(0, 2) })
  const [one = '', two = '', three = '', four = ''] = ids

  return { site, outer, inner, one, two, three, four }
}

async function circles(stage: Stage): Promise<Seen> {
  const { site, outer, inner, one } = await withGroups(stage)
  const top = (await done(stage, `POST ${site.path}/section-groups`, { title: 'Top' })).id
  return refuse(
    stage,
    site,
    [400],
    [
      sort(group(outer), { before: group(outer) }),
      sort(group(outer), { after: group(inner) }),
      sort(group(outer), { before: section(one) }),
      sort(group(top), { before: section(one) }),
      sort(section(one), { before: section(one) }),
      sort(section(one), { after: section(one) }),
      { request: 'POST /section-groups', body: { title: 'Third level', parent: inner } },
      {
        request: `POST /section-groups/${outer}/move`,
        body: { position: { after: { type: 'site-section', id: one } } },
      },
    ],
  )
}

async function positions(stage: Stage): Promise<Seen> {
  const { site, outer, one, two, three, four } = await withGroups(stage)
  const other = await makeSite(stage)
  const foreign = await addSection(stage, other, 1, 'Foreign')
  const space = { type: 'site-space', id: site.siteSpace }

  return refuse(
    stage,
    site,
    [400, 404],
    [
      sort(section(three), { before: section(one), after: section(four) }),
      sort(section(three), { before: section(one), after: section(two) }),
      sort(section(three), { before: group(outer), after: group(outer) }),
      sort(section(three), { before: section(foreign) }),
      sort(section(three), { before: space }),
      sort(section(three), { before: group(three) }),
      sort(space, { before: section(three) }),
      sort(section(three), { before: { type: '__proto__', id: three } }),
      sort(section(foreign), { before: section(three) }),
      { request: 'PATCH /structure/sort', body: { item: section(three) } },
      {
        request: `POST /sections/${three}/move`,
        body: { position: { before: { type: 'site-section', siteSection: foreign } } },
      },
      {
        request: `POST /site-spaces/${site.siteSpace}/move`,
        body: { position: { before: { type: 'site-section', siteSection: three } } },
      },
    ],
  )
}

async function pages(stage: Stage): Promise<Seen> {
  const { site } = await withGroups(stage)
  const { next } = await done(stage, `GET ${site.path}/sections?limit=1`)
  const cursor = encodeURIComponent(next.page)
  const attempts = [
    'sections',
    'section-groups',
    'site-spaces',
    'share-links',
    'redirects',
  ].flatMap(list =>
    ['limit=0', 'limit=1001', 'page=e30.x', ...(list === 'sections' ? [] : [`page=${cursor}`])].map(
      query => ({
        request: `GET /${list}?${query}`,
      }),
    ),
  )

  return refuse(stage, site, [400], attempts)
}

async function groupBodies(stage: Stage): Promise<Seen> {
  const { site, one } = await withGroups(stage)
  const other = await makeSite(stage)
  const foreign = await addSection(stage, other, 1, 'Foreign')
  const add = (body: object) => ({
    request: 'POST /section-groups',
    body: { title: 'Group', ...body },
  })

  await refuse(
    stage,
    site,
    [400],
    [
      add({ sections: [one, one] }),
      add({ sections: Array.from({ length: 10_000 }, (_, n) => `x${n}`) }),
      add({ sections: '__proto__' }),
      add({ icon: '<script>' }),
      add({ icon: '' }),
      add({ __proto: 1 }),
    ],
  )

  return refuse(
    stage,
    site,
    [404],
    [
      add({ sections: [one, foreign] }),
      add({ sections: ['__proto__'] }),
      add({ parent: 'constructor' }),
    ],
  )
}

async function defaults(stage: Stage): Promise<Seen> {
  const { site, two, three } = await withGroups(stage)
  const other = await makeSite(stage)
  const foreign = await addSection(stage, other, 1, 'Foreign')
  const { items } = await done(stage, `GET ${site.path}/site-spaces`)
  const of = (id: string) => items.find((item: { section: string }) => item.section === id).id
  const patch = (body: object) => ({ request: 'PATCH ', body })

  await refuse(
    stage,
    site,
    [400, 404],
    [
      patch({ defaultSiteSection: foreign }),
      patch({ defaultSiteSection: 'constructor' }),
      patch({ defaultSiteSpace: other.siteSpace }),
      { request: `PATCH /sections/${two}`, body: { defaultSiteSpace: other.siteSpace } },
    ],
  )

  return refuse(
    stage,
    site,
    [400],
    [
      patch({ defaultSiteSpace: of(two) }),
      patch({ defaultSiteSection: two, defaultSiteSpace: of(three) }),
      { request: `PATCH /sections/${two}`, body: { defaultSiteSpace: of(three) } },
    ],
  )
}

/**
 * Spaces that the caller may not place; a foreign and a deleted one are answered like an unknown
 * one.
 */
async function placing(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const deleted = await makeSpace(stage, 'Deleted')
  await done(stage, `DELETE /v1/spaces/${deleted}`)
  const foreign = stage.ids.foreign_space as string
  const words: string[] = []

  for (const spaceId of [foreign, deleted, 'A2345678901234567890'])
    for (const [request, body] of [
      ['POST /site-spaces', { spaceId }],
      ['POST /sections', { spaceId }],
      [`PATCH /site-spaces/${site.siteSpace}`, { spaceId }],
    ] as const) {
      const seen = await refuse(stage, site, [404], [{ request, body }])
      words.push(messageOf(seen).replace(spaceId, 'ID'))
    }

  must(new Set(words).size === 1, `the answers differ: ${[...new Set(words)].join(' ')}`)
  const before = (await done(stage, 'GET /v1/orgs/acme/sites')).count
  const made = await stage.call('POST', '/v1/orgs/acme/sites', {
    body: { spaces: [site.space, foreign] },
  })

  must(made.status === 404, `a site with a foreign space was answered ${made.status}`)
  must((await done(stage, 'GET /v1/orgs/acme/sites')).count === before, 'a site was made')
  await done(stage, `POST ${site.path}/permissions`, { role: 'create', users: ['editor'] })
  const [, own] = await spaces(stage, 2)

  return refuse(
    stage,
    site,
    [403],
    [
      { request: 'POST /site-spaces', body: { spaceId: own }, as: 'editor' },
      { request: 'POST /sections', body: { spaceId: own }, as: 'editor' },
      { request: `PATCH /site-spaces/${site.siteSpace}`, body: { spaceId: own }, as: 'editor' },
    ],
  )
}

async function twice(stage: Stage): Promise<Seen> {
  const [one, two] = await spaces(stage, 2)
  const made = await done(stage, 'POST /v1/orgs/acme/sites', { spaces: [one, two, one, one] })
  must(made.siteSpaces === 2, `the site has ${made.siteSpaces} spaces`)
  const site = await makeSite(stage)

  return refuse(
    stage,
    site,
    [409],
    [
      { request: 'POST /sections', body: { spaceId: site.space } },
      { request: 'POST /site-spaces', body: { spaceId: site.space } },
    ],
  )
}

/** A guest may read one of the five spaces of a site with sections. */
async function guestView(stage: Stage): Promise<Seen> {
  const own = await makeSpace(stage, 'For the guest')
  const site = await makeSite(stage)
  for (const place of [1, 2, 3]) await addSection(stage, site, place, `Confidential ${place}`)
  await done(stage, `POST ${site.path}/sections`, { spaceId: own, title: 'Open' })
  await done(stage, `POST /v1/spaces/${own}/permissions`, { role: 'read', users: ['guest'] })
  const read = (suffix: string) => done(stage, `GET ${site.path}${suffix}`, undefined, 'guest')

  must((await read('')).siteSpaces === 1, 'the guest counts other spaces')
  const [structure, sections, siteSpaces] = [
    await read('/structure'),
    await read('/sections'),
    await read('/site-spaces'),
  ]

  must(
    sections.count === 1 && siteSpaces.count === 1,
    `${sections.count} sections, ${siteSpaces.count} spaces`,
  )
  const text = JSON.stringify([structure, sections, siteSpaces, await read('/section-groups')])
  const others = await done(stage, `GET ${site.path}/site-spaces`)

  for (const item of others.items) {
    if (item.space.id === own) continue
    for (const secret of [item.id, item.space.id, item.title, item.section])
      must(!text.includes(secret), `the guest reads ${secret}`)
  }

  must(!text.includes('Confidential'), 'the guest reads titles of other sections')

  return stage.call('GET', `${site.path}/structure`, { as: 'guest' })
}

async function restoring(stage: Stage): Promise<Seen> {
  const [space, pooled] = [await makeSpace(stage, 'Restored'), (await spaces(stage, 2))[1]]
  const site = await makeSite(stage)
  const { id, path } = await done(stage, `POST ${site.path}/site-spaces`, { spaceId: space })
  const other = await done(stage, `POST ${site.path}/site-spaces`, { spaceId: pooled })

  await done(stage, `DELETE /v1/spaces/${space}`)
  await done(stage, `PATCH ${site.path}/site-spaces/${other.id}`, { path })
  await done(stage, `POST /v1/spaces/${space}/restore`)
  const { items } = await done(stage, `GET ${site.path}/site-spaces`)
  const now = items.find((item: { id: string }) => item.id === id)

  must(now?.path === `${path}-1`, `the restored space has the path ${now?.path}`)

  return { status: 200, text: now.path }
}

async function transfer(stage: Stage): Promise<Seen> {
  const space = await makeSpace(stage, 'Transferred')
  await makeSite(stage, {}, space)
  await done(stage, 'PATCH /v1/orgs/globex/members/rita', { role: 'create' }, 'stranger')
  await done(stage, `POST /v1/spaces/${space}/permissions`, { role: 'admin', users: ['rita'] })
  await done(stage, 'PATCH /v1/orgs/acme/members/rita', { role: 'admin' })

  try {
    return await stage.call('POST', `/v1/spaces/${space}/transfer`, {
      as: 'rita',
      body: { organization: 'globex' },
    })
  } finally {
    await done(stage, 'PATCH /v1/orgs/acme/members/rita', { role: 'read' })
    await done(stage, 'PATCH /v1/orgs/globex/members/rita', { role: 'read' }, 'stranger')
    const { organization } = await done(stage, `GET /v1/spaces/${space}`)
    must(organization === 'acme', 'the space was transferred')
  }
}

/** Titles of sites, sections, groups and share links. */
async function titles(stage: Stage): Promise<Seen> {
  const { site, one, outer } = await withGroups(stage)
  const at =
    (suffix: string, name = 'title') =>
    (text: string) => ({
      request: `PATCH ${suffix}`,
      body: { [name]: text },
    })

  const fields = [
    at(''),
    at(`/sections/${one}`),
    at(`/sections/${one}`, 'description'),
    at(`/section-groups/${outer}`),
  ]
  const longest = await stage.call('PATCH', site.path, { body: { title: '😀'.repeat(128) } })

  must(longest.status === 200, `128 characters were answered ${longest.status}`)
  const unusable = ['😀'.repeat(300), 'a\u202eb', 'a\nb', 'a\u0000b', 'a\u200bb', 'a\ud800b']

  return refuse(
    stage,
    site,
    [400],
    fields.flatMap(field => unusable.map(field)),
  )
}

/** Changes of the structure, and what users see of it. */
export const siteStructureLines: Line[] = [
  line('T1', 'groups within themselves and on a third level', 400, /./, circles),
  line(
    'T2',
    'positions beside items that are no neighbours, elsewhere or of another kind',
    '400|404',
    /./,
    positions,
  ),
  line('T3', 'limits and cursors of lists of the structure', 400, /./, pages),
  line(
    'T4',
    'groups of repeated, too many and foreign sections',
    404,
    'nothing is written',
    groupBodies,
  ),
  line('T7', 'defaults that are elsewhere', 400, 'nothing is written', defaults),
  line('T8', 'spaces that the caller may not place', 403, /create/, placing),
  line('T9', 'a space twice on a site', 409, /already/, twice),
  line(
    'T10',
    'a guest with one of the spaces of a site',
    200,
    'reads nothing of the others',
    guestView,
  ),
  line('T11', 'a restored space whose path is taken', 200, /-1$/, restoring),
  line('T11', 'the transfer of a space that a site shows', 409, /Remove it/, transfer),
  line('T12', 'titles with invisible, control and too many characters', 400, /./, titles),
]
