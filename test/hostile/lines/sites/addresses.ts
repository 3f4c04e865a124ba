import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import {
  addSection,
  done,
  follow,
  makeSite,
  messageOf,
  refuse,
  resolve,
  type Site,
} from './tools.ts'

const sites = '/v1/orgs/acme/sites'

/** Reads a site with a request line and headers that name another host. */
const foreignHost =
  (requestLine: (path: string) => string, headers: string[]) => async (stage: Stage) => {
    const { path } = await makeSite(stage)
    const bearer = `Authorization: Bearer ${stage.tokens.admin}`
    const lines = [`GET ${requestLine(path)} HTTP/1.1`, ...headers, bearer, 'Connection: close']
    const seen = await stage.raw(`${lines.join('\r\n')}\r\n\r\n`, 500)

    must(
      !seen.text.includes('evil'),
      `the answer names the foreign host: ${seen.text.slice(0, 500)}`,
    )

    return seen
  }

/** Resolves addresses that all have to be refused. */
const unusable = (urls: (base: string) => string[]) => async (stage: Stage) => {
  const { base } = await makeSite(stage)
  const wrong: string[] = []
  let last: Seen = { status: 'none', text: '' }

  for (const url of urls(base)) {
    last = await resolve(stage, url)
    if (last.status !== 400)
      wrong.push(`${url.slice(0, 100)}: ${last.status} ${last.text.slice(0, 100)}`)
  }

  must(wrong.length === 0, wrong.join('\n'))

  return last
}

/** Returns the origin of an address with another port. */
const otherPort = (base: string): string => {
  const url = new URL(base)
  url.port = '8443'
  return url.href
}

async function manySpellings(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const { base } = site
  await addSection(stage, site, 1, 'API')
  const canonical = `${base}api/Guide`

  for (const path of [
    'API//Guide/',
    'Api/Guide',
    'api/./Guide',
    'api/..//api/Guide',
    '/api///Guide',
    '%41PI/Guide',
  ]) {
    const seen = await resolve(stage, base + path)
    const { redirect } = JSON.parse(seen.text)
    must(redirect === canonical, `${path} leads to ${redirect ?? seen.text.slice(0, 200)}`)
  }

  for (const path of ['../../../../etc/passwd', '..%2f..%2fx', '%2e%2e/%2e%2e/%2e%2e/x']) {
    const seen = await resolve(stage, base + path)
    must(
      seen.status === 404 || seen.status === 400,
      `${path}: ${seen.status} ${seen.text.slice(0, 200)}`,
    )
  }

  return follow(stage, `${base}API//Guide/`)
}

/**
 * Renames two sections in turn, also to names that the other one had; every address ever used ends
 * somewhere.
 */
const renames = (times: number) => async (stage: Stage) => {
  const site = await makeSite(stage)
  const [a, b] = [await addSection(stage, site, 1, 'One'), await addSection(stage, site, 2, 'Two')]
  const names = ['a', 'b', 'c', 'one', 'two', 'hostile']
  const rename = (id: string, path: string) =>
    stage.call('PATCH', `${site.path}/sections/${id}`, { body: { path } })

  await rename(a, 'a')
  await rename(b, 'b')
  must((await rename(a, 'b')).status === 409, 'two sections have one path')
  await rename(a, 'c')
  await rename(b, 'a')
  await rename(a, 'b')

  for (let time = 0; time < times; time++) {
    const id = time % 3 === 0 ? a : b
    if (time % 11 === 5) await done(stage, `PATCH ${site.path}`, { defaultSiteSection: id })
    const { status } = await rename(id, names[(time * 7 + (time >> 2)) % names.length] as string)
    must(status === 200 || status === 409, `a renaming was answered ${status}`)
    if (time % 10 !== 0) continue

    for (const name of names) {
      const seen = await follow(stage, `${site.base}${name}/guide`)
      must(
        seen.status === 200 || seen.status === 404,
        `${name}: ${seen.status} ${seen.text.slice(0, 200)}`,
      )
    }
  }

  return follow(stage, site.base)
}

const unusablePaths = [
  ...[
    '..',
    '.',
    '~x',
    'a/b',
    '%2e',
    'ＡＰＩ',
    'robots.txt',
    'v1',
    'x'.repeat(101),
    '',
    ' api',
    'a\u0000b',
    '.a',
    'a-',
  ],
  ...['а-cyrillic', 'a\nb', 'a?b', 'a#b', 'INDEX'],
]

async function sectionPaths(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  await addSection(stage, site, 1, 'API')
  const id = await addSection(stage, site, 2, 'Other')
  const attempts = unusablePaths.map(path => ({ request: `PATCH /sections/${id}`, body: { path } }))
  await refuse(stage, site, [400], attempts)
  return refuse(stage, site, [409], [{ request: `PATCH /sections/${id}`, body: { path: 'API' } }])
}

async function samePathAtOnce(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const ids = [await addSection(stage, site, 1, 'One'), await addSection(stage, site, 2, 'Two')]
  const seen = await Promise.all(
    ids.map(id => stage.call('PATCH', `${site.path}/sections/${id}`, { body: { path: 'same' } })),
  )
  const [first, second] = seen.map(({ status }) => Number(status)).sort()
  must(first === 200 && second === 409, `they were answered ${first} and ${second}`)
  return seen.find(({ status }) => status === 409) as Seen
}

async function sameTitleAtOnce(stage: Stage): Promise<Seen> {
  const body = { title: 'Made at once' }
  const made = await Promise.all([1, 2, 3, 4].map(() => done(stage, `POST ${sites}`, body)))
  const basenames = new Set(made.map(({ basename }) => basename))
  must(basenames.size === 4, `the basenames are ${[...basenames].join(', ')}`)
  for (const { id } of made) await done(stage, `DELETE ${sites}/${id}`)
  return { status: 201, text: [...basenames].join(' ') }
}

/** A member administers one site and names the basename of another, which they may not see. */
async function hiddenBasename(stage: Stage): Promise<Seen> {
  const hidden = await done(stage, `POST ${sites}`, { title: 'Acquisition of Initech' })
  const site = await makeSite(stage)
  await done(stage, `POST ${site.path}/permissions`, { role: 'admin', users: ['reader'] })
  must(
    (await stage.call('GET', `${sites}/${hidden.id}`, { as: 'reader' })).status === 404,
    'it is not hidden',
  )
  const attempt = { request: 'PATCH ', body: { basename: hidden.basename }, as: 'reader' }
  const seen = await refuse(stage, site, [409], [attempt])

  must(
    !seen.text.includes(hidden.id) && !seen.text.includes('Acquisition'),
    `it is named: ${seen.text}`,
  )

  return seen
}

/**
 * Addresses of change requests and revisions, for readers and for a preview by someone without
 * rights on the space.
 */
async function unpublishedContent(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const { id, number } = await done(stage, `POST /v1/spaces/${site.space}/change-requests`, {
    subject: 'Draft',
  })
  const { id: revision } = await done(stage, `GET /v1/spaces/${site.space}/content`)
  const nothing = messageOf(
    await resolve(stage, `${site.base.replace(/[^/]+\/$/, '')}no-such-site/`),
  )
  let last: Seen = { status: 'none', text: '' }

  for (const path of [
    `~/changes/${number}/`,
    `~/changes/${id}/`,
    '~/changes/999/',
    `~/revisions/${revision}/`,
  ]) {
    last = await resolve(stage, site.base + path)
    must(messageOf(last) === nothing, `${path}: ${last.status} ${last.text.slice(0, 200)}`)
  }

  return last
}

/** A site with two sections, both with the path of a page. */
async function everyPartOfAnother(stage: Stage): Promise<Seen> {
  const [one, other] = [await makeSite(stage), await makeSite(stage)]
  const section = await addSection(stage, other, 1, 'Other')
  const part = (site: Site) => done(stage, `GET ${site.path}/structure`)
  const before = JSON.stringify(await part(other))
  const { items } = await done(stage, `GET ${other.path}/site-spaces`)
  const seen = await refuse(
    stage,
    one,
    [404],
    [
      { request: `PATCH /sections/${section}`, body: { title: 'Taken' } },
      { request: `POST /sections/${section}/move`, body: {} },
      { request: `PATCH /site-spaces/${items[0].id}`, body: { path: 'taken' } },
      { request: `PATCH /site-spaces/${items[0].id}/customization`, body: { title: 'Taken' } },
    ],
  )

  await refuse(
    stage,
    one,
    [204],
    [{ request: `DELETE /sections/${section}` }, { request: `DELETE /site-spaces/${items[0].id}` }],
  )
  must(JSON.stringify(await part(other)) === before, 'the other site has changed')

  return seen
}

const anyHost = 'urls.* and the answer name no foreign host'

/** Addresses of sites, as requests name them and as readers open them. */
export const siteAddressLines: Line[] = [
  line(
    'P1',
    'a foreign Host header',
    200,
    anyHost,
    foreignHost(path => path, ['Host: evil.example']),
  ),
  line(
    'P1',
    'a foreign X-Forwarded-Host header',
    200,
    anyHost,
    foreignHost(
      path => path,
      ['Host: localhost', 'X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example'],
    ),
  ),
  line(
    'P1',
    'an absolute-form request line with a foreign host',
    '200|400|404',
    anyHost,
    foreignHost(path => `http://evil.example${path}`, ['Host: evil.example']),
  ),
  line(
    'P1',
    'two Host headers',
    400,
    anyHost,
    foreignHost(path => path, ['Host: localhost', 'Host: evil.example']),
  ),
  line(
    'P2',
    'addresses with credentials, other schemes and other ports',
    400,
    /address/,
    unusable(base => [
      'https://docs.example.org@evil.example/',
      base.replace('//', '//user:pass@'),
      '//evil.example/',
      '\\\\evil.example\\',
      base.replaceAll('/', '\\'),
      otherPort(base),
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://evil.example/',
      'file:///etc/passwd',
      '',
      'https://',
    ]),
  ),
  line(
    'P2',
    'addresses with long, doubly encoded and broken paths',
    400,
    /./,
    unusable(base => [
      `${base}${'x'.repeat(5_000)}`,
      `${base}%25252e%25252e/`,
      `${base}%`,
      `${base}%zz`,
      `${base}%ff%fe`,
      `${base}a%00b`,
      `${base}a%2fb`,
      `${base}a%5cb`,
      `${base}\r\nLocation: https://evil.example`,
      `${base}\ud800`,
    ]),
  ),
  line(
    'P3',
    'one page in six spellings',
    200,
    'leads to one address below the site',
    manySpellings,
  ),
  line(
    'P4',
    'sections that exchange their paths',
    200,
    'no address leads in a circle',
    renames(20),
  ),
  line('P4', '1,000 renamings', 200, 'no address leads in a circle', renames(1_000), {
    slow: true,
    mostMs: 300_000,
  }),
  line('P8', 'unusable paths of a section', 409, /path/, sectionPaths),
  line('P9', 'the same path for two sections at once', 409, 'one of them has it', samePathAtOnce),
  line('P9', 'four sites with one title at once', 201, 'have four basenames', sameTitleAtOnce),
  line(
    'P10',
    'the basename of a site that the caller may not see',
    409,
    'the site is not named',
    hiddenBasename,
  ),
  line(
    'P17',
    'change requests and revisions in an address',
    404,
    'as for no site',
    unpublishedContent,
  ),
  line(
    'I7',
    'sections and site spaces of another site',
    404,
    'neither site changes',
    everyPartOfAnother,
  ),
]
