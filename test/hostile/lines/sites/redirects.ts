import { type Line, line, must, type Seen, skipped } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import {
  addSection,
  done,
  makeSite,
  makeSpace,
  refuse,
  resolve,
  type Site,
  withToken,
} from './tools.ts'

const to = (url: string) => ({ source: '/old', destination: { kind: 'external', url } })
const create = (body: unknown) => ({ request: 'POST /redirects', body })

const externalAddresses = async (stage: Stage) => {
  const site = await makeSite(stage)
  const urls = [
    'javascript:alert(1)',
    'http://example.org/',
    '//example.org/',
    'data:text/html,x',
    'https://',
    'x',
  ]

  urls.push('https://user:pass@example.org/', `https://example.org/${'x'.repeat(2_100)}`)

  return refuse(
    stage,
    site,
    [400],
    urls.map(url => create(to(url))),
  )
}

/** Redirects from unusable paths, and to the site itself. */
async function unusableSources(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const destination = { kind: 'site-space', siteSpaceId: site.siteSpace }
  const sources = [
    '/a/*/b',
    '/a?b',
    '/a#b',
    '//a',
    'a',
    '',
    '/',
    '/a//b',
    '/a/../b\u0000',
    '/%zz',
    `/${'x'.repeat(512)}`,
  ]

  return refuse(
    stage,
    site,
    [400],
    [
      ...sources.map(source => create({ source, destination })),
      create({ source: '/old', destination: { ...destination, extra: 1 } }),
      create({ source: '/old', destination: { kind: '__proto__' } }),
    ],
  )
}

/** The stage has no https, so the address of the site is that of a proxy. */
async function ownAddress(): Promise<Seen> {
  const { hosts } = await import('./hosts.ts')
  const stage = await hosts()
  const site = await makeSite(stage, { proxy: 'loop.acme.example/docs' })

  try {
    const urls = [
      'https://loop.acme.example/docs/x',
      'https://LOOP.acme.example/docs/',
      'https://loop.acme.example/docs',
    ]
    return await refuse(
      stage,
      site,
      [400],
      urls.map(url => create(to(url))),
    )
  } finally {
    await done(stage, `DELETE ${site.path}`)
  }
}

async function foreignDestination(stage: Stage): Promise<Seen> {
  const [site, other] = [await makeSite(stage), await makeSite(stage)]
  const section = await addSection(stage, other, 1, 'Other')
  const destinations = [
    { kind: 'site-space', siteSpaceId: other.siteSpace },
    { kind: 'site-section', siteSectionId: section },
    { kind: 'site-page', siteSpaceId: other.siteSpace, pageId: 'x' },
    { kind: 'site-page', siteSpaceId: site.siteSpace, pageId: '__proto__' },
  ]

  return refuse(
    stage,
    site,
    [404],
    destinations.map(destination => create({ source: '/old', destination })),
  )
}

/** A redirect to a page that is deleted is answered like one that was never made. */
async function goneDestination(stage: Stage): Promise<Seen> {
  const space = await makeSpace(stage, 'With a page that goes')
  const site = await makeSite(stage, {}, space)
  const { pages } = await done(stage, `GET /v1/spaces/${space}/content/pages`)
  const page = pages.at(-1).id
  const destination = { kind: 'site-page', siteSpaceId: site.siteSpace, pageId: page }

  await done(stage, `POST ${site.path}/redirects`, { source: '/old', destination })
  const find = (source: string) => stage.call('GET', `${site.path}/redirect?source=${source}`)

  must((await find('/old')).status === 200, 'the redirect is not found')
  await done(stage, `POST /v1/spaces/${space}/content`, {
    changes: [{ operation: 'delete_page', page }],
  })
  const [gone, never] = [await find('/old'), await find('/new')]
  const words = (seen: Seen) => JSON.parse(seen.text).error.message.replace(/"\/\w+"/, '')

  must(words(gone) === words(never), `they differ: ${gone.text} ${never.text}`)

  return gone
}

async function oneTooMany(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const destination = { kind: 'site-space', siteSpaceId: site.siteSpace }
  const post = (source: string) =>
    stage.call('POST', `${site.path}/redirects`, { body: { source, destination } })
  for (let from = 0; from < 10_000; from += 20)
    await Promise.all(Array.from({ length: 20 }, (_, n) => post(`/old-${from + n}`)))
  return post('/one-more')
}

const fallback = (site: Site): string[] => [
  'javascript:alert(1)',
  'http://10.0.0.1/login',
  'http://login.example.org/',
  '//login.example.org/',
  'https://login.example.org/?location=x',
  'https://user:pass@login.example.org/',
  site.base,
  `${site.base}guide`,
  site.base.replace(/[^/]+\/$/, basename => basename.toUpperCase()),
]

async function fallbacks(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const set = (fallbackURL: string) => ({
    request: 'PATCH /publishing/auth',
    body: { fallbackURL },
  })
  const before = (await stage.call('GET', `${site.path}/publishing/auth`)).text
  const seen = await refuse(stage, site, [400], fallback(site).map(set))

  must(
    (await stage.call('GET', `${site.path}/publishing/auth`)).text === before,
    'the settings have changed',
  )

  // Browsers go there, the server does not.
  await done(stage, `PATCH ${site.path}/publishing/auth`, { fallbackURL: 'https://10.0.0.1/login' })

  return seen
}

/** What comes back to the sign-in page is a path below the site, whatever the address was. */
async function signInLocation(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage, { visibility: 'visitor-auth' })
  await done(stage, `PATCH ${site.path}/publishing/auth`, {
    fallbackURL: 'https://login.example.org/in?a=b',
  })
  let last: Seen = { status: 'none', text: '' }

  for (const path of [
    'https://evil.example',
    '/evil.example',
    '//evil.example/',
    'a?location=https://evil.example',
  ])
    for (const encoded of [path, encodeURIComponent(path)]) {
      last = await resolve(stage, site.base + encoded)
      if (last.status === 400) continue
      const { target, redirect } = JSON.parse(last.text)
      const { origin, searchParams } = new URL(redirect)

      must(
        target === 'external' && origin === 'https://login.example.org',
        `${encoded} leads to ${redirect}`,
      )
      const locations = searchParams.getAll('location')

      must(
        locations.length === 1 && !/^\/|^\w+:\/\/|[\\\r\n]/.test(locations[0] ?? ''),
        `${encoded}: ${redirect}`,
      )
    }

  return last
}

/**
 * Uses an address for previews with another site, altered, and after its user may not read the site.
 */
async function previews(stage: Stage): Promise<Seen> {
  const [site, other] = [await makeSite(stage), await makeSite(stage)]
  await done(stage, `POST ${site.path}/unpublish`)
  await done(stage, `POST ${site.path}/permissions`, { role: 'create', users: ['reader'] })
  const { url } = await done(stage, `GET ${site.path}/publishing/preview`, undefined, 'reader')

  must((await resolve(stage, url)).status === 200, 'the preview does not work')
  must(
    (await resolve(stage, url.split('?')[0])).status === 404,
    'the preview works without its token',
  )

  must(
    (await resolve(stage, url.replace(site.id, other.id))).status === 404,
    'the token previews another site',
  )
  must((await resolve(stage, `${url}x`)).status !== 200, 'an altered token works')
  const token = new URL(url).searchParams.get('token') as string
  const { exp } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())

  must(exp <= Date.now() / 1000 + 3_600, 'the preview does not end within an hour')
  const read = () => withToken(stage, token, `GET ${site.path}/structure`)

  must((await read()).status === 200, 'the token does not read the site')
  await done(stage, `DELETE ${site.path}/permissions/users/reader`)
  must((await resolve(stage, url)).status !== 200, 'the preview outlives the role')
  await done(stage, `PATCH /v1/spaces/${site.space}`, { defaultLevel: null })

  return read()
}

/** Redirects of sites, and addresses to which visitors are sent. */
export const siteRedirectLines: Line[] = [
  line('P5', 'redirects from unusable paths', 400, /./, unusableSources),
  line('P5', 'a redirect to the address of the site', 400, /site itself/, ownAddress),
  line('P5', 'the 10,001st redirect', 409, /10000|10,000/, oneTooMany, {
    slow: true,
    mostMs: 400_000,
  }),
  line('P6', 'redirects to unusable addresses', 400, /./, externalAddresses),
  line('P7', 'redirects to parts of another site', 404, 'nothing is written', foreignDestination),
  line('P7', 'a redirect to a page that is gone', 404, 'as for no redirect', goneDestination),
  line('P14', 'unusable addresses where visitors sign in', 400, /fallbackURL|"/, fallbacks),
  line(
    'P15',
    'foreign addresses as the place to return to',
    '200|400',
    'is a path below the site',
    signInLocation,
  ),
  skipped(
    'P15',
    'the parameter "location" of a login address',
    'the server does not serve pages of sites',
  ),
  line('P16', 'a preview address after its user lost the role', 401, /./, previews),
]
