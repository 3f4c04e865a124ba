import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import { done, makeSite } from '../sites/tools.ts'
import { mustStay, open, publishText } from './tools.ts'

const right = [200, 307, 400, 401, 404, 414, 431]

/**
 * Opens addresses below a site, which all have to be refused or lead to an address of this server.
 */
const below =
  (tails: readonly string[], expected: readonly number[]) =>
  async (stage: Stage): Promise<Seen> => {
    const { base, path } = await publishText(stage, '# Evil\n\nWords.\n')
    for (const tail of tails) mustStay(await open(stage, base + tail), expected, tail.slice(0, 100))
    return open(stage, path)
  }

const spellings = [
  '%00',
  'evil%00.md',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  '..\\..\\evil',
  '..%5c..%5cevil',
  '%252e%252e%252fevil',
  '%ff%fe',
  '%zz',
  '%',
  '%c0%ae%c0%ae/',
  'evil;/../x',
  'evil%0d%0aSet-Cookie:%20a=b',
  'evil%0aLocation:%20https://evil.example',
  'evil?x=%0d%0aSet-Cookie:a=b',
  '/evil.example/',
  '//evil.example/%2e%2e',
  '/%5cevil.example',
  '%2f%2fevil.example',
  'https://evil.example/',
  'EVIL/',
  'evil.html',
  'evil//',
  '__proto__',
  'constructor/prototype',
  '~stemma',
  '~gitbook',
  '~gitbook/',
  '~gitbook/auth/logout/../../evil',
  '%7egitbook/search',
  'x'.repeat(2_000),
  'x'.repeat(10_000),
  'a/'.repeat(5_000),
  '%2e%2e%2f'.repeat(1_000),
  '<script>alert(1)</script>',
  '%3Cscript%3Ealert(1)%3C/script%3E',
  '"><img src=x onerror=alert(1)>'.replaceAll(' ', '%20'),
]

/** Opens addresses with ids, digests and signatures that no page of the site contains. */
async function crafted(stage: Stage): Promise<Seen> {
  const [one, other] = [await publishText(stage, '# One\n'), await publishText(stage, '# Secret\n')]
  const { pages } = await done(stage, `GET /v1/spaces/${other.site.space}/content/pages`)
  const foreign: { id: string; git: { oid: string } } = pages.at(-1)
  const oid = foreign.git.oid
  const signature = 'a'.repeat(43)
  const tails = [
    `~stemma/files/${oid}/${signature}/evil.md`,
    `~stemma/files/${oid}//evil.md`,
    `~stemma/files/${oid}/%00/evil.md`,
    `~stemma/files/${'0'.repeat(40)}/${signature}/x`,
    `~stemma/files/HEAD/${signature}/x`,
    `~stemma/files/..%2f..%2fstemma.db/${signature}/x`,
    `~stemma/files/${oid}/${signature}/${'x'.repeat(1_500)}`,
    '~stemma/files',
    `~stemma/nav/${'f'.repeat(12)}/~/${foreign.id}`,
    `~stemma/nav/${'f'.repeat(12)}/${foreign.id}`,
    '~stemma/nav/x/~/__proto__',
    '~stemma/nav/x/__proto__',
    '~stemma/nav',
    `~stemma/page/${foreign.id}`,
    '~stemma/page/constructor',
    '~stemma/theme/..%2f..%2fx',
    '~stemma/theme/theme.0000000000000000.css',
    `~/revisions/${'0'.repeat(40)}/evil`,
    '~/changes/1/evil',
    `~/compare/${'0'.repeat(40)}...${'1'.repeat(40)}/evil`,
  ]

  for (const tail of tails) {
    const seen = await open(stage, one.base + tail)
    mustStay(seen, [307, 400, 401, 404], tail.slice(0, 100))
    must(!seen.text.includes('Secret'), `${tail} shows another site`)
  }

  return open(stage, one.path)
}

const words = [
  '"'.repeat(1_000),
  '*'.repeat(500),
  '(((((((((((((((',
  'NEAR(a b, 99999)',
  'title : x OR rowid : 1',
  "'; drop table page; --",
  '-',
  'a AND NOT',
  '\u0000',
  '\ud83d\ude00'.repeat(300),
  '\u202e\u0301'.repeat(500),
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'x'.repeat(7_000),
  'a '.repeat(3_000),
]

/** Searches for what is no word, on the page and in the dialog. */
async function searches(stage: Stage): Promise<Seen> {
  const { base } = await publishText(stage, '# Evil\n\nWords to find.\n')
  for (const query of words) {
    for (const more of [
      '',
      '&part=1',
      '&in=..%2f..%2fx',
      '&part=1&part=2&q=b',
      '&__proto__[x]=1',
    ]) {
      const asked = `~gitbook/search?q=${encodeURIComponent(query)}${more}`
      mustStay(
        await open(stage, base + asked),
        [200, 400, 414, 431],
        `${query.slice(0, 40)}${more}`,
      )
    }
  }

  return open(stage, `${base}~gitbook/search?q=words`)
}

/** Mixes the keys of share links of two sites. */
async function shareKeys(stage: Stage): Promise<Seen> {
  const set = { visibility: 'share-link' }
  const [one, other] = [await makeSite(stage, set), await makeSite(stage, set)]
  const share = async ({ path }: typeof one) => {
    const { id, urls } = await done(stage, `POST ${path}/share-links`, { name: 'Key' })
    return { id, url: new URL(urls.published).pathname }
  }
  const [mine, theirs] = [await share(one), await share(other)]
  const key = (url: string) => url.split('/').at(-2) as string
  const base = new URL(one.base).pathname
  const seen = await open(stage, `${mine.url}guide`)

  mustStay(seen, [200], 'the key of the site')
  must(/no-store/.test(seen.headers?.['cache-control'] ?? ''), 'a page with a key may be stored')
  must(
    seen.headers?.['referrer-policy'] === 'no-referrer',
    'the key leaves with the Referer header',
  )

  for (const tail of [
    '',
    'guide',
    `${key(theirs.url)}/guide`,
    `${key(theirs.url)}/${key(mine.url)}/guide`,
    `${key(mine.url).toLowerCase()}x/guide`,
    `${key(mine.url).slice(0, -1)}/guide`,
    `%00${key(mine.url)}/guide`,
    `${'A'.repeat(20)}/guide`,
  ])
    mustStay(
      await open(stage, base + tail),
      [400, 401, 404],
      `a key that is not that of the site, ${tail.length} characters`,
    )

  await done(stage, `DELETE ${one.path}/share-links/${mine.id}`)

  return open(stage, `${mine.url}guide`)
}

/** Addresses of pages, files, lists and searches. */
export const pageAddressLines: Line[] = [
  line(
    'W1',
    'paths with dots, controls, slashes, markup and 20 KB',
    200,
    'no answer leads elsewhere',
    below(spellings, right),
  ),
  line(
    'W2',
    'ids, digests and signatures of other sites',
    200,
    'no address shows anything',
    crafted,
  ),
  line(
    'W3',
    'searches for operators, quotes, controls and markup',
    200,
    'no page contains markup of a query',
    searches,
  ),
  line(
    'W4',
    'share keys of another site, cut, changed and revoked',
    401,
    /sign in to read this/i,
    shareKeys,
  ),
]
