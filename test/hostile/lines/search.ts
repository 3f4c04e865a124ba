import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Line, line, must, type Seen } from '../line.ts'
import type { Stage } from '../stage.ts'

const inSpace = '/v1/spaces/{space}/search'
const inOrganization = '/v1/orgs/acme/search'

const asked = (query: string): string => `query=${encodeURIComponent(query)}`

/** A list with the same content as another search. */
const list = /^\{.*"count":\d+,"items":\[/

/** Sends a query to both searches, which have to answer alike. Returns the first answer. */
const both = (query: string) => async (stage: Stage) => {
  const first = await call(`GET ${inSpace}?${query}`)(stage)
  const second = await call(`GET ${inOrganization}?${query}`)(stage)
  must(
    first.status === second.status,
    `one is answered ${first.status}, the other ${second.status}`,
  )
  return first
}

const odd: [what: string, query: string][] = [
  ['a quote', '"'],
  ['a word and a quote', 'guide"'],
  ['half an AND', 'guide AND'],
  ['OR alone', 'OR'],
  ['NOT in front', 'NOT guide'],
  ['NEAR(', 'NEAR('],
  ['NEAR(a b, 5)', 'NEAR(guide words, 5)'],
  ['a column that is not there', 'nope:x'],
  ['a column that is', 'words:guide'],
  ['columns in braces', '{words rowid}: guide'],
  ['a star', '*'],
  ['a star in front', '*guide'],
  ['a minus', '-guide'],
  ['a caret', '^guide'],
  ['a plus', 'guide + words'],
  ['500 opening brackets', '('.repeat(500)],
  ['x OR x OR …', 'x OR '.repeat(100)],
  ['an SQL comment and more', "'; drop table search_page; --"],
  ['a NUL', 'gui\0de'],
  ['500 quotes', '"'.repeat(500)],
  ['a right-to-left override', '\u202eguide'],
  ['500 accents on one letter', `e${'\u0301'.repeat(500)}`],
  ['one letter that is a ligature of eighteen', '\ufdfa'.repeat(500)],
  ['170 different words', Array.from({ length: 170 }, (_, n) => n.toString(36)).join(' ')],
  ['a backslash', 'guide\\'],
  ['marks alone', '\u0301\u0300'],
]

/** Text that is slow to tokenize or to search. */
const unfriendly: [what: string, text: string][] = [
  ['290,000 opening brackets', '['.repeat(290_000)],
  ['tags that do not end', '{%'.repeat(300_000)],
  ['bars and dashes', `x${' | --'.repeat(150_000)}`],
  ['blanks between characters of Chinese', `字${' '.repeat(500_000)}典`],
  ['99,000 headings', '## a\n'.repeat(99_000)],
  ['one word of 900,000 letters', 'a'.repeat(900_000)],
  ['150,000 different words', Array.from({ length: 150_000 }, (_, n) => n.toString(36)).join(' ')],
  ['400,000 characters of Chinese', '字典語言'.repeat(80_000)],
]

/** A page with this text is found by its title, and then deleted. */
const written = (text: string) => async (stage: Stage) => {
  const space = await stage.space('Unfriendly')
  const changes = [{ operation: 'insert_page', title: 'Xylem', document: { markdown: text } }]
  const edited = await stage.call('POST', `/v1/spaces/${space}/content`, { body: { changes } })
  must(edited.status === 200, `it was not taken: ${edited.status} ${edited.text.slice(0, 200)}`)
  let found = await stage.call('GET', `/v1/spaces/${space}/search?query=xylem`)

  // The job may have begun to index the page.
  for (let asked = 1; found.status === 503 && asked < 50; asked++) {
    await sleep(200)
    found = await stage.call('GET', `/v1/spaces/${space}/search?query=xylem`)
  }

  must(JSON.parse(found.text).count === 1, `it is not found: ${found.text.slice(0, 200)}`)
  const parts = await stage.call('GET', `/v1/spaces/${space}/search?${asked('xylem a')}`)

  must(parts.status === 200, `it is answered ${parts.status}`)
  await stage.call('DELETE', `/v1/spaces/${space}`)

  return { ...found, text: '' }
}

/** Users who may not read a word learn neither its existence nor its frequency. */
async function secret(stage: Stage): Promise<Seen> {
  const word = 'zyzzyva'
  const space = await stage.space('Closed')
  await stage.call('PATCH', `/v1/spaces/${space}`, { body: { defaultLevel: null } })
  const markdown = `A ${word} lives here.\n`
  const changes = [{ operation: 'insert_page', title: 'Open', document: { markdown } }]

  await stage.call('POST', `/v1/spaces/${space}/content`, { body: { changes } })
  const mine = await stage.call('GET', `/v1/spaces/${space}/search?query=${word}`)

  must(
    JSON.parse(mine.text).count === 1,
    `its own people do not find it: ${mine.text.slice(0, 200)}`,
  )
  const theirs = await stage.call('GET', `/v1/spaces/${space}/search?query=${word}`, {
    as: 'reader',
  })

  must(theirs.status === 404, `a space that is closed is answered ${theirs.status}`)
  const [there, notThere] = [
    await stage.call('GET', `${inOrganization}?query=${word}`, { as: 'reader' }),
    await stage.call('GET', `${inOrganization}?query=zyzzyvaa`, { as: 'reader' }),
  ]

  must(there.text === notThere.text, `the answers differ: ${there.text.slice(0, 200)}`)
  await stage.call('DELETE', `/v1/spaces/${space}`)

  return there
}

/** Text of a change request is not found where it is not merged. */
async function draft(stage: Stage): Promise<Seen> {
  const space = await stage.space('Drafted')
  const requests = `/v1/spaces/${space}/change-requests`
  const made = await stage.call('POST', requests, { body: { subject: 'Draft' } })
  const { id } = JSON.parse(made.text) as { id: string }
  const document = { markdown: 'The quokka.\n' }
  const changes = [{ operation: 'insert_page', title: 'Draft', document }]

  await stage.call('POST', `${requests}/${id}/content`, { body: { changes } })
  const inDraft = await stage.call('GET', `${requests}/${id}/search?query=quokka`)

  must(
    JSON.parse(inDraft.text).count === 1,
    `the draft does not have it: ${inDraft.text.slice(0, 200)}`,
  )
  const everywhere = await stage.call('GET', `${inOrganization}?query=quokka`)

  must(
    !everywhere.text.includes('quokka'),
    `the organization has it: ${everywhere.text.slice(0, 200)}`,
  )
  const seen = await stage.call('GET', `/v1/spaces/${space}/search?query=quokka`)

  await stage.call('DELETE', `/v1/spaces/${space}`)

  return seen
}

/** Hostile queries, hostile pages, and searches for text of others. */
export const searchLines: Line[] = [
  ...odd.map(([what, query]) => line('J1', `a search for ${what}`, 200, list, both(asked(query)))),
  line('J1', 'a search for a lone surrogate, percent-encoded', 200, list, both('query=%ED%A0%80x')),
  line(
    'J1',
    'a search for whitespace only',
    400,
    /query.*words to search for/,
    both('query=%20%20'),
  ),
  line('J1', 'a search without words', 400, /query/, both('limit=1')),
  line('J1', 'a search for 513 characters', 400, /query.*512/, both(asked('a'.repeat(513)))),
  line('J1', 'two query parameters in one search', 400, /query/, both('query=a&query=b')),
  line('J1', 'a search with a made-up cursor', 400, /page/, both('query=a&page=WzAsMF0.x')),
  ...unfriendly.map(([what, text]) =>
    line('J1', `a page of ${what} is indexed and found`, 200, 'found', written(text), {
      mostWait: 1_500,
    }),
  ),
  line('J2', 'a search for a word in a closed space', 200, /^\{"count":0,"items":\[\]\}$/, secret),
  line('J2', 'a search for a word of a draft', 200, /^\{"count":0,"items":\[\]\}$/, draft),
  line(
    'J2',
    'a search in the other organization',
    404,
    /may not see/,
    call('GET /v1/orgs/globex/search?query=guide'),
  ),
  line(
    'J2',
    'a search in the other space',
    404,
    /may not see/,
    call('GET /v1/spaces/{foreign_space}/search?query=guide'),
  ),
]
